"""Public entry points: the functions that a library's own headers offer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.glob import match_path
from extractor.rules import Rule
from extractor.source.tree import SourceTree

_NOISE = re.compile(rb"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
_DECLARED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_MACRO_BODY = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.M)


@dataclass(frozen=True)
class EntryPoint:
    """One public function.

    Attributes:
        name: Its C name.
        file: Header that declares it, relative to the tree.
        line: Line of the declaration.
    """

    name: str
    file: str
    line: int


def declared(rule: Rule, tree: SourceTree) -> list[EntryPoint]:
    """Entry points that the tree's headers declare, by name.

    A declaration is found as text: the rule's marker (when it has one), then the first name before an
    opening parenthesis, up to the next semicolon. Whether a unit defines it, the index says.
    """
    globs = rule.entry_points.headers or ("**/*.h", "**/*.hpp")
    found: dict[str, EntryPoint] = {}
    files = sorted(
        path.relative_to(tree.root).as_posix()
        for pattern in globs
        for path in tree.root.glob(pattern)
        if path.is_file()
    )
    for file in dict.fromkeys(files):
        if rule.source.leave_out and match_path(file, rule.source.leave_out):
            continue
        data = (tree.root / file).read_bytes()
        for name, line in _names(data, rule.entry_points.marker.encode()):
            if rule.is_entry_point(name, file):
                found.setdefault(name, EntryPoint(name, file, line))
    return [found[name] for name in sorted(found)]


def _names(data: bytes, marker: bytes) -> list[tuple[str, int]]:
    # Comments, strings and directives become blanks of the same length: offsets still count lines.
    text = _NOISE.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), data)
    names = []
    if marker:
        starts = [m.end() for m in re.finditer(rb"\b" + re.escape(marker) + rb"\b", text)]
    else:
        starts = [0, *(m.end() for m in re.finditer(rb"[;{}]", text))]
    for start in starts:
        match = _DECLARED.search(text, start)
        end = text.find(b";", start)
        if match is None or (0 <= end < match.start()) or b"{" in text[start : match.start()]:
            continue
        names.append((match[1].decode(), text.count(b"\n", 0, match.start()) + 1))
    return names
