"""Files that compilers made, found again by everything that they were made from.

A compilation is known by its arguments, its compiler and the content of its source; that leads to
the lists of headers that earlier compilations with the same three read. One of them fits if every
header on it still has the content it had then. So a hit never depends on a name or a time stamp, a
header that changed anywhere is noticed, and no preprocessor has to run to find out.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from extractor import cache

_FORMAT = 1
"""Raise it when the same inputs would be kept in another way."""

_KIND = "kernel-builds"


def key_of(*parts: str | bytes) -> str:
    """A key over parts; no two lists of parts share one."""
    digest = hashlib.sha256(f"rocquarry-kernels-{_FORMAT}".encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content; empty where there is none."""
    try:
        status = path.stat()
    except OSError:
        return ""
    # Within one process a file of the same size and time stamp is not read twice.
    return _file_hash(str(path), status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=65536)
def _file_hash(path: str, size: int, changed: int, inode: int) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def compiled(
    parts: Iterable[str | bytes],
    source: Path,
    make: Callable[[Path], list[Path]],
) -> tuple[Path, bool]:
    """The folder with what a compilation makes, made now or found.

    Args:
        parts: Arguments and compiler, whatever decides the outcome beside the source and headers.
        source: The file that is compiled.
        make: Fills a folder and says which files were read.

    Returns:
        The folder, and whether it was found.

    Raises:
        StoreError: The cache cannot be written.
    """
    first = key_of(*parts, source.read_bytes())
    manifest = cache.entry(_KIND, f"{first[:2]}/{first}.json")
    with cache.locked(_KIND, first):
        known = _read(manifest)
        for entry, headers in known.items():
            folder = cache.entry(_KIND, entry)
            if folder.is_dir() and all(file_hash(Path(h)) == sha for h, sha in headers.items()):
                return folder, True
        with cache.scratch(_KIND) as work:
            content = work / "content"
            content.mkdir()
            # The source itself is in the key already, and may be found elsewhere next time.
            read = set(make(content)) - {source, source.absolute()}
            headers = {str(path): file_hash(path) for path in sorted(read)}
            second = key_of(first, json.dumps(headers, sort_keys=True))
            entry = f"{second[:2]}/{second}"
            place = cache.entry(_KIND, entry)
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():
                shutil.rmtree(place)
            content.rename(place)
        known[entry] = headers
        cache.write_file(manifest, json.dumps(known).encode())
    return place, False


def made(parts: Iterable[str | bytes], make: Callable[[Path], None]) -> tuple[Path, bool]:
    """The folder with what some parts make, for steps whose inputs are all known beforehand.

    Args:
        parts: Everything that decides the outcome.
        make: Fills an empty folder.

    Raises:
        StoreError: The cache cannot be written.
    """
    key = key_of(*parts)
    place = cache.entry(_KIND, f"{key[:2]}/{key}")
    if place.is_dir():
        return place, True
    with cache.locked(_KIND, key):
        if place.is_dir():
            return place, True
        with cache.scratch(_KIND) as work:
            content = work / "content"
            content.mkdir()
            make(content)
            place.parent.mkdir(parents=True, exist_ok=True)
            content.rename(place)
    return place, False


def read_dependencies(path: Path) -> list[Path]:
    """The files that a compiler's ``-MD`` output names."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    names = text.replace("\\\n", " ").split(":", 1)[1]
    words = names.replace("\\ ", "\0").split()
    return [Path(word.replace("\0", " ")).absolute() for word in words]


def _read(manifest: Path) -> dict[str, dict[str, str]]:
    try:
        known = json.loads(manifest.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
