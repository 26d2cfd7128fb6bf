"""Two answers compared: scores, differences, and what is said of each."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from extractor.check.answer import (
    Answer,
    Call,
    CallKey,
    Divergence,
    EntryAnswer,
    Function,
    FunctionKey,
    KernelKey,
    ReachedKernel,
)
from extractor.check.compare import compare
from extractor.check.comparison import Comparison, Score
from extractor.check.report import table, to_json

RUN, LAUNCH, WORK = FunctionKey("run"), FunctionKey("_Z6launchv"), FunctionKey("_Z4workv")
HELP, IMPLICIT = FunctionKey("_Z4helpv", "a.hpp"), FunctionKey("_ZN1AD1Ev")
KERNEL = ReachedKernel(KernelKey("work", "a.hpp"), frozenset({"_Z4workv"}))


def answer() -> Answer:
    return Answer(
        entries={"run": EntryAnswer((KERNEL,), frozenset({RUN, LAUNCH, WORK, HELP}))},
        calls={
            CallKey(RUN, LAUNCH): Call("call", "run.cpp", 3),
            CallKey(LAUNCH, WORK): Call("launch", "a.hpp", 9),
            CallKey(LAUNCH, HELP): Call("reference", "a.hpp", 8),
        },
        functions={
            key: Function(key.symbol, "a.hpp", 1, key == IMPLICIT)
            for key in (RUN, LAUNCH, WORK, HELP, IMPLICIT)
        },
    )


def without_kernel(made: Answer) -> Answer:
    made.entries["run"] = replace(made.entries["run"], kernels=())
    return made


def test_an_answer_agrees_with_itself() -> None:
    found = compare(answer(), answer())
    assert found.passed
    assert found.differences == []
    assert (found.kernels, found.calls) == (Score(1, 1, 1), Score(2, 2, 2))
    assert found.exact == 1


def test_a_missing_kernel_is_placed_at_the_call_that_the_index_lacks() -> None:
    index = without_kernel(answer())
    del index.calls[CallKey(LAUNCH, WORK)]
    found = compare(index, answer())
    assert not found.passed
    assert found.kernels.recall == 0
    kernel, call = found.differences
    assert (kernel.what, kernel.side, kernel.entry, kernel.item) == (
        "kernel",
        "missing",
        "run",
        "work@a.hpp",
    )
    assert (kernel.file, kernel.line, kernel.explained) == ("a.hpp", 9, False)
    assert kernel.explanation == "only the compiler has launch -> work"
    assert (call.what, call.side, call.item) == ("call", "missing", "launch() -> work()")


def test_a_kernel_that_only_the_index_has_is_placed_at_its_call() -> None:
    compiler = without_kernel(answer())
    del compiler.calls[CallKey(RUN, LAUNCH)]
    found = compare(answer(), compiler)
    assert found.kernels.precision == 0
    assert [(each.what, each.side, each.file, each.line) for each in found.differences] == [
        ("kernel", "extra", "run.cpp", 3),
        ("call", "extra", "run.cpp", 3),
    ]


def test_a_dead_kernel_is_a_hit_with_its_reason() -> None:
    index = answer()
    key = CallKey(LAUNCH, WORK)
    index.calls[key] = replace(index.calls[key], dead=True, reason="x && false")
    dead = replace(KERNEL, dead=True, reason="launch at a.hpp:9 is behind x && false")
    index.entries["run"] = replace(index.entries["run"], kernels=(dead,))
    found = compare(index, answer())
    assert found.passed
    assert found.kernels == Score(1, 1, 1, 1)
    assert found.calls == Score(2, 2, 2, 1)
    assert [(each.side, each.explained, each.line) for each in found.differences] == [
        ("dead", True, 9)
    ] * 2
    assert found.differences[0].explanation == "launch at a.hpp:9 is behind x && false"


def test_a_dead_kernel_without_a_reason_is_not_explained() -> None:
    index = answer()
    index.entries["run"] = replace(index.entries["run"], kernels=(replace(KERNEL, dead=True),))
    assert not compare(index, answer()).passed


def test_a_dead_kernel_that_the_compiler_lacks_counts_for_nothing() -> None:
    index = answer()
    dead = ReachedKernel(KernelKey("gone", "a.hpp"), frozenset({"_Z4gonev"}), True, "false")
    index.entries["run"] = replace(index.entries["run"], kernels=(KERNEL, dead))
    found = compare(index, answer())
    assert found.passed
    assert found.kernels == Score(1, 1, 1)


def test_dead_instantiations_of_a_live_kernel_are_hits() -> None:
    index, compiler = answer(), answer()
    both = replace(KERNEL, instantiations=frozenset({"_Z4workv", "_Z4worki"}))
    compiler.entries["run"] = replace(compiler.entries["run"], kernels=(both,))
    part = ReachedKernel(KERNEL.key, frozenset({"_Z4worki"}), True, "never")
    index.entries["run"] = replace(index.entries["run"], kernels=(KERNEL, part))
    found = compare(index, compiler)
    assert found.passed
    assert found.instantiations == Score(2, 2, 2, 1)


def test_a_reference_is_neither_wanted_nor_wrong() -> None:
    index, compiler = answer(), answer()
    del index.calls[CallKey(LAUNCH, HELP)]
    index.calls[CallKey(RUN, HELP)] = Call("reference", "run.cpp", 4)
    assert compare(index, compiler).calls == Score(2, 2, 2)
    index.calls[CallKey(LAUNCH, HELP)] = Call("call", "a.hpp", 8)
    assert compare(index, compiler).calls == Score(2, 2, 2)
    index.calls[CallKey(RUN, LAUNCH)] = Call("reference", "run.cpp", 3)
    assert compare(index, compiler).calls == Score(2, 2, 2)


def test_functions_of_one_symbol_in_two_files_are_two() -> None:
    index, compiler = answer(), answer()
    compiler.calls[CallKey(RUN, HELP)] = Call("call", "run.cpp", 5)
    index.calls[CallKey(RUN, HELP._replace(file="b.hpp"))] = Call("call", "run.cpp", 5)
    found = compare(index, compiler)
    assert (found.calls.hits, found.calls.wanted, found.calls.given) == (2, 3, 3)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("divergent", "launch has several bodies, of which the linker keeps the first: a; b"),
        ("artificial", "A::~A is the compiler's; no text spells it"),
    ],
)
def test_known_causes_explain_a_call(change: str, text: str) -> None:
    index, compiler = answer(), answer()
    if change == "divergent":
        compiler.divergent = (Divergence(LAUNCH.symbol, ("a", "b")),)
        del index.calls[CallKey(LAUNCH, WORK)]
    else:
        compiler.calls[CallKey(RUN, IMPLICIT)] = Call("call", "run.cpp", 6)
    found = compare(index, compiler)
    (difference,) = found.differences
    assert (difference.explanation, difference.explained) == (text, True)


def test_a_function_that_one_side_lacks_is_said_to_be_lacking() -> None:
    index = without_kernel(answer())
    del index.calls[CallKey(RUN, LAUNCH)], index.calls[CallKey(LAUNCH, WORK)]
    del index.functions[LAUNCH]
    texts = {each.explanation for each in compare(index, answer()).differences}
    assert texts == {"only the compiler has run -> launch", "only the compiler has launch"}


def test_a_kernel_without_a_way_in_the_calls_says_so() -> None:
    compiler = answer()
    index = without_kernel(answer())
    compiler.calls.clear()
    index.calls.clear()
    (difference,) = compare(index, compiler).differences
    assert "no way there" in difference.explanation
    assert not difference.explained


@pytest.mark.parametrize("side", ["index", "compiler"])
def test_an_entry_point_of_one_side_is_a_difference(side: str) -> None:
    index, compiler = answer(), answer()
    (index if side == "index" else compiler).entries["more"] = EntryAnswer()
    found = compare(index, compiler)
    (difference,) = found.differences
    assert (difference.what, difference.entry) == ("entry", "more")
    assert difference.explanation == f"only the {side} has this entry point"
    assert not found.passed


def test_a_unit_that_one_side_could_not_read_fails_the_comparison() -> None:
    index = answer()
    index.failed["a.cpp"] = "no such file"
    found = compare(index, answer())
    assert found.failed == {"a.cpp": "index: no such file"}
    assert not found.passed


def test_rates_of_nothing_are_whole_and_of_none_given_are_nought() -> None:
    assert (Score().recall, Score().precision) == (1.0, 1.0)
    assert (Score(wanted=2).recall, Score(wanted=2).precision) == (0.0, 0.0)


_SETS = st.dictionaries(
    st.sampled_from(["e1", "e2", "e3"]), st.frozensets(st.sampled_from(["k1", "k2", "k3", "k4"]))
)


@given(_SETS, _SETS)
def test_scores_are_those_of_the_sets(
    index: dict[str, frozenset[str]], compiler: dict[str, frozenset[str]]
) -> None:
    def made(sets: dict[str, frozenset[str]]) -> Answer:
        return Answer(
            entries={
                entry: EntryAnswer(
                    tuple(ReachedKernel(KernelKey(k, ""), frozenset({k})) for k in sorted(kernels))
                )
                for entry, kernels in sets.items()
            }
        )

    given_pairs = {(e, k) for e, kernels in index.items() for k in kernels}
    wanted_pairs = {(e, k) for e, kernels in compiler.items() for k in kernels}
    found = compare(made(index), made(compiler))
    assert found.kernels == Score(
        len(wanted_pairs), len(given_pairs), len(wanted_pairs & given_pairs)
    )
    assert found.kernels == found.instantiations
    kernels = [each for each in found.differences if each.what == "kernel"]
    assert len(kernels) == len(wanted_pairs ^ given_pairs)
    assert found.passed == (index == compiler)


def _broken() -> Comparison:
    index = without_kernel(answer())
    del index.calls[CallKey(LAUNCH, WORK)]
    index.failed["a.cpp"] = "no such file"
    compiler = answer()
    compiler.divergent = (Divergence("_Z5otherv", ("a", "b")),)
    return compare(index, compiler)


def test_the_table_shows_scores_and_every_cause_with_its_place() -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(table(_broken(), "title"))
    text = console.export_text()
    for part in (
        "title",
        "kernels of entry points",
        "0 of 1 entry points have the exact kernel set; 2 differences, 2 unexplained",
        "a.hpp:9",
        "only the compiler has launch -> work",
        "not read: a.cpp: index: no such file",
        "symbols with several bodies: 1",
    ):
        assert part in text


def test_json_holds_everything() -> None:
    found = _broken()
    data = json.loads(to_json(found))
    assert data == json.loads(json.dumps(found.to_json()))
    assert data["entries"]["run"]["recall"] == 0
    assert data["differences"][0]["line"] == 9
    assert (data["passed"], data["unexplained"]) == (False, 2)


def test_a_call_in_what_only_another_library_calls_is_explained() -> None:
    compiler = answer()
    formatter = FunctionKey("_Z6formatv")
    compiler.functions[formatter] = Function("format", "log.hpp", 4)
    compiler.calls[CallKey(formatter, HELP)] = Call("call", "log.hpp", 5)
    found = compare(answer(), compiler)
    assert [(each.explained, each.explanation) for each in found.differences] == [
        (True, "only another library's code calls format, and the walk does not enter that")
    ]
    # Where a function of the project calls it, the index should have had it.
    compiler.calls[CallKey(LAUNCH, formatter)] = Call("call", "a.hpp", 10)
    assert [each.explained for each in compare(answer(), compiler).differences] == [False, False]
