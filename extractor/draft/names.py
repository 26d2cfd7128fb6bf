"""Which names a tree offers: public headers, export macro, common prefix, families."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from extractor.draft.survey import Survey

_NOISE = re.compile(r'"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
_DECLARATION = re.compile(
    r"(?:^|(?<=[;{}]))\s*((?:[\w:<>,*&\[\]]+\s+)+?[*&]*)([A-Za-z_]\w*)\s*\(", re.M
)
_DEFINITION = re.compile(r'extern\s+"C"\s+(?:[\w:<>*&]+\s+)+[*&]*([A-Za-z_]\w*)\s*\(')
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_EXPORTING = re.compile(r"EXPORT|API|PUBLIC|VISIB|DLL")
_NO_FUNCTION = frozenset({"if", "for", "while", "switch", "return", "sizeof", "defined", "typedef"})
_LETTERS = ("s", "d", "c", "z", "h", "i")
_SHARE = 0.3
"""How many of the routines must have a suffix before it counts as a form of theirs."""


@dataclass
class PublicNames:
    """What a tree offers.

    Attributes:
        headers: Public headers.
        marker: Macro that their declarations carry, or empty.
        marked: How many declarations carry it.
        declared: How many declarations there are.
        names: Functions that count as public.
        prefix: What their names begin with.
        linkage: ``c`` or ``any``.
        undeclared: No public header declares them; they were found where they are defined.
        letters: Precision letters in front of routines.
        stems: Routines.
        drop: Suffixes that are forms of one routine.
    """

    headers: list[str] = field(default_factory=list)
    marker: str = ""
    marked: int = 0
    declared: int = 0
    names: list[str] = field(default_factory=list)
    prefix: str = ""
    linkage: str = "c"
    undeclared: bool = False
    letters: list[str] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)


def public_names(survey: Survey) -> PublicNames:
    """Guesses what is public in a surveyed tree."""
    found = PublicNames()
    candidates = [
        file
        for file in survey.headers
        if file in survey.text and "include" in PurePosixPath(file).parts[:-1]
        and "src" not in PurePosixPath(file).parts[:-1]
    ]  # fmt: skip
    rows: list[tuple[str, str, str]] = []
    for file in candidates:
        rows += [(file, before, name) for before, name in _declarations(survey.text[file])]
    found.declared = len(rows)
    macros = Counter(macro for _, before, _ in rows for macro in set(_MACRO.findall(before)))
    if macros:
        # A macro that is named as one that exports needs no majority: headers hold more than that.
        exporting = {m: c for m, c in macros.items() if _EXPORTING.search(m)}
        marker, count = Counter(exporting or macros).most_common(1)[0]
        if exporting or count >= max(1, len(rows) // 2):
            found.marker, found.marked = marker, count
            rows = [row for row in rows if re.search(rf"\b{marker}\b", row[1])]
    if rows:
        found.headers = sorted({file for file, _, _ in rows})
        found.names = sorted({name for _, _, name in rows})
        if not any('extern "C"' in survey.text[file] for file in candidates):
            found.linkage = "any"
    else:
        found.names = sorted(
            {
                name
                for file in survey.sources
                for name in _DEFINITION.findall(survey.text.get(file, ""))
            }
        )
        found.undeclared = bool(found.names)
    found.prefix = _common_prefix(found.names)
    _families(found)
    return found


def _declarations(text: str) -> list[tuple[str, str]]:
    plain = _NOISE.sub(" ", text).replace('extern "C"', "")
    return [
        (match[1], match[2])
        for match in _DECLARATION.finditer(plain)
        if match[2] not in _NO_FUNCTION
        and not _NO_FUNCTION & set(match[1].split())
        and not match[2].isupper()
    ]


def _common_prefix(names: list[str]) -> str:
    """The first word that most names share, with its underscore."""
    words = Counter(name.partition("_")[0] + "_" for name in names if "_" in name.strip("_"))
    if words:
        word, count = words.most_common(1)[0]
        if count * 2 >= len(names):
            return word
    return ""


def _families(found: PublicNames) -> None:
    bodies = {name.removeprefix(found.prefix) for name in found.names}
    groups: dict[str, set[str]] = {}
    for body in bodies:
        if body[:1] in _LETTERS and len(body) > 2:
            groups.setdefault(body[1:], set()).add(body[0])
    # One routine of several types: the same rest behind at least two letters.
    typed = {rest: letters for rest, letters in groups.items() if len(letters) > 1}
    if len(typed) < 2 and len(typed) * 2 < len(bodies):
        return
    counted = Counter(letter for letters in typed.values() for letter in letters)
    found.letters = [letter for letter in _LETTERS if counted[letter]]
    stems = {rest.partition("_")[0] for rest in typed}
    found.stems = sorted(stems)
    tails = Counter(rest.partition("_")[2] for rest in typed if "_" in rest)
    found.drop = sorted(tail for tail, count in tails.items() if count >= _SHARE * len(stems))
