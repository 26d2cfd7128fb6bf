"""Finds the source of a library: a folder, the cache, local files, git, then an archive."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from extractor import cache
from extractor.compile_commands import build_folder
from extractor.errors import SourceError
from extractor.glob import match_path
from extractor.rule_schema import GitPin, Pin
from extractor.rules import Rule
from extractor.source import git as repository
from extractor.source.archive import unpack
from extractor.source.fetch import NotThere, Progress, fetch
from extractor.source.generated import make_headers
from extractor.source.manifest import content_key, tree_files
from extractor.source.tree import SourceTree

_FORMAT = 1
"""Raise it when the same pin would unpack to another tree."""

_META, _TREE = "source.json", "tree"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Found:
    """A tree on disk, before anything is derived from it."""

    root: Path
    version: str
    commit: str
    origin: str
    label: str


def obtain(
    rule: Rule,
    override: str | None = None,
    *,
    offline: bool = False,
    local_files: Path | None = None,
    progress: Progress | None = None,
) -> SourceTree:
    """Gets a library's source tree and the headers made from it.

    Args:
        rule: The library's rule.
        override: A folder, ``URL@REF``, or a version that the rule pins, instead of its first pin.
        offline: Do not ask the network.
        local_files: Folder with pinned files; ``$ROCQUARRY_FILES`` when ``None``.
        progress: Told about a download as it goes on.

    Returns:
        The tree, with its provenance.

    Raises:
        SourceError: No source can be had, or one is not what its hash says.
        StoreError: The disk is full, or the cache cannot be written.
    """
    pinned = _of_version(rule, override) if override else None
    if pinned is not None:
        found = _pinned(pinned, offline, local_files, progress)
    elif override:
        found = _overridden(rule, override, offline)
    elif rule.source.folder is not None:
        found = _folder(rule, rule.path.parent / Path(rule.source.folder).expanduser())
    else:
        found = _pinned(rule, offline, local_files, progress)
    return _described(rule, found)


def _of_version(rule: Rule, version: str) -> Rule | None:
    """The rule with only those pins that stand for a version, if it has any and no folder does."""
    if Path(version).expanduser().is_dir():
        return None
    source = rule.source
    git = tuple(pin for pin in source.git if pin.version == version)
    archives = (*source.archives, *source.revisions)
    archives = tuple(pin for pin in archives if pin.version == version)
    if not git and not archives:
        return None
    chosen = source.model_copy(update={"git": git, "archives": archives})
    # model_copy keeps what a rule knows besides its keys: where its file is.
    return rule.model_copy(update={"source": chosen})


def _overridden(rule: Rule, override: str, offline: bool) -> _Found:
    folder = Path(override).expanduser()
    if folder.is_dir():
        return _folder(rule, folder)
    split = repository.split_address(override)
    if split is None:
        raise SourceError(
            f"no source '{override}': no such folder, {_known_versions(rule)}and not URL@REF with "
            "https://, ssh:// or file://"
        )
    url, ref = split
    if not ref:
        raise SourceError(f"'{override}' names no revision; write {url}@TAG-OR-COMMIT")
    commit = _commit_of(url, ref, offline)
    pin = GitPin(url=url, ref=ref, commit=commit)
    # "" last: the library's own repository has none of the sub-folders.
    cached = _cached(rule, _git_key(rule, pin))
    if cached is None and offline:
        raise SourceError(f"{override} is not in the cache, and the network was not asked")
    return cached or _from_git(rule, pin, (*rule.source.subfolders, ""))


def _known_versions(rule: Rule) -> str:
    versions = {pin.version for pin in rule.source.git}
    versions |= {pin.version for pin in (*rule.source.archives, *rule.source.revisions)}
    named = sorted(versions - {""})
    return f"no pinned version ({', '.join(named)}), " if named else ""


def _commit_of(url: str, ref: str, offline: bool) -> str:
    """Which commit a ref is now, or was when the repository last answered."""
    repository.check_address(url, ref)
    name = hashlib.sha256(f"{url}@{ref}".encode()).hexdigest()[:32]
    noted = cache.entry("manifests", f"ref-{name}")
    before = noted.read_text(encoding="ascii").strip() if noted.is_file() else ""
    if offline:
        if not before:
            raise SourceError(f"{url}@{ref} is not in the cache, and the network was not asked")
        return before
    try:
        commit = repository.find_commit(url, ref)
    except repository.Unreachable:
        if not before:
            raise
        _log.warning("%s does not answer; using %s, which '%s' last was", url, before[:12], ref)
        return before
    cache.write_file(noted, commit.encode())
    return commit


def _folder(rule: Rule, folder: Path) -> _Found:
    root = folder.resolve()
    if not root.is_dir():
        raise SourceError(f"no folder {folder}; check --source, or 'folder' in {rule.path}")
    commit = repository.commit_of_folder(root) or ""
    for subfolder in rule.source.subfolders:
        if (root / subfolder).is_dir():
            root = root / subfolder
            break
    return _Found(root, "", commit, "folder", root.name)


def _pinned(
    rule: Rule, offline: bool, local_files: Path | None, progress: Progress | None
) -> _Found:
    source = rule.source
    if not source.git and not source.archives:
        raise SourceError(
            f"{rule.path} names no source; add 'folder', 'git' or 'archives', or use --source DIR"
        )
    cached = _any_cached(rule)
    if cached:
        return cached
    reason = SourceError(f"no source of {rule.name} is in the cache, and the network was not asked")
    if source.archives:
        try:
            return _from_archive(
                rule, *fetch(source.archives, offline=True, local_files=local_files)
            )
        except NotThere as error:
            reason = error
    if offline:
        raise reason
    for pin in source.git:
        try:
            return _from_git(rule, pin, (pin.subfolder,))
        except SourceError as error:
            _log.info("%s", error)
            reason = error
    if source.archives:
        return _from_archive(
            rule, *fetch(source.archives, local_files=local_files, progress=progress)
        )
    raise reason


def cached_source(rule: Rule) -> tuple[Path, str, str] | None:
    """Root, version and commit of the source that ``obtain`` would use without fetching."""
    if rule.source.folder is not None:
        folder = rule.path.parent / Path(rule.source.folder).expanduser()
        return (folder, "folder", "") if folder.is_dir() else None
    found = _any_cached(rule)
    return (found.root, found.version, found.commit) if found else None


def _any_cached(rule: Rule) -> _Found | None:
    keys = [_git_key(rule, pin) for pin in rule.source.git]
    keys += [_archive_key(rule, pin) for pin in rule.source.archives]
    return next((found for key in keys if (found := _cached(rule, key))), None)


def _from_archive(rule: Rule, pin: Pin, file: Path) -> _Found:
    key = _archive_key(rule, pin)
    with cache.locked("trees", key):
        found = _cached(rule, key)
        if found:
            return found
        with cache.building("trees", key) as folder:
            label = _unpack_tree(rule, file, folder / _TREE)
            _note(rule, folder, pin.version, pin.sha256, "debian", label)
    return _just_built(rule, key)


def _from_git(rule: Rule, pin: GitPin, subfolders: tuple[str, ...]) -> _Found:
    commit = pin.commit or repository.find_commit(pin.url, pin.ref)
    key = _git_key(rule, pin)
    with cache.locked("trees", key):
        found = _cached(rule, key)
        if found:
            return found
        with cache.building("trees", key) as folder:
            checkout = folder / "checkout"
            checkout.mkdir()
            root = repository.check_out(pin.url, commit, subfolders, checkout)
            for path, _, _ in tree_files(root, rule.source.leave_out):
                target = folder / _TREE / path
                target.parent.mkdir(parents=True, exist_ok=True)
                # A link inside the tree becomes a copy of what it points at.
                shutil.copyfile(root / path, target)
            shutil.rmtree(checkout)
            _note(rule, folder, pin.version, commit, "git", pin.ref)
    return _just_built(rule, key)


def _unpack_tree(rule: Rule, file: Path, into: Path) -> str:
    """Unpacks a source archive without its top folder; returns that folder's name."""
    leave_out = rule.source.leave_out
    into.mkdir()
    tops: set[str] = set()
    with file.open("rb") as stream:
        unpack(
            stream,
            file.name,
            into,
            wanted=lambda path: not match_path(path, leave_out),
            strip=1,
            stripped=tops,
        )
    if len(tops) != 1:
        raise SourceError(f"{file.name}: a source archive has one top folder, this has {len(tops)}")
    return tops.pop()


