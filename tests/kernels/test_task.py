"""Tasks made from a user's HIP file, and candidates judged by them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from cpu_program import HIP

from extractor import settings
from extractor.errors import UserError
from kernels.backends import get_backend
from kernels.cli import main
from kernels.commands.verify import failure_lines
from kernels.task import load_task
from kernels.task.expression import evaluate
from kernels.task.folder import BASELINE
from kernels.task.inputs import between, make_inputs
from kernels.task.largest import largest_case
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify import verify
from kernels.verify.record import Failure

pytest.importorskip("numpy")
SAXPY = SeedOptions(extents={"x": "n", "y": "n"}, grid=("(n + 255) / 256",))
GEMM = SeedOptions(
    extents={"a": "m*k", "b": "k*n", "c": "m*n"},
    outputs=("c",),
    cases=({"m": 16, "n": 16, "k": 16}, {"m": 33, "n": 17, "k": 65}),
)


@pytest.fixture(scope="module")
def saxpy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks") / "saxpy"
    seed_task(HIP / "saxpy.hip", folder, SAXPY)
    return folder


def _judge(folder: Path, text: str, place: Path, backend: str = "cpu"):
    candidate = place / "candidate.hip"
    candidate.write_text(text)
    return verify(load_task(folder), folder, candidate, get_backend(backend))


def test_a_kernel_alone_becomes_a_task(saxpy: Path) -> None:
    task = load_task(saxpy)
    assert task.entry.model_dump() == {"kind": "kernel", "name": "saxpy"}
    assert [(p.name, p.kind, p.type, p.role) for p in task.parameters] == [
        ("n", "scalar", "int32", "input"),
        ("alpha", "scalar", "float32", "input"),
        ("x", "buffer", "float32", "input"),
        ("y", "buffer", "float32", "inout"),
    ]
    assert {case.scalars["n"] for case in task.cases} >= {0, 1, 63, 64, 65, 255, 256, 257}
    assert (saxpy / BASELINE).read_text() == (HIP / "saxpy.hip").read_text()
    assert 'bind_kernel(module, "saxpy", saxpy' in (saxpy / "binding.cpp").read_text()


def test_the_baseline_itself_is_right(saxpy: Path, tmp_path: Path) -> None:
    verdict = _judge(saxpy, (saxpy / BASELINE).read_text(), tmp_path)
    assert verdict.correct
    assert verdict.inputs_passed == 11
    assert verdict.inputs_skipped == ("n=0: an empty grid cannot be launched",)


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("i < n", "i <= n", "out_of_bounds"),
        ("alpha * x[i]", "x[i]", "'y' differs at"),
        ("if (i < n) y[i] += alpha * x[i];", "", "'y' differs at"),
        ("if (i < n) y[i] +=", "if (i < n && i != 64) y[i] +=", "'y' differs at 1 of"),
        ("if (i < n)", "while (true) {} if (i < n)", "killed after"),
        ("if (i < n)", "if (i == 70) __builtin_trap(); if (i < n)", "illegal_instruction"),
    ],
)
def test_a_wrong_candidate_is_found(
    saxpy: Path, tmp_path: Path, right: str, wrong: str, error: str
) -> None:
    text = (saxpy / BASELINE).read_text()
    assert right in text
    folder = tmp_path / "task"
    cases = ({"n": 65}, {"n": 256}, {"n": 257}) if "while" not in wrong else ({"n": 65},)
    seed_task(HIP / "saxpy.hip", folder, SeedOptions(**{**SAXPY.__dict__, "cases": cases}))
    candidate = tmp_path / "candidate.hip"
    candidate.write_text(text.replace(right, wrong))
    from kernels.isolation import Limits

    verdict = verify(
        load_task(folder), folder, candidate, get_backend("cpu"), Limits(wall_seconds=2)
    )
    assert verdict.built
    assert verdict.correct is False
    assert error in " ".join(failure.error for failure in verdict.failures)
    assert all("HIPCPU_SCHEDULE=" in failure.reproducer for failure in verdict.failures)


def test_a_candidate_that_does_not_compile_is_a_record(saxpy: Path, tmp_path: Path) -> None:
    verdict = _judge(saxpy, "#error nothing here\n", tmp_path)
    assert (verdict.built, verdict.correct) == (False, False)
    assert "nothing here" in verdict.diagnostics


def test_a_compiler_that_explodes_is_a_record(saxpy: Path, tmp_path: Path) -> None:
    bomb = "template <int N> struct T { T<N + 1> t; };\nT<0> t;\n"
    verdict = _judge(saxpy, bomb, tmp_path)
    assert not verdict.built
    assert "recursive template instantiation" in verdict.diagnostics


def test_a_missing_barrier_is_found_by_some_schedule(tmp_path: Path) -> None:
    seed_task(HIP / "gemm.hip", tmp_path / "gemm", GEMM)
    text = (HIP / "gemm.hip").read_text()
    assert _judge(tmp_path / "gemm", text, tmp_path).correct
    verdict = _judge(tmp_path / "gemm", text.replace("__syncthreads();", ""), tmp_path)
    assert verdict.correct is False


def test_functions_with_streams_errors_halves_and_complex_numbers(tmp_path: Path) -> None:
    mixed = SeedOptions(extents={"h": "n", "z": "n", "out": "n"}, outputs=("out",))
    total = SeedOptions(entry="sum", extents={"x": "n", "out": "1"}, outputs=("out",))
    for name, options in (("mixed", mixed), ("sum", total)):
        seed_task(HIP / f"{name}.hip", tmp_path / name, options)
        verdict = _judge(tmp_path / name, (HIP / f"{name}.hip").read_text(), tmp_path)
        assert verdict.correct, verdict.failures
        assert not verdict.inputs_skipped


def test_extents_that_nobody_said_are_measured(tmp_path: Path) -> None:
    cases = ({"m": 16, "n": 16, "k": 16}, {"m": 33, "n": 17, "k": 65}, {"m": 0, "n": 5, "k": 5})
    task = seed_task(HIP / "gemm.hip", tmp_path, SeedOptions(outputs=("c",), cases=cases))
    for case in task.cases:
        m, n, k = (int(case.scalars[name]) for name in "mnk")
        used = {"a": m * k, "b": k * n, "c": m * n} if m else {"a": 0, "b": 0, "c": 0}
        assert case.extents == used
    assert load_task(tmp_path) == task


def test_the_largest_case_that_can_be_afforded_gets_extents_in_whole_pages(
    tmp_path: Path,
) -> None:
    cases = tuple({"n": n} for n in (1000, 5000))
    task = seed_task(
        HIP / "saxpy.hip", tmp_path, SeedOptions(grid=("(n + 255) / 256",), cases=cases)
    )
    larger = [
        task.cases[0].model_copy(
            update={"name": str(n), "scalars": {**task.cases[0].scalars, "n": n}}
        )
        for n in (1 << 14, 1 << 18, 1 << 26)
    ]
    found = largest_case(task, HIP / "saxpy.hip", larger, {})
    assert found
    assert found.scalars["n"] == 1 << 18
    assert found.extents == {"x": 1 << 18, "y": 1 << 18}
    assert largest_case(task, HIP / "saxpy.hip", larger[2:], {}) is None


def test_inputs_are_the_same_every_time_and_outputs_are_poisoned(tmp_path: Path) -> None:
    task = seed_task(HIP / "gemm.hip", tmp_path, GEMM)
    first, second = (make_inputs(task, task.cases[1]) for _ in range(2))
    assert [value.data for value in first] == [value.data for value in second]
    values = {value.parameter.name: value.data for value in first}
    assert set(values["c"]) == {0xFF}
    assert values["a"] != values["b"][: len(values["a"])]


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (-4, 4), (0.25, 2), (1, 2), (-3, 5)])
def test_random_numbers_use_every_bit_and_stay_within_their_range(low: float, high: float) -> None:
    found = between(low, high, np.random.default_rng(5).random(4000))
    assert low <= found.min()
    assert found.max() <= high
    for bit in range(4):
        assert 0.4 < np.mean(found.view(np.uint64) >> np.uint64(bit) & np.uint64(1)) < 0.6


@pytest.mark.parametrize(
    ("text", "value"),
    [("(n + 255) / 256", 4), ("n*m - 1", 2999), ("max(n % 7, -2)", 6), ("1 + (n-1)*abs(-3)", 2998)],
)
def test_sizes_are_whole_number_arithmetic(text: str, value: int) -> None:
    assert evaluate(text, {"n": 1000, "m": 3}) == value


@pytest.mark.parametrize(
    "text", ["__import__('os')", "n.real", "[n]", "q", "n - 2000", "n / 0", "n **", "2 ** n", ""]
)
def test_anything_else_is_no_size(text: str) -> None:
    with pytest.raises(UserError):
        evaluate(text, {"n": 1000})


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["kernels", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["seed", "{hip}/saxpy.hip", "--extent", "x n"], "--extent x n: write NAME=VALUE"),
        (["seed", "{hip}/saxpy.hip"], "nothing in the file launches it; say how with --grid"),
        (["seed", "{hip}/saxpy.hip", "--grid", "n", "--case", "m=1"], "unknown scalar 'm'"),
        (["seed", "{hip}/sum.hip", "--entry", "summ"], "unknown entry 'summ'; nearest: sum"),
        (["seed", "{hip}/nothing.hip"], "there is no such file"),
        (["seed", "{hip}/saxpy.hip", "--extent", "z=n"], "unknown parameter 'z'"),
        (["verify", "{out}/no-task"], "a task is a folder with task.json"),
        (["verify", "{task}", "--backend", "gpu"], "unknown backend 'gpu'"),
    ],
)
def test_a_users_mistake_is_one_line_that_names_the_fix(
    saxpy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    filled = [a.format(hip=HIP, out=tmp_path, task=saxpy) for a in arguments]
    monkeypatch.chdir(tmp_path)
    assert _run(monkeypatch, *filled) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_verify_prints_json_and_its_exit_status_says_whether_it_is_right(
    saxpy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _run(monkeypatch, "verify", str(saxpy), "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["correct"] is True
    assert {"task", "built", "backend", "hardware", "inputs_passed", "inputs_skipped"} < set(record)
    assert {"failures", "resources"} < set(record)
    wrong = tmp_path / "wrong.hip"
    wrong.write_text((saxpy / BASELINE).read_text().replace("+=", "-="))
    assert _run(monkeypatch, "verify", str(saxpy), "--candidate", str(wrong)) == 1


def test_a_file_that_needs_another_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#pragma once\n")
    source = tmp_path / "two.hip"
    source.write_text('#include "own.h"\n#include <hip/hip_runtime.h>\n__global__ void k() {}\n')
    with pytest.raises(UserError, match=r"two.hip includes own.h"):
        seed_task(source, tmp_path / "task", SeedOptions(grid=("1",)))


def test_a_foreign_package_of_the_same_name_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import kernels

    monkeypatch.setattr(kernels, "DISTRIBUTION", "somebody else")
    assert _run(monkeypatch, "backends") == 2
    error = capsys.readouterr().err
    assert "another project's package" in error
    assert len(error.splitlines()) == 1


def test_backends_say_what_they_prove_and_why_they_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "backends", "--json") == 0
    rows = {row["backend"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == {"compile", "cpu", "cuda", "amd"}
    for row in rows.values():
        assert row["usable"] or row["reason"]
        assert row["proves"]
    assert "untested on hardware" in rows["amd"]["hardware"] + rows["amd"]["reason"]


@pytest.mark.parametrize("left", ["nothing", "an empty folder"])
def test_backends_of_an_installation_without_rules_end_with_lines(
    left: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if left == "an empty folder":
        (tmp_path / "extractor/data/rules").mkdir(parents=True)
    monkeypatch.setattr(settings, "_PACKAGE", tmp_path / "extractor")
    monkeypatch.setattr(settings, "rocm_folders", lambda: ())
    assert _run(monkeypatch, "backends", "--json") == 0
    rows = {row["backend"]: row for row in json.loads(capsys.readouterr().out)}
    assert not rows["compile"]["usable"]
    assert "install rocquarry again" in rows["compile"]["reason"]
    assert "\n" not in rows["compile"]["reason"]


def test_a_baseline_that_counts_on_lockstep_is_judged_in_lockstep(tmp_path: Path) -> None:
    options = SeedOptions(
        extents={"x": "192", "out": "3"}, outputs=("out",), grid=("3",), block=("64",)
    )
    seed_task(HIP / "warp_sum.hip", tmp_path / "task", options)
    text = (HIP / "warp_sum.hip").read_text()
    verdict = _judge(tmp_path / "task", text, tmp_path)
    assert verdict.correct
    assert "lockstep" in verdict.notes[0]
    wrong = _judge(tmp_path / "task", text.replace("v[t + 8]", "v[t + 9]"), tmp_path)
    assert wrong.correct is False


def test_failures_that_differ_in_numbers_alone_are_told_together() -> None:
    failures = [
        Failure(f"n={n}", "1.5", "0.0", f"'y' differs at {n} of {n} elements, first at 0", f"n={n}")
        for n in (1, 64, 65)
    ]
    failures += [Failure("n=0", "", "", f"fault {word}", "n=0") for word in "abcdefg"]
    lines = failure_lines(failures)
    assert lines[0] == (
        "'y' differs at 1 of 1 elements, first at 0: expected 1.5, got 0.0, and on 2 more inputs"
    )
    assert lines[1] == "  with n=1"
    assert lines[-1] == "and 3 other kinds of failure; --json lists all"
    assert len(lines) == 11
