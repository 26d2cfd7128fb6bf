"""Directives and declarations of ``using`` that a slice's names may count on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kernels.slice.code_names import code_words
from kernels.slice.parsed import Declaration, ParsedUnit

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_KINDS = {"USING_DIRECTIVE", "USING_DECLARATION"}


def usings(
    parsed: ParsedUnit, taken: Mapping[int, int], names: set[tuple[str, str]]
) -> Iterator[Declaration]:
    """Those that bring in what is needed of HIP or the standard library, where it is needed.

    One within a namespace reaches only what stands in there, or names the namespace.

    Args:
        parsed: The unit.
        taken: Numbers of what the slice holds by now.
        names: What it needs of HIP or the standard library: scope and name.
    """
    code = [one for one in parsed.declarations if one.number in taken and not one.kinds() & _KINDS]
    words: set[str] = set()
    spaces = {_lasting(one.scope)[:depth] for one in code for depth in range(len(one.scope) + 1)}
    for one in parsed.declarations:
        kinds = one.kinds() & _KINDS
        if one.number in taken or not kinds:
            continue
        written = parsed.text(one.file)[one.begin : one.end].decode(errors="replace")
        last = _IDENTIFIER.findall(written)[-1]
        needed = {scope if "USING_DIRECTIVE" in kinds else name for scope, name in names}
        if last not in needed:
            continue
        inside = _lasting(one.scope)
        if inside not in spaces and not words:
            words = {word for other in code for word in code_words(parsed, other)}
        if inside in spaces or _name(inside) in words:
            yield one


def _lasting(scope: tuple[str, ...]) -> tuple[str, ...]:
    """A scope without what is open to the one around it: inline ones, those without a name."""
    return tuple(
        name
        for name in scope
        if not name.startswith(("inline ", "extern")) and _name((name,)) != "namespace"
    )


def _name(scope: tuple[str, ...]) -> str:
    found = _IDENTIFIER.findall(scope[-1]) if scope else []
    return found[-1] if found else ""
