"""Names in the text of a declaration, where no cursor stands for what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernels.slice.parsed import Declaration, ParsedUnit

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_RESERVED = re.compile(rb"^[ \t]*#[^\n]*\b__\w", re.M)
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|(?:\.|->)\s*[A-Za-z_]\w*', re.S)


def code_words(parsed: ParsedUnit, one: Declaration) -> set[str]:
    """Identifiers in a declaration's code, members' names left out."""
    return _words(parsed.text(one.file)[one.begin : one.end])


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


def _words(code: bytes) -> set[str]:
    return set(_IDENTIFIER.findall(_NO_CODE.sub(" ", code.decode(errors="replace"))))
