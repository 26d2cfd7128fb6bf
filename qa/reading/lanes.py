"""Whether a thread makes an access, by the tests that its evaluation hangs on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from qa.reading.access_guards import Needed
from qa.reading.function import FunctionReading
from qa.reading.function_text import without_comments
from qa.text.arithmetic import Unknown, Value, evaluate
from qa.text.brackets import split_at, unwrapped

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[xyz]\b)?")
_BUILT_IN = re.compile(r"\bhip(Thread|Block)(Idx|Dim)_([xyz])\b|\bhipGridDim_([xyz])\b")
_CAST = re.compile(r"\b(?:int|unsigned|size_t|I|rocblas_int|u?int\d+_t)\(")
_DEEPEST = 8
_LONGEST = 600


def spelled_out(expression: str, reading: FunctionReading, text: str) -> str:
    """An expression with local names that are set once put in, down to built-in indices.

    Args:
        expression: As the function has it.
        reading: The function.
        text: Its definition.
    """
    bare = without_comments(text)
    named = {p.name for p in reading.parameters}
    for _round in range(_DEEPEST):
        made = _built_in(expression)
        for name in dict.fromkeys(_NAME.findall(made)):
            rows = [d for d in reading.definitions if d.name == name]
            if len(rows) != 1 or name in named or _changes(name, bare):
                continue
            value = _CAST.sub("(", rows[0].value)
            inner = f"({value})".replace("\\", "\\\\")
            made = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.(])", inner, made)
            if len(made) > _LONGEST:
                return expression
        if made == expression:
            break
        expression = made
    return expression


def _built_in(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        if match[4]:
            return f"gridDim.{match[4]}"
        return f"{match[1].lower()}{match[2]}.{match[3]}"

    return _BUILT_IN.sub(plain, text)


@lru_cache(maxsize=1 << 14)
def _changes(name: str, bare: str) -> bool:
    """A local name gets another value than the one it is defined with, or its address is taken."""
    word = re.escape(name)
    sets = re.findall(rf"(?<![\w.>])(?:\*\s*)?{word}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)", bare)
    moves = re.search(rf"(?:\+\+|--)\s*{word}\b|\b{word}\s*(?:\+\+|--)|[(,=]\s*&\s*{word}\b", bare)
    return len(sets) > 1 or moves is not None


def outcome(test: str, values: Mapping[str, Value]) -> bool | None:
    """What a test comes out as; ``None`` where the values do not settle it.

    A part that is known may settle a whole that is not: ``tx == 0 && *info == 0``.
    """
    test = unwrapped(test)
    for sign, settles in (("||", True), ("&&", False)):
        parts = split_at(test, sign)
        if len(parts) > 1:
            known = [outcome(part, values) for part in parts]
            if settles in known:
                return settles
            return None if None in known else not settles
    if test.startswith("!") and not test.startswith("!="):
        inner = outcome(test[1:], values)
        if inner is not None:
            return not inner
    try:
        return bool(evaluate(test, values))
    except Unknown:
        return None


def makes(
    needed: Iterable[Needed], reading: FunctionReading, text: str, values: Mapping[str, Value]
) -> bool | None:
    """Whether the access is made: ``False`` where one test is known to keep the thread away.

    Args:
        needed: The tests.
        reading: The function.
        text: Its definition.
        values: Of parameters, constants and built-in indices.

    Returns:
        ``None`` where nothing keeps it away but something is not known.
    """
    found: bool | None = True
    for one in needed:
        passes = outcome(spelled_out(one.condition, reading, text), values)
        if passes is None:
            found = None
        elif passes is one.negated:
            return False
    return found


def same_for_all(condition: str) -> bool:
    """A test of a scalar or of a pointer, which comes out alike for all threads of a launch."""
    return all(
        re.fullmatch(r"!?\s*\w+|.*\bnullptr\b.*|.*\b(?:alpha|beta)\b.*", unwrapped(part))
        for whole in split_at(unwrapped(condition), "&&")
        for part in split_at(unwrapped(whole), "||")
    )
