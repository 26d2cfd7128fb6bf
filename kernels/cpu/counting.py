"""Floating-point operations of a unit, counted where they are executed.

Intermediate code is changed as text: in front of the end of every basic block stands a call with
the number of operations in that block. Addition, subtraction, multiplication, division, remainder
and square root count one, a fused multiply-add two, each once for every element of a vector.
Comparisons, conversions, changes of sign and functions of a mathematics library count nothing.
"""

from __future__ import annotations

import re

COUNT = "rocquarry_count_operations"
"""What is called; a library that is loaded before the program defines it."""

_VECTOR = r"(?:<(?P<lanes>\d+) x )?"
_FLOAT = r"(?:half|bfloat|float|double|x86_fp80|fp128)"
_FLAGS = r"(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
_ONE = re.compile(rf"^  %[\w.\"$-]+ = f(?:add|sub|mul|div|rem) {_FLAGS}{_VECTOR}{_FLOAT}\b")
_CALL = re.compile(
    rf"^  %[\w.\"$-]+ = (?:(?:tail|musttail|notail) )?call {_FLAGS}(?:\w+(?:\([^)]*\))? )*"
    rf"{_VECTOR}{_FLOAT}>? @(?P<name>[\w.]+)\("
)
_CALLED = {
    "llvm.fma": 2, "llvm.fmuladd": 2, "fma": 2, "fmaf": 2, "llvm.sqrt": 1, "sqrt": 1, "sqrtf": 1,
}  # fmt: skip
_END = re.compile(r"^  (?:br|ret|switch|unreachable|indirectbr|invoke|resume)\b|^  %\S+ = invoke\b")

COUNTERS = (COUNT, _ONE.pattern, _CALL.pattern, *(f"{n}={c}" for n, c in _CALLED.items()))
"""Changes whenever what is counted does."""


def with_counters(text: str) -> str:
    """Intermediate code that counts its operations.

    Args:
        text: A module of LLVM's intermediate code as its compiler prints it.
    """
    lines: list[str] = []
    found = 0
    inside = False
    for line in text.splitlines():
        if line.startswith("define "):
            inside, found = True, 0
        elif line.startswith("}"):
            inside = False
        elif inside:
            if _END.match(line):
                if found:
                    lines.append(f"  call void @{COUNT}(i64 {found})")
                found = 0
            else:
                found += _operations(line)
        lines.append(line)
    # Weak: nothing defines it when the unit is linked.
    lines.append(f"declare extern_weak void @{COUNT}(i64)")
    return "\n".join(lines) + "\n"


def _operations(line: str) -> int:
    one = _ONE.match(line)
    if one:
        return int(one["lanes"] or 1)
    call = _CALL.match(line)
    if not call:
        return 0
    name = re.sub(r"\.(?:v\d+)?(?:f16|bf16|f32|f64|f80|f128)$", "", call["name"])
    return _CALLED.get(name, 0) * int(call["lanes"] or 1)
