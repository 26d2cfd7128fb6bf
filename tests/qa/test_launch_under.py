"""Tests around launches and what a launcher's names are there, in launch contracts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.author.launch_under import own_names, under, without_both

TEXT = """void launcher(int m, int n, bool on)
{
  static constexpr int NB = 256;
  if(m == 0 || n == 0)
  {
    int blocks = (m - 1) / NB + 1;
    if(on)
      launch_the_work(blocks, n);
    else
      launch_the_work(blocks, m);
    return;
  }
  int rows = m;
  rows = n;
  launch_the_work(rows, n);
}
"""


def sites(*lines: int) -> list[Any]:
    caller = SimpleNamespace(
        text=TEXT, span=SimpleNamespace(start_line=1), name="launcher", signature=TEXT[:40]
    )
    callee = SimpleNamespace(name="launch_the_work")
    return [
        SimpleNamespace(caller=caller, callee=callee, at=SimpleNamespace(start_line=line))
        for line in lines
    ]


def test_the_tests_around_a_launch_are_told() -> None:
    assert under(sites(8)) == ", where `m == 0 || n == 0` holds and `on` holds"
    assert under(sites(8, 10)) == ", where `m == 0 || n == 0` holds"
    assert under(sites(15)) == ""


def test_what_holds_either_way_is_no_test() -> None:
    a, b = ("a", False), ("b", True)
    assert without_both([(a, b), (a, ("b", False))]) == [(a,)]
    assert without_both([(b,), (("b", False),)]) == [()]
    assert without_both([(a,), (b,)]) == [(a,), (b,)]


def test_names_of_a_grid_are_what_they_are_at_the_launch() -> None:
    said = own_names(sites(8), "(blocks, n)")
    assert said == " (where `blocks` is `(m - 1) / NB + 1` and `NB` is `256`)"
    assert own_names(sites(8), "(n, m)") == ""
    assert own_names(sites(15), "(rows)") is None
