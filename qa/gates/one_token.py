"""Code in an answer that is the source's but for one name, and operands that are swapped.

Whoever writes freely puts code in his own words; a piece of it that differs from the source in a
single name, which the cited functions have elsewhere, is a slip rather than a paraphrase.
"""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.reading.function_text import without_comments
from qa.text.comparisons import tight
from qa.text.prose import code_fragments

_TOKEN = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*|\d[\w.]*|<=|>=|==|!=|&&|\|\||[^\s\w]")
_NAME = re.compile(r"[A-Za-z_][\w.:>-]*")
_SIMPLE = re.compile(r"([A-Za-z_][\w.]*)(<=|>=|==|!=|<|>)([A-Za-z_][\w.]*)")
_SHORTEST = 5


def as_written(case: Case) -> str | None:
    """No piece of code has another name where the source has the rest of it."""
    if case.is_code:
        return None
    text = without_comments(
        "\n".join([case.evidence_text, *(f.text for f in case.evidence_functions)])
    )
    source = _TOKEN.findall(text)
    names = {token for token in source if _NAME.fullmatch(token)}
    squeezed = tight(text)
    told = tight(f"{case.claim_text} {case.entry.question}")
    for fragment in code_fragments(case.entry.answer):
        bare = tight(fragment)
        tokens = _TOKEN.findall(fragment)
        if len(tokens) < 3 or bare in squeezed or bare in told:
            continue
        if len(tokens) >= _SHORTEST and (other := _slip(tokens, source, names)):
            return f"the source has {other}, the answer {fragment[:70]}"
        simple = _SIMPLE.fullmatch(bare)
        if simple is not None and simple[3] in names and simple[1] in names:
            right = {
                source[i + 2] for i in range(len(source) - 2)
                if source[i] == simple[1] and source[i + 1] == simple[2]
            }  # fmt: skip
            plain_names = {token for token in right if _NAME.fullmatch(token)}
            if plain_names == right and right and simple[3] not in right:
                return f"the source compares {simple[1]} with {sorted(right)[0]}, not {simple[3]}"
    return None


def _slip(tokens: list[str], source: list[str], names: set[str]) -> str:
    """The source's way of writing the tokens but for one name; nothing where there is none."""
    count = len(tokens)
    for i in range(len(source) - count + 1):
        window = source[i : i + count]
        apart = [k for k in range(count) if window[k] != tokens[k]]
        if len(apart) != 1:
            continue
        ours, theirs = tokens[apart[0]], window[apart[0]]
        if ours in names and _NAME.fullmatch(theirs) and _NAME.fullmatch(ours):
            return " ".join(window)[:70]
    return ""
