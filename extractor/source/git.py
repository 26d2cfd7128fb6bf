"""Gets one revision of a git repository, shallow, without running anything of it.

No hook, filter, submodule or transport helper of the repository gets to run: hooks are pointed
at nothing, only known transports are allowed, and an address or ref that git could read as an
option is refused. An unreachable host is given up within seconds, so that the caller can go on
to the next place.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from extractor.errors import SourceError

if TYPE_CHECKING:
    import git
    from git.exc import GitCommandError

_SCHEMES = ("https://", "ssh://", "file://", "git+https://", "git+ssh://", "git+file://")
_SCP = re.compile(r"^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:(?!//)[^\s]+$")
_REF = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_./+@-]*$")
_COMMIT = re.compile(r"^[0-9a-f]{40}$")
_PROBE_SECONDS = 8
_CLONE_SECONDS = 1800
_CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "protocol.ext.allow=never",
    "advice.detachedHead=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=5",
}


class Unreachable(SourceError):
    """The repository cannot be reached now; another source may do."""


def split_address(text: str) -> tuple[str, str] | None:
    """Splits ``URL@REF``; ``None`` when the text is no git address.

    The ref is empty when the text names none: the ``@`` of ``ssh://git@host/repo`` is no ref.

    Example:
        >>> split_address("https://example.org/a.git@v1")
        ('https://example.org/a.git', 'v1')
    """
    body, at, ref = text.rpartition("@")
    if not at:
        return (text, "") if text.startswith(_SCHEMES) else None
    if body.startswith(_SCHEMES):
        in_authority = "/" not in body.partition("://")[2]
        return (text, "") if in_authority else (body, ref)
    if _SCP.match(body):
        return body, ref
    if _SCP.match(text):
        return text, ""
    folder = Path(body).expanduser()
    return (str(folder.absolute()), ref) if _is_repository(folder) else None


def check_address(url: str, ref: str) -> None:
    """Refuses addresses and refs that are not plainly that.

    Raises:
        SourceError: With what is allowed.
    """
    local = not url.startswith("-") and Path(url).expanduser().is_dir()
    if not (url.startswith(_SCHEMES) or _SCP.match(url) or local) or "\n" in url:
        raise SourceError(
            f"'{url}' is no git address that is allowed; use https://, ssh://, file:// or a folder"
        )
    if not _REF.match(ref) or ".." in ref:
        raise SourceError(
            f"'{ref}' is no git ref that is allowed; write URL@REF with a tag, branch or commit"
        )


def find_commit(url: str, ref: str) -> str:
    """Asks a repository which commit a ref is.

    Raises:
        Unreachable: The repository does not answer.
        SourceError: It has no such ref, or the address is refused.
    """
    check_address(url, ref)
    if _COMMIT.match(ref):
        return ref
    wanted = (f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}", f"refs/heads/{ref}")
    with tempfile.TemporaryDirectory() as neutral, _reported(url):
        listing = _git(Path(neutral)).ls_remote(
            "--", _plain(url), *wanted, kill_after_timeout=_PROBE_SECONDS
        )
    lines = [line.split("\t", 1) for line in str(listing).splitlines() if "\t" in line]
    found = {name: commit for commit, name in lines}
    for name in wanted:
        if name in found:
            return found[name]
    raise SourceError(f"{url} has no tag or branch '{ref}'; check the ref after '@'")


def check_out(url: str, commit: str, subfolders: Sequence[str], into: Path) -> Path:
    """Checks out one commit into an empty folder.

    Args:
        url: Repository.
        commit: Full commit, as ``find_commit`` gives it.
        subfolders: Folders of which the first that is there is fetched and checked out alone;
            ``""`` stands for the whole repository.
        into: Empty folder for the working tree.

    Returns:
        The folder that holds the wanted files: ``into`` or its sub-folder.

    Raises:
        Unreachable: The repository does not answer, or breaks off.
        SourceError: None of the sub-folders is there.
    """
    check_address(url, commit)
    for subfolder in subfolders:
        if subfolder.startswith(("/", "-")) or ".." in Path(subfolder).parts:
            raise SourceError(f"'{subfolder}' is no folder inside a repository")
    repository = _git(into)
    with _reported(url):
        repository.init("--quiet", "--template=")
        repository.remote("add", "--", "origin", _plain(url))
        # Blobs come with the checkout: of a monorepo, only those of the wanted folder.
        narrow = ["--filter=blob:none"] if any(subfolders) else []
        repository.fetch(
            "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", *narrow,
            "origin", commit, kill_after_timeout=_CLONE_SECONDS,
        )  # fmt: skip
        chosen = next((item for item in subfolders if _has_folder(repository, commit, item)), None)
        if chosen:
            repository.sparse_checkout("set", "--", chosen)
        if chosen is not None:
            repository.checkout("--quiet", "--detach", commit, kill_after_timeout=_CLONE_SECONDS)
    shutil.rmtree(into / ".git", ignore_errors=True)
    if chosen is None:
        raise SourceError(f"{url} has no folder '{subfolders[0]}' at {commit[:12]}")
    return into / chosen


def _has_folder(repository: git.Git, commit: str, folder: str) -> bool:
    return not folder or bool(repository.ls_tree("-d", "--name-only", commit, "--", folder))


def commit_of_folder(folder: Path) -> str | None:
    """Reads the commit a folder stands at from its ``.git``, without running git in it.

    A repository's own configuration can name programs for git to run; a folder that somebody
    else gave us is therefore only read.
    """
    for parent in (folder, *folder.parents):
        meta = parent / ".git"
        if meta.is_file():
            pointer = _first_line(meta).removeprefix("gitdir: ")
            meta = parent / pointer
        if (meta / "HEAD").is_file():
            return _read_head(meta)
    return None


def _read_head(meta: Path) -> str | None:
    head = _first_line(meta / "HEAD")
    if not head.startswith("ref: "):
        return head if _COMMIT.match(head) else None
    name = head.removeprefix("ref: ")
    if ".." in name or name.startswith("/"):
        return None
    common = meta / "commondir"
    shared = meta / _first_line(common) if common.is_file() else meta
    for place in (meta, shared):
        value = _first_line(place / name)
        if _COMMIT.match(value):
            return value
    with contextlib.suppress(OSError):
        for line in (shared / "packed-refs").read_text("utf-8", "replace").splitlines():
            value, _, packed = line.partition(" ")
            if packed == name and _COMMIT.match(value):
                return value
    return None


def _first_line(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists() or (folder / "HEAD").is_file()


def _plain(url: str) -> str:
    return url.removeprefix("git+")


def _git(folder: Path) -> git.Git:
    runner = cast("git.Git", _library().Git(folder))
    meta = folder / ".git"
    # Inside a git hook, variables point git at the repository of that hook: point it here.
    runner.update_environment(
        **_ENVIRONMENT,
        GIT_DIR=str(meta),
        GIT_WORK_TREE=str(folder),
        GIT_COMMON_DIR=str(meta),
        GIT_INDEX_FILE=str(meta / "index"),
        GIT_OBJECT_DIRECTORY=str(meta / "objects"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES="",
    )
    runner.set_persistent_git_options(c=list(_CONFIG))
    return runner


def _library() -> ModuleType:
    """GitPython, which runs ``git version`` when it is imported and fails where there is none."""
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    return importlib.import_module("git")


@contextlib.contextmanager
def _reported(url: str) -> Iterator[None]:
    _library()
    from git.exc import GitCommandError, GitCommandNotFound

    try:
        yield
    except GitCommandNotFound:
        raise Unreachable("git is not installed; install it, or use a folder or archive") from None
    except GitCommandError as error:
        raise Unreachable(f"cannot read {url}: {_last_words(error)}") from None


def _last_words(error: GitCommandError) -> str:
    """The last line of what git said, without the wrapping that GitPython puts around it."""
    said = str(error.stderr or "").strip().removeprefix("stderr: ").strip("' \n")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    chosen = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    return (chosen or (lines[-1] if lines else f"git ended with {error.status}")).partition(": ")[2]
