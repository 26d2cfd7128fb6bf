"""The cache folder: entries that appear whole or not at all.

An entry is a folder ``KIND/KEY``. It is built in a temporary folder beside its place and renamed
into it, so that a reader sees all of it or none, whatever happens in between; a lock a key keeps
two runs from building the same entry twice.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from extractor import settings
from extractor.errors import StoreError

TAG = "CACHEDIR.TAG"
"""File that marks the folder as a cache, for backup programs and for ``cache_usage.clear``."""

_TAG_TEXT = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of rocQuarry. See https://bford.info/cachedir/
"""
_TEMPORARY = "tmp"
_STALE_SECONDS = 2 * 24 * 3600


def entry(kind: str, key: str) -> Path:
    """Where an entry is, or would be."""
    return settings.cache_folder() / kind / key


@contextlib.contextmanager
def locked(kind: str, key: str) -> Iterator[None]:
    """Holds the lock of one entry; waits for another process that has it.

    The lock belongs to the open file, so it goes with the process however that ends.

    Raises:
        StoreError: The cache folder cannot be written.
    """
    folder = _writable(settings.cache_folder() / "locks")
    with held(folder / f"{kind}-{key}.lock"):
        yield


@contextlib.contextmanager
def held(file: Path) -> Iterator[None]:
    """Holds a lock that is a file; waits for another process that has it.

    Raises:
        StoreError: The file cannot be made.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise cannot_write(error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def building(kind: str, key: str) -> Iterator[Path]:
    """Builds an entry in a temporary folder, then puts it into its place.

    Yields:
        An empty folder to fill. When the block ends without an error, it becomes the entry and
        replaces one that may have been there; otherwise it is removed.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    place = entry(kind, key)
    with scratch(kind) as work:
        content = work / "entry"
        content.mkdir()
        yield content
        _writable(place.parent)
        _replace(content, place, work)


@contextlib.contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """An empty folder on the cache's own disk that is gone afterwards.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    try:
        parent = _writable(_temporary())
        _sweep(parent)
        work = Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=parent))
    except OSError as error:
        raise cannot_write(error) from error
    try:
        yield work
    except OSError as error:
        # Only what a write to the cache meets; a download's own errors are other classes.
        if error.errno in _DISK_FAULTS:
            raise cannot_write(error) from error
        raise
    finally:
        remove(work)


def write_file(path: Path, content: bytes) -> None:
    """Writes a small file whole or not at all.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    try:
        _writable(path.parent)
        descriptor, name = tempfile.mkstemp(prefix="file-", dir=_writable(_temporary()))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot_write(error) from error


def remove(path: Path) -> None:
    """Removes a file or folder of the cache; that it is already gone is well."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def cannot_write(error: OSError) -> StoreError:
    """One line on why the cache could not be written, with what to do."""
    folder = settings.cache_folder()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"no space left for the cache in {folder}; free some, or set ROCQUARRY_CACHE to a "
            "folder on another disk"
        )
    return StoreError(
        f"cannot write the cache in {folder}: {error.strerror}; set ROCQUARRY_CACHE to a folder "
        "that you can write"
    )


_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


def _temporary() -> Path:
    # On the same file system as every entry, so that the final rename is atomic.
    return settings.cache_folder() / _TEMPORARY


def _sweep(parent: Path) -> None:
    """Removes what runs that were killed left behind, once no run can still be at it."""
    for left in parent.iterdir():
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < time.time() - _STALE_SECONDS:
                remove(left)


def _replace(content: Path, place: Path, work: Path) -> None:
    # rename() cannot replace a folder that is not empty: move the old one out of the way first.
    if place.exists():
        place.rename(work / "old")
    content.rename(place)


def _writable(folder: Path) -> Path:
    root = settings.cache_folder()
    try:
        # A folder that already held something may be anything: only one of our own is marked.
        ours = (
            root == settings.default_cache_folder() or not root.is_dir() or not any(root.iterdir())
        )
        folder.mkdir(parents=True, exist_ok=True)
        if ours and not (root / TAG).exists():
            (root / TAG).write_text(_TAG_TEXT, encoding="utf-8")
    except OSError as error:
        raise cannot_write(error) from error
    return folder
