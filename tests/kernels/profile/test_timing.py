"""What times say: medians with intervals, shares of a roofline, and what is chosen to be timed."""

from __future__ import annotations

import pytest

from kernels.profile.request import choose_request
from kernels.profile.timing import roofline, summarise
from kernels.task.model import Case, Entry, Parameter, Provenance, Task


def test_a_median_lies_within_its_interval_which_narrows_with_the_calls() -> None:
    few, many = summarise([1.0, 2.0, 3.0, 4.0, 5.0] * 2), summarise([1.0, 2.0, 3.0, 4.0, 5.0] * 200)
    assert few.low_ms <= few.median_ms == 3.0 <= few.high_ms
    assert many.high_ms - many.low_ms <= few.high_ms - few.low_ms
    assert many.calls == 1000
    assert summarise([7.0]) == summarise([7.0])
    with pytest.raises(ValueError, match="no call"):
        summarise([])


def test_a_single_outlier_moves_neither_median_nor_interval_far() -> None:
    calm = summarise([1.0] * 99 + [1000.0])
    assert (calm.median_ms, calm.low_ms, calm.high_ms) == (1.0, 1.0, 1.0)


def test_the_share_is_of_the_limit_that_applies() -> None:
    timing = summarise([1.0] * 10)
    memory = roofline(timing, 4_800_000_000, 0, "NVIDIA H200", "float32")
    assert memory.bound == "memory"
    assert memory.share is not None
    assert 0.9 < memory.share < 1.1
    assert memory.gigabytes_per_second == pytest.approx(4800)
    arithmetic = roofline(timing, 8, 60_000_000_000, "NVIDIA H200", "float32")
    assert arithmetic.bound == "arithmetic"
    unknown = roofline(timing, 8, 8, "A card nobody knows", "float32")
    assert unknown.share is None
    assert unknown.card == ""


def _task(*cases: int, extent: str = "n") -> Task:
    return Task(
        task="t", tool_version="0", entry=Entry(kind="function", name="f"),
        parameters=(
            Parameter(name="n", kind="scalar", type="int32"),
            Parameter(name="x", kind="buffer", type="float64", extent=extent),
            Parameter(name="y", kind="buffer", type="float64", role="inout", extent=extent),
        ),
        cases=tuple(
            Case(name=f"n={n}", scalars={"n": n}, extents={} if extent else {"x": n, "y": n})
            for n in cases
        ),
        tolerance={}, source=Provenance(origin="file", name="f", sha256=""),
    )  # fmt: skip


def test_sizes_grow_where_extents_follow_from_them() -> None:
    request = choose_request(_task(1, 65, 300))
    assert request.grown
    assert request.case.scalars["n"] > 1 << 20
    assert request.bytes == 24 * request.case.scalars["n"]


def test_what_a_task_has_to_be_timed_is_timed_where_it_is_larger() -> None:
    task = _task(1, 65, 300, extent="")
    size = 1 << 20
    larger = Case(name="large", scalars={"n": size}, extents={"x": size, "y": size})
    request = choose_request(task.model_copy(update={"timed": larger}))
    assert request.case == larger
    assert request.bytes == 24 * size
    smaller = larger.model_copy(update={"extents": {"x": 9, "y": 9}})
    assert choose_request(task.model_copy(update={"timed": smaller})).case.name == "n=300"


def test_a_case_whose_extents_were_measured_stays_as_it_is() -> None:
    request = choose_request(_task(1, 65, 300, extent=""))
    assert not request.grown
    assert request.case.scalars["n"] == 300
    assert request.bytes == 24 * 300
