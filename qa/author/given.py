"""What a call is told to be given: all of its arguments, in their order, none left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from qa.author.draft import code

_BY_MACRO = re.compile(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]*)\(\w+\)(?=<|$)")


def given(arguments: Sequence[str], own: Sequence[str]) -> str:
    """The arguments of a call, for behind its name.

    Args:
        arguments: As written.
        own: Parameters of the caller, in order.

    Returns:
        Nothing where there are none; that they are the caller's own where the caller hands on all
        of them, in their order; else all of them in one piece of code.
    """
    told = [re.sub(r"\s+", " ", one).strip() for one in arguments]
    if not any(told):
        return ""
    if told == list(own):
        return " with your own arguments"
    return f", given {code(', '.join(told))}"


def named_by_macros(words: Collection[str]) -> str:
    """Says of macros in the names of called functions what they do there.

    Args:
        words: Names of functions as they are called: ``LIB_API(work)<T>``.
    """
    macros = sorted({m[1] for one in words for m in _BY_MACRO.finditer(one)})
    if not macros:
        return ""
    return "".join(
        f" {code(macro)} only makes a function's name: what is called is the function in its brackets, under the name that the macro gives it."
        for macro in macros
    )
