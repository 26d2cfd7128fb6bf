"""Kinds of fault that a reading of a whole build found: each stays away."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.author.arguments import is_pointer
from qa.author.checks import _shown_values
from qa.author.choices import accepted
from qa.author.glossary import meaning
from qa.author.launch_lists import _launch_words
from qa.author.launch_prose import tell_constants
from qa.author.passed_values import fixed_parameters
from qa.author.read_back import first_line
from qa.author.recorded_launches import has_aliases
from qa.author.settled import Settled, nearest
from qa.author.sites import Test as Condition
from qa.author.tests_passed import tell_passed_over
from qa.reading.function import read_function
from qa.reading.outcome import Outcome, Step

SOLVER = """void solve(S* diag, const rocblas_diagonal unit, int n, int batch_count)
{
  rocblas_int done;
  while(rounds < most)
  {
    hipMemcpyAsync(&done, completed, sizeof(done), hipMemcpyDeviceToHost, stream);
    if(done == batch_count)
      break;
    launch_round(n);
  }
  launch_last(n);
}
"""
COPYING = """void reduce(T* results, int n, int batch_count)
{
  for(int b = 0; b < batch_count; b += 64)
  {
    launch_part(n);
    hipMemcpyAsync(&results[b], output, n, hipMemcpyDeviceToHost, stream);
  }
}
"""
SCALARS = """void scale(handle_t handle, const T* alpha, int n)
{
  T alpha_h;
  if(handle->pointer_mode == pointer_mode_device)
  {
    hipMemcpy(&alpha_h, alpha, sizeof(T), hipMemcpyDeviceToHost);
  }
  if(alpha_h == 0)
    return;
  launch_scale(n);
}
"""


def function(text: str, kind: str = "host", name: str = "f") -> Any:
    lines = text.count("\n")
    return SimpleNamespace(
        id=name, name=name, kind=kind, text=text, file="a.hpp",
        span=Span(file="a.hpp", start_line=1, end_line=lines, sha256="0" * 64),
    )  # fmt: skip


class Heard:
    """Keeps what a draft is told; a choice is always the last form."""

    def __init__(self, constants: dict[str, Any] | None = None) -> None:
        self.said: list[str] = []
        self.claims: list[tuple[Any, ...]] = []
        self.ground = SimpleNamespace(constants=constants or {}, span=lambda *a: a)

    def choose(self, *forms: str, salt: str = "") -> str:
        del salt
        return forms[-1]

    def say(self, text: str, *grounds: Any) -> None:
        del grounds
        self.said.append(text)

    def claim(self, *what: Any) -> None:
        self.claims.append(what)

    def lines(self, *place: Any) -> Any:
        return place


def test_memory_with_the_name_of_a_choice_is_no_choice() -> None:
    reading = read_function(SOLVER, 1)
    assert meaning("diag", None, reading) == ""
    plain = read_function("void f(rocblas_diagonal diag) {}", 1)
    assert meaning("diag", None, plain) == "whether the diagonal is taken as ones"


def test_launches_behind_a_test_of_what_was_read_back_hang_on_the_data() -> None:
    assert first_line(function(SOLVER)) == 4
    assert first_line(function(COPYING)) == 0
    assert first_line(function(SCALARS)) == 0
    assert first_line(function(SOLVER, kind="kernel")) == 0


def test_calls_with_one_array_for_two_are_told_apart() -> None:
    assert has_aliases({"args": {"n": 3, "B": "A"}})
    assert not has_aliases({"args": {"n": 3, "uplo": "U"}})


def test_the_checks_say_which_enumerators_are_legal() -> None:
    text = """status check(fill uplo, int n)
{
  if(uplo != fill_upper && uplo != fill_lower)
    return status_invalid_value;
  if(n < 0 && uplo != fill_upper)
    return status_invalid_size;
  return status_continue;
}
"""
    assert accepted(function(text)) == [{"fill_upper", "fill_lower"}]
    assert accepted(function(text.replace("invalid_value", "success"))) == []


def test_a_test_of_a_constant_that_the_callers_pass_is_settled() -> None:
    outer = "void outer(int n) { middle(diag_unit, n); }"
    middle = "void middle(int diag, int n) { inner(diag, n, true); }"
    inner = "void inner(int diag, int n, bool fast) { if(diag == diag_unit) launch(n); }"
    steps = [
        function(t, name=n) for t, n in ((outer, "outer"), (middle, "middle"), (inner, "inner"))
    ]
    ground: Any = SimpleNamespace(enumerators={"diag_unit": 1})
    assert fixed_parameters(steps, ground) == {"diag": {"diag_unit"}, "fast": {"true"}}


def test_only_the_first_test_is_asked_first() -> None:
    steps = [Step("branch", 3, 3, "a < 0", 0), Step("branch", 5, 5, "b < 0", 0)]
    outcome = Outcome(steps=[*steps, Step("branch", 7, 7, "c < 0", 1)])
    draft = Heard()
    made: Any = SimpleNamespace(function=SimpleNamespace(name="check"))
    tell_passed_over(cast(Any, draft), made, outcome, outcome.steps[-1])
    assert draft.said == [
        "`check` begins with `a < 0`, to no effect in this call.",
        "An earlier test, `b < 0`, finds no fault.",
    ]


def test_what_a_local_name_of_a_test_is_made_from_is_given() -> None:
    text = (
        "int f(int side, int m, T* V) { bool left = side == s_left; if(left && m && !V) return 1; }"
    )
    values = {"side": "s_left", "m": 6, "V": 1}
    made: Any = SimpleNamespace(
        types={}, reading=read_function(text, 1), values=values, fixed=frozenset({"k"})
    )
    assert _shown_values(made, (), "left && m && !V") == ", with side = `s_left` and m = 6"


def test_what_a_scalar_points_at_does_not_make_it_a_number() -> None:
    text = "int f(const U beta) { if(!beta) return 1; if(*beta == 1) return 2; return 0; }"
    reading = read_function(text, 1)
    assert is_pointer("beta", "const U", reading)
    assert not is_pointer("beta", "const U", read_function(text.replace("*beta", "beta"), 1))


def test_one_kernel_launched_twice_is_not_one_launch() -> None:
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "repeat": 2}
    words = _launch_words(cast(Any, Heard()), launch, 0, 1, [])
    assert words == "One kernel is launched, `k` with 1 block of 64 threads, 2 times in a row."


def test_of_many_tests_the_nearest_and_the_wanted_are_told() -> None:
    import re

    span = Span(file="a.hpp", start_line=1, end_line=1, sha256="0" * 64)
    reading = read_function("void f() { bool narrow = m < 8; }", 1)
    tests = [
        Settled(Condition(text, True, span), ((text, False),), {})
        for text in ("is_gfx9", "narrow", *(f"n <= {n}" for n in (32, 64, 128, 256, 512)))
    ]

    def chosen(about: str) -> list[str]:
        pattern = re.compile(about) if about else None
        return [row.test.condition for row in nearest(tests, reading, pattern)]

    last = ["n <= 64", "n <= 128", "n <= 256", "n <= 512"]
    assert chosen("") == ["n <= 32", *last]
    assert chosen("gfx") == ["is_gfx9", *last]
    assert chosen(r"\bm\b") == ["narrow", *last], "by what a name stands for"


def test_constants_are_told_but_no_variable_of_their_name() -> None:
    constants = {
        "TINY_SIZE": (43, "a.hpp", 1),
        "batch_count": (1, "b.hpp", 2),
        "NB": (32, "c.hpp", 3),
    }
    draft = Heard(constants)
    caller = function("template <int NB> void f(int n) { if(n <= TINY_SIZE) g(n); }")
    tell_constants(cast(Any, draft), caller, ["n <= TINY_SIZE && batch_count == NB"])
    assert draft.said == ["In these tests `TINY_SIZE` is 43."]
    assert draft.claims == [("constant", "TINY_SIZE", 43, "source")]


@pytest.mark.parametrize(
    ("name", "kind", "types", "pointer"),
    [
        ("valT", "T", {"T": "float"}, True),
        ("rfinfo", "lib_rfinfo", {}, True),
        ("b", "U", {"U": "float const*"}, True),
        ("nnzT", "const lib_int", {}, False),
        ("nnzA", "const rocblas_int", {}, False),
        ("unasked", "lib_other", {}, False),
    ],
)
def test_what_is_asked_for_as_a_pointer_is_one(
    name: str, kind: str, types: dict[str, str], pointer: bool
) -> None:
    text = "void f()\n{\n  if(!valT || !rfinfo || nnzT < 0 || (nnzA && !b))\n    return 1;\n}\n"
    assert is_pointer(name, kind, read_function(text, 1), types) is pointer
