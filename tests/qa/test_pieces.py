"""Launchers for 64 bit sizes: what a test against the limits of 32 bits sends where."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.author.pieces import tell_sides
from qa.reading.function import read_function

WIDE = """int launcher_64(int64_t n, int64_t incx)
{
    if(incx < c_i32_max)
    {
        prepare(n);
        narrow<int>(n, incx);
    }
    else
    {
        prepare(n);
        LAUNCH((kernel<int64_t>), grid, threads, 0, stream, n, incx);
    }
    if(n > c_i64_chunk)
        prepare(n);
}
"""


def said(number: int) -> str:
    words: list[str] = []
    draft: Any = SimpleNamespace(
        say=lambda text, *_cites: words.append(text), choose=lambda *forms, salt="": forms[0],
        lines=lambda *_a: 1, head=lambda _f: 1,
    )  # fmt: skip
    function: Any = SimpleNamespace(
        id="l", name="launcher_64", text=WIDE, span=SimpleNamespace(start_line=1)
    )
    callees = [
        SimpleNamespace(name=name, kind="host", infrastructure=None)
        for name in ("prepare", "narrow")
    ]
    site = SimpleNamespace(
        caller=function, callee=SimpleNamespace(name="kernel"), dead=False,
        at=SimpleNamespace(start_line=11),
    )  # fmt: skip
    view: Any = SimpleNamespace(callees={"l": callees}, launches=[site])
    reading = read_function(WIDE, 1)
    assert tell_sides(draft, view, function, reading, reading.branches[number]) is bool(words)
    return " ".join(words)


def test_both_sides_of_a_test_are_told_without_what_they_share() -> None:
    assert said(0) == (
        "Where `incx < c_i32_max` holds, `launcher_64` goes on with `narrow<int>`, and where it "
        "fails with a launch of `kernel`."
    )


def test_a_test_with_one_side_is_told_as_the_only_way() -> None:
    assert said(1) == "Only where `n > c_i64_chunk` holds does `launcher_64` go on with `prepare`."
