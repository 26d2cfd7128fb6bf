"""Public entry points: the functions that a library's own headers offer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from extractor.glob import match_path
from extractor.rules import Rule
from extractor.source.tree import SourceTree

_NOISE = re.compile(
    rb"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M
)
_DECLARED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_MACRO_BODY = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.M)


@dataclass(frozen=True)
class EntryPoint:
    """One public function.

    Attributes:
        name: Its C name.
        file: Header that declares it, relative to the tree.
        line: Line of the declaration.
        declared: A public header declares it. One that none does is an entry point all the same
        when
            the library exports it under a name of the public kind.
    """

    name: str
    file: str
    line: int
    declared: bool = True


def declared(rule: Rule, tree: SourceTree) -> list[EntryPoint]:
    """Entry points that the tree's headers declare, by name.

    A declaration is found as text: the rule's marker (when it has one), then the first name
    before an
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


def undeclared(
    rule: Rule, texts: Iterable[tuple[str, bytes]], known: Collection[str]
) -> list[EntryPoint]:
    """Names that a library may export although no public header declares them.

    A superset, found as text: a name of the public kind where a definition could be, or handed to a
    macro that could define it, and what one more suffix of the family rules would make of it. Only
    those that a unit defines with C linkage count.

    Args:
        rule: The library's rule file.
        texts: File names relative to the tree, and contents.
        known: Declared names, left out here.
    """
    found: dict[str, EntryPoint] = {}
    suffixes = ("", *(f"_{word}" for word in rule.families.drop))
    for file, data in texts:
        text = _NOISE_BUT_MACROS.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), data)
        for match in _CANDIDATE.finditer(text):
            before, name, after = match[1].rstrip(), match[2].decode(), match[3]
            if before in _NO_TYPES or before.endswith(b"(") == (after == b"("):
                continue
            if b"__global__" in _statement_before(text, match.start()):
                continue  # nobody calls a kernel by its name
            line = text.count(b"\n", 0, match.start(2)) + 1
            for suffix in suffixes if before.endswith(b"(") else ("",):
                full = name + suffix
                if full not in known and full not in found and rule.is_entry_point(full):
                    found[full] = EntryPoint(full, file, line, declared=False)
    return [found[name] for name in sorted(found)]


_NOISE_BUT_MACROS = re.compile(rb"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
_CANDIDATE = re.compile(rb"([\w>*&]\s+|\b[A-Z][A-Z0-9_]*\s*\(\s*)([A-Za-z_]\w*)\s*([(,)])")
_NO_TYPES = frozenset({b"return", b"else", b"new", b"case", b"throw"})


def _statement_before(text: bytes, at: int) -> bytes:
    """What stands before a place, back to where the statement begins."""
    start = max(text.rfind(mark, 0, at) for mark in (b";", b"{", b"}"))
    return text[start + 1 : at + 1]


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
