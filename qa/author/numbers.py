"""Expressions with numbers put in for their names, as a reader would write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qa.text.arithmetic import Unknown, Value, evaluate
from qa.text.brackets import unwrapped

_CASTS = r"\b(?:u?int\d+_t|size_t)\("


def equation(worked: str, value: object) -> str:
    """A term and what it comes to; the number alone where the two read the same."""
    same = re.sub(r"[\s()]", "", worked) == str(value)
    return str(value) if same else f"{worked} = {value}"


def put_into(expression: str, values: Mapping[str, Value]) -> str:
    """An expression with numbers for its names; casts and terms that are zero left out."""
    bare = re.sub(r"(?<!\w)\((\w+)\)", r"\1", re.sub(_CASTS, "(", expression))
    bare = without_choices(bare, values)
    kept = []
    for term in split_terms(bare):
        try:
            zero = evaluate(term, values) == 0
        except Unknown:
            zero = False
        if not zero:
            kept.append(term)
    text = " + ".join(kept) or "0"
    return re.sub(
        r"[A-Za-z_]\w*(?:(?:->|\.)\w+)*", lambda m: str(values.get(m[0], m[0])), text
    ).replace("*", " * ").replace("  ", " ")  # fmt: skip


def without_choices(text: str, values: Mapping[str, Value]) -> str:
    """An expression with each ``? :`` replaced by what it comes to."""
    text = unwrapped(text)
    for _ in range(4):
        match = re.search(r"\(([^()]*\?[^()]*)\)", text)
        if match is None:
            break
        try:
            text = text.replace(match[0], str(evaluate(match[1], values)))
        except Unknown:
            break
    if "?" in text:
        try:
            return str(evaluate(text, values))
        except Unknown:
            return text
    return text


def split_terms(text: str) -> list[str]:
    """Parts of a sum, those in parentheses left whole."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and text.startswith(" + ", index):
            parts.append(text[start:index])
            start = index + 3
    return [*parts, text[start:]]
