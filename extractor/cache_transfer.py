"""Carries sources and packages to a machine without a network: one tar file out, the same in.

Only what cannot be derived travels: pinned files, and sources and packages whose files are no
longer in the cache. What comes in counts once its hashes are right: a pinned file by the hash
that names it, a tree by the content key in its provenance. Nothing is put in place before all of
it was checked.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor import cache, settings
from extractor.errors import SourceError, StoreError
from extractor.source.archive import unpack
from extractor.source.fetch import sha256_of
from extractor.source.manifest import content_key

_LIST = "rocquarry-cache.json"
_FORMAT = 1
_KEY = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.+-]{7,120}$")
_META = {"trees": "source.json", "packages": "packages.json"}
_CONTENT = {"trees": "tree", "packages": "prefix"}


@dataclass(frozen=True)
class Transfer:
    """What an export wrote or an import took.

    Attributes:
        entries: Kind and key of each entry that was carried.
        present: Entries that the receiving cache already had.
        bytes: Size of the tar file.
    """

    entries: tuple[tuple[str, str], ...]
    present: tuple[tuple[str, str], ...]
    bytes: int


def export_cache(target: Path) -> Transfer:
    """Writes the part of the cache that another machine needs into one tar file.

    Raises:
        StoreError: The cache is empty, or the file cannot be written.
    """
    entries = _worth_carrying()
    if not entries:
        raise StoreError(
            f"the cache in {settings.cache_folder()} holds no sources yet; run extract once, then "
            "export it"
        )
    target = target.absolute()
    partial = target.with_name(f".{target.name}.part")
    try:
        with tarfile.open(partial, "w") as tar:
            listing = json.dumps({"format": _FORMAT, "entries": entries}).encode()
            head = tarfile.TarInfo(_LIST)
            head.size = len(listing)
            tar.addfile(head, io.BytesIO(listing))
            for kind, key in entries:
                tar.add(cache.entry(kind, key), f"{kind}/{key}", filter=_plain)
        partial.replace(target)
    except OSError as error:
        cache.remove(partial)
        raise StoreError(
            f"cannot write {target}: {error.strerror}; choose another place"
        ) from error
    return Transfer(tuple(entries), (), target.stat().st_size)


def import_cache(source: Path) -> Transfer:
    """Takes the entries of an exported tar file into the cache.

    Raises:
        SourceError: The file is not there, is no export, is damaged, or an entry's content is not
            what its hash says; nothing is taken then.
        StoreError: The disk is full, or the cache cannot be written.
    """
    if not source.is_file():
        raise SourceError(f"no file {source}; give the file that --export-cache wrote")
    taken: list[tuple[str, str]] = []
    present: list[tuple[str, str]] = []
    with cache.scratch("import") as work:
        with source.open("rb") as stream:
            unpack(stream, source.name, work)
        entries = _listed(work, source)
        for kind, key in entries:
            _check(work / kind / key, kind, key, source)
        for kind, key in entries:
            with cache.locked(kind, key):
                if cache.entry(kind, key).exists():
                    present.append((kind, key))
                    continue
                with cache.building(kind, key) as folder:
                    for item in (work / kind / key).iterdir():
                        item.rename(folder / item.name)
                taken.append((kind, key))
    return Transfer(tuple(taken), tuple(present), source.stat().st_size)


def _worth_carrying() -> list[tuple[str, str]]:
    root = settings.cache_folder()
    files = {folder.name for folder in _folders(root / "files")}
    entries = [("files", name) for name in sorted(files)]
    for folder in _folders(root / "trees"):
        meta = _read(folder / _META["trees"])
        if meta and meta.get("commit") not in files:
            entries.append(("trees", folder.name))
    for folder in _folders(root / "packages"):
        meta = _read(folder / _META["packages"])
        if meta and not all(sha in files for _, _, sha in meta["packages"]):
            entries.append(("packages", folder.name))
    return entries


def _listed(work: Path, source: Path) -> list[tuple[str, str]]:
    listing = _read(work / _LIST)
    if not listing or listing.get("format") != _FORMAT:
        raise SourceError(f"{source} is no cache that rocQuarry exported; nothing was taken")
    entries = []
    for item in listing.get("entries", []):
        kind, key = item
        if kind not in ("files", *_META) or not _KEY.match(str(key)):
            raise SourceError(f"{source} lists the entry '{kind}/{key}'; nothing was taken")
        entries.append((str(kind), str(key)))
    return entries


def _check(folder: Path, kind: str, key: str, source: Path) -> None:
    """Checks one entry against its hash."""
    if kind == "files":
        found = [sha256_of(file) for file in folder.iterdir()] if folder.is_dir() else []
        expected = [key]
    else:
        meta = _read(folder / _META[kind])
        content = folder / _CONTENT[kind]
        found = [content_key(content, remember=False)] if content.is_dir() else []
        expected = [str(meta.get("content_key"))] if meta else ["its provenance"]
    if found != expected:
        raise SourceError(
            f"{source}: the content of {kind}/{key} hashes to {', '.join(found) or 'nothing'}, "
            f"expected {expected[0]}; nothing was taken, export it again"
        )


def _folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


def _read(file: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leaves out of a member whose machine it comes from."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
