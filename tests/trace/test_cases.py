"""Which calls are tried, and which of their traces are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from extractor.records import Source
from extractor.trace.cases import candidates
from extractor.trace.choice import choose
from extractor.trace.records import RecordedLaunch, Trace
from extractor.trace.thresholds import labels, thresholds
from extractor.trace.tracer import Tracer


def trace(*symbols: str, block: int = 64, arch: str = "gfx90a", n: int = 0) -> Trace:
    launches = tuple(
        RecordedLaunch(
            kernel=symbol,
            demangled=symbol,
            symbol=symbol,
            grid=(1, 1, 1),
            block=(block, 1, 1),
            shared_bytes=0,
            repeat=1,
        )
        for symbol in symbols
    )
    return Trace(
        tool_version="0",
        project="p",
        source=Source(name="p", version="1", commit="c", license="MIT"),
        config="source",
        entry="e",
        args={"n": n},
        arch=(arch,),
        pointer_mode="host",
        status="success",
        launches=launches,
    )


def test_new_kernels_are_kept_before_new_orders_and_new_blocks() -> None:
    made = [
        [trace("a", n=0)], [trace("a", n=1)], [trace("a", block=128, n=2)],
        [trace("a", "a2", n=3)], [trace("a2", "a", n=4)],
    ]  # fmt: skip
    kept = [[t.args["n"] for t in choose(made, budget)] for budget in (1, 2, 3, 4, 9)]
    assert kept == [[3], [0, 3], [0, 3, 4], [0, 2, 3, 4], [0, 1, 2, 3, 4]]


def test_a_case_that_differs_by_architecture_is_kept_with_all_of_them() -> None:
    made = [[trace("a", n=0)], [trace("a", n=1)], [trace("a", n=2), trace("a", arch="x", n=2)]]
    assert [t.args["n"] for t in choose(made, 2)] == [0, 2, 2]


def test_cases_are_the_same_each_time_and_none_comes_twice(tracer: Tracer) -> None:
    prototype = tracer.prototypes.functions["brook_sscale"]
    first, again = (list(candidates(tracer.caller, prototype, 30)) for _ in range(2))
    assert first == again
    assert len({case.key() for case in first}) == len(first)


def test_cases_vary_sizes_values_and_modes(tracer: Tracer) -> None:
    prototype = tracer.prototypes.functions["brook_sscale"]
    cases = list(candidates(tracer.caller, prototype, 30, thresholds=[300]))
    sizes = {case.args.get("n") for case in cases}
    assert {0, 1, 64, 65, 299, 300, 301, 6000} <= sizes
    assert {case.pointer_mode for case in cases} == {"host", "device"}
    assert {case.atomics for case in cases} == {0, 1}
    assert any(case.args.get("incx") == -1 for case in cases)


def test_labels_are_tried_as_square_problems_and_choices_are_combined(tracer: Tracer) -> None:
    prototype = tracer.prototypes.functions["brook_sscale"]
    plain, labelled = (
        list(candidates(tracer.caller, prototype, 30, labels=given)) for given in ((), (7, 11))
    )
    added = [case.args["n"] for case in labelled if case not in plain]
    assert set(added) == {7, 11}


def test_enumerations_and_scalars_are_combined(tracer: Tracer) -> None:
    fill, scale = (tracer.prototypes.functions[f"brook_s{name}"] for name in ("fill", "scale"))
    alpha = next(parameter for parameter in scale.parameters if parameter.name == "alpha")
    prototype = replace(fill, parameters=(*fill.parameters, alpha))
    cases = list(candidates(tracer.caller, prototype, 0))
    choices = {
        (case.args["side"], case.args["alpha"]) for case in cases
        if {"side", "alpha"} <= set(case.args)
    }  # fmt: skip
    assert {alpha for _side, alpha in choices} == {0, 2}
    assert len(choices) == 2 * len({side for side, _alpha in choices}) > 2


def test_thresholds_are_the_numbers_that_host_code_compares_with() -> None:
    def function(text: str, kind: str = "host", infrastructure: str | None = None) -> Any:
        return {"text": text, "kind": kind, "infrastructure": infrastructure}

    scope = {
        "functions": [
            function("if(n <= 64 && m > 2048) return f<128>(); constexpr int NB = 512;"),
            function("if(n < 999)", kind="kernel"),
            function("if(n < 777)", infrastructure="checks"),
        ]
    }
    assert thresholds(scope) == [64, 512, 2048]
    assert labels(scope) == []
    switch = function("switch(n) { case 1: f<1>(); case 17: f<17>(); default: g(); }", "launcher")
    assert labels({"functions": [switch]}) == [1, 17]
