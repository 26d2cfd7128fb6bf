"""Unpacks header packages into one prefix of the cache, without installing anything."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from extractor import cache
from extractor.glob import match_path
from extractor.rule_schema import Package
from extractor.source.archive import unpack_deb
from extractor.source.fetch import Progress, fetch
from extractor.source.manifest import content_key

_FORMAT = 2
"""Raise it when the same packages would unpack to another prefix."""

_META, _PREFIX = "packages.json", "prefix"


@dataclass(frozen=True)
class Prefix:
    """An installation prefix made of unpacked packages.

    Attributes:
        root: Folder with ``include/`` and ``lib/``.
        packages: Name, version and SHA-256 of what was unpacked into it.
    """

    root: Path
    packages: tuple[tuple[str, str, str], ...]


def unpack_packages(
    packages: tuple[Package, ...],
    *,
    offline: bool = False,
    local_files: Path | None = None,
    progress: Progress | None = None,
) -> Prefix:
    """Unpacks packages into one prefix, or finds it in the cache.

    Args:
        packages: What to unpack; of each, the first pin that can be had.
        offline: Do not ask the network.
        local_files: Folder with pinned files; ``$ROCQUARRY_FILES`` when ``None``.
        progress: Told about a download as it goes on.

    Raises:
        SourceError: A package cannot be had, or is not what its hash says.
        StoreError: The disk is full, or the cache cannot be written.
    """
    key = _key(packages)
    cached = read_prefix(packages)
    if cached:
        return cached
    with cache.locked("packages", key):
        cached = read_prefix(packages)
        if cached:
            return cached
        with cache.building("packages", key) as folder:
            chosen: list[tuple[str, str, str]] = []
            for package in packages:
                pin, file = fetch(
                    package.pins, offline=offline, local_files=local_files, progress=progress
                )
                _merge(package, file, folder)
                chosen.append((package.name, pin.version, pin.sha256))
            # The key lets an import on another machine check what it got.
            content = content_key(folder / _PREFIX, remember=False)
            meta = {"packages": chosen, "content_key": content}
            (folder / _META).write_text(json.dumps(meta, indent=1), encoding="utf-8")
    return Prefix(cache.entry("packages", key) / _PREFIX, tuple(chosen))


def read_prefix(packages: tuple[Package, ...]) -> Prefix | None:
    """The prefix of these packages, if the cache has it."""
    root = cache.entry("packages", _key(packages))
    try:
        meta = json.loads((root / _META).read_text(encoding="utf-8"))
        listed = tuple(
            (str(name), str(version), str(sha)) for name, version, sha in meta["packages"]
        )
        return Prefix(root / _PREFIX, listed)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def provides(root: Path, package: Package) -> bool:
    """Whether an installation already has what a package brings."""
    if "*" not in package.provides:
        return (root / package.provides).is_file()
    return any(path.is_file() for path in root.glob(package.provides))


def _key(packages: tuple[Package, ...]) -> str:
    parts = json.dumps([_FORMAT, [package.model_dump() for package in packages]])
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def _merge(package: Package, file: Path, into: Path) -> None:
    """Unpacks one package and moves its prefix over the common one."""
    part = into / ".part"
    unpack_deb(file, part, wanted=lambda path: match_path(path, package.keep))
    source = part / package.root
    for path in sorted(source.rglob("*")):
        if path.is_file():
            target = into / _PREFIX / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    shutil.rmtree(part, ignore_errors=True)
