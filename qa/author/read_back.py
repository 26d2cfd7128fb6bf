"""Launches that hang on what a kernel has computed: the host reads it back and decides by it.

A recorded call has no device, so that what it reads back is not what a kernel would have written.
How often such a launch is made, and with which grid, a recording cannot say.
"""

from __future__ import annotations

import re

from qa.reading.function import read_function
from qa.scope_view import FunctionView, ScopeView

_COPY = re.compile(
    r"\bhipMemcpy\w*\s*\(\s*(?:\([^()]*\)\s*)?&?\s*([A-Za-z_]\w*)[^;]*?(?:DeviceToHost|DtoH)[^;]*;"
)
_DECIDING = re.compile(r"\b(?:if|while|for|switch|dim3\s+\w+)\s*(?:constexpr\s*)?\(")


def decided_by_data(view: ScopeView) -> set[str]:
    """Names of kernels whose launches depend on values read back from the device."""

    def make() -> set[str]:
        lines = {function.id: first_line(function) for function in view.functions}
        return {
            site.callee.name for site in view.launches
            if not site.dead and (begin := lines.get(site.caller.id)) and site.at.start_line >= begin
        }  # fmt: skip

    return view.once("kernels decided by data", make)


def first_line(function: FunctionView) -> int:
    """Line from which on a host function's launches depend on values read back; 0 for none."""
    if function.kind in ("kernel", "device") or function.span is None:
        return 0
    begins = []
    reading = read_function(function.text, function.span.start_line)
    for copy in _COPY.finditer(function.text):
        line = function.span.start_line + function.text.count("\n", 0, copy.start())
        guards = [g for c in reading.calls if c.first <= line <= c.last for g in c.guards]
        if any("pointer_mode" in guard.condition for guard in guards):
            continue  # a scalar that a call in host pointer mode brings with it
        around = [loop for loop in reading.loops if loop.first <= line <= loop.last]
        name = re.compile(rf"\b{copy[1]}\b")
        if any(name.search(loop.condition) for loop in around) or any(
            name.search(test) for test in _tests(function.text[copy.end() :])
        ):
            begins.append(min([line, *(loop.first for loop in around)]))
    return min(begins, default=0)


def _tests(text: str) -> list[str]:
    """What stands in the parentheses of tests, loops and grids."""
    found = []
    for match in _DECIDING.finditer(text):
        depth = 1
        for place in range(match.end(), len(text)):
            depth += (text[place] == "(") - (text[place] == ")")
            if depth == 0:
                found.append(text[match.end() : place])
                break
    return found
