"""An instruction that tells every statement: nested as in the source, nothing left out unsaid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.author.draft import Draft
from qa.author.narration import narration
from qa.reading.function_text import macros_written_out

SUM = """template <int NB, typename T>
__global__ void sum_kernel(int n, const T* x, T* out)
{
    extern __shared__ double lmem[];
    T* part = reinterpret_cast<T*>(lmem); // one a thread
    int tid = threadIdx.x, batch = blockIdx.z;
    T sum;
#if WIDE
    for(; batch < n; batch += 65535)
    {
#endif
    sum = 0;
    for(int i = tid; i < n; i += NB)
        sum += x[i];
    part[tid] = sum;
    __syncthreads();
    if(tid >= NB)
        return;
    else if(tid == 0)
    {
        for(int i = 1; i < NB; ++i)
            part[0] += part[i];
        out[batch] = part[0];
    }
    while(n > tid)
        n--;
#if WIDE
    }
#endif
}
"""


def told(text: str, launched: dict[int, str] | None = None) -> str:
    draft: Any = SimpleNamespace(choose=lambda *forms, **_k: forms[0])
    function: Any = SimpleNamespace(
        text=text, span=Span(file="a.hpp", start_line=1, end_line=text.count("\n"), sha256="0" * 64)
    )
    return narration(cast(Draft, draft), function, launched or {})


def test_every_statement_is_told_as_deep_as_it_stands() -> None:
    assert told(SUM).split("\n\n", 1)[1] == "\n".join(
        [
            "(1) `__shared__ double lmem[]` is memory of the block, `part` is "
            "`reinterpret_cast<T*>(lmem)`, `tid` is `threadIdx.x` and `batch` is `blockIdx.z`",
            "(2) declare `T sum`",
            "(3) in `for(; batch < n; batch += 65535)`, a loop that only a build with `WIDE` has, "
            "others run its body once:",
            "  - set `sum` to `0`",
            "  - for `i` from `tid` on in steps of `NB`, as long as it is below `n`: "
            "raise `sum` by `x[i]`",
            "  - set `part[tid]` to `sum`",
            "  - wait at `__syncthreads` for the whole block",
            "  - where `tid >= NB` holds: return",
            "  - otherwise, where `tid == 0` holds:",
            "    - for `i` from `1` on, as long as it is below `NB`: raise `part[0]` by `part[i]`",
            "    - set `out[batch]` to `part[0]`",
            "  - as long as `n > tid` holds: lower `n` by 1",
        ]
    )


def test_an_otherwise_belongs_to_the_test_above_it() -> None:
    rows = told("void f(int a, int b)\n{\n  if(a)\n    if(b)\n      a = 1;\n  a = 2;\n}\n")
    assert "(1) where `a` holds:\n  - where `b` holds: set `a` to `1`\n(2) set" in rows


def test_a_choice_by_value_keeps_its_labels() -> None:
    text = (
        "int f(int a)\n"
        "{\n"
        "  switch(a)\n"
        "  {\n"
        "  case 1:\n"
        "  case 2: return 5;\n"
        "  default: a = 3; break;\n"
        "  }\n"
        "  return a;\n"
        "}\n"
    )
    rows = told(text)
    assert "(1) by the value of `a`:\n  - for `1` or `2`: return `5`\n" in rows
    assert "  - for any other: set `a` to `3`\n(2) return `a`" in rows


def test_a_launch_is_told_with_its_grid_and_its_arguments() -> None:
    text = (
        "int f(int n)\n"
        "{\n"
        "  int blocks = n / 64;\n"
        "  LAUNCH((k<64, T>), blocks, 64, 0, stream, n, x);\n"
        "  return 0;\n"
        "}\n"
    )
    launch = "launch `k<64, T>` with grid `blocks`, block `64`, on `stream`, given `n, x`"
    assert launch in told(text, {4: "k"})


def test_what_another_build_has_is_told() -> None:
    text = (
        "void f(int n)\n"
        "{\n"
        "  g(n);\n"
        "#ifdef NDEBUG\n"
        "  if(n)\n"
        "    g(1);\n"
        "  else\n"
        "    g(2);\n"
        "#else\n"
        "  check(n);\n"
        "#endif\n"
        "  n = 1;\n"
        "}\n"
    )
    rows = told(text).split("\n\n")[1].split("\n")
    assert rows == [
        "(1) call `g(n)`",
        "(2) in a build with `NDEBUG`: where `n` holds: call `g(1)`",
        "(3) in a build with `NDEBUG`: otherwise: call `g(2)`",
        "(4) in a build without `NDEBUG`: `check(n);`",
        "(5) set `n` to `1`",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "goto end;",
        "auto g = [&](int i) { int j = i; return j; };",
        "switch(a) { case 1: a = 2; case 2: a = 3; }",
        "throw 1;",
    ],
)
def test_what_has_no_words_leaves_nothing_half_told(statement: str) -> None:
    assert told(f"void f(int a)\n{{\n  a = 1;\n  {statement}\n  a = 2;\n}}\n") == ""


def test_memory_of_the_block_is_told_whatever_its_extents() -> None:
    text = (
        "void k(T* x)\n{\n  extern __shared__ double lsmem[];\n"
        "  __shared__ T la[D * (2 * E)];\n  la[0] = x[0];\n  x[1] = la[0] + lsmem[0];\n}\n"
    )
    words = told(text)
    assert "`__shared__ T la[D * (2 * E)]` is memory of the block" in words
    assert "`__shared__ double lsmem[]` is memory of the block" in words


def test_macros_of_the_body_are_written_out_where_they_are_used() -> None:
    text = """void f(int n, T* x)
{
#define GIVEN(of_) \\
    n, of_, \\
    x
  if(n > 0)
    send(GIVEN(n + 1));
#undef GIVEN
  x[0] = GIVEN;
}
"""
    shown = macros_written_out(text)
    assert shown.count("\n") == text.count("\n")
    assert "send(n, n + 1, x);" in shown
    assert "x[0] = GIVEN;" in shown
    assert "#" not in shown
