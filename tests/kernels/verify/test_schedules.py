"""Kernels whose wavefronts exchange values give one result in every order, in lockstep and not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends.cpu import CpuBackend
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.task import load_task
from kernels.task.inputs import make_inputs
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify.compare import first_difference
from kernels.verify.conditions import LOCKSTEP, PLAIN
from kernels.verify.program import build_runner
from kernels.verify.runs import run_cases

pytest.importorskip("numpy")
CORPUS = Path(__file__).parents[3] / "benchmarks" / "mutants"


@pytest.mark.parametrize("lockstep", [True, False])
def test_a_reduction_over_several_wavefronts(tmp_path: Path, lockstep: bool) -> None:
    options = SeedOptions(
        extents={"x": "n", "y": "n", "out": "2"}, outputs=("out",), cases=({"n": 2}, {"n": 900})
    )
    seed_task(CORPUS / "dotc.hip", tmp_path / "dotc", options)
    task = load_task(tmp_path / "dotc")
    backend = CpuBackend(lockstep=lockstep)
    program = build_runner(task.entry, CORPUS / "dotc.hip", backend, tmp_path, "program")
    calls = [(task.geometry(case), make_inputs(task, case)) for case in task.cases]
    plain = build_runner(task.entry, CORPUS / "dotc.hip", CpuBackend(), tmp_path, "plain")
    expected = run_cases(plain, calls, PLAIN[0], EXECUTION, best_sandbox())
    for setting in LOCKSTEP if lockstep else PLAIN:
        got = run_cases(program, calls, setting, EXECUTION, best_sandbox())
        for (_, values), want, have in zip(calls, expected, got, strict=True):
            assert not have.error, setting
            assert want.buffers is not None
            assert have.buffers is not None
            found = first_difference(task, values, want.buffers, have.buffers)
            assert found is None, (setting, found)
