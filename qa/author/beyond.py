"""Calls past the boundary of what a trace records: launches that it cannot have seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from extractor.records import Span
from qa.author.draft import Draft, code, listed


def handed_on(trace: Mapping[str, Any]) -> list[str]:
    """Functions beyond the library's own kernels to which a recorded call handed work."""
    return list(dict.fromkeys(_plain(str(name)) for name in trace.get("boundaries") or ()))


def _plain(symbol: str) -> str:
    """The last name in a mangled symbol, else the text itself."""
    rest = re.sub(r"^_ZN?[KVr]*", "", symbol)
    name = ""
    while (match := re.match(r"(\d+)", rest)) is not None:
        size = int(match[1])
        name, rest = rest[match.end() : match.end() + size], rest[match.end() + size :]
        if not symbol.startswith("_ZN"):
            break
    return name or symbol


def tell_beyond(draft: Draft, trace: Mapping[str, Any], call: str = "the call") -> bool:
    """Says that a call also launches what its trace cannot show; whether it does."""
    names = handed_on(trace)
    if not names:
        return False
    shown: list[str] = []
    spans: list[Span] = []
    for name in names:
        found = _where_called(draft, name)
        if found is not None:
            shown.append(name)
            spans += found
    to = f" to {listed([code(n) for n in shown])}" if len(shown) == len(names) else " out as well"
    draft.say(
        f"Besides these {call} hands work{to}, and what is launched for that lies in another library and was not recorded.",
        *spans, "trace",
    )  # fmt: skip
    return True


def _where_called(draft: Draft, name: str) -> list[Span] | None:
    """Lines of the scope that call a function beyond it; ``None`` where no caller is known."""
    view = draft.view
    for boundary in view.boundaries:
        if boundary["name"].split("(")[0].split("::")[-1] != name:
            continue
        for caller in (view.owner[c] for c in boundary["callers"] if c in view.owner):
            if caller.span is None:
                continue
            for number, row in enumerate(caller.text.split("\n")):
                if re.search(rf"\b{re.escape(name)}\b", row):
                    return [
                        draft.head(caller),
                        draft.lines(caller, caller.span.start_line + number),
                    ]
    return None
