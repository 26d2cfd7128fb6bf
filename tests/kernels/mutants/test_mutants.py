"""Kernels made wrong on purpose: what is changed, what is left alone, and how many are compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends.cpu import CpuBackend
from kernels.mutants import Mutant, mutate
from kernels.mutants.operators import OPERATORS
from kernels.mutants.strength import Strength, label, share
from kernels.mutants.together import build_together
from kernels.task.model import Entry

FOLDER = Path(__file__).parents[3] / "benchmarks" / "mutants"


def _kinds(text: str) -> list[tuple[str, str, str]]:
    return [(m.fault, m.before, m.after) for m in mutate(text)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("if (i < n) f();", "bound off by one"),
        ("for (int i = 0; i <= n; ++i) f();", "bound off by one"),
        ("__syncthreads();", "dropped barrier"),
        ("a[j * lda + i]", "swapped stride"),
        ("y = conj(x);", "wrong conjugate"),
        ("c = alpha * a + beta * c;", "missing beta"),
        ("x[i * incx]", "wrong increment sign"),
        ("int64_t at = i;", "index in 32 bits"),
        ("for (int k = 0; k < n; ++k) f();", "reduction short by one"),
        ("int wave = t / warpSize;", "wave32 assumption"),
        ("lds[t] = 0;", "uninitialised LDS"),
        ("continue;", "early return out of a batch loop"),
        ("sum += a[i];", "sum overwritten"),
        ("atomicAdd(out, v);", "atomic lost"),
    ],
)
def test_a_fault_of_each_kind_is_made(text: str, fault: str) -> None:
    assert fault in {kind for kind, _, _ in _kinds(text)}
    for mutant in mutate(text):
        assert mutant.text != text


def test_two_of_the_same_on_one_line_have_two_names() -> None:
    found = list(mutate("if (i < n && j < n) f();"))
    names = [label(Strength("t"), m) for m in found]
    assert names == ["t:1: < -> <=", "t:1: < -> <= (no. 2)"]


def test_comments_literals_and_directives_stay() -> None:
    assert not _kinds('// i < n\n/* __syncthreads(); */\n#if a < 4\nconst char* s = "i < n;";\n')


def test_a_step_of_a_loop_is_no_sum() -> None:
    kinds = _kinds("for (int i = t; i < n; i += 64) f(i);\nx += f(a[i], b);\n")
    assert [k for k in kinds if k[0] == "sum overwritten"] == [("sum overwritten", "+=", "=")]


def test_each_mutant_differs_from_all_others_and_says_its_line() -> None:
    text = (FOLDER / "gemv.hip").read_text()
    found = list(mutate(text))
    assert len({m.text for m in found}) == len(found)
    assert len({label(Strength("t"), m) for m in found}) == len(found)
    for mutant in found:
        changed = [
            k for k, (a, b) in enumerate(
                zip(text.splitlines(), mutant.text.splitlines(), strict=True), 1
            ) if a != b
        ]  # fmt: skip
        assert changed == [mutant.line]


def test_the_corpus_has_every_kind_of_fault() -> None:
    faults = {m.fault for file in FOLDER.glob("*.hip") for m in mutate(file.read_text())}
    assert {one.fault for one in OPERATORS} - faults <= {"wrong transpose"}


def test_a_share_counts_what_survived_but_not_what_is_harmless() -> None:
    one = Mutant("f", 3, "<", "<=", "")
    two = Mutant("f", 4, "<", "<=", "")
    found = Strength("t", caught=[one], survived=[two])
    assert share([found]) == 0.5
    assert share([found], [label(found, two)]) == 1.0
    assert share([]) == 0.0


def test_what_does_not_compile_is_left_out_and_the_rest_still_built(tmp_path: Path) -> None:
    good = "#include <hip/hip_runtime.h>\n#define N 3\nvoid f(int* x) { if (x) return; }\n"
    mutants = [Mutant("", 0, "", "", t) for t in (good, good.replace("if (x)", "if (y)"), good)]
    entry = Entry(kind="function", name="f")
    built = build_together(entry, mutants, CpuBackend(), tmp_path, "some")
    assert built.program
    assert built.broken == {1}
    assert built.places == {0: "0", 2: "1"}
