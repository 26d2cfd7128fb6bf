"""Conditions that are told to exclude each other never hold together."""

from __future__ import annotations

import itertools
import random

import pytest

from extractor.facts.host import expression as ex
from extractor.facts.host.contradictions import contradictory
from extractor.facts.host.evaluate import holds
from extractor.facts.host.expression import Expression
from extractor.facts.host.text import conjunction
from extractor.facts.host.trees import points_to_constant

NAMES = ("a", "b", "c")
_ZEROS = (("==", ex.integer(0)), ("!=", ("f", 0.0)))
N, M = ("v", "n", "n", "i32"), ("v", "m", "m", "i32")


def _value(source: random.Random, depth: int) -> Expression:
    name = source.choice(NAMES)
    if depth == 0 or source.random() < 0.3:
        if source.random() < 0.4:
            return ex.integer(source.randrange(-3, 5))
        return ("v", name, name, "i32")
    x, y = _value(source, depth - 1), _value(source, depth - 1)
    kind = source.randrange(6)
    if kind == 0:
        return ("fn", source.choice(("min", "max")), "i32", (x, y))
    if kind == 1:
        return ex.conditional(_condition(source, depth - 1), x, y, "i32")
    if kind == 2:
        return ex.binary(source.choice("/%"), "i32", x, ex.integer(source.randrange(1, 4)))
    if kind == 3:
        return ("c", "i8", "i32", x)
    return ex.binary(source.choice("+-*"), "i32", x, y)


def _condition(source: random.Random, depth: int) -> Expression:
    if depth > 0 and source.random() < 0.4:
        sides = (_condition(source, depth - 1), _condition(source, depth - 1))
        made = ex.binary(source.choice(("&&", "||")), "b", *sides)
        return ex.negated(made) if source.random() < 0.3 else made
    op = source.choice(list(ex.COMPARISONS))
    return ex.binary(op, "b", _value(source, depth), _value(source, depth))


def test_a_contradiction_holds_for_no_numbers() -> None:
    source = random.Random(11)
    told = 0
    for _ in range(300):
        conditions = tuple(_condition(source, 2) for _ in range(source.randrange(2, 6)))
        if not contradictory(conditions):
            continue
        told += 1
        text = conjunction(conditions)
        for numbers in itertools.product(range(-4, 5), repeat=3):
            assert holds(text, dict(zip(NAMES, numbers, strict=True))) is not True, text
    assert told > 25


@pytest.mark.parametrize(
    ("conditions", "excluded"),
    [
        ([(">", N, 32), ("==", ("fn", "min", "i32", (N, ex.integer(128))), 0)], True),
        ([("<", M, N), ("==", ex.binary("-", "i32", N, M), 0)], True),
        ([("<=", M, N), ("==", ex.binary("-", "i32", N, M), 0)], False),
        ([(">", ex.binary("%", "i32", N, ex.integer(32)), 0), ("==", N, 64)], True),
        ([(">=", N, 33), ("==", ex.binary("/", "i32", N, ex.integer(32)), 0)], True),
        # A conversion to fewer bits may make anything of a number.
        ([(">=", N, 1000), ("==", ("c", "i8", "i32", N), 0)], False),
        # Thirty-two bits without a sign wrap round.
        ([("<", ex.binary("+", "u32", ("v", 0, "u", "u32"), ex.integer(1, "u32")), 1)], False),
        # What grows in a loop is not below what it began with.
        ([("==", ("v", ("at", 3, 32), "k@7", "i32"), 0)], True),
        ([("==", ("v", ("at", 3), "k@7", "i32"), 0)], False),
    ],
)
def test_numbers_are_weighed(
    conditions: list[tuple[str, Expression, Expression | int]], excluded: bool
) -> None:
    made = tuple(
        ex.binary(op, "b", x, ex.integer(y) if isinstance(y, int) else y) for op, x, y in conditions
    )
    assert contradictory(made) is excluded


@pytest.mark.parametrize(("guests", "told"), [(4, True), (15, False)])
def test_what_takes_too_many_steps_is_no_contradiction(guests: int, told: bool) -> None:
    names = [("v", str(number), f"x{number}", "i32") for number in range(guests)]
    apart = [ex.binary("!=", "b", *pair) for pair in itertools.combinations(names, 2)]
    # One room less than there are guests.
    rooms = [ex.binary(">=", "b", name, ex.integer(2)) for name in names]
    rooms += [ex.binary("<=", "b", name, ex.integer(guests)) for name in names]
    assert contradictory((*rooms, *apart)) is told


def test_zero_is_zero_however_it_is_written() -> None:
    scalar = ("u", "*", "f32", ("v", 0, "alpha", "p"))
    whole, floating = (("b", op, "b", scalar, zero) for op, zero in _ZEROS)
    assert contradictory((whole, floating))
    assert not contradictory((whole, ("b", "==", "b", scalar, ("f", 1.0))))


def test_a_pointer_is_one_value() -> None:
    one, other = ("v", 0, "x", "p"), ("v", 1, "y", "p")
    null = ("k", 0, "p", "nullptr")
    same, none = ("b", "==", "b", one, other), ("b", "==", "b", one, null)
    assert contradictory((same, none, ("b", "!=", "b", other, null)))


def test_elements_of_a_table_of_constants_are_between_its_extremes() -> None:
    table = ("g", "widths", "?", 16, 64)
    entry = ("i", "i32", table, N)
    assert contradictory((("b", "<", "b", entry, ex.integer(16)),))
    assert not contradictory((("b", "<", "b", entry, ex.integer(17)),))
    assert not contradictory((("b", "<", "b", ("i", "i32", ("g", "t", "?"), N), ex.integer(0)),))


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("const float *", True),
        ("const float *const", True),
        ("float *", False),
        ("float *const", False),
        ("const float *const *", True),
        ("const float **", False),
        ("int", False),
    ],
)
def test_pointers_to_constants(text: str, constant: bool) -> None:
    assert points_to_constant(text) is constant
