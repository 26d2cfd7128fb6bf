"""Polynomials over named atoms."""

from __future__ import annotations

import random

from extractor.facts.device.polynomial import Polynomial

A, B, C = (Polynomial.atom(name) for name in "abc")


def number(value: int) -> Polynomial:
    return Polynomial.number(value)


def test_equal_polynomials_are_written_alike() -> None:
    left = (A + B) * (A - B) + number(3)
    right = A * A - B * B + number(1) + number(2)
    assert left == right
    assert left.text == right.text == "a*a - b*b + 3"


def test_arithmetic_agrees_with_numbers() -> None:
    chooser = random.Random(5)
    for _ in range(200):
        values = {name: chooser.randint(-9, 9) for name in "abc"}
        expected = chooser.randint(-3, 3)
        shape = number(expected)
        for _ in range(6):
            name = chooser.choice("abc")
            operation = chooser.choice("+-*")
            atom, value = Polynomial.atom(name), values[name]
            if operation == "+":
                shape, expected = shape + atom, expected + value
            elif operation == "-":
                shape, expected = shape - atom, expected - value
            else:
                shape, expected = shape * atom, expected * value
        numbers = {name: number(value) for name, value in values.items()}
        assert shape.substituted(numbers.get).constant == expected


def test_exact_division() -> None:
    assert (A * B + B * number(2)).divided(B) == A + number(2)
    assert (A * B + C).divided(B) is None
    assert (number(6) * A).divided(number(3)) == number(2) * A
    assert (number(5) * A).divided(number(3)) is None
