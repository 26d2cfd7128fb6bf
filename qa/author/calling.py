"""How a device function is called, and what enumerations and masks an answer brings along."""

from __future__ import annotations

import re
from collections.abc import Collection

from qa.author.draft import code, listed
from qa.reading.function import read_function
from qa.reading.function_text import without_comments
from qa.reading.lanes import spelled_out
from qa.scope_view import FunctionView, ScopeView

_MOST_CALLERS, _MOST_MEMBERS, _LONGEST = 2, 8, 60
_ENUM = re.compile(r"\benum\s+(?:class\s+)?(\w+)[^{};]*\{([^{}]*)\}")
_ANSWERS = re.compile(
    r"\bstruct\s+(\w+)[^{};]*\{[^{}]*?\b(operator\s*(?:\(\)|\[\]))\s*\([^()]*\)[^{};]*"
    r"\{\s*return\s+([^;{}]+);\s*\}"
)


def calling(view: ScopeView, function: FunctionView) -> str:
    """What callers of a device function give it in LDS and of thread numbers; or nothing."""
    if function.span is None:
        return ""
    parameters = read_function(function.text, function.span.start_line).parameters
    told: dict[str, None] = {}
    callers = [
        one for one in view.functions
        if function in view.callees.get(one.id, ()) and one.span is not None
    ]  # fmt: skip
    for caller in callers:
        assert caller.span is not None
        reading = read_function(caller.text, caller.span.start_line)
        arrays = {a.name: "".join(f"[{e}]" for e in a.extents) for a in reading.shared}
        for call in reading.calls_of(function.name)[:1]:
            parts = []
            for parameter, argument in zip(parameters, call.arguments, strict=False):
                if argument in arrays:
                    size = arrays[argument]
                    parts.append(f"{code(parameter.name)} is {code(argument + size)} in LDS")
                    continue
                made = spelled_out(argument, reading, caller.text)
                if "threadIdx" in made and len(made) <= _LONGEST:
                    parts.append(f"{code(parameter.name)} is {code(made.strip('()'))}")
            if parts:
                told[f"{code(caller.name)} calls it so that {listed(parts)}"] = None
    if not told or len(told) > _MOST_CALLERS:
        return ""
    return f"Calling contract: {'; '.join(told)}."


def brought_types(answer: str, told: str, public: Collection[str] = ()) -> str:
    """Enumerations of an answer's code that it hangs on, and structures that give one answer.

    Args:
        answer: The code.
        told: The instruction so far; what it tells is not told again.
        public: Enumerators of public headers, which need no word.
    """
    bare = without_comments(answer)
    parts = []
    for name, body in _ENUM.findall(bare):
        members = [m.split("=")[0].strip() for m in body.split(",") if m.strip()]
        used = [m for m in members if m not in public and len(re.findall(rf"\b{m}\b", bare)) > 1]
        if used and len(members) <= _MOST_MEMBERS and f"`{members[0]}`" not in told:
            parts.append(f"the enumeration {code(name)} has {listed([code(m) for m in members])}")
    for name, operator, value in _ANSWERS.findall(bare):
        answers = re.sub(r"\s+", " ", value).strip()
        if len(answers) <= _LONGEST and f"`{name}` has" not in told:
            parts.append(f"{code(name)} has {code(operator)}, which gives {code(answers)}")
    return f"Among its types {listed(parts)}." if parts else ""
