"""Train, validation and test: whole families, chosen by hash, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

SPLITS = ("train", "validation", "test")
"""In the order in which they are listed."""

HELD_OUT = 0.1
"""Share of a library's rows that validation and test each aim at."""


def split(members: Mapping[str, Sequence[str]], libraries: Mapping[str, str]) -> dict[str, str]:
    """Chooses a split for each family.

    Library by library, families are taken in the order of the hash of their name; each goes to test
    while it fits into the rest of test's share, else to validation while it fits there, else to
    train. A family that is larger than a share can only be training data. Where a library has three
    families or more, each split gets at least one.

    Args:
        members: Row ids by family.
        libraries: Library by family.

    Returns:
        Split by family.
    """
    chosen: dict[str, str] = {}
    for library in sorted(set(libraries.values())):
        families = sorted((f for f in members if libraries[f] == library), key=_hash)
        share = HELD_OUT * sum(len(members[family]) for family in families)
        room = {"test": share, "validation": share}
        for family in families:
            size = len(members[family])
            place = next((name for name in room if size <= room[name]), "train")
            chosen[family] = place
            if place != "train":
                room[place] -= size
        if len(families) >= len(SPLITS):
            _fill(chosen, families, members)
    return chosen


def _fill(
    chosen: dict[str, str], families: Sequence[str], members: Mapping[str, Sequence[str]]
) -> None:
    """Moves the smallest training family into a held-out split that got none."""
    for place in ("test", "validation"):
        if not any(chosen[family] == place for family in families):
            training = [family for family in families if chosen[family] == "train"]
            chosen[min(training, key=lambda f: (len(members[f]), _hash(f)))] = place


def _hash(family: str) -> str:
    # The name's count of further interfaces may change between releases; the order should not.
    return hashlib.sha256(family.partition("+")[0].encode()).hexdigest()
