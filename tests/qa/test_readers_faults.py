"""Faults that readers found in answers: each kind stays away."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.author import sites
from qa.author.checks import _earlier
from qa.author.kernel_facts import KernelFacts
from qa.author.launch_lists import _launch_words, _tell_total
from qa.author.numbers import equation
from qa.author.parting import tell_parting
from qa.author.passed_values import Within, not_denied, other_names
from qa.author.paths import _goes_into, asks_for_a_batch
from qa.author.recorded_launches import is_told
from qa.author.usual_checks import checking
from qa.reading.function import read_function
from qa.reading.function_text import under_directive
from qa.reading.outcome import Outcome, Step

KERNEL = "template <typename T, typename U> void k(T* A, U x, int n)\n{\n}\n"
LAUNCHER = """void f(int n, int batch_count)
{
  int blocks = (n - 1) / 32 + 1;
  dim3 grid(blocks, 1, 1);
  int other = n / 4;
  launch_one(grid, n);
  int pieces = (n - 1) / 32 + 1;
  pieces = (batch_count - 1) / 32 + 1;
  dim3 across(pieces, 1, 1);
  launch_two(across, n);
}
"""


def facts_of(*instantiations: list[str]) -> KernelFacts:
    function: Any = SimpleNamespace(
        signature="template <typename T, typename U> void k(T* A, U x, int n)",
        text=KERNEL,
        instantiations=tuple(
            {"symbol": f"k{number}", "template_arguments": arguments}
            for number, arguments in enumerate(instantiations)
        ),
    )
    return KernelFacts(function, cast(Any, None), read_function(KERNEL, 1))


def test_an_instantiation_on_arrays_of_pointers_is_not_preferred() -> None:
    facts = facts_of(["float const*", "float* const*"], ["float", "float*"])
    assert facts.types()[0] == 1
    assert facts.arrays(0) == 2
    assert facts.arrays(1) == 0


def test_a_plain_offset_is_not_told_of_an_array_of_pointers() -> None:
    row: Any = SimpleNamespace(value={"buffer": "A"}, fact={"instantiation": "another"})
    assert facts_of(["float", "float*"]).holds(row)
    assert not facts_of(["float const*", "float* const*"]).holds(row)


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("!i64_incs && m <= 64 && batch_count > 8", True),
        ("batch_count >= 256 && n < 33", True),
        ("batch_count > 0", False),
        ("n > 4 || batch_count > 8", False),
    ],
)
def test_a_launch_that_needs_a_batch_is_known(condition: str, asked: bool) -> None:
    assert asks_for_a_batch(condition) is asked


@pytest.mark.parametrize(
    ("name", "line", "goes"),
    [("blocks", 6, True), ("other", 6, False), ("pieces", 10, False)],
)
def test_only_a_value_that_the_call_takes_is_told(name: str, line: int, goes: bool) -> None:
    reading = read_function(LAUNCHER, 1)
    definition = next(d for d in reading.definitions if d.name == name)
    at = Span(file="f", start_line=line, end_line=line, sha256="0" * 64)
    draft: Any = SimpleNamespace(
        ground=SimpleNamespace(text=lambda span: LAUNCHER.split("\n")[span.start_line - 1])
    )
    function: Any = SimpleNamespace(text=LAUNCHER)
    assert _goes_into(draft, function, reading, definition, at) is goes


class Sayings:
    """Stands in for a draft: keeps what is said and claimed."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.claims: list[tuple[str, int]] = []

    def say(self, text: str, *_cites: object) -> None:
        self.said.append(text)

    def claim(self, _kind: str, subject: str, value: int, _check: str) -> None:
        self.claims.append((subject, value))

    @staticmethod
    def choose(*forms: str, salt: str = "") -> str:
        del salt
        return forms[0]


def launch(kernel: str, repeat: int = 1) -> dict[str, Any]:
    return {
        "kernel": kernel, "grid": [4, 1, 1], "block": [64, 1, 1], "shared_bytes": 0,
        "repeat": repeat,
    }  # fmt: skip


def test_repeated_launches_count_as_often_as_they_are_made() -> None:
    draft: Any = Sayings()
    _tell_total(draft, [launch("a"), launch("b", 13), launch("c", 11)])
    assert draft.said == ["That makes 1 + 13 + 11 = 25 launches in all."]
    assert draft.claims == [("1 + 13 + 11", 25)]


def test_only_the_last_launch_is_called_the_last() -> None:
    draft: Any = Sayings()
    words = [_launch_words(draft, launch("k"), number, 8, []) for number in range(8)]
    assert [w.startswith("Last") for w in words] == [False] * 7 + [True]
    assert words[0].startswith("First")


def test_a_check_of_the_arguments_is_an_end_of_the_call() -> None:
    text = (
        "status f(int n)\n{\n  status st = f_argCheck(n);\n"
        "  if(st != rocblas_status_continue)\n    return st;\n"
        "  if(n > 3)\n    return st;\n}\n"
    )
    reading = read_function(text, 1)
    assert [checking(reading, branch) for branch in reading.branches] == ["f_argCheck", ""]


