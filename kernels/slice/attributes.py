"""What the attributes of a declaration name: launch bounds, alignments, registers asked for.

libclang shows an attribute, but not the expressions in it, so these are read as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernels.slice.parsed import Declaration, ParsedUnit

_OPENED = re.compile(r"\b(?:__launch_bounds__|__attribute__|alignas|amdgpu_\w+)\s*\(|\[\[")
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*|(?<=<)[A-Za-z_]\w*")
_PARAMETERS = (
    "TEMPLATE_TYPE_PARAMETER",
    "TEMPLATE_NON_TYPE_PARAMETER",
    "TEMPLATE_TEMPLATE_PARAMETER",
)


def attribute_names(parsed: ParsedUnit, one: Declaration) -> Iterator[Declaration]:
    """Declarations that attributes of a declaration name, itself and its parameters left out.

    Args:
        parsed: The unit.
        one: A declaration.
    """
    code = parsed.text(one.file)[one.begin : one.end].decode(errors="replace")
    if not _OPENED.search(code):
        return
    names = set(_words(_NO_CODE.sub(" ", code)))
    names -= {
        child.spelling
        for cursor in one.cursors
        for child in cursor.get_children()
        if child.kind.name in _PARAMETERS
    }
    for name in sorted(names - one.names):
        for other in parsed.named(name):
            if other.number < one.number and other.scope == one.scope[: len(other.scope)]:
                yield other


def _words(code: str) -> Iterator[str]:
    for match in _OPENED.finditer(code):
        yield from _NAME.findall(code[match.end() : _end(code, match.end())])


def _end(code: str, begin: int) -> int:
    depth = 1
    for place in range(begin, len(code)):
        depth += (code[place] in "([") - (code[place] in ")]")
        if depth == 0:
            return place
    return len(code)
