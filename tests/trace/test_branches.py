"""What a call executes: how its tests came out, and how often each line ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.errors import UnitError
from extractor.trace.branches import Branches, Executed, Function
from extractor.trace.branches.coverage_map import CoverageMap
from extractor.trace.tracer import Tracer

SOURCE = Path(__file__).parent / "brook" / "src" / "brook.hip"
FILE = "src/brook.hip"


@pytest.fixture
def branches(tracer: Tracer) -> Iterator[Branches]:
    with Branches(tracer) as made:
        yield made


def ran(
    branches: Branches, tracer: Tracer, entry: str, arch: str = "gfx942", **args: object
) -> Function:
    """What the entry point executed of itself."""
    (trace,) = tracer.call(entry, args, archs=(arch,))  # type: ignore[arg-type]
    found = branches.executed(trace, arch)
    assert found is not None
    return next(one for one in found.functions if one.symbol == entry)


def line_of(text: str) -> int:
    rows = [n for n, row in enumerate(SOURCE.read_text().splitlines(), 1) if text in row]
    assert len(rows) == 1
    return rows[0]


def runs(function: Function, text: str) -> int | None:
    """How often the code ran that has a text."""
    line = line_of(text)
    row = SOURCE.read_text().splitlines()[line - 1]
    return function.runs(FILE, line, row.index(text) + 1)


def came_out(function: Function, text: str) -> tuple[int, int]:
    """How often an operand held and failed, found by its text."""
    rows = SOURCE.read_text().splitlines()
    found = [
        (test.held, test.failed) for test in function.tests
        if rows[test.place[0] - 1][test.place[1] - 1 : test.place[3] - 1] == text
    ]  # fmt: skip
    assert len(found) == 1
    return found[0]


def test_tests_come_out_as_the_arguments_have_it(branches: Branches, tracer: Tracer) -> None:
    small = ran(branches, tracer, "brook_sfill", n=64, side="L")
    assert came_out(small, "n < 0") == (0, 1)
    assert came_out(small, "side == brook_side_right") == (0, 1)
    assert came_out(small, "n > 5000") == (0, 1)
    assert came_out(small, 'strstr(device.gcnArchName, "gfx942")') == (0, 0)
    assert came_out(small, "n <= 64") == (1, 0)
    assert runs(small, "fill<64><<<") == 1
    assert runs(small, "fill<256><<<") == 0
    large = ran(branches, tracer, "brook_sfill", n=65, side="L")
    assert came_out(large, "n <= 64") == (0, 1)
    assert runs(large, "fill<64><<<") == 0


def test_an_architecture_is_that_of_the_call(branches: Branches, tracer: Tracer) -> None:
    asked = 'strstr(device.gcnArchName, "gfx942")'
    assert came_out(ran(branches, tracer, "brook_sfill", n=6000, side="L"), asked) == (1, 0)
    other = ran(branches, tracer, "brook_sfill", "gfx90a", n=6000, side="L")
    assert came_out(other, asked) == (0, 1)


def test_lines_of_a_loop_are_counted(branches: Branches, tracer: Tracer) -> None:
    found = ran(branches, tracer, "brook_sbatch", n=4, lda=4, batch_count=2001)
    assert runs(found, "batch<<<dim3") == 3
    assert came_out(found, "done < batch_count") == (3, 1)
    assert came_out(found, "batch_count - done < 1000") == (1, 2)
    assert found.count == 1


def test_each_call_counts_for_itself(branches: Branches, tracer: Tracer) -> None:
    first = ran(branches, tracer, "brook_sfill", n=64, side="L")
    ran(branches, tracer, "brook_sfill", n=65, side="R")
    assert ran(branches, tracer, "brook_sfill", n=64, side="L") == first


def test_it_is_kept_in_the_store_and_read_back_the_same(branches: Branches, tracer: Tracer) -> None:
    (trace,) = tracer.call("brook_sfill", {"n": 64, "side": "L"}, archs=("gfx942",))
    first = branches.executed(trace, "gfx942")
    assert first is not None
    assert Executed.read(first.data()) == first
    with Branches(tracer) as other:
        assert other.executed(trace, "gfx942") == first


def test_a_call_that_launches_something_else_than_was_recorded_shows_nothing(
    branches: Branches, tracer: Tracer
) -> None:
    (trace,) = tracer.call("brook_sfill", {"n": 64, "side": "L"}, archs=("gfx942",))
    forged = trace.model_copy(update={"args": {**trace.args, "n": 65}})
    assert branches.executed(forged, "gfx942") is None


def test_an_object_without_counters_is_refused(tracer: Tracer) -> None:
    made = tracer.home("brook_sfill")
    with pytest.raises(UnitError, match="not compiled with counters"):
        CoverageMap(made.path)
