"""Instructions whose answer is a kernel cut out of its library, a file that compiles alone."""

from __future__ import annotations

import re

from qa.author.draft import Draft, code, listed
from qa.gates.compilation import code_digest
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView
from qa.slices import KernelSlice

_MOST_NAMED = 8
_LONGEST = 700
_INCLUDE = re.compile(r"^#include\s*<([^>]+)>", re.M)


def cut_out(ground: Ground, function: FunctionView) -> KernelSlice | None:
    """The kernel's slice, where there is one that compiles and that a person can read."""
    found = ground.slices.get(function.id)
    if found is None or not found.architectures or found.record.lines > _LONGEST:
        return None
    return found


def deliver(draft: Draft, view: ScopeView, function: FunctionView, cut: KernelSlice) -> str:
    """What is to be handed in: one file, what it brings along, and what it must compile for."""
    included = _INCLUDE.findall(cut.code)
    kinds = dict.fromkeys(
        view.by_id[one].name for one in cut.record.functions
        if one in view.by_id and one != function.id
    )  # fmt: skip
    named = [code(name) for name in list(kinds)[:_MOST_NAMED]]
    rest = len(kinds) - len(named)
    brings = ""
    if named:
        more = [*named, f"{rest} more"] if rest else named
        brings = f" It brings along what it needs of the library: the helpers {listed(more)}, with their types and constants."
    headers = listed([code(f"<{one}>") for one in included])
    return (
        draft.choose(
            f"Hand in one file that includes {headers} and nothing else,",
            f"The answer is one file of its own, with no other header than {headers},",
            f"Give a single file; {headers} {'is' if len(included) == 1 else 'are'} all it may include,",
            salt="file",
        )
        + f" and that compiles for {listed(list(cut.architectures))}.{brings}"
        + f" At its end it instantiates the kernel as {code(_instantiated(cut))}."
    )


def _instantiated(cut: KernelSlice) -> str:
    """The instantiation without its function parameters."""
    text = re.sub(r"^void ", "", cut.record.demangled.replace("(anonymous namespace)::", ""))
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "<") - (sign == ">" and text[place - 1] != "-")
        if sign == "(" and depth == 0:
            return text[:place]
    return text


def answer(draft: Draft, cut: KernelSlice) -> None:
    """Makes the slice the answer, with the claim that it compiles."""
    draft.answer = cut.code
    draft.cite(*cut.record.spans)
    draft.archs = cut.architectures
    draft.claim(
        "compiles",
        cut.record.name,
        {
            "function": cut.record.function,
            "instantiation": cut.record.instantiation,
            "architectures": list(cut.architectures),
            "flags": list(cut.record.flags),
            "same_machine_code": [a for a, same in sorted(cut.record.equal.items()) if same],
            "sha256": code_digest(cut.code),
        },
        "compiler",
    )
