"""Names in the text of a declaration, where no cursor stands for what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kernels.slice.parsed import Declaration, ParsedUnit

_SHARED = "__shared__"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_RESERVED = re.compile(rb"^[ \t]*#[^\n]*\b__\w", re.M)
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|(?:\.|->)\s*[A-Za-z_]\w*', re.S)


def code_words(parsed: ParsedUnit, one: Declaration) -> set[str]:
    """Identifiers in a declaration's code and its macros', members' names left out."""
    found = _words(parsed.text(one.file)[one.begin : one.end])
    for macro in parsed.used_macros(one.file, one.begin, one.end):
        if macro.file and not parsed.is_system(macro.file):
            found |= _words(parsed.text(macro.file)[macro.begin : macro.end])
    return found


def needed_elsewhere(parsed: ParsedUnit, one: Declaration) -> Iterator[Declaration]:
    """What text of a declaration needs that only another architecture compiles, by name.

    A condition on a name that is reserved for the compiler is one on the architecture.
    """
    code = parsed.text(one.file)
    if not _RESERVED.search(code, one.begin, one.end):
        return
    for begin, end in parsed.skipped(one.file):
        if not one.begin <= begin < end <= one.end:
            continue
        for name in sorted(_words(code[begin:end])):
            for other in parsed.named(name):
                if other.number < one.number and other.scope == one.scope[: len(other.scope)]:
                    yield other


def lds_declared(parsed: ParsedUnit, again: Any) -> str:
    """How a variable in LDS is declared, when a function declares it without saying so.

    Empty for any other variable. Which instantiation the compiler saw first differs from unit to
    unit; what the file says does not.
    """
    if again.location.file is None or _SHARED in _written(parsed, again):
        return ""
    data = parsed.text(again.location.file.name).decode(errors="replace")
    name = re.escape(again.spelling)
    match = re.search(rf"\bextern\s+{_SHARED}\s[^;{{}}()]*\b{name}\b[^;{{}}()]*(?=;)", data)
    first = match[0] if match else _written(parsed, again.canonical)
    return first if _SHARED in first else ""


def _written(parsed: ParsedUnit, cursor: Any) -> str:
    start, end = cursor.extent.start, cursor.extent.end
    if start.file is None:
        return ""
    return parsed.text(start.file.name)[start.offset : end.offset].decode(errors="replace")


def _words(code: bytes) -> set[str]:
    return set(_IDENTIFIER.findall(_NO_CODE.sub(" ", code.decode(errors="replace"))))
