"""Simplified conjunctions mean what the plain ones mean."""

from __future__ import annotations

import itertools
import random

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import conjoin, joined
from extractor.facts.host.evaluate import holds
from extractor.facts.host.expression import Expression
from extractor.facts.host.text import conjunction, write

NAMES = ("a", "b", "c")


def _random(source: random.Random, depth: int) -> Expression:
    if depth == 0 or source.random() < 0.4:
        symbol = ("v", source.choice(NAMES), source.choice(NAMES), "i32")
        symbol = ("v", symbol[1], symbol[1], "i32")
        op = source.choice(list(ex.COMPARISONS))
        return ex.binary(op, "b", symbol, ex.integer(source.randrange(-1, 3)))
    if source.random() < 0.3:
        return ex.negated(_random(source, depth - 1))
    sides = (_random(source, depth - 1), _random(source, depth - 1))
    return ex.binary(source.choice(("&&", "||")), "b", *sides)


def test_any_conjunction_keeps_its_meaning() -> None:
    source = random.Random(7)
    for _ in range(400):
        conditions = [_random(source, 3) for _ in range(source.randrange(1, 5))]
        plain = write(joined(conditions))
        made = conjoin((), *conditions)
        for numbers in itertools.product(range(-2, 4), repeat=3):
            values = dict(zip(NAMES, numbers, strict=True))
            expected = holds(plain, values)
            got = False if made is None else holds(conjunction(made), values)
            assert got == expected, (plain, made and conjunction(made), values)


def test_what_is_implied_is_dropped() -> None:
    n = ("v", 1, "n", "i32")
    m = ("v", 2, "m", "i32")
    over = ex.binary(">", "b", n, ex.integer(0))
    far = ex.binary(">", "b", n, ex.integer(5))
    other = ex.binary(">", "b", m, ex.integer(3))
    made = conjoin((), over, ex.binary("||", "b", ex.negated(over), other), far)
    assert made is not None
    assert conjunction(made) == "m > 3 && n > 5"
    assert conjoin(made, ex.negated(over)) is None
