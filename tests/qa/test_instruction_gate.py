"""The gate that holds instructions against the code that they ask for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.framing import framed
from qa.gates.instructions import as_in_the_code

CODE = """template <typename T>
status work_impl(handle handle, int n, T* x)
{
    using S = decltype(lib_real(T{}));
    size_t one, two;
    work_sizes(n, &one, &two);
    if(n > 4)
        set_sizes(handle, one, two, 0, flag);
    return LIB_API(work_template)<T>(handle, n, x, 0, (S*)one);
}
"""
SIGNATURE = "```cpp\nstatus work_impl(handle handle, int n, T* x)\n```"
KERNEL = """__device__ void part(float* x)
{
    __syncthreads();
    x[0] = 1;
    __syncthreads();
}
template <int DIM_X> __global__ void k(int n, float* x)
{
    int i = blockIdx.x * DIM_X + threadIdx.x;
    __syncthreads();
    if(i < n)
        part(x + i);
}
"""
KERNEL_SIGNATURE = "```cpp\ntemplate <int DIM_X> __global__ void k(int n, float* x)\n```"


def verdict(words: str, code: str = CODE, signature: str = SIGNATURE, kind: str = "") -> str:
    entry = SimpleNamespace(
        kind=kind or "kernel_implementation", question=f"Write it.\n\n{signature}\n\n{words}",
        answer=code,
    )  # fmt: skip
    case: Any = SimpleNamespace(is_code=entry.kind != "qa", entry=entry, evidence_functions=[])
    return as_in_the_code(case) or ""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("(1) call `work_sizes`, given `n, &one, &two`.", ""),
        ("(1) call `lib_real`.", "never evaluated"),
        ("(1) call `LIB_API`, given `work_template`.", "macro that makes"),
        ("(1) call `LIB_API(work_template)<T>`, given `handle, n, x, 0, (S*)one`.", ""),
        ("(1) call `set_sizes`, given `one`, `two` and `0` besides your own arguments.", "flag"),
        ("(1) call `set_sizes`, given `one`, `two`, `0` and `flag` besides your own.", ""),
        ("(1) where `n > 4` holds: launch `k<T>`; (2) otherwise: launch `k<T>`.", "read the same"),
        ("(1) where `n > 4` holds: launch `k`, given `x`; (2) otherwise: launch `k`.", ""),
    ],
)
def test_calls_of_an_instruction_are_those_of_the_code(words: str, reason: str) -> None:
    assert (reason in verdict(words)) if reason else not verdict(words)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Cooperation: 1 barrier orders its phases.", "2 barriers stand in functions"),
        ("Cooperation: 2 barriers order its phases.", "1 barriers of its own, not 2"),
        (
            "1 barrier of its own orders its phases, and in functions that it calls `part` has 2.",
            "",
        ),
        ("Launch contract: At most `DIM_X` threads make a block (launch bounds).", "no limit"),
        ("It is launched with grid `(n)`; at most `DIM_X` threads make a block.", ""),
        ("A block needs exactly `DIM_X` threads; at most `DIM_X` threads make a block.", ""),
    ],
)
def test_barriers_and_blocks_of_an_instruction_are_those_of_the_code(
    words: str, reason: str
) -> None:
    said = verdict(words, KERNEL, KERNEL_SIGNATURE)
    assert (reason in said) if reason else not said


def test_what_stands_in_another_namespace_keeps_it_in_the_answer() -> None:
    def one(name: str, text: str) -> Any:
        return SimpleNamespace(name=name.split("::")[-1], qualified_name=name, text=text)

    conj = one("std::conj", "T conj(const number<T>& z)\n{\n  return {z.x, -z.y};\n}\n")
    own = one("lib::twice", "T twice(T z)\n{\n  return z + z;\n}\n")
    main = one("lib::work", "T work(T z)\n{\n  return twice(std::conj(z));\n}\n")
    code = framed([conj, own], main)
    assert code.startswith("namespace std\n{\nT conj(")
    assert code.count("namespace std") == 2  # with the comment at its end
    assert "namespace lib" not in code
    entry = SimpleNamespace(
        kind="kernel_implementation", question="Write:\n```cpp\nT work(T z)\n```\n", answer=code
    )
    case: Any = SimpleNamespace(is_code=True, entry=entry, evidence_functions=[conj, own, main])
    assert as_in_the_code(case) is None
    member = one("number::abs", "T abs(T x)\n{\n  return x < 0 ? -x : x;\n}\n")
    entry.answer = f"class LIB_EXPORT number\n{{\n{member.text}}};\n{code}"
    case.evidence_functions = [member, conj, own, main]
    assert as_in_the_code(case) is None
    entry.answer = "\n".join(f.text for f in (conj, own, main))
    assert "std::conj does not stand in its namespace" in (as_in_the_code(case) or "")


def test_only_instructions_are_judged() -> None:
    assert not verdict("(1) call `lib_real`.", kind="qa")
