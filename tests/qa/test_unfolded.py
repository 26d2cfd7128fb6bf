"""What helpers gave in a call that was made again."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from kept_sayings import Draft

from extractor.records import Span
from extractor.trace import branches
from qa.author.unfolded import tell_unfolded
from qa.executed import Run
from qa.reading.function import read_function

CALLER = "void launcher(int m, int n)\n{\n  if(helper(m - 1, n) == 1 && other)\n    go();\n}\n"
SEVERAL = """\
int helper(int m, int n)
{
    if(m > 64 || n > 64)
        return 2;
    return m ? 1 : 0;
}
"""
SET = """\
int helper(int m, int n)
{
    int ker = 0;
    if(m <= 28)
    {
        ker = (n <= 140) ? 1 : 2;
    }
    else if(m <= 44)
        ker = 3;
    return ker;
}
"""


def function(name: str, text: str, kind: str = "host") -> Any:
    return SimpleNamespace(
        id=name, name=name, text=text, file="a.hpp", kind=kind, infrastructure=None,
        span=Span(file="a.hpp", start_line=1, end_line=text.count("\n"), sha256="0" * 64),
        instantiations=({"id": name, "symbol": name},),
    )  # fmt: skip


def told(text: str, lines: dict[int, int], **tests: tuple[str, int, int]) -> list[str]:
    """What is told of a helper of whose lines it is known how often they ran, and of its tests."""
    helper, caller = function("helper", text), function("launcher", CALLER, "launcher")
    rows = text.split("\n")
    regions = [branches.Region("a.hpp", (2, 1, len(rows) - 1, 2), 1)]
    for line, count in lines.items():
        row = rows[line - 1]
        start = len(row) - len(row.lstrip()) + 1
        regions.append(branches.Region("a.hpp", (line, start, line, len(row) + 1), count))
    operands = []
    for written, held, failed in tests.values():
        line = next(n for n, row in enumerate(rows, 1) if written in row)
        column = rows[line - 1].index(written) + 1
        place = (line, column, line, column + len(written))
        operands.append(branches.Test("a.hpp", place, held, failed))
    view: Any = SimpleNamespace(
        symbols={"helper": {}}, owner={"helper": helper}, by_name={"helper": [helper]}
    )
    ran = branches.Function("helper", tuple(regions), tuple(operands))
    draft: Any = Draft(by_name={"helper": [helper]})
    tell_unfolded(
        draft, caller, "helper(m - 1, n) == 1", {"gfx90a": Run(view, branches.Executed((ran,)))},
        set(),
    )  # fmt: skip
    said: list[str] = draft.said
    return said


def test_the_return_that_it_came_to_is_told_with_the_names_of_the_caller() -> None:
    said = told(SEVERAL, {4: 1, 5: 0}, a=("m > 64", 0, 1), b=("n > 64", 1, 0))
    assert said == [
        "`helper`, whose `m` is `m - 1`, returns `2` here since `m > 64 || n > 64` holds."
    ]


def test_so_is_what_a_name_was_set_to_last() -> None:
    said = told(SET, {6: 1, 9: 0}, a=("m <= 28", 1, 0), b=("n <= 140", 0, 1), c=("m <= 44", 0, 0))
    assert said == [
        "`helper`, whose `m` is `m - 1`, returns `2` here since `m <= 28` holds and "
        "`n <= 140` fails."
    ]


@pytest.mark.parametrize("lines", [{4: 1, 5: 1}, {4: 0, 5: 0}])
def test_nothing_is_told_of_a_helper_that_came_to_several_returns_or_none(
    lines: dict[int, int],
) -> None:
    assert told(SEVERAL, lines, a=("m > 64", 1, 1), b=("n > 64", 0, 1)) == []


def test_names_that_get_a_value_as_a_whole_are_read() -> None:
    rows = read_function(SET, 1).assigned
    assert [(a.name, a.operator, a.value, len(a.guards)) for a in rows] == [
        ("ker", "=", "(n <= 140) ? 1 : 2", 1),
        ("ker", "=", "3", 2),
    ]
    assert re.sub(r"\s+", " ", rows[0].text) == "ker = (n <= 140) ? 1 : 2"
