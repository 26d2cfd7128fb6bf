"""A source is found in its order, and is whole, whatever happens on the way."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import git
import pytest

from extractor import settings
from extractor.errors import SourceError, StoreError
from extractor.rules import Rule, load_rule
from extractor.source import obtain
from extractor.source.git import Unreachable
from extractor.source.obtain import cached_source

from .conftest import Mirror, RuleMaker, make_tar
from .test_git import address, commit

FILES = (
    ("tiny-rel-1.2/src/a.hip", b"int a;"),
    ("tiny-rel-1.2/src/b.hip", b"int b;"),
    ("tiny-rel-1.2/docs/big.txt", b"x" * 100),
    ("tiny-rel-1.2/VERSION", b"version = 7.8.9\n"),
)
VERSION = """
[version]
file = "VERSION"
pattern = 'version = (\\S+)'
release = 'rel-([0-9.]+)'
"""


def archive_rule(make_rule: RuleMaker, data: bytes, extra: str = "") -> Rule:
    sha = hashlib.sha256(data).hexdigest()
    return make_rule(
        f"""
[source]
leave_out = ["docs/**"]
{extra}
[[source.archives]]
pool = "t/tiny/tiny_1.tar.gz"
sha256 = "{sha}"
version = "1"
{VERSION}
"""
    )


@pytest.fixture
def served(mirror: Mirror) -> Mirror:
    mirror.files["/pool/main/t/tiny/tiny_1.tar.gz"] = make_tar(*FILES)
    return mirror


@pytest.fixture
def rule(make_rule: RuleMaker, served: Mirror) -> Rule:
    return archive_rule(make_rule, served.files["/pool/main/t/tiny/tiny_1.tar.gz"])


def listing(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_an_archive_is_unpacked_without_what_is_left_out(rule: Rule) -> None:
    tree = obtain(rule)
    assert listing(tree.root) == ["VERSION", "src/a.hip", "src/b.hip"]
    assert (tree.name, tree.version, tree.license, tree.origin) == ("tiny", "1", "MIT", "debian")
    assert tree.commit == rule.source.archives[0].sha256


def test_the_second_time_it_comes_from_the_cache(rule: Rule, served: Mirror) -> None:
    first = obtain(rule)
    second = obtain(rule)
    assert second.origin == "cache"
    assert (second.root, second.content_key) == (first.root, first.content_key)
    assert len(served.requests) == 1
    assert obtain(rule, offline=True).content_key == first.content_key


def test_a_cached_source_that_was_changed_is_made_again(
    rule: Rule, caplog: pytest.LogCaptureFixture
) -> None:
    tree = obtain(rule)
    (tree.root / "src" / "a.hip").write_text("int tampered;")
    again = obtain(rule)
    assert (again.root / "src" / "a.hip").read_text() == "int a;"
    assert "was changed" in caplog.text


def test_a_local_file_comes_before_git_and_the_network(
    make_rule: RuleMaker, served: Mirror, tmp_path: Path
) -> None:
    data = make_tar(*FILES)
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "tiny_1.tar.gz").write_bytes(data)
    pinned = '[[source.git]]\nurl = "https://127.0.0.1:1/a.git"\nref = "v1"\n'
    tree = obtain(archive_rule(make_rule, data, pinned), local_files=folder)
    assert tree.origin == "debian"
    assert served.requests == []


def test_a_dead_git_host_is_passed_over(make_rule: RuleMaker, served: Mirror) -> None:
    data = served.files["/pool/main/t/tiny/tiny_1.tar.gz"]
    pinned = '[[source.git]]\nurl = "https://127.0.0.1:1/a.git"\nref = "v1"\n'
    assert obtain(archive_rule(make_rule, data, pinned)).origin == "debian"


def test_git_comes_before_the_mirror(make_rule: RuleMaker, served: Mirror, tmp_path: Path) -> None:
    upstream = git.Repo.init(tmp_path / "upstream")
    head = commit(upstream, {"src/a.hip": "int git;", "docs/x": "x"})
    upstream.git.execute(["git", "tag", "v1"])
    pinned = f'[[source.git]]\nurl = "{address(upstream)}"\nref = "v1"\nversion = "1"\n'
    rule = archive_rule(make_rule, served.files["/pool/main/t/tiny/tiny_1.tar.gz"], pinned)
    tree = obtain(rule)
    assert (tree.origin, tree.commit) == ("git", head)
    assert listing(tree.root) == ["src/a.hip"]
    assert served.requests == []
    assert obtain(rule, offline=True).commit == head


def test_a_wrong_hash_names_the_file_and_leaves_nothing(rule: Rule, served: Mirror) -> None:
    served.files["/pool/main/t/tiny/tiny_1.tar.gz"] = make_tar(*FILES[:1])
    with pytest.raises(SourceError, match=r"tiny_1\.tar\.gz: SHA-256 is \w+, expected \w+"):
        obtain(rule)
    assert cached_source(rule) is None
    assert not (settings.cache_folder() / "trees").exists()


def test_no_network_and_no_cache_is_one_line(rule: Rule) -> None:
    with pytest.raises(SourceError, match="cannot get tiny_1") as caught:
        obtain(rule, offline=True)
    assert "\n" not in str(caught.value)


def test_an_archive_that_leads_out_leaves_nothing(
    make_rule: RuleMaker, served: Mirror, tmp_path: Path
) -> None:
    data = make_tar(("tiny/src/a.hip", b"a"), ("tiny/../../evil", b"evil"))
    served.files["/pool/main/t/tiny/tiny_1.tar.gz"] = data
    rule = archive_rule(make_rule, data)
    with pytest.raises(SourceError, match="would land outside"):
        obtain(rule)
    assert cached_source(rule) is None
    assert not list(tmp_path.rglob("evil"))


def test_an_archive_with_two_top_folders(make_rule: RuleMaker, served: Mirror) -> None:
    data = make_tar(("one/src/a.hip", b"a"), ("two/src/a.hip", b"a"))
    served.files["/pool/main/t/tiny/tiny_1.tar.gz"] = data
    with pytest.raises(SourceError, match="has one top folder, this has 2"):
        obtain(archive_rule(make_rule, data))


def test_a_full_disk_while_unpacking_leaves_nothing(
    rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfileobj", full)
        with pytest.raises(StoreError, match="no space left"):
            obtain(rule)
    assert cached_source(rule) is None
    assert list((settings.cache_folder() / "tmp").iterdir()) == []
    assert obtain(rule).origin == "debian"


def _obtain(rule_file: Path, mirror_address: str, out: object) -> None:
    settings.mirrors = lambda: (mirror_address,)
    tree = obtain(load_rule(rule_file))
    out.put((str(tree.root), tree.content_key, tree.origin))  # type: ignore[attr-defined]


def test_two_runs_at_once_make_one_entry(rule: Rule, served: Mirror) -> None:
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    runs = [
        context.Process(target=_obtain, args=(rule.path, served.address, out)) for _ in range(2)
    ]
    for run in runs:
        run.start()
    found = [out.get(timeout=60) for _ in runs]
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0]
    assert len({item[:2] for item in found}) == 1
    assert sorted(item[2] for item in found) == ["cache", "debian"]
    assert [request[0] for request in served.requests] == ["GET"]


def _slow_obtain(rule_file: Path, mirror_address: str, started: object) -> None:
    real = shutil.copyfileobj

    def slow(*arguments: object) -> None:
        real(*arguments)  # type: ignore[arg-type]
        started.set()  # type: ignore[attr-defined]
        time.sleep(30)

    shutil.copyfileobj = slow  # type: ignore[assignment]
    settings.mirrors = lambda: (mirror_address,)
    obtain(load_rule(rule_file))


def test_a_run_that_is_killed_while_unpacking_leaves_no_entry(rule: Rule, served: Mirror) -> None:
    context = multiprocessing.get_context("spawn")
    started = context.Event()
    run = context.Process(target=_slow_obtain, args=(rule.path, served.address, started))
    run.start()
    assert started.wait(60)
    assert run.pid is not None
    os.kill(run.pid, signal.SIGKILL)
    run.join()
    assert cached_source(rule) is None
    assert listing(obtain(rule).root) == ["VERSION", "src/a.hip", "src/b.hip"]


def test_a_folder_is_used_as_it_is(rule: Rule, tmp_path: Path, served: Mirror) -> None:
    folder = tmp_path / "mine-rel-3.4"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.hip").write_text("int mine;")
    tree = obtain(rule, str(folder))
    assert (tree.root, tree.origin, tree.version) == (folder, "folder", "3.4")
    assert tree.commit == tree.content_key
    assert served.requests == []
    (folder / "src" / "a.hip").write_text("int changed;")
    assert obtain(rule, str(folder)).content_key != tree.content_key


def test_a_folder_of_an_unknown_release_states_its_own_version(rule: Rule, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.hip").write_text("")
    assert obtain(rule, str(folder)).version == "unknown"
    (folder / "VERSION").write_text("version = 5.0\n")
    assert obtain(rule, str(folder)).version == "5.0"


def test_a_checkout_states_its_commit(rule: Rule, tmp_path: Path) -> None:
    repository = git.Repo.init(tmp_path / "checkout")
    head = commit(repository, {"src/a.hip": "int a;"})
    assert obtain(rule, str(tmp_path / "checkout")).commit == head


def test_a_library_inside_a_larger_repository(
    make_rule: RuleMaker, served: Mirror, tmp_path: Path
) -> None:
    data = served.files["/pool/main/t/tiny/tiny_1.tar.gz"]
    rule = archive_rule(make_rule, data, 'subfolders = ["projects/tiny"]')
    upstream = git.Repo.init(tmp_path / "mono")
    head = commit(upstream, {"projects/tiny/src/a.hip": "mono", "src/b.hip": "other"})
    assert listing(obtain(rule, str(tmp_path / "mono")).root) == ["src/a.hip"]
    tree = obtain(rule, f"{address(upstream)}@{head}")
    assert listing(tree.root) == ["src/a.hip"]


def test_a_folder_that_is_something_else(rule: Rule, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(SourceError, match=r"has no file src/\*\*/\*\.hip; is it the root of tiny"):
        obtain(rule, str(tmp_path / "other"))


def test_a_source_that_does_not_exist(rule: Rule) -> None:
    with pytest.raises(SourceError, match=r"no such folder, .*and not URL@REF"):
        obtain(rule, "/no/such/folder")


def test_an_address_without_a_revision(rule: Rule) -> None:
    with pytest.raises(SourceError, match=r"names no revision; write https://a\.test/x\.git@"):
        obtain(rule, "https://a.test/x.git")


def test_a_branch_is_followed_while_its_host_answers(rule: Rule, tmp_path: Path) -> None:
    upstream = git.Repo.init(tmp_path / "upstream", initial_branch="develop")
    first = commit(upstream, {"src/a.hip": "one"})
    named = f"{address(upstream)}@develop"
    assert obtain(rule, named).commit == first
    second = commit(upstream, {"src/a.hip": "two"})
    assert obtain(rule, named, offline=True).commit == first
    assert obtain(rule, named).commit == second
    shutil.rmtree(tmp_path / "upstream")
    assert obtain(rule, named).commit == second


def test_a_revision_never_seen_of_a_dead_host(rule: Rule) -> None:
    with pytest.raises(Unreachable):
        obtain(rule, "https://127.0.0.1:1/a.git@v1")
    with pytest.raises(SourceError, match="not in the cache"):
        obtain(rule, "https://127.0.0.1:1/a.git@v1", offline=True)


def test_a_plain_folder_stands_beside_its_rule(make_rule: RuleMaker, tmp_path: Path) -> None:
    rule = make_rule('[source]\nfolder = "lib"\n')
    with pytest.raises(SourceError, match="no folder"):
        obtain(rule)
    (tmp_path / "lib" / "src").mkdir(parents=True)
    (tmp_path / "lib" / "src" / "a.hip").write_text("")
    assert obtain(rule).root == tmp_path / "lib"


def test_a_rule_without_a_source_says_so(make_rule: RuleMaker) -> None:
    with pytest.raises(SourceError, match="names no source"):
        obtain(make_rule(""))


def test_nothing_of_a_tree_is_run(rule: Rule, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    folder = tmp_path / "hostile"
    repository = git.Repo.init(folder)
    script = f"#!{sys.executable}\nopen({str(mark)!r}, 'w')\n"
    commit(repository, {"src/a.hip": "", "setup.py": script, "conftest.py": script})
    (folder / "monitor").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (folder / "monitor").chmod(0o755)
    with repository.config_writer() as config:
        config.set_value("core", "fsmonitor", str(folder / "monitor"))
        config.set_value("core", "sshCommand", f"touch {mark}")
    obtain(rule, str(folder))
    assert not mark.exists()
