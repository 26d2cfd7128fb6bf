"""The steps of a function for an instruction: in order, with what stands around them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from extractor.records import Span
from qa.author.outline import outline

SOLVE = """template <bool COMPLEX> rocblas_status solve(handle h, fill uplo, int m, int n, T* A)
{
  if(m == 0 || n == 0)
    return status_success;
  int dim = std::min(m, n);
  int blocks = count_of(dim, 64);
  T one = 1;
  size_t got;
  for(int j = 0; j < dim; ++j)
  {
    reflect(h, n - j, A + j);
    if(COMPLEX)
      conjugate<T>(h, n - j);
  }
  if(uplo == fill_upper)
    solve_upper(h, side_left, &one, &got);
  else
    solve_lower(h, side_left, dim);
  LAUNCH((finish<T>), blocks, 64, 0, stream, n);
  return status_success;
}
"""


def told(text: str, launched: dict[int, str] | None = None, **more: Any) -> str:
    draft: Any = SimpleNamespace(
        ground=SimpleNamespace(enumerators={"side_left": 1}),
        choose=lambda *f, **_k: f[0],
        view=SimpleNamespace(by_name={}),
    )
    lines = text.count("\n")
    function: Any = SimpleNamespace(
        text=text, span=Span(file="a.hpp", start_line=1, end_line=lines, sha256="0" * 64)
    )
    callees = ["reflect", "conjugate", "solve_upper", "solve_lower", "count_of", "refuse"]
    return outline(cast(Any, draft), function, callees, launched or {}, **more)


def test_steps_come_in_order_with_their_loops_and_tests() -> None:
    assert told(SOLVE, {19: "finish"}) == (
        "Its main steps, in this order: "
        "(1) where `m == 0 || n == 0` holds: return `status_success`; "
        "(2) in `for(int j = 0; j < dim; ++j)`: call `reflect`, given `h, n - j, A + j`; "
        "(3) in `for(int j = 0; j < dim; ++j)`, where `COMPLEX` holds: "
        "call `conjugate<T>`, given `h, n - j`; "
        "(4) where `uplo == fill_upper` holds: call `solve_upper`, "
        "given `h, side_left, &one, &got`, which fills `got`; "
        "(5) otherwise: call `solve_lower`, given `h, side_left, dim`; "
        "(6) launch `finish<T>`, given `n`, then return `status_success`. "
        "Here `dim` is `std::min(m, n)`."
    )


SIZES = """int f(int n, int* size)
{
  if(n < 0)
    return 1;
  *size = n * 4;
  return 0;
}
"""


def test_everything_is_claimed_only_where_everything_is_told() -> None:
    assert told(SIZES).startswith("What it does, in this order: ")
    assert "set `*size` to `n * 4`" in told(SIZES)
    changed = SIZES.replace("  *size", "  int k = 1;\n  k += n;\n  *size")
    assert told(changed).startswith("Its main steps, in this order: ")


def test_what_a_branch_returns_is_what_the_outer_call_gives() -> None:
    text = "int f(int n, T* x)\n{\n  if(!n)\n    return 0;\n  return send(adjust(x), n - 1);\n}\n"
    assert told(text).endswith(
        "(2) call `send`, given `adjust(x), n - 1` and return what it gives."
    )


def test_a_result_that_is_worked_out_in_the_dark_is_not_told() -> None:
    text = (
        "int f(int n)\n{\n  int k = 1;\n  if(n < 4)\n    k = 2;\n"
        "  if(!n)\n    return 7;\n  return k;\n}\n"
    )
    assert told(text) == ""
    assert told(SOLVE, {19: "finish"}, most=3) == ""


def test_otherwise_is_only_said_right_behind_its_test() -> None:
    text = (
        "int f(int a, int b)\n{\n  if(a > 0)\n  {\n    if(b > 0)\n      reflect(a, a - 1);\n  }\n"
        "  else\n    conjugate(a, b - 1);\n  return 0;\n}\n"
    )
    assert "where `a > 0` fails: call `conjugate`" in told(text)


def test_branches_that_differ_in_an_argument_are_told_apart() -> None:
    text = """int f(int mode, int n, const T* alpha, T* x)
{
  if(mode == device)
    LAUNCH((finish<T>), 1, 64, 0, stream, n, alpha, x);
  else
    LAUNCH((finish<T>), 1, 64, 0, stream, n, *alpha, x);
  return 0;
}
"""
    words = told(text, {4: "finish", 6: "finish"})
    assert "holds: launch `finish<T>`, given `n, alpha, x`;" in words
    assert "otherwise: launch `finish<T>`, given `n, *alpha, x`;" in words


def test_what_is_worked_out_for_a_launch_is_told_with_it() -> None:
    text = """int f(int n, T* x, int incx, int offset)
{
  auto shift = incx < 0 ? offset - incx * (n - 1) : offset;
  LAUNCH((finish<T>), 1, 64, 0, stream, n, x, shift);
  return 0;
}
"""
    words = told(text, {4: "finish"})
    assert "given `n, x, shift`" in words
    assert "`shift` is `incx < 0 ? offset - incx * (n - 1) : offset`" in words


def test_what_is_read_before_it_is_overwritten_keeps_its_place() -> None:
    text = """void f(int n, T* x, T* y, T c, T s)
{
  if(n > 0)
  {
    auto was = c * x[n] + s * y[n];
    y[n] = c * y[n] - s * x[n];
    x[n] = was;
  }
}
"""
    words = told(text)
    assert "take `was` as `c * x[n] + s * y[n]`, then set `y[n]`" in words
    assert "Here `was`" not in words


def test_a_parameter_that_is_changed_or_a_call_that_has_no_words_is_not_passed_over() -> None:
    text = "void f(int n, T* x)\n{\n  if(n < 4)\n    return;\n  n -= 4;\n  x[n] = n;\n}\n"
    assert told(text).startswith("Its main steps, in this order: ")
    other = text.replace("n -= 4;", "prepare(x);")
    assert told(other).startswith("Its main steps, in this order: ")
    assert told(text.replace("  n -= 4;\n", "")).startswith("What it does, in this order: ")