def test_a_name_of_the_call_may_be_another_one_further_down() -> None:
    texts = (
        "void entry(int n, int k)\n{\n  middle(n, k);\n}\n",
        "void middle(int n, int k)\n{\n  last(nb, k);\n  last(n_diag, k);\n}\n",
        "void last(int n, int k)\n{\n}\n",
    )
    steps: Any = [
        SimpleNamespace(id=name, name=name, text=text, span=SimpleNamespace(start_line=1))
        for name, text in zip(("entry", "middle", "last"), texts, strict=True)
    ]
    found = other_names(steps, ("n", "k"))
    assert {name: passed.texts for name, passed in found.items()} == {"n": ("nb", "n_diag")}
    assert found["n"].function.name == "middle"
    assert found["n"].lines == ((3, 3), (4, 4))
    assert other_names(steps[:2], ("n", "k")) == {}


def test_a_test_that_the_numbers_deny_is_left_out_with_all_others_on_its_names() -> None:
    ground: Any = SimpleNamespace(enumerators=frozenset(), constants={})
    span = lines("a.cpp", 1, 1)
    texts = (("n % 16 == 0", False), ("n > 4", False), ("k > 4", True))
    tests = [sites.Test(text, negated, span) for text, negated in texts]
    kept, _used = not_denied(tests, Within({"n": 100, "k": 1}), ground)
    assert kept == [tests[2]]


def test_long_lists_and_sizes_served_in_passes_are_not_told() -> None:
    assert is_told({"args": {"n": 1000}, "launches": [launch("k", 8)]})
    assert not is_told({"args": {"n": 1000}, "launches": [launch("k", 8), launch("k")]})
    assert not is_told({"args": {"n": 2**32 + 5}, "launches": [launch("k")]})


def test_a_number_is_not_equated_with_itself() -> None:
    assert equation("(2 * 3)", 6) == "(2 * 3) = 6"
    assert equation("(5)", 5) == "5"


def test_a_loop_between_directives_may_not_be_compiled_in() -> None:
    text = "void k()\n{\n#if WIDE\n  for(;;)\n  {\n#endif\n  work();\n"
    assert under_directive(text, 3)
    assert not under_directive(text, 6)


def test_an_empty_problem_that_returns_early_never_comes_to_the_test() -> None:
    early = [Step("branch", 3, 3, "n == 0", 1), Step("return", 3, 3, "status_success", None)]
    pointers = Step("branch", 5, 5, "!x", 1)
    assert _earlier(Outcome(values={}, steps=early), pointers) == early[0]
    assert _earlier(Outcome(values={}, steps=[*early[:1], pointers]), pointers) is None


def lines(file: str, first: int, last: int) -> Span:
    return Span(file=file, start_line=first, end_line=last, sha256="0" * 64)


def test_two_calls_part_where_a_test_comes_out_differently_for_their_numbers() -> None:
    text = (
        "void top(int n, int batch_count)\n{\n  if(batch_count == 1)\n    one(n);\n"
        "  else\n    many(n);\n}\n"
    )
    span = lines("f", 1, 7)
    owner = {
        name: SimpleNamespace(
            id=name, name=name, text=text if name == "top" else f"void {name}(int n)\n{{\n}}\n",
            span=span, file="f", instantiations=(),
        )
        for name in ("top", "one", "many", "k1", "k2")
    }  # fmt: skip
    ways: dict[str, list[tuple[str, Span | None]]] = {
        "k1": [("top", None), ("one", lines("f", 4, 4)), ("k1", span)],
        "k2": [("top", None), ("many", lines("f", 6, 6)), ("k2", span)],
    }
    ways |= {"one": ways["k1"][:2], "many": ways["k2"][:2]}
    draft: Any = Sayings()
    draft.view = SimpleNamespace(
        once=lambda name, make: make(),
        owner=owner,
        path=lambda _e, _c, symbol, through=None: ways[symbol],
    )
    draft.ground = SimpleNamespace(
        enumerators=frozenset(), constants={}, span=lines,
        project=SimpleNamespace(rule=SimpleNamespace()), runs=lambda _view, _trace: {},
    )  # fmt: skip
    draft.head = lambda _function: span
    calls = [
        ({"entry": "top", "args": {"n": 9, "batch_count": count}}, {"symbol": symbol})
        for count, symbol in ((1, "k1"), (2, "k2"))
    ]
    tell_parting(draft, calls[0], calls[1], set())
    assert draft.said == [
        "The two calls part in `top`, which calls `one` only where `batch_count == 1` holds."
    ]
    again: Any = Sayings()
    again.view, again.ground, again.head = draft.view, draft.ground, draft.head
    tell_parting(again, calls[0], ({**calls[1][0], "args": {"n": 9}}, calls[1][1]), set())
    assert again.said == []


def test_local_names_and_constants_are_put_into_a_test() -> None:
    ground: Any = SimpleNamespace(enumerators=frozenset(), constants={"c_max": (100, "f", 1)})
    inside = Within(
        {"n": 64, "k": 3}, {}, {"NB": "32"}, (("exact", "(n % NB) == 0"), ("fits", "n <= c_max"))
    )
    assert inside.truth("exact && fits", ground) is True
    assert inside.truth("!fits", ground) is False
    assert inside.truth("exact && other", ground) is None
