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
    families or more, each split gets at least one as far as the largest family stays in training.

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
    """Moves a small family into a held-out split that got none.

    It comes from the training families but the largest, which is most of what there is to learn
    from, else from the other held-out split.
    """

    def size(family: str) -> tuple[int, str]:
        return len(members[family]), _hash(family)

    largest = max(families, key=size)
    for place in ("test", "validation"):
        if any(chosen[family] == place for family in families):
            continue
        training = [f for f in families if chosen[f] == "train" and f != largest]
        others = [f for f in families if chosen[f] not in ("train", place)]
        if training or len(others) > 1:
            chosen[min(training or others, key=size)] = place


def _hash(family: str) -> str:
    # The name's count of further interfaces may change between releases; the order should not.
    return hashlib.sha256(family.partition("+")[0].encode()).hexdigest()
