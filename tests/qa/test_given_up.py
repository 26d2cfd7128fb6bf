"""Drafts that cannot be told whole are counted by why, and the counts are printed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qa.author import angles
from qa.author.given_up import NOT_WHOLE, give_up, given_up
from qa.build import Part, Task, merge
from qa.commands.build import show


def a_view() -> Any:
    made: dict[str, Any] = {}

    def once(name: str, make: Any) -> Any:
        return made.setdefault(name, make())

    return SimpleNamespace(once=once, functions=[])


def test_drafts_that_are_not_whole_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    view, whole = a_view(), SimpleNamespace(untold=False)
    angle = SimpleNamespace(propose=lambda *_a: [whole, SimpleNamespace(untold=True)])
    monkeypatch.setattr(angles, "ANGLES", (angle,))
    for name in ("own_functions", "remember_launched", "remember_open", "launched_somewhere"):
        monkeypatch.setattr(angles, name, lambda *_a: [])
    ground: Any = SimpleNamespace()
    drafts: list[Any] = list(angles.propose(view, ground))
    assert drafts == [whole]
    give_up(view, "sizes: one is missing")
    assert given_up(view) == {NOT_WHOLE: 1, "sizes: one is missing": 1}


def test_counts_of_interfaces_are_added_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [Task("small", name, tmp_path, None) for name in ("one", "two")]
    parts = [Part([], given_up={"sizes": 2}), Part([], given_up={"sizes": 1, "steps": 4})]
    built = merge(list(zip(tasks, parts, strict=True)))
    assert built.statistics["given_up"] == {"sizes": 3, "steps": 4}
    show(built.statistics, tmp_path)
    assert "given up  3 sizes" in capsys.readouterr().out
