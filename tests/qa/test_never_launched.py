"""Kernels that an entry point never launches: which constant closes the way, and whose it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author import never_launched

ENTRY = "int entry(int n)\n{\n  return middle<float>(n, true);\n}\n"
MIDDLE = "template <typename T>\nint middle(int n, bool pivot)\n{\n  return body(n, pivot);\n}\n"
BODY = """int body(int n, bool pivot)
{
  if(pivot)
    launch_it(with_pivot, n, n);
  else
    launch_it(without, n, n, n);
}
"""


class Heard:
    """A draft that only keeps what is said."""

    def __init__(self, view: Any, *_more: Any) -> None:
        self.said: list[str] = []
        self.question, self.view = "", view

    def say(self, text: str, *_cites: Any) -> None:
        self.said.append(text)

    def claim(self, *_claim: Any) -> None:
        return None

    def lines(self, *_place: Any) -> str:
        return ""

    def head(self, *_place: Any) -> str:
        return ""

    def choose(self, *forms: str, salt: str = "") -> str:
        return forms[0]


def function(name: str, text: str, kind: str) -> Any:
    return SimpleNamespace(
        id=name, name=name, text=text, kind=kind, span=SimpleNamespace(start_line=1),
        signature=text.split("{")[0], instantiations=({"id": name, "template_arguments": []},),
    )  # fmt: skip


def test_the_constant_and_who_hands_it_on_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(never_launched, "Draft", Heard)
    steps = [function("entry", ENTRY, "entry_point"), function("middle", MIDDLE, "launcher"),
             function("body", BODY, "launcher")]  # fmt: skip
    kernels = [
        function(n, f"void {n}(int n)\n{{\n}}\n", "kernel") for n in ("with_pivot", "without")
    ]

    def at(line: int) -> Any:
        return SimpleNamespace(start_line=line)

    def site(kernel: Any, line: int) -> Any:
        return SimpleNamespace(caller=steps[2], callee=kernel, at=at(line), dead=False)

    made: dict[str, Any] = {}
    functions = [*steps, *kernels]
    view: Any = SimpleNamespace(
        functions=functions, owner={f.id: f for f in functions}, entry_points=("entry",),
        configs=("source",), calls=[], launches=[site(kernels[0], 4), site(kernels[1], 6)],
        edges={"entry": [("middle", at(3), ())], "middle": [("body", at(4), ())],
               "body": [("with_pivot", at(4), ()), ("without", at(6), ())]},
        entry_ids=lambda entry: [entry], once=lambda name, make: made.setdefault(name, make()),
        path=lambda *_a: [("entry", None), ("middle", at(3)), ("body", at(4))],
    )  # fmt: skip
    ground: Any = SimpleNamespace(enumerators=frozenset())
    (draft,) = never_launched.propose(view, ground, functions)
    said: Any = draft
    assert "Calls lead from `entry` to `without`." in said.question
    assert said.said == [
        "`body` launches `without` where `pivot` fails.",
        "`entry` gives `middle` the constant `true` for `pivot`.",
        "`middle` hands it on as it is.",
        "So `pivot` holds in every call of `entry`, and no size or pointer changes that: `without` "
        "is out of its reach.",
        "What stands on the other side of that test and is open to it is `with_pivot`.",
    ]