def _note(rule: Rule, folder: Path, version: str, commit: str, origin: str, label: str) -> None:
    """Writes an entry's provenance; its presence also says that the entry is whole."""
    key = content_key(folder / _TREE, rule.source.leave_out, remember=False)
    meta = {
        "version": version,
        "commit": commit,
        "origin": origin,
        "label": label,
        "content_key": key,
    }
    (folder / _META).write_text(json.dumps(meta, indent=1), encoding="utf-8")


def _cached(rule: Rule, key: str) -> _Found | None:
    """An entry of the cache, if it is there and still what was put there."""
    place = cache.entry("trees", key)
    try:
        meta = json.loads((place / _META).read_text(encoding="utf-8"))
        root = place / _TREE
        if content_key(root, rule.source.leave_out) != meta["content_key"]:
            _log.warning("the cached source in %s was changed; it is made again", root)
            return None
        return _Found(root, meta["version"], meta["commit"], "cache", meta["label"])
    except (OSError, ValueError, KeyError):
        return None


def _just_built(rule: Rule, key: str) -> _Found:
    found = _cached(rule, key)
    if found is None:
        raise SourceError(f"the cache entry {cache.entry('trees', key)} vanished; run again")
    meta = json.loads((found.root.parent / _META).read_text(encoding="utf-8"))
    return _Found(found.root, found.version, found.commit, meta["origin"], found.label)


