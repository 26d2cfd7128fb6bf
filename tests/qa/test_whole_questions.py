"""What a question asks for is answered, and what an answer says is all that its record shows."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kept_sayings import Draft, function

from qa.author.dynamic_lds import as_written
from qa.author.memory import _of_type, _tell_doubled
from qa.author.sites import sites_of
from qa.gates.halves import of_two
from qa.gates.items_asked import answered
from qa.gates.whole_record import shown
from qa.reading.function import read_function


def item_case(question: str, answer: str) -> Any:
    return SimpleNamespace(entry=SimpleNamespace(kind="qa", question=question, answer=answer))


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ("`a` and `b` move with the lane, and all lanes share them.", True),
        ("`a` and `b` move with the lane, `c` does not.", False),
        ("`a` and `b` move with the lane, the other one does not.", False),
        ("Only `a` moves with the lane.", False),
    ],
)
def test_an_item_that_a_question_lists_is_answered(answer: str, refused: bool) -> None:
    reason = answered(item_case("How do the addresses of `a`, `b` and `c` lie?", answer))
    assert (reason is not None) is refused


def past_the_boundary(answer: str, boundaries: list[str]) -> Any:
    call = {"entry": "f", "args": {"n": 1}, "pointer_mode": "host", "arch": ["gfx90a"]}
    trace = {**call, "config": "source", "boundaries": boundaries, "launches": []}
    return SimpleNamespace(
        is_code=False, sentences=re.split(r"(?<=[.]) ", answer),
        entry=SimpleNamespace(
            interface="i", answer=answer, claims=[SimpleNamespace(type="launch", value=call)]
        ),
        view=SimpleNamespace(boundaries=[{"library": "Tensile", "name": "ns::runProblem(int)"}]),
        ground=SimpleNamespace(traces=lambda _interface: [trace]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "boundaries", "refused"),
    [
        ("First `a` runs. Last `b` runs.", ["_Z10runProblemi"], True),
        ("There is one launch, `a`.", ["_Z10runProblemi"], True),
        ("First `a` runs. Last `b` runs.", [], False),
        ("`a` runs, and `runProblem` launches more. Last `b` runs.", ["_Z10runProblemi"], False),
        ("`a` runs before Tensile does. Last `b` runs.", ["_Z10runProblemi"], False),
        ("`a` runs, then `b`.", ["_Z10runProblemi"], False),
    ],
)
def test_no_launch_is_the_last_of_a_record_that_lacks_some(
    answer: str, boundaries: list[str], refused: bool
) -> None:
    assert (shown(past_the_boundary(answer, boundaries)) is not None) is refused


def test_the_overload_that_a_symbol_belongs_to_is_cited() -> None:
    def site(callee: str) -> Any:
        at = SimpleNamespace(file="a.hpp", start_line=7)
        return SimpleNamespace(
            dead=False, at=at, caller=SimpleNamespace(id="host"), callee=SimpleNamespace(id=callee)
        )

    row = {"dead": False, "caller": "h", "at": {"file": "a.hpp", "start_line": 7}}
    view: Any = SimpleNamespace(
        owner={"h": SimpleNamespace(id="host"), "kc@unit": SimpleNamespace(id="for_complex")},
        launch_rows=[{**row, "kernel": "kc@unit"}],
        launches=[site("for_real"), site("for_complex")],
    )
    assert [one.callee.id for one in sites_of(view, "kc")] == ["for_complex"]


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ("bytes", "sizeof(T) * (n * (n + 1)) / 2"),
        ("sizeof(T) * n", "sizeof(T) * n"),
        ("other", ""),
    ],
)
def test_a_size_is_quoted_as_the_launcher_has_it(size: str, shown: str) -> None:
    text = (
        "template <typename T> void run(int n)\n{\n"
        "  size_t bytes = sizeof(T) * (n * (n + 1)) / 2;\n"
        "  size_t other = sizeof(T) * lanes;\n}\n"
    )
    launcher = function(text, "run")
    launcher.signature = "template <typename T> void run(int n)"
    launcher.instantiations = ({"id": "run", "template_arguments": ("float",)},)
    pair: Any = SimpleNamespace(launcher=launcher, site=SimpleNamespace(shared_bytes=size))
    assert as_written(pair, ["n"]) == shown


@pytest.mark.parametrize(
    ("test", "refused"),
    [("(n && !A)", False), ("n && !A", False), ("(m && !C) || (k && !p) || (n && !A)", True)],
)
def test_only_a_test_of_two_parts_has_halves(test: str, refused: bool) -> None:
    told = [f"The test `{test}` holds.", "`k` = 0 makes the first half of it false."]
    assert (of_two(told) is not None) is refused
    assert of_two(["Half of the threads leave at `n && m && k`."]) is None


def test_only_arrays_of_the_template_type_grow_with_it() -> None:
    text = (
        "template <typename S> void k(S* x)\n{\n"
        "  __shared__ S sval[256];\n  __shared__ rocblas_int sidx[256];\n}\n"
    )
    kernel = function(text, "k", "kernel")
    kernel.signature = "template <typename S> void k(S* x)"
    facts: Any = SimpleNamespace(function=kernel, reading=read_function(text, 1))
    rows: Any = [
        SimpleNamespace(fact={"subject": name}, value={"bytes": 1024, "type": kind})
        for name, kind in (("sval", "float"), ("sidx", "rocblas_int"))
    ]
    assert [row.fact["subject"] for row in _of_type(facts, rows)] == ["sval"]
    draft = Draft()
    _tell_doubled(cast(Any, draft), facts, rows)
    assert draft.said[0].startswith(
        "Elements of twice the size would make it 2 * 1024 + 1024 = 3072"
    )
