"""Runs that are killed, stopped, doubled: the next one gives the same bytes."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest
from opened_libraries import Extract

from .conftest import Runs, Trap, gone, store_path, units_in, wait_for

INTERRUPTED = "extract: interrupted; what was indexed so far is kept"


def leftovers(folder: Path) -> list[str]:
    """Files under temporary names."""
    return [path.name for path in folder.rglob("*") if path.name.startswith(".")]


def test_a_run_killed_at_any_moment_leaves_a_store_to_go_on_with(
    own_cache: Path, runs: Runs, undisturbed: dict[str, bytes]
) -> None:
    chance = random.Random(7)
    for number in range(8):
        process = runs.start(f"killed-{number}", "--jobs", "2")
        # Later and later, so that some moments fall into each part of a run.
        time.sleep(chance.uniform(0, 0.4 + 0.4 * number))
        process.kill()
        process.wait()
        units_in(own_cache)
    assert runs.run("out", "--quiet") == (0, "")
    assert runs.bytes_of("out") == undisturbed
    for number in range(8):
        # Whatever a killed run had written already is whole.
        for name, content in runs.bytes_of(f"killed-{number}").items():
            assert name.rpartition("/")[2].startswith(".") or content == undisturbed[name]


def test_a_run_killed_between_units_is_not_begun_again(
    quick_cache: Path, runs: Runs, trap: Trap, undisturbed: dict[str, bytes]
) -> None:
    trap.on("src/sort.cpp")
    process = runs.start("killed", "--jobs", "1")
    worker = trap.worker()
    process.kill()
    process.wait()
    wait_for(lambda: gone(worker))
    trap.off()
    before = units_in(quick_cache)
    assert before > 0
    assert runs.run("out", "--quiet") == (0, "")
    assert units_in(quick_cache) == 15
    assert runs.bytes_of("out") == undisturbed


def test_an_interrupted_run_says_so_and_loses_nothing(
    quick_cache: Path, runs: Runs, trap: Trap, undisturbed: dict[str, bytes]
) -> None:
    trap.on("src/sort.cpp")
    process = runs.start("stopped", "--jobs", "1", "--quiet")
    worker = trap.worker()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", INTERRUPTED + "\n")
    wait_for(lambda: gone(worker))
    assert runs.bytes_of("stopped") == {}
    assert units_in(quick_cache) > 0
    trap.off()
    assert runs.run("out", "--quiet") == (0, "")
    assert runs.bytes_of("out") == undisturbed


def test_an_interruption_leaves_no_half_written_output(
    quick_cache: Path, runs: Runs, undisturbed: dict[str, bytes]
) -> None:
    process = runs.start("stopped", "--quiet")
    wait_for(lambda: runs.bytes_of("stopped") != {} or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode in (0, 130)
    assert leftovers(runs.folder / "stopped") == []
    for name, content in runs.bytes_of("stopped").items():
        assert content == undisturbed[name]


def test_two_runs_at_once_give_the_same_bytes(
    own_cache: Path, runs: Runs, undisturbed: dict[str, bytes]
) -> None:
    started = [runs.start(f"out-{number}", "--quiet") for number in range(2)]
    for number, process in enumerate(started):
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
        assert runs.bytes_of(f"out-{number}") == undisturbed


def test_a_second_run_indexes_nothing_and_writes_the_same(
    filled_cache: Path, runs: Runs, trap: Trap, undisturbed: dict[str, bytes]
) -> None:
    trap.on("")
    assert runs.run("out", "--quiet") == (0, "")
    changed = {path: path.stat().st_mtime_ns for path in (runs.folder / "out").rglob("*.json*")}
    assert runs.run("out", "--quiet") == (0, "")
    assert not trap.reached.exists()
    assert runs.bytes_of("out") == undisturbed
    assert {path: path.stat().st_mtime_ns for path in changed} == changed


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_worker_that_dies_is_named_and_the_rest_goes_on(
    quick_cache: Path,
    runs: Runs,
    trap: Trap,
    undisturbed: dict[str, bytes],
    number: signal.Signals,
) -> None:
    trap.on("src/map.hip", number)
    code, errors = runs.run("hurt")
    assert code == 1
    assert "Traceback" not in errors
    process = runs.start("again", "--json", "--quiet")
    output, _ = process.communicate()
    assert process.returncode == 1
    why = f"the worker ended with signal {number.value} while it read this unit"
    assert "src/map.hip" in output
    assert why in output
    hurt = runs.bytes_of("hurt")
    for family in ("fill", "reduce", "scale", "sort"):
        name = f"pond/{family}/callgraph.json"
        assert hurt[name] == undisturbed[name]
    # It was not a fault of the unit: the next run reads it again.
    trap.off()
    assert runs.run("out", "--quiet") == (0, "")
    assert runs.bytes_of("out") == undisturbed


def damage_header(path: Path) -> None:
    path.write_bytes(b"no database at all" + path.read_bytes()[18:])


def damage_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 4096 * 4096])


def damage_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(4096, len(data), 4096):
        data[at : at + 64] = b"\xa5" * 64
    path.write_bytes(data)


def damage_everything(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(path.stat().st_size))


@pytest.mark.parametrize("damage", [damage_header, damage_half, damage_pages, damage_everything])
def test_a_damaged_store_is_rebuilt_and_that_is_said(
    filled_cache: Path, runs: Runs, undisturbed: dict[str, bytes], damage: object
) -> None:
    path = store_path(filled_cache)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert callable(damage)
    damage(path)
    code, errors = runs.run("out")
    assert code == 0
    assert "Traceback" not in errors
    assert f"is rebuilt: {path}" in errors
    assert runs.bytes_of("out") == undisturbed
    assert units_in(filled_cache) == 15


def test_an_empty_file_in_the_stores_place_is_filled(
    quick_cache: Path, runs: Runs, undisturbed: dict[str, bytes]
) -> None:
    path = store_path(quick_cache)
    path.parent.mkdir(parents=True)
    path.touch()
    assert runs.run("out", "--quiet") == (0, "")
    assert runs.bytes_of("out") == undisturbed


def test_help_works_without_a_store(own_cache: Path, extract: Extract) -> None:
    assert extract("--help").returncode == 0
    assert not store_path(own_cache).exists()