def _archive_key(rule: Rule, pin: Pin) -> str:
    return _key(rule, pin.sha256)


def _git_key(rule: Rule, pin: GitPin) -> str:
    return _key(rule, f"{pin.url}\n{pin.commit or pin.ref}\n{pin.subfolder}")


def _key(rule: Rule, what: str) -> str:
    parts = json.dumps([_FORMAT, what, rule.source.leave_out, rule.source.subfolders])
    return f"{rule.name}-{hashlib.sha256(parts.encode()).hexdigest()[:24]}"


def _described(rule: Rule, found: _Found) -> SourceTree:
    files = sorted(path for path, _, _ in tree_files(found.root, rule.source.leave_out))
    if not any(match_path(file, units.files) for units in rule.units for file in files):
        wanted = ", ".join(rule.units[0].files)
        raise SourceError(f"{found.root} has no file {wanted}; is it the root of {rule.name}?")
    key = content_key(found.root, rule.source.leave_out)
    own = _stated_version(rule, found.root)
    return SourceTree(
        root=found.root,
        name=rule.name,
        version=found.version or _release(rule, found.label) or own or "unknown",
        commit=found.commit or key,
        license=rule.license,
        origin=found.origin,
        content_key=key,
        generated=make_headers(found.root, files, rule.generated, own, key),
        build=build_folder(rule.database, found.root) if rule.compile.database else None,
    )


def _stated_version(rule: Rule, root: Path) -> str:
    if rule.version.file is None or rule.version.pattern is None:
        return ""
    try:
        text = (root / rule.version.file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = re.search(rule.version.pattern, text)
    return match[1] if match else ""


def _release(rule: Rule, label: str) -> str:
    match = re.search(rule.version.release, label) if rule.version.release else None
    return match[1] if match else ""
