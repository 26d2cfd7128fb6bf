"""What the host reads back from memory that kernels wrote whose effect follows from arguments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from extractor.project import Project
from extractor.rules import list_rules
from extractor.trace.effect_values import made, number, wrapped
from extractor.trace.effects import TooMuch, written
from extractor.trace.session import Limits
from extractor.trace.tracer import Tracer
from extractor.trace.watching import Watch
from extractor.trace_rule import Trace

FORD = Path(__file__).parent / "ford" / "rules.toml"
LIMITS = Limits(milliseconds=4000, lines=50, launches=5000)


@pytest.fixture(scope="module")
def _ford(shared_cache: Path) -> Iterator[Tracer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        project = Project(FORD)
        with Tracer(project, "source", LIMITS) as tracer:
            tracer.shared_object(e for e in project.entry_points if not tracer.why_not(e))
            yield tracer
        project.store.close()


@pytest.fixture
def ford(_ford: Tracer, in_shared_cache: Path) -> Tracer:
    return _ford


def read(ford: Tracer, entry: str, **args: int) -> tuple[list[int], tuple[str, ...]]:
    """What the host read, as the grids say that were launched then, and who was carried out."""
    (trace,) = ford.call(entry, args, archs=("gfx942",))
    assert trace.status == "success"
    grids = [x.grid for x in trace.launches for _ in range(x.repeat) if x.kernel == "told"]
    return [x - 1 if y == 1 else -y for x, y, _ in grids], trace.executed


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [(0, 0, 3), (39, 2, 113), (1, 17, -31), (17, 17, 3), (40, 2, 0), (44, 17, 0), (0, 18, 0)],
)
def test_two_dimensions_guards_that_leave_and_a_value_of_scalars_and_place(
    ford: Tracer, row: int, column: int, value: int
) -> None:
    inside = row < 40 and column < 18
    found, executed = read(ford, "ford_stile", m=40, n=18, lda=45, row=row, column=column)
    assert found == [value]
    assert executed == (("tile",) if inside else ())


def test_elements_of_two_parts_are_made_added_and_multiplied(ford: Tracer) -> None:
    for at in range(6):
        value = complex(5, 7) + complex(2, -3) * complex(5 - at, 1)
        assert read(ford, "ford_sturn", n=6, at=at)[0] == [int(value.real), int(value.imag)]


@pytest.mark.parametrize("step", [1, 3, -1, -2])
def test_only_what_is_read_is_computed_however_much_was_written(ford: Tracer, step: int) -> None:
    count = 1 << 30
    for at in (0, abs(step) * 123456789, abs(step) * (count - 1)):
        assert read(ford, "ford_sband", n=count, step=step, at=at) == ([10], ("band",))
    if abs(step) > 1:
        assert read(ford, "ford_sband", n=count, step=step, at=1) == ([0], ())


def test_addresses_loops_and_functions_below_the_kernel_are_followed(ford: Tracer) -> None:
    assert [read(ford, "ford_slist", n=5, at=at)[0] for at in range(5)] == [
        [0], [10], [20], [30], [40],
    ]  # fmt: skip


def test_values_are_those_of_their_types(ford: Tracer) -> None:
    for at in (0, 1, 3, 63):
        assert read(ford, "ford_shalf", n=64, at=at)[0] == [at * 2, (at * 100 - 7) % 256]


def test_the_last_writer_counts(ford: Tracer) -> None:
    # A kernel on all 64, the host on 40 of them, a kernel on 20 of these.
    values = {at: read(ford, "ford_sover", n=40, at=at) for at in (0, 19, 20, 39, 40, 63)}
    assert {at: value for at, (value, _) in values.items()} == {
        0: [5], 19: [5], 20: [1], 39: [1], 40: [3], 63: [3],
    }  # fmt: skip
    assert values[20][1] == ()


def test_a_copy_between_arrays_takes_what_was_there_then(ford: Tracer) -> None:
    assert read(ford, "ford_smove", n=7, at=31)[0] == [7]
    assert read(ford, "ford_smove", n=7, at=32)[0] == [0]


def test_what_an_open_kernel_may_have_written_stays_marked(ford: Tracer) -> None:
    with Watch(ford) as watch:

        def depends(entry: str, **args: int) -> int:
            (trace,) = ford.call(entry, args, archs=("gfx942",))
            return len(watch.look(trace)[0].depends)

        assert read(ford, "ford_sload", n=3)[0] == [0]
        assert depends("ford_sload", n=3) == 1
        assert depends("ford_safter", n=1) == 1
        # The open kernel writes elsewhere.
        assert read(ford, "ford_safter", n=0) == ([3], ("fill",))
        assert depends("ford_safter", n=0) == 0
        for at in (0, 30, 50):
            assert depends("ford_sover", n=40, at=at) == 0
        assert depends("ford_smove", n=7, at=3) == 0
        # Nobody wrote it, so nobody knows it.
        assert depends("ford_smove", n=7, at=40) == 1
        assert depends("ford_stile", m=4, n=1, lda=9, row=6, column=0) == 1


def test_why_a_kernel_is_open_is_known(ford: Tracer) -> None:
    read(ford, "ford_sload", n=3)
    (home,) = ford._objects.values()
    effects = ford.effects(home)
    (load,) = [s for s in effects._known if "4load" in s]
    assert effects.why_open(load) == "it loads memory"


def test_no_rule_file_names_such_a_kernel() -> None:
    assert "emulated" not in Trace.model_fields
    folder = Path(__file__).parents[2] / "rules"
    for name in list_rules():
        assert "iota_n" not in (folder / f"{name}.toml").read_text(encoding="utf-8")


# --- carrying out --------------------------------------------------------------------------


def index(name: str) -> list[Any]:
    return ["i", "I", name]


def effect(offset: list[Any], *guards: list[Any]) -> dict[str, Any]:
    value = made(
        "+", "i", index("threadIdx.x"), made("*", "i", index("blockIdx.y"), number("i", 100))
    )
    store = {"parameter": 0, "offset": offset, "values": [[0, "i", value]]}
    return {"sizes": [8, 4], "stores": [{**store, "loops": [], "guards": [list(guards)]}]}


def whole(
    factors: Sequence[int], base: int, count: int, grid: Sequence[int], block: Sequence[int]
) -> dict[int, int]:
    """What every thread writes, by address."""
    found = {}
    for y, b, x in itertools.product(range(grid[1]), range(grid[0]), range(block[0])):
        if x + b < count:
            value = (x + 100 * y).to_bytes(4, "little")
            address = base + factors[0] * x + factors[1] * b + factors[2] * y
            found.update({address + n: byte for n, byte in enumerate(value)})
    return found


@pytest.mark.parametrize("factors", [(4, 20, 100), (-4, 40, 400), (8, -40, 200), (200, 20, 4)])
@pytest.mark.parametrize("count", [3, 9])
def test_pieces_are_those_that_all_threads_together_write(
    factors: tuple[int, int, int], count: int
) -> None:
    names = ("threadIdx.x", "blockIdx.x", "blockIdx.y")
    offset = number("q", 0)
    for name, factor in zip(names, factors, strict=True):
        term = made("*", "q", made("cast", "q", index(name)), number("q", factor))
        offset = made("+", "q", offset, term)
    sum_ = made("+", "I", index("threadIdx.x"), index("blockIdx.x"))
    guard = made("<", "?", sum_, ["p", "I", 1, 0])
    grid, block, base = (4, 3, 1), (5, 1, 1), 10_000
    given = base.to_bytes(8, "little") + count.to_bytes(4, "little")
    # One thread writes a place last: those of equal address have equal values or none here.
    every = whole(factors, base, count, grid, block)
    for begin, size in ((9_000, 3000), (10_000, 4), (10_018, 7), (10_200, 1), (12_000, 5)):
        pieces = written(effect(offset, guard), grid, block, given, begin, size)
        found = {a + n: byte for a, data in pieces for n, byte in enumerate(data)}
        assert found == {a: b for a, b in every.items() if begin <= a < begin + size}


def test_too_much_is_told() -> None:
    given = (10_000).to_bytes(8, "little") + bytes(4)
    with pytest.raises(TooMuch):
        written(effect(number("q", 0)), (1, 1, 1), (1, 1, 1), given, 10_000, 1 << 20)
    # Every one of a great many threads may write here.
    far = index("threadIdx.x"), index("blockIdx.x")
    guard = made("==", "?", made("*", "I", *far), number("I", 7))
    with pytest.raises(TooMuch):
        written(effect(number("q", 0), guard), (1 << 20, 1, 1), (64, 1, 1), given, 10_000, 4)
    zero = made("/", "i", number("i", 4), ["p", "i", 1, 0])
    with pytest.raises(TooMuch):
        written(effect(number("q", 0), zero), (1, 1, 1), (1, 1, 1), given, 10_000, 4)


@pytest.mark.parametrize(
    ("letter", "value", "kept"),
    [
        ("i", 1 << 31, -(1 << 31)), ("I", -1, (1 << 32) - 1), ("B", -7, 249), ("b", 200, -56),
        ("?", 5, 1), ("q", 3.9, 3), ("i", -3.9, -3), ("f", 0.1, 0.10000000149011612),
        ("e", 1e9, math.inf), ("t", 1.00390625, 1.0), ("t", 1.01171875, 1.015625), ("d", 2, 2.0),
    ],
)  # fmt: skip
def test_conversions_are_those_of_c(letter: str, value: float, kept: float) -> None:
    assert wrapped(letter, value) == kept


def test_known_operands_are_computed_at_once() -> None:
    assert made("/", "i", number("i", -7), number("i", 2)) == number("i", -3)
    assert made("%", "i", number("i", -7), number("i", 2)) == number("i", -1)
    assert made("&&", "?", index("threadIdx.x"), number("?", 0)) == number("?", 0)
    assert made("?:", "i", number("?", 1), number("i", 3), index("threadIdx.x")) == number("i", 3)
