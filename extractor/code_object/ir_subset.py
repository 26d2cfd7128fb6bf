"""The part of a unit's LLVM IR that some of its functions need.

A unit of a template library instantiates hundreds of kernels, and optimising them all to learn
about a few takes minutes. The front end's text, before any optimisation, is cut down to the kernels
asked for and everything they refer to; what the optimiser then makes of a kernel is the same, since
kernels do not call each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SYMBOL = re.compile(rb'@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))')
# Lists of what is to be kept whether or not it is used.
_LISTS = (b"llvm.used", b"llvm.compiler.used", b"llvm.global_ctors", b"llvm.global_dtors")


def subset(text: bytes, wanted: Iterable[str]) -> tuple[bytes, set[str]]:
    """Cuts a unit's IR down.

    Args:
        text: The whole unit.
        wanted: Symbols of the functions to keep.

    Returns:
        The IR of these functions and of all that they refer to, and the wanted symbols that the
        unit defines.
    """
    parts = list(_parts(text))
    owners = {name: number for number, (name, _) in enumerate(parts) if name is not None}
    defined = {name for name in wanted if name.encode() in owners}
    kept: set[int] = set()
    stack = [owners[name.encode()] for name in sorted(defined)]
    while stack:
        number = stack.pop()
        if number in kept:
            continue
        kept.add(number)
        for found in _SYMBOL.finditer(parts[number][1]):
            owner = owners.get(found[1] or found[2])
            if owner is not None and owner not in kept:
                stack.append(owner)
    lines = [body for number, (name, body) in enumerate(parts) if name is None or number in kept]
    return b"".join(lines), defined


def _parts(text: bytes) -> Iterator[tuple[bytes | None, bytes]]:
    """Definitions with their symbols, and everything else without one."""
    function: list[bytes] = []
    symbol = b""
    for line in text.splitlines(keepends=True):
        if function:
            function.append(line)
            if line.startswith(b"}"):
                yield symbol, b"".join(function)
                function = []
        elif line.startswith((b"define ", b"declare ", b"@")):
            found = _SYMBOL.search(line)
            assert found is not None, line
            symbol = found[1] or found[2]
            if line.startswith(b"define "):
                function = [line]
            elif symbol not in _LISTS:
                yield symbol, line
        else:
            yield None, line
