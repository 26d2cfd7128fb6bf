"""Groups entry points into interface families, by the rules that a rule file states as data.

A name is read in this order:

1. the longest prefix is dropped (``rocblas_sgemv_batched_64`` -> ``sgemv_batched_64``);
2. a ``collapse`` line that matches what is left decides alone;
3. suffixes of layout, index width and type-generic calls are dropped wherever they stand
   (``sgemv``), longest first;
4. precision letters in front of a known stem are dropped; a stem may say with ``{p}`` that they
   stand elsewhere (``i{p}amax``);
5. ``merge`` renames a stem (``dotc`` -> ``dot``) and ``twins`` joins the real and the complex
   half of one routine (``syevd``, ``heevd`` -> ``syevd_heevd``);
6. what follows the stem stays (``getri_npvt_outofplace``).

A name without a known stem is auxiliary and keeps its whole name after step 1, but for the
suffixes of ``drop_auxiliary``. A rule file without stems has no auxiliary names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from extractor.errors import UnknownName
from extractor.glob import match_name
from extractor.rule_schema import Families


@dataclass(frozen=True)
class Reading:
    """One entry point's name, read.

    Attributes:
        family: Interface family.
        auxiliary: Whether the name has no known stem.
        own: Family as this routine alone would call it: one half of a twin, a merged stem.
    """

    family: str
    auxiliary: bool
    own: str


@dataclass(frozen=True)
class _Compiled:
    families: Families
    dropped: re.Pattern[str]
    dropped_auxiliary: re.Pattern[str]
    stems: tuple[tuple[re.Pattern[str], str], ...]


def read_name(families: Families, entry: str) -> Reading:
    """Reads one entry point's name."""
    return _read(_compile(families.model_dump_json()), entry)


def _read(compiled: _Compiled, entry: str) -> Reading:
    families = compiled.families
    body = _without_prefix(families, entry)
    for line in families.collapse:
        if match_name(body, (line.match,)):
            return Reading(line.family, True, line.family)
    short = compiled.dropped.sub("", body)
    for pattern, stem in compiled.stems:
        match = pattern.match(short)
        if match:
            tail = short[match.end() :]
            return Reading(_joined(families, stem) + tail, False, stem + tail)
    if families.stems:
        whole = compiled.dropped_auxiliary.sub("", body)
        return Reading(whole, True, whole)
    return Reading(short, False, short)


def group(families: Families, entries: Iterable[str]) -> dict[str, list[str]]:
    """Groups entry points by family; families and members sorted by name."""
    groups: dict[str, list[str]] = {}
    readings = _readings(families.model_dump_json(), tuple(sorted(set(entries))))
    for entry, reading in readings.items():
        groups.setdefault(reading.family, []).append(entry)
    return dict(sorted(groups.items()))


def resolve(families: Families, name: str, entries: Iterable[str]) -> list[str]:
    """Finds the entry points that an interface name stands for.

    Args:
        families: Naming rules.
        name: A family, either half of a twin, a merged stem, or one entry point.
        entries: All entry points of the library.

    Returns:
        Their names, sorted.

    Raises:
        UnknownName: Nothing has this name; the message lists the nearest names.
    """
    known = sorted(set(entries))
    if name in known:
        return [name]
    readings = _readings(families.model_dump_json(), tuple(known))
    members = [entry for entry, reading in readings.items() if reading.family == name]
    if not members:
        wanted = {reading.family for reading in readings.values() if reading.own == name}
        members = [entry for entry, reading in readings.items() if reading.family in wanted]
    if members:
        return members
    names = {reading.family for reading in readings.values()}
    names |= {reading.own for reading in readings.values()}
    nearby = sorted(names) + [entry for entry in known if name and name in entry]
    lower = name.lower()
    hint = f"did you mean '{lower}'?" if lower != name and lower in names else ""
    raise UnknownName("interface", name, nearby, hint=hint)


@lru_cache(maxsize=8)
def _readings(serialized: str, entries: tuple[str, ...]) -> dict[str, Reading]:
    """Readings of a library's names; every interface of it is asked for by them."""
    compiled = _compile(serialized)
    return {entry: _read(compiled, entry) for entry in entries}


@lru_cache(maxsize=32)
def _compile(serialized: str) -> _Compiled:
    families = Families.model_validate_json(serialized)
    letters = "|".join(_longest_first(families.precisions))
    stems = []
    for stem in _longest_first(families.stems):
        before, placed, after = stem.partition("{p}")
        spelled = (
            f"{re.escape(before)}(?:{letters})?{re.escape(after)}"
            if placed
            else (f"(?:{letters})?{re.escape(stem)}")
        )
        stems.append((re.compile(rf"{spelled}(?=_|$)"), before + after))
    return _Compiled(
        families,
        _suffixes(families.drop),
        _suffixes(families.drop_auxiliary),
        tuple(stems),
    )


def _suffixes(words: tuple[str, ...]) -> re.Pattern[str]:
    if not words:
        return re.compile(r"(?!)")
    return re.compile(rf"_(?:{'|'.join(re.escape(w) for w in _longest_first(words))})(?=_|$)")


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _without_prefix(families: Families, entry: str) -> str:
    for prefix in _longest_first(families.prefixes):
        if entry.startswith(prefix):
            return entry[len(prefix) :]
    return entry


def _joined(families: Families, stem: str) -> str:
    stem = families.merge.get(stem, stem)
    for twin in families.twins:
        for half in (twin.real, twin.complex):
            if stem.startswith(half) and match_name(stem[len(half) :], twin.rest):
                rest = stem[len(half) :]
                return f"{twin.real}{rest}_{twin.complex}{rest}"
    return stem
