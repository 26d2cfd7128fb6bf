"""Turned tests and calls that are not those of the claims, in sentences made of true words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.gates import calls_told, places_told, polarity
from qa.gates.conditions import _stands_in
from qa.records import Claim

SPAN = Span(file="a.hpp", start_line=1, end_line=9, sha256="0" * 64)
LAUNCHER = """void launcher(handle h, int n, int m)
{
  if(n < 0)
    return status_size;
  if(n == 0)
    return status_success;
  if(fast && n <= 64)
    launch(small);
  else
    launch(large);
}
"""


def claim(kind: str, subject: str, value: Any) -> Claim:
    return Claim(type=kind, subject=subject, value=value, check="trace", passed=True)


def case(answer: list[str], *claims: Claim, question: str = "", **entry: Any) -> Any:
    host: Any = SimpleNamespace(id="l", name="launcher", text=LAUNCHER, span=SPAN, file="a.hpp")
    sites = [
        SimpleNamespace(
            caller=host, callee=SimpleNamespace(name=name), dead=False,
            at=SimpleNamespace(start_line=line),
        )
        for name, line in (("small", 8), ("large", 10))
    ]  # fmt: skip
    row = {"entry_points": ["lib_sscal"], "configs": ["source"], "archs": ["gfx90a"], **entry}
    return SimpleNamespace(
        is_code=False,
        sentences=answer,
        statements={},
        claim_text="",
        evidence_text=LAUNCHER,
        entry=SimpleNamespace(
            question=question, answer=" ".join(answer), claims=list(claims), evidence=[], **row
        ),
        view=SimpleNamespace(
            launches=sites, calls=[], by_id={"l": host},
            entry_points=("lib_sscal", "lib_dscal", "lib_sscal_64"),
        ),
        ground=SimpleNamespace(
            enumerators={"status_size": 1, "status_success": 0}, text=lambda _s: "",
            constants_in=lambda _t: {},
        ),
    )  # fmt: skip


def launch(**changed: Any) -> Claim:
    value = {
        "entry": "lib_sscal", "config": "source", "args": {"n": 1000, "incx": 1},
        "arch": ["gfx90a"], "pointer_mode": "host", "grid": [4, 1, 1], "block": [256, 1, 1],
    }  # fmt: skip
    return claim("launch", "small", {**value, **changed})


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("`small` is only launched in `launcher` where `fast && n <= 64` holds.", True),
        ("`small` is only launched in `launcher` where `fast && n <= 64` fails.", False),
        (
            "`large` is launched in `launcher` where `fast && n <= 64` fails, among other tests.",
            True,
        ),
        ("This launch of `large` stands where `fast && n <= 64` has failed.", True),
        ("This launch of `large` stands under `fast && n <= 64`, among other tests.", False),
        ("This launch of `large` stands where `fast && n <= 64` has held.", False),
    ],
)
def test_tests_around_a_launch_hold_or_fail_as_the_source_has_them(
    sentence: str, passes: bool
) -> None:
    assert (polarity.right_way_round(case([sentence])) is None) is passes


def walk(n: int, returned: str) -> Claim:
    return claim(
        "walk", "launcher", {"function": "l", "given": {"n": n, "fast": 1}, "returned": returned}
    )


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("`n < 0` is false for these arguments.", True),
        ("`n < 0` is true for these arguments.", False),
        ("`n < 0` decides; with `n` = 0 it fails, with `4` it fails.", False),
        ("`n` = 4 satisfies `n < 0`, so nothing is launched.", False),
    ],
)
def test_a_walk_comes_to_its_tests_as_it_is_told(sentence: str, passes: bool) -> None:
    made = case([sentence], walk(0, "status_success"), walk(4, ""))
    assert (polarity.right_way_round(made) is None) is passes


@pytest.mark.parametrize(
    ("question", "changed", "passes"),
    [
        ("`lib_sscal` with n = 1000 and incx = 1 in host pointer mode?", {}, True),
        ("`lib_sscal` with n = 1008 and incx = 1 in host pointer mode?", {}, False),
        ("`lib_sscal` with n = 1000 and incx = 1 in device pointer mode?", {}, False),
        ("`lib_dscal` with n = 1000 and incx = 1 in host pointer mode?", {}, False),
        (
            "`lib_sscal` with n = 1000 and incx = 1 in host pointer mode?",
            {"archs": ["gfx950"]},
            False,
        ),
        (
            "`lib_sscal` with n = 1000 and incx = 1 in host pointer mode?",
            {"configs": ["other"]},
            False,
        ),
        ("Why does it launch?", {"entry_points": ["lib_dscal"]}, False),
    ],
)
def test_the_call_that_is_asked_for_is_the_recorded_one(
    question: str, changed: dict[str, Any], passes: bool
) -> None:
    made = case(["It launches `small`."], launch(), question=question, **changed)
    assert (calls_told.agree(made) is None) is passes


def test_arguments_of_a_walk_are_those_of_the_question_and_the_answer() -> None:
    walks = (walk(-1, "status_size"), walk(4, ""))
    assert calls_told.agree(case(["Once `n` is 4, it goes on."], *walks)) is None
    assert calls_told.agree(case(["Once `n` is 5, it goes on."], *walks)) is not None
    assert calls_told.agree(case(["It returns."], *walks, question="With n = 7, what?")) is not None


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("It starts `small` with 4 blocks of 256 threads.", True),
        ("It starts `small` with 256 blocks of 256 threads.", False),
        ("With n = 2000 `small` would get 8 blocks of 256 threads.", True),
        ("On gfx942 it starts `small` with 4 blocks of 256 threads.", False),
        ("`lib_sscal` gets there by `impl` and `launcher`.", True),
        ("`lib_sscal` gets there by `launcher` and `impl`.", False),
        ("There are 3 barriers in `small`.", False),
        ("Its extent is `(n - 1) / 256 + 1`, that is (1000 - 1) / 256 + 1 = 4.", True),
        ("Its extent is `(n - 1) / 256 + 1`, that is (1000 + 1) / 256 + 1 = 4.", False),
        ("`x` is read at `n*incx + 4`.", True),
        ("`incx` is read at `n*incx + 4`.", False),
    ],
)
def test_what_belongs_together_stays_together(sentence: str, passes: bool) -> None:
    fact = {
        "fact": "global_access",
        "value": {"buffer": "x", "index": "n*incx + 4", "access": "load"},
    }
    claims = (
        launch(),
        claim("path", "lib_sscal", ["lib_sscal", "impl", "launcher", "small"]),
        claim("count", "small", {"name": "__syncthreads", "count": 2}),
        claim("fact", "small", fact),
    )
    made = cast(Any, case([sentence], *claims))
    assert (places_told.together(made) is None) is passes


def test_code_without_its_negation_is_other_code() -> None:
    assert _stands_in("!batched&&n==1", "if(!batched&&n==1)")
    assert not _stands_in("batched&&n==1", "if(!batched&&n==1)")
