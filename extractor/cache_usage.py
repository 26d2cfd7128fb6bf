"""How large the cache is, by kind, and how to clear it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from extractor import cache, settings
from extractor.errors import StoreError, UnknownName

_DESCRIPTIONS = {
    "files": "downloaded archives and packages",
    "partial": "downloads that broke off",
    "trees": "unpacked sources",
    "packages": "unpacked header packages",
    "generated": "headers made from sources",
    "manifests": "what the last look at each source found",
    "probes": "what compilers answered",
    "precompiled": "precompiled headers",
    "native": "compiled parts of the indexer",
    "store": "indexed units",
    "ir": "units compiled for the check",
    "assets": "parts of pages",
    "kernel-builds": "kernels that were built",
    "tmp": "left behind by runs that were killed",
}
_NEVER_CLEARED = ("locks",)  # another run may hold one


@dataclass(frozen=True)
class Usage:
    """Size of one kind of entries.

    Attributes:
        kind: Name of the folder inside the cache.
        holds: One phrase on what it is.
        entries: Number of entries.
        bytes: Their size.
    """

    kind: str
    holds: str
    entries: int
    bytes: int


def usage() -> list[Usage]:
    """Sizes of the kinds that the cache has, largest first."""
    root = settings.cache_folder()
    found = []
    for folder in _kinds(root):
        entries = sum(1 for _ in os.scandir(folder))
        holds = _DESCRIPTIONS.get(folder.name, "")
        found.append(Usage(folder.name, holds, entries, _size(folder)))
    return sorted(found, key=lambda item: (-item.bytes, item.kind))


def clear(kinds: Iterable[str] | None = None) -> int:
    """Removes entries of some kinds, or all.

    Args:
        kinds: Names of kinds; all when ``None``.

    Returns:
        Bytes that were freed.

    Raises:
        UnknownName: The cache has no such kind.
        StoreError: The folder was not made by rocQuarry, so that nothing in it is removed.
    """
    root = settings.cache_folder()
    if not root.is_dir():
        return 0
    there = {folder.name: folder for folder in _kinds(root)}
    chosen = list(there) if kinds is None else list(kinds)
    for kind in chosen:
        if kind not in there:
            if kind in _DESCRIPTIONS:
                continue
            raise UnknownName("kind of cache entry", kind, [*there, *_DESCRIPTIONS])
    if not (root / cache.TAG).is_file():
        raise StoreError(
            f"{root} has no {cache.TAG}, so it may hold other things; remove it by hand if it is "
            "only a cache"
        )
    freed = 0
    for kind in chosen:
        if kind in there:
            freed += _size(there[kind])
            _remove(there[kind])
    return freed


def _kinds(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(
        folder
        for folder in root.iterdir()
        if folder.is_dir() and not folder.is_symlink() and folder.name not in _NEVER_CLEARED
    )


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(where) / name).st_size
            except OSError:
                continue  # gone since it was listed
    return total


def _remove(folder: Path) -> None:
    """Takes a kind away at once, so that another run sees all of it or nothing."""
    try:
        aside = Path(tempfile.mkdtemp(prefix="clear-", dir=folder.parent))
        if folder.name == "tmp":
            aside.rmdir()
            cache.remove(folder)
            return
        folder.rename(aside / folder.name)
    except OSError as error:
        raise cache.cannot_write(error) from error
    cache.remove(aside)
