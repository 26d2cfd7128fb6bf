"""Programs that misbehave end as a record, and leave nothing behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from kernels.isolation import BUILD, Ending, Limits, run, waiting_threads
from kernels.isolation.sandbox import Sandbox, best_sandbox

SANDBOXES = [Sandbox("none"), *({best_sandbox()} - {Sandbox("none")})]
SHORT = Limits(wall_seconds=1.5, output_bytes=100_000)


@pytest.fixture(params=SANDBOXES, ids=lambda sandbox: sandbox.name)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return request.param


def _shell(text: str, folder: Path, sandbox: Sandbox, limits: Limits = SHORT):
    return run(["/bin/sh", "-c", text], limits, folder=folder, sandbox=sandbox)


def test_output_and_exit_status_are_kept(tmp_path: Path, sandbox: Sandbox) -> None:
    done = _shell("echo said; echo complained >&2; exit 3", tmp_path, sandbox)
    assert (done.ending, done.exit_code) == (Ending.EXIT, 3)
    assert (done.stdout, done.stderr) == ("said\n", "complained\n")
    assert not done.ok


def test_a_hang_is_killed(tmp_path: Path, sandbox: Sandbox) -> None:
    done = _shell("sleep 600", tmp_path, sandbox)
    assert done.ending is Ending.TIMEOUT


def test_a_crash_is_told_by_its_signal(tmp_path: Path, sandbox: Sandbox) -> None:
    done = _shell("kill -SEGV $$", tmp_path, sandbox)
    assert done.ending is Ending.SIGNAL
    assert "SIGSEGV" in done.describe()


def test_a_gigabyte_of_output_is_cut_off(tmp_path: Path, sandbox: Sandbox) -> None:
    done = _shell("yes | head -c 1000000000", tmp_path, sandbox)
    assert done.ending is Ending.OUTPUT
    assert len(done.stdout) == SHORT.output_bytes


def test_memory_is_limited(tmp_path: Path, sandbox: Sandbox) -> None:
    limits = Limits(wall_seconds=20, memory_bytes=256 << 20)
    text = "head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c"
    done = _shell(text, tmp_path, sandbox, limits)
    assert done.stdout.strip() != "900000000"


def test_a_file_cannot_fill_the_disk(tmp_path: Path, sandbox: Sandbox) -> None:
    limits = Limits(wall_seconds=20, file_bytes=1 << 20)
    _shell("head -c 10000000 /dev/zero > big", tmp_path, sandbox, limits)
    assert (tmp_path / "big").stat().st_size <= 1 << 20


@pytest.mark.parametrize(
    "escape", ["sleep 600 &", "setsid sleep 600 &", "(setsid sh -c 'sleep 600 & sleep 600' &)"]
)
def test_no_child_outlives_the_run(tmp_path: Path, sandbox: Sandbox, escape: str) -> None:
    marker = f"outliving-{os.getpid()}-{time.monotonic_ns()}"
    _shell(f"export {marker.replace('-', '_')}=1; {escape} echo started", tmp_path, sandbox)
    time.sleep(0.2)
    assert not _processes_with(marker.replace("-", "_"))


def _processes_with(word: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_a_program_that_is_not_there_is_no_exception(tmp_path: Path, sandbox: Sandbox) -> None:
    done = run(["/no/such/program"], SHORT, folder=tmp_path, sandbox=sandbox)
    assert done.exit_code == 127
    assert not done.ok


def test_a_folder_that_is_not_there_is_no_exception(tmp_path: Path) -> None:
    done = run(["true"], SHORT, folder=tmp_path / "missing")
    assert done.ending is Ending.NOT_STARTED


@pytest.mark.skipif(best_sandbox().name != "bubblewrap", reason="there is no bubblewrap here")
def test_the_sandbox_shows_files_and_lets_only_its_folder_be_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    for folder in (outside, inside):
        folder.mkdir()
    done = _shell(
        f"touch here; touch {Path.home()}/there; touch {outside}/x", inside, best_sandbox()
    )
    assert (inside / "here").exists()
    assert not (Path.home() / "there").exists()
    assert not (outside / "x").exists()
    assert done.exit_code != 0
    shown = run(
        ["ls", str(outside)], SHORT, folder=inside, sandbox=best_sandbox(), readable=[outside]
    )
    assert shown.ok


@pytest.mark.skipif(best_sandbox().name != "bubblewrap", reason="there is no bubblewrap here")
def test_the_sandbox_has_no_network(tmp_path: Path) -> None:
    done = _shell("cat /proc/net/dev | tail -n +3 | cut -d: -f1", tmp_path, best_sandbox())
    assert done.stdout.split() == ["lo"]


def test_temporary_files_stay_in_the_folder(tmp_path: Path) -> None:
    outcome = run(["/bin/sh", "-c", "mktemp; kill -SEGV $$"], Limits(), folder=tmp_path)
    assert Path(outcome.stdout.strip()).parent == tmp_path


def test_runs_that_nobody_waits_for_any_more_are_ended(tmp_path: Path) -> None:
    endings: list[Ending] = []

    def long(_: int) -> None:
        command = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)"]
        (tmp_path / "begun").touch()
        endings.append(run(command, BUILD, folder=tmp_path).ending)

    def interrupted() -> None:
        with waiting_threads(2) as pool:
            pool.map(long, range(20))
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    # Those that were under way, and none of the others.
    assert 1 <= len(endings) <= 2
    assert set(endings) == {Ending.SIGNAL}
