"""What a function is followed with: its arguments, and the tree's constants but no namesakes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.author.arguments import run
from qa.author.passed_values import Passed, Within

TEXT = """\
int launcher(int n, int batch_count)
{
    if(n <= LIMIT && batch_count >= 256)
        return 1;
    else
        return 2;
}
"""


def tree() -> Any:
    """A tree with two constants, one of them named like a parameter."""
    constants = {"LIMIT": (1024, ""), "batch_count": (1, "")}
    return SimpleNamespace(
        constants=constants,
        enumerators=(),
        constants_in=lambda text: {n: v for n, (v, _) in constants.items() if n in text},
    )


def returned(**values: int) -> object:
    function: Any = SimpleNamespace(text=TEXT, span=SimpleNamespace(start_line=1))
    outcome = run(function, tree(), dict(values), {})
    return outcome.steps[-1].value if outcome.steps and outcome.stuck is None else None


def test_a_parameter_hides_a_constant_of_its_name() -> None:
    assert returned(n=100) is None
    assert returned(n=100, batch_count=256) == 1
    assert returned(n=100, batch_count=1) == 2
    assert returned(n=2000, batch_count=256) == 2


def test_so_does_one_that_is_given_something_else_on_the_way() -> None:
    function: Any = None
    piece = Passed(("min(batch_count, 1000)",), function, ())
    assert Within({}, {"batch_count": piece}).truth("batch_count >= 256", tree()) is None
    assert Within({}).truth("LIMIT >= 256", tree()) is True
