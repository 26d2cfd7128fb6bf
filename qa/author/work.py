"""How the work of a function is told: in a few steps where they are all, else every statement."""

from __future__ import annotations

import re

from qa.author.draft import Draft
from qa.author.narration import narration
from qa.author.outline import INCOMPLETE, outline
from qa.scope_view import FunctionView, ScopeView

_MOST_SMALL_STEPS = 8


def whole(short: str, narrated: str) -> str:
    """The short telling where it leaves nothing out, else the one that tells everything."""
    return short if short and not short.startswith(INCOMPLETE) else narrated or short


def work(draft: Draft, view: ScopeView, function: FunctionView) -> str:
    """The steps of a kernel or device function, what it stores among them."""
    helpers = [f.name for f in view.callees.get(function.id, ()) if f.kind == "device"]
    helpers = [n for n in helpers if not re.match(r"load_|cond_load_|conj$|operator", n)]
    short = outline(draft, function, helpers, {}, _MOST_SMALL_STEPS)
    return whole(short, narration(draft, function, {}))


def workers(view: ScopeView, function: FunctionView) -> list[str]:
    """Functions of the host that it calls and that do something for the operation."""
    return list(dict.fromkeys(
        f.name for f in view.callees.get(function.id, ())
        if f.kind in ("host", "launcher") and not f.infrastructure and len(f.name) > 3
        and "operator" not in f.name and not re.match(r"(?:get|push|pop|is|set)_?[A-Z]|get_stream", f.name)
    ))  # fmt: skip


def launch_lines(view: ScopeView, function: FunctionView) -> dict[int, str]:
    """Kernels that a function launches, by the lines of their launches."""
    return {
        s.at.start_line: s.callee.name
        for s in view.launches if s.caller.id == function.id and not s.dead
    }  # fmt: skip
