"""What is said does not hang on the order of Python's hashes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.ground import Ground


def test_constants_of_a_text_come_in_the_order_of_the_text() -> None:
    names = [f"SIZE_{letter}" for letter in "QWERTZUIOPASDFGHJKLYXCVBNM"]
    ground: Any = SimpleNamespace(
        _constants_in={}, constants=dict.fromkeys(sorted(names), (1, "a.hpp", 1))
    )
    assert list(Ground.constants_in(ground, " + ".join(names))) == names
