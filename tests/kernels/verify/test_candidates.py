"""Candidates for one task: wrong ones of many kinds are caught, right ones of many kinds are not.

They stand in ``tests/kernels/hip/candidates``, one file each, and are compiled into one program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends.cpu import CpuBackend
from kernels.mutants.operators import Mutant
from kernels.mutants.together import CHOICE, Together, build_together
from kernels.task import load_task
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify import Standard, set_standard
from kernels.verify.judge import compare_program

pytest.importorskip("numpy")
FILES = sorted((Path(__file__).parents[1] / "hip" / "candidates").glob("*/*.hip"))
BASELINE = Path(__file__).parents[3] / "benchmarks" / "mutants" / "gemv.hip"
_PLAIN = {"incx": 1, "incy": 1, "batches": 1}
_CASES = ({"m": 20, "n": 20, "lda": 20}, {"m": 70, "n": 35, "lda": 72}, {"m": 9, "n": 30, "lda": 9})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Standard, Together]:
    folder = tmp_path_factory.mktemp("candidates")
    # Nothing in these cases differs from what is usual: inputs that tell are the verifier's own.
    options = SeedOptions(
        extents={
            "A": "lda*n*max(batches, 1)", "x": "1+max(n-1, 0)*abs(incx)",
            "y": "m*abs(incy)*max(batches, 1)",
        },
        cases=tuple({**_PLAIN, **case} for case in _CASES),
    )  # fmt: skip
    seed_task(BASELINE, folder / "gemv", options)
    standard = set_standard(load_task(folder / "gemv"), folder / "gemv", CpuBackend(), seed=7)
    texts = [Mutant(file.stem, 0, "", "", file.read_text()) for file in FILES]
    built = build_together(
        standard.task.entry, texts, standard.conditions.backend, folder, "candidates"
    )
    assert built.program
    assert not built.broken
    return standard, built


@pytest.mark.parametrize("number", range(len(FILES)), ids=[file.stem for file in FILES])
def test_a_candidate_is_judged_as_it_is(judged: tuple[Standard, Together], number: int) -> None:
    standard, built = judged
    assert built.program
    choice = {CHOICE: built.places[number]}
    _, failures = compare_program(standard, built.program, choice, first=True)
    if FILES[number].parent.name == "right":
        assert not failures, failures[0]
    else:
        assert failures


def test_the_baseline_takes_most_of_the_inputs_made_for_it(
    judged: tuple[Standard, Together],
) -> None:
    standard, _ = judged
    expected = standard.conditions.expected
    taken = [k for k in standard.inputs.tried if expected[k].buffers and not expected[k].error]
    assert len(taken) > 60
    assert len(taken) > 0.8 * len(standard.inputs.tried)
    assert not standard.conditions.notes
    names = [standard.inputs.names[k] for k in taken]
    for part in ("beta=0 and NaN", "incx=-1", "batches=3", "far", "m=257", "infinity in x"):
        assert any(part in name for name in names), part
