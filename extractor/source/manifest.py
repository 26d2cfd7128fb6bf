"""One key for the content of a whole tree, quick to recompute when little has changed.

A file whose size and modification time are those of the last look is not read again. A file
changed so shortly before that look that its time could not tell is always read (git calls such
entries racy).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from extractor import cache
from extractor.errors import SourceError, StoreError
from extractor.glob import path_pattern

_RACY_NS = 2_000_000_000
_SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", "node_modules"})
_BINARIES = (
    ".o", ".obj", ".a", ".lib", ".so", ".dll", ".exe", ".pch", ".gch", ".pyc",
    ".hsaco", ".co", ".kpack", ".gz", ".xz", ".zst", ".bz2", ".zip", ".7z", ".tar", ".deb",
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".pdf", ".npy", ".npz", ".pt", ".sqlite", ".db",
)  # fmt: skip


def content_key(root: Path, leave_out: tuple[str, ...] = (), *, remember: bool = True) -> str:
    """SHA-256 over the relative names and contents of a tree's files.

    Args:
        root: The tree.
        leave_out: Path globs of files that no unit can reach.
        remember: Keep what was found for the next look; not worth it for a passing folder.

    Raises:
        SourceError: A file or folder cannot be read.
    """
    known_file = _known_file(root)
    looked, before = _load(known_file)
    now: dict[str, tuple[int, int, str]] = {}
    started = time.time_ns()
    changed = False
    for path, size, modified in tree_files(root, leave_out):
        old = before.get(path)
        if old and old[:2] == [size, modified] and modified < looked - _RACY_NS:
            now[path] = (size, modified, old[2])
            continue
        digest = _hash(root / path)
        changed = changed or not old or old[2] != digest or old[:2] != [size, modified]
        now[path] = (size, modified, digest)
    whole = hashlib.sha256()
    for path in sorted(now):
        whole.update(f"{path}\0{now[path][2]}\n".encode("utf-8", "surrogateescape"))
    if not remember:
        return whole.hexdigest()
    if changed or len(now) != len(before) or looked < started - _RACY_NS * 30:
        _save(known_file, {"root": str(root), "looked": started, "files": now})
    return whole.hexdigest()


def tree_files(root: Path, leave_out: tuple[str, ...] = ()) -> Iterator[tuple[str, int, int]]:
    """Lists a tree's regular files that are not left out.

    Links to files inside the tree count as files; links out of it, and loops, do not.

    Files that are no text by their ending, such as objects of a build, are left out as well.

    Yields:
        Path with forward slashes, size in bytes, modification time in nanoseconds.

    Raises:
        SourceError: A folder cannot be read.
    """
    skipped = path_pattern(leave_out)
    home = os.path.realpath(root)
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError as error:
            raise _unreadable(error) from error
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not skipped.fullmatch(f"{path}/"):
                    pending.append(f"{path}/")
                continue
            if skipped.fullmatch(path) or path.endswith(_BINARIES):
                continue
            if entry.is_symlink():
                real = os.path.realpath(entry.path)
                if not real.startswith(home + os.sep) or not Path(real).is_file():
                    continue
            elif not entry.is_file(follow_symlinks=False):
                continue
            status = entry.stat()
            yield path, status.st_size, status.st_mtime_ns


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> SourceError:
    return SourceError(f"cannot read {error.filename}: {error.strerror}; make it readable")


def _known_file(root: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return cache.entry("manifests", f"{name}.json")


def _load(file: Path) -> tuple[int, dict[str, list[Any]]]:
    """When the last look was, and what it found: size, modification time and SHA-256."""
    try:
        data = json.loads(file.read_bytes())
        return int(data["looked"]), dict(data["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0, {}


def _save(file: Path, data: dict[str, object]) -> None:
    try:
        cache.write_file(file, json.dumps(data, separators=(",", ":")).encode())
    except StoreError:
        # Only a shortcut: without it the next run reads the files again.
        return
