"""A revision is got from git without running anything, and without waiting for dead hosts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import git
import pytest

from extractor.errors import SourceError
from extractor.source.git import (
    Unreachable,
    check_address,
    check_out,
    commit_of_folder,
    find_commit,
    split_address,
)


def commit(repository: git.Repo, files: dict[str, str], message: str = "m") -> str:
    root = Path(repository.working_dir)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    repository.git.add("--all")
    repository.git.execute(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]
    )
    return str(repository.git.rev_parse("HEAD"))


@pytest.fixture
def upstream(tmp_path: Path) -> git.Repo:
    repository = git.Repo.init(tmp_path / "upstream", initial_branch="develop")
    commit(repository, {"src/a.hip": "one", "README": "r"})
    repository.git.execute(["git", "tag", "v1"])
    commit(repository, {"src/a.hip": "two", "projects/lib/src/a.hip": "mono", "big": "b"})
    repository.git.execute(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "v2", "-m", "annotated"]
    )
    return repository


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def address(repository: git.Repo) -> str:
    return f"file://{repository.working_dir}"


@pytest.mark.parametrize("ref", ["v1", "v2", "develop"])
def test_a_ref_is_the_commit_it_stands_for(upstream: git.Repo, ref: str) -> None:
    expected = str(upstream.git.rev_parse(f"{ref}^{{commit}}"))
    assert find_commit(address(upstream), ref) == expected


def test_an_unknown_ref(upstream: git.Repo) -> None:
    with pytest.raises(SourceError, match="has no tag or branch 'v3'"):
        find_commit(address(upstream), "v3")


@pytest.mark.parametrize("prefix", ["file://", "git+file://", ""])
def test_an_older_commit_is_checked_out_shallow(
    upstream: git.Repo, tmp_path: Path, prefix: str
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    url = f"{prefix}{upstream.working_dir}"
    root = check_out(url, find_commit(url, "v1"), ("",), into)
    assert listing(root) == ["README", "src/a.hip"]
    assert (root / "src/a.hip").read_text() == "one"


def test_only_the_sub_folder_is_checked_out(upstream: git.Repo, tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    root = check_out(
        address(upstream), find_commit(address(upstream), "v2"), ("projects/lib",), into
    )
    assert listing(root) == ["src/a.hip"]
    assert not (into / "src").exists()


def test_the_first_sub_folder_that_is_there_counts(upstream: git.Repo, tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    found = find_commit(address(upstream), "v1")
    root = check_out(address(upstream), found, ("projects/lib", ""), into)
    assert root == into
    assert "src/a.hip" in listing(root)


def test_a_missing_sub_folder(upstream: git.Repo, tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(SourceError, match="has no folder 'projects/other'"):
        check_out(
            address(upstream), find_commit(address(upstream), "v2"), ("projects/other",), into
        )


@pytest.mark.parametrize(
    ("url", "ref"),
    [
        ("--upload-pack=touch /tmp/x", "v1"),
        ("-oProxyCommand=x", "v1"),
        ("ext::sh -c touch% x", "v1"),
        ("http://plain.test/a.git", "v1"),
        ("fd::17", "v1"),
        ("https://a.test/a.git", "--upload-pack=x"),
        ("https://a.test/a.git", "-x"),
        ("https://a.test/a.git", "a..b"),
        ("https://a.test/a.git", "a b"),
        ("https://a.test/a.git\n--evil", "v1"),
    ],
)
def test_addresses_that_git_could_misread_are_refused(url: str, ref: str) -> None:
    with pytest.raises(SourceError, match="allowed"):
        check_address(url, ref)
    with pytest.raises(SourceError, match="allowed"):
        find_commit(url, ref)


def test_hooks_and_filters_of_the_repository_do_not_run(upstream: git.Repo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    hook = Path(upstream.git_dir) / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    found = commit(
        upstream,
        {
            ".gitattributes": "*.hip filter=evil\n",
            ".gitmodules": f'[submodule "s"]\n path = s\n url = file://{tmp_path}/nowhere\n',
            "hooks/post-checkout": f"#!/bin/sh\ntouch {mark}\n",
        },
    )
    into = tmp_path / "into"
    into.mkdir()
    check_out(address(upstream), found, ("",), into)
    assert not mark.exists()


def test_variables_of_an_outer_git_are_not_followed(
    upstream: git.Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = git.Repo.init(tmp_path / "outer")
    before = commit(outer, {"a": "a"})
    monkeypatch.setenv("GIT_DIR", str(outer.git_dir))
    monkeypatch.setenv("GIT_WORK_TREE", str(outer.working_dir))
    monkeypatch.setenv("GIT_INDEX_FILE", str(Path(outer.git_dir) / "index"))
    into = tmp_path / "into"
    into.mkdir()
    check_out(address(upstream), find_commit(address(upstream), "v1"), ("",), into)
    assert (into / "src/a.hip").exists()
    assert commit_of_folder(tmp_path / "outer") == before
    assert listing(tmp_path / "outer").count("a") == 1


def test_a_host_that_is_not_there_is_given_up() -> None:
    with pytest.raises(Unreachable, match=r"cannot read https://127\.0\.0\.1:1/a\.git: "):
        find_commit("https://127.0.0.1:1/a.git", "v1")


def test_a_machine_without_git(tmp_path: Path) -> None:
    program = (
        "from extractor.source.git import Unreachable, find_commit\n"
        "try:\n    find_commit('https://a.test/x.git', 'v1')\n"
        "except Unreachable as error:\n    print(error)\n"
    )
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "git is not installed; install it, or use a folder or archive\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.test/x.git@v1", ("https://a.test/x.git", "v1")),
        ("https://user@a.test/x.git@v1", ("https://user@a.test/x.git", "v1")),
        ("https://user@a.test/x.git", ("https://user@a.test/x.git", "")),
        ("https://a.test/x.git", ("https://a.test/x.git", "")),
        ("ssh://git@a.test/x.git@feature/y", ("ssh://git@a.test/x.git", "feature/y")),
        ("git@a.test:x/y.git@v1", ("git@a.test:x/y.git", "v1")),
        ("git@a.test:x/y.git", ("git@a.test:x/y.git", "")),
        ("some/folder", None),
        ("folder@v1", None),
    ],
)
def test_address_and_ref_are_told_apart(text: str, expected: tuple[str, str] | None) -> None:
    assert split_address(text) == expected


def test_a_local_repository_at_a_ref(upstream: git.Repo) -> None:
    folder = str(upstream.working_dir)
    assert split_address(f"{folder}@v1") == (folder, "v1")


def test_the_commit_of_a_folder_is_read_and_not_asked_for(upstream: git.Repo) -> None:
    root = Path(upstream.working_dir)
    head = str(upstream.git.rev_parse("HEAD"))
    assert commit_of_folder(root) == head
    assert commit_of_folder(root / "src") == head
    upstream.git.pack_refs("--all")
    assert commit_of_folder(root) == head
    upstream.git.checkout("-q", "--detach", "v1")
    assert commit_of_folder(root) == str(upstream.git.rev_parse("v1"))


def test_the_commit_of_a_worktree(upstream: git.Repo, tmp_path: Path) -> None:
    upstream.git.worktree("add", "-q", str(tmp_path / "tree"), "v1")
    assert commit_of_folder(tmp_path / "tree") == str(upstream.git.rev_parse("v1"))


def test_a_folder_without_git(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert commit_of_folder(tmp_path / "plain") is None
