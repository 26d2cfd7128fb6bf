"""The text of one declaration with what belongs to it: its comment, its semicolon."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernels.slice.parsed import Declaration, ParsedUnit

_CONDITIONAL = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|elifdef|elifndef|endif)\b")
_UP_TO_SEMICOLON = re.compile(rb"([^;{}#\n]{0,200}\s*);")
_NEED_SEMICOLON = {"STRUCT_DECL", "CLASS_DECL", "UNION_DECL", "ENUM_DECL", "CLASS_TEMPLATE",
                   "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION", "VAR_DECL", "TYPEDEF_DECL",
                   "UNEXPOSED_DECL"}  # fmt: skip


@dataclass(frozen=True)
class Fragment:
    """A range of a file as it goes into a slice.

    Attributes:
        file: Absolute path.
        begin: Byte offset of its first character.
        end: Byte offset behind its last one.
        text: What is written; less than the range where conditional compilation cuts through it.
    """

    file: str
    begin: int
    end: int
    text: str


def fragment_of(parsed: ParsedUnit, one: Declaration) -> Fragment:
    """The fragment of a declaration."""
    data = parsed.text(one.file)
    begin = comment_start(data, one.begin)
    end = _end(data, one)
    raw = data[begin:end]
    if not _balanced(raw):
        begin = one.begin
        raw = _without_skipped(data, begin, end, parsed.skipped(one.file))
    return Fragment(one.file, begin, end, raw.decode("utf-8", errors="replace"))


def comment_start(data: bytes, begin: int) -> int:
    """Where the comment right above a place begins; the place's line where there is none.

    What stands at the very top of a file is its licence, not a comment on what follows.
    """
    line = data.rfind(b"\n", 0, begin) + 1
    if data[line:begin].strip():
        return begin
    start = line
    while start > 0:
        above = data.rfind(b"\n", 0, start - 1) + 1
        text = data[above : start - 1].strip()
        if text.startswith(b"//"):
            start = above
            continue
        if text.endswith(b"*/"):
            opened = data.rfind(b"/*", 0, start)
            row = data.rfind(b"\n", 0, opened) + 1
            if opened < 0 or data[row:opened].strip():
                break
            start = row
            continue
        break
    return start if data[:start].strip() else line


def _end(data: bytes, one: Declaration) -> int:
    """Where a declaration ends, its semicolon and what stands before that included."""
    end = one.end
    raw = data[one.begin : end]
    whole_macro = re.match(rb"\w+\s*\(", raw) and raw.endswith(b")") and not _is_function(one)
    closed = raw.endswith(b"}") and not one.kinds() & _NEED_SEMICOLON
    match = _UP_TO_SEMICOLON.match(data, end)
    if match and (not (whole_macro or closed) or not match[1].strip()):
        end = match.end()
    line = data.find(b"\n", end)
    rest = data[end : line if line >= 0 else len(data)]
    if rest.strip().startswith(b"//"):
        end += len(rest.rstrip())
    return end


def _is_function(one: Declaration) -> bool:
    return len(one.cursors) == 1 and one.cursors[0].kind.name.startswith(("FUNCTION", "CXX_METHOD"))


def _balanced(raw: bytes) -> bool:
    depth = 0
    for line in raw.splitlines():
        match = _CONDITIONAL.match(line)
        if not match:
            continue
        word = match[1]
        if word.startswith(b"if"):
            depth += 1
        elif word == b"endif":
            depth -= 1
        elif depth == 0:
            return False
        if depth < 0:
            return False
    return depth == 0


def _without_skipped(data: bytes, begin: int, end: int, skipped: list[tuple[int, int]]) -> bytes:
    """The range as the compiler sees it: no directives, and nothing that they leave out."""
    kept, place = [], begin
    while place < end:
        line_end = data.find(b"\n", place, end)
        line_end = end if line_end < 0 else line_end + 1
        line = data[place:line_end]
        # A skipped range runs from one directive's `#` to the next one's.
        inside = any(first <= place and line_end <= last for first, last in skipped)
        if not inside and not _CONDITIONAL.match(line):
            kept.append(line)
        place = line_end
    return b"".join(kept)
