"""What a library launches its kernels with, heard from the library itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.project import Project
from kernels.launches.capture import CapturedLaunch, Captures
from kernels.launches.fit import fit_sizes
from kernels.launches.growing import larger_arguments
from kernels.launches.selection import choose_launches
from kernels.slice.cases import cases_of
from kernels.slice.geometry import Contract, captured_contract, fitted_contract, reproduces
from kernels.task.expression import evaluate
from kernels.task.signature import CParameter

_BROOK = Path(__file__).parents[2] / "trace" / "brook" / "rules.toml"


def _parameter(name: str, kind: str, element: str) -> CParameter:
    return CParameter(name, "", kind, element, 1, kind == "buffer")


_FILL = [
    _parameter("n", "scalar", "int32"),
    _parameter("x", "buffer", "float32"),
    _parameter("incx", "scalar", "int32"),
]


@pytest.fixture(scope="module")
def brook(shared_cache: Path) -> Project:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        return Project(_BROOK)


def test_arguments_are_those_of_the_library_s_own_launch(
    brook: Project, in_shared_cache: Path
) -> None:
    captures = Captures(brook, "fill", "source")
    symbol = next(name for name in next(captures.symbols()) if "4fillILi256" in name)
    found = captures.of(symbol, _FILL)
    assert {one.scalars["n"] for one in found} >= {65, 100}
    for one in found:
        blocks = (int(one.scalars["n"]) + 255) // 256
        assert one.geometry == (blocks, 1, 1, 256, 1, 1, 0)
        assert int(one.scalars["n"]) > 64  # fewer elements take another kernel
        assert not one.absent
        assert one.call.startswith("brook_sfill ")
    assert captures.of("_Z7unknowni", _FILL[:1]) == []


def test_larger_calls_of_the_same_form_launch_the_same_kernel(
    brook: Project, in_shared_cache: Path
) -> None:
    captures = Captures(brook, "fill", "source")
    symbol = next(name for name in next(captures.symbols()) if "4fillILi256" in name)
    assert captures.larger(symbol, _FILL) == []  # nothing has been heard yet
    captures.of(symbol, _FILL)
    sizes = [int(one.scalars["n"]) for one in captures.larger(symbol, _FILL)]
    assert sizes == [sizes[0] << k for k in range(len(sizes))]
    assert sizes[-1] > 1 << 20


def test_members_of_a_batch_stay_apart_as_they_grow() -> None:
    args: dict[str, int | float | str | list[float]] = {
        "uplo": "U", "n": 10, "alpha": 2.0, "lda": 12, "strideA": 120, "incx": 1, "batch_count": 3,
    }  # fmt: skip
    first, second, *_ = larger_arguments(args, {"n"})
    assert first == {**args, "n": 20, "lda": 24, "strideA": 480}
    assert second == {**args, "n": 40, "lda": 48, "strideA": 1920}
    assert list(larger_arguments(args, set())) == []


def test_what_only_large_calls_on_one_device_launch(brook: Project, in_shared_cache: Path) -> None:
    captures = Captures(brook, "fill", "source")
    each = list(captures.symbols())
    wide = next(name for name in set().union(*each) if "fill_wide" in name)
    assert wide not in each[0]
    found = captures.of(wide, _FILL[:2])
    assert {one.scalars["n"] for one in found} == {5001, 6000}
    assert {one.geometry for one in found} == {(304, 1, 1, 1024, 1, 1, 0)}


def _launch(n: int, grid: int, **more: int) -> CapturedLaunch:
    return CapturedLaunch(f"call n={n} {more}", (grid, 1, 1, 64, 1, 1, 0), {"n": n, **more})


def test_few_launches_are_chosen_and_each_shows_something() -> None:
    every = [_launch(n, n // 64 + 1, incx=step) for n in range(1, 2000) for step in (1, 2, -1)]
    chosen = choose_launches(every)
    assert 8 <= len(chosen) <= 14
    assert {one.scalars["incx"] for one in chosen} == {1, 2, -1}
    assert any(one.scalars["n"] == 1 for one in chosen)
    assert any(int(one.scalars["n"]) % 64 == 0 for one in chosen)
    assert {min(one.geometry[0], 3) for one in chosen} == {1, 2, 3}
    # What is too much for a CPU is a case only where there is nothing else.
    large = [_launch(1 << 24, 1 << 18), _launch(1 << 25, 1 << 19)]
    assert choose_launches([*large, every[0]]) == [every[0]]
    assert choose_launches(large) == large[:1]
    assert choose_launches([]) == []


def test_a_formula_holds_for_every_launch_or_each_case_has_its_own() -> None:
    right = Contract(("n / 64 + 1", "1", "1"), ("64", "1", "1"), "0")
    wrong = Contract(("(n + 63) / 64", "1", "1"), ("64", "1", "1"), "0")
    unknown = Contract(("m", "1", "1"), ("64", "1", "1"), "0")
    launches = [_launch(n, n // 64 + 1) for n in (1, 64, 100)]
    assert all(reproduces(right, one) for one in launches)
    assert [reproduces(wrong, one) for one in launches] == [True, False, True]
    assert not reproduces(unknown, launches[0])
    assert captured_contract(launches[1]).grid == ("2", "1", "1")
    with_own = cases_of(launches, ["x"], own_geometry=True)
    assert [case.launch for case in with_own] == [one.geometry for one in launches]
    assert [case.launch for case in cases_of(launches, [], own_geometry=False)] == [None] * 3


def test_formulas_are_found_from_launches() -> None:
    def launch(m: int, n: int, batch: int) -> CapturedLaunch:
        geometry = (-(-m // 96), -(-m // 32) * -(-n // 32), min(batch, 7), 32, 8, 1, 8 * n + 64)
        scalars = {"m": m, "n": n, "alpha": 1.5, "batch": batch, "lda": m + 1}
        return CapturedLaunch("", geometry, scalars)

    pairs = [(1, 1), (95, 40), (96, 33), (97, 64), (300, 31), (400, 65)]
    launches = [launch(m, n, batch) for m, n in pairs for batch in (1, 3, 7, 9)]
    sizes = fit_sizes(launches)
    assert sizes is not None
    other = {"m": 500, "n": 90, "batch": 11, "lda": 501}
    assert [evaluate(text, other) for text in sizes] == [6, 48, 7, 32, 8, 1, 784]
    # Nothing is made of what no form gives, or of too little.
    odd = CapturedLaunch("", (5, 1, 1, 32, 8, 1, 0), {"m": 97, "n": 64, "batch": 1, "lda": 9})
    assert fit_sizes([*launches, odd]) is None
    assert fit_sizes(launches[:2]) is None
    assert fitted_contract([*launches, odd]) is None
