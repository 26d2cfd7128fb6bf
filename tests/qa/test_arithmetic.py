from __future__ import annotations

import pytest

from qa.text.arithmetic import Unknown, bindings, equations, evaluate, holds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(n - 1) / (256 * 2) + 1", 2),
        ("static_cast<int>(n - 1) / 512 + 1", 2),
        ("n & ~(rocblas_int)7", 1000),
        ("min(n, 300) * 2", 600),
        ("n > 5 ? 1 : 2", 1),
        ("65,535 + 1", 65536),
        ("-n / 3", -333),
    ],
)
def test_expressions_have_the_value_that_cpp_gives_them(text: str, value: int) -> None:
    assert evaluate(text, {"n": 1000}) == value


@pytest.mark.parametrize("text", ["n +", "unknown_name", "1 / 0", "f(3)", "a b"])
def test_what_is_no_expression_is_said_to_be_unknown(text: str) -> None:
    with pytest.raises(Unknown):
        evaluate(text, {"a": 1, "b": 2})


def test_equations_are_found_between_words() -> None:
    found = equations("so the grid is (n - 1) / 512 + 1 = 2 blocks")
    assert [(e.left, e.right) for e in found] == [("(n - 1) / 512 + 1", "2")]
    assert holds(found[0], bindings("with n = 1000 and incx = 1")) is True
    assert holds(found[0], {"n": 5000}) is False
    assert holds(found[0], {}) is None


def test_a_chain_of_equations_is_read_link_by_link() -> None:
    found = equations("8 * min(300, 200) * 10 = 16000 = 2 * 8000 bytes")
    assert [holds(e, {}) for e in found] == [True, True]


def test_division_may_be_meant_as_in_mathematics() -> None:
    (equation,) = equations("that is 3 / 2 = 1.5 times as much")
    assert holds(equation, {}) is True
