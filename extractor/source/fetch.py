"""Gets pinned files: from the cache, from a folder of local files, then from a mirror.

Whatever the place, a file counts only once its SHA-256 is the pinned one. A download that breaks
off leaves a partial file apart from the entries, and the next run goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import http.client
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from extractor import cache, settings
from extractor.errors import SourceError
from extractor.rule_schema import Pin

Progress = Callable[[str, int, int], None]
"""Called with a label, the bytes done and the bytes in all (0 when unknown)."""

_TIMEOUT = 8.0
_CHUNK = 1 << 20


def fetch(
    pins: Sequence[Pin],
    *,
    offline: bool = False,
    local_files: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Pin, Path]:
    """Gets the first of several accepted files that can be had.

    Args:
        pins: Accepted files, best first.
        offline: Do not ask the network.
        local_files: Folder to look in first; ``$ROCQUARRY_FILES`` when ``None``.
        progress: Told about a download as it goes on.

    Returns:
        The pin that was found and the file, inside the cache.

    Raises:
        NotThere: None can be had.
        SourceError: A file has a wrong hash; it is named, with what was expected.
    """
    for pin in pins:
        place = cache.entry("files", pin.sha256) / pin.file_name
        if place.is_file():
            return pin, place
    folder = local_files or settings.local_files_folder()
    for pin in pins:
        candidate = folder / pin.file_name if folder else None
        if candidate is not None and candidate.is_file():
            found = sha256_of(candidate)
            if found != pin.sha256:
                raise SourceError(_mismatch(str(candidate), pin, found))
            return pin, _keep(pin, candidate)
    tried: list[str] = []
    wrong: list[SourceError] = []
    if not offline:
        for pin in pins:
            for address in _addresses(pin):
                try:
                    return pin, _download(pin, address, progress)
                except _Unavailable as error:
                    tried.append(f"{address}: {error}")
                except SourceError as error:
                    wrong.append(error)
    if wrong:
        raise wrong[0]
    raise NotThere(_nowhere(pins, tried, folder, offline))


def sha256_of(file: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class NotThere(SourceError):
    """No accepted file is in the cache, in the local folder, or on a mirror."""


class _Unavailable(Exception):
    """This address does not have the file now; another may."""


def _addresses(pin: Pin) -> list[str]:
    if pin.url is not None:
        return [pin.url]
    return [f"{mirror}/pool/main/{pin.pool}" for mirror in settings.mirrors()]


def _download(pin: Pin, address: str, progress: Progress | None) -> Path:
    with cache.locked("files", pin.sha256):
        place = cache.entry("files", pin.sha256) / pin.file_name
        if place.is_file():
            return place
        partial = cache.entry("partial", pin.sha256)
        resumed = partial.is_file() and partial.stat().st_size > 0
        _transfer(address, partial, pin.file_name, progress)
        found = sha256_of(partial)
        if found != pin.sha256 and resumed:
            # The earlier part may be another file's: once more from the start.
            cache.remove(partial)
            _transfer(address, partial, pin.file_name, progress)
            found = sha256_of(partial)
        if found != pin.sha256:
            cache.remove(partial)
            raise SourceError(_mismatch(address, pin, found))
        with cache.building("files", pin.sha256) as folder:
            partial.rename(folder / pin.file_name)
        return place


def _transfer(address: str, partial: Path, label: str, progress: Progress | None) -> None:
    """Appends what is missing of a file; raises ``_Unavailable`` and keeps what came so far."""
    try:
        partial.parent.mkdir(parents=True, exist_ok=True)
        done = partial.stat().st_size if partial.is_file() else 0
        request = urllib.request.Request(address, headers={"User-Agent": "rocquarry"})
        if done:
            request.add_header("Range", f"bytes={done}-")
    except OSError as error:
        raise cache.cannot_write(error) from error
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # the partial file is as long as the whole one, or longer
            return
        raise _Unavailable(f"{error.code} {error.reason}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _Unavailable(str(getattr(error, "reason", error))) from None
    with response:
        if response.status != 206:
            done = 0
        total = done + int(response.headers.get("Content-Length") or 0)
        try:
            with partial.open("ab" if done else "wb") as out:
                while True:
                    try:
                        chunk = response.read(_CHUNK)
                    except (OSError, http.client.HTTPException) as error:
                        raise _Unavailable(f"broke off after {done} bytes: {error}") from None
                    if not chunk:
                        break
                    out.write(chunk)
                    done += len(chunk)
                    if progress:
                        progress(label, done, total)
        except OSError as error:
            cache.remove(partial)
            raise cache.cannot_write(error) from error
    if total > done:
        raise _Unavailable(f"broke off after {done} of {total} bytes")


def _keep(pin: Pin, file: Path) -> Path:
    place = cache.entry("files", pin.sha256) / pin.file_name
    with cache.locked("files", pin.sha256):
        if not place.is_file():
            with cache.building("files", pin.sha256) as folder:
                shutil.copyfile(file, folder / pin.file_name)
    return place


def _mismatch(where: str, pin: Pin, found: str) -> str:
    return (
        f"{where}: SHA-256 is {found}, expected {pin.sha256}; remove the file, or pin this version "
        "in the rule file if it is meant"
    )


def _nowhere(pins: Sequence[Pin], tried: list[str], folder: Path | None, offline: bool) -> str:
    names = " or ".join(pin.file_name for pin in pins)
    looked = "not in the cache"
    if folder:
        looked += f", not in {folder}"
    if offline:
        looked += ", and the network was not asked (--offline)"
    elif tried:
        looked += f", and not from {tried[0]}"
    else:
        looked += ", and the apt configuration names no mirror"
    return (
        f"cannot get {names}: {looked}; put it into a folder and name that in ROCQUARRY_FILES, or "
        "set ROCQUARRY_MIRROR"
    )
