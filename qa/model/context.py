"""What a model is shown: the nearest functions first, as much as fits."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from extractor.records import Span
from qa.ground import Ground
from qa.model.budget import tokens_of
from qa.model.prompts import Piece
from qa.scope_view import FunctionView, ScopeView

_MOST_FACTS = 40
_MOST_TRACES = 8
_FACT_SHARE = 0.2


@dataclass(frozen=True)
class Shown:
    """Source, facts and traces of one prompt.

    Attributes:
        pieces: Functions, nearest to the subject first.
        facts: One line each.
        traces: One line each.
        left_out: Functions that did not fit.
    """

    pieces: tuple[Piece, ...]
    facts: tuple[str, ...]
    traces: tuple[str, ...]
    left_out: int

    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """Lines shown, by file."""
        found: dict[str, list[tuple[int, int]]] = {}
        for piece in self.pieces:
            found.setdefault(piece.file, []).append((piece.start, piece.end))
        return found


def nearest(view: ScopeView, subject: FunctionView, level: int) -> list[FunctionView]:
    """Functions by their distance from the subject along calls and launches, launchers first.

    Level 1 has the subject alone, level 2 functions of its file, level 3 all.
    """
    if level == 1:
        return [subject]
    around: dict[str, set[str]] = {}
    for site in (*view.calls, *view.launches):
        if not site.dead:
            around.setdefault(site.caller.id, set()).add(site.callee.id)
            around.setdefault(site.callee.id, set()).add(site.caller.id)
    order = {"kernel": 0, "launcher": 1, "device": 2, "host": 3, "entry_point": 4}
    found, seen = [subject], {subject.id}
    queue = deque([subject])
    while queue:
        current = queue.popleft()
        nearby = [view.by_id[name] for name in around.get(current.id, ()) if name not in seen]
        nearby.sort(key=lambda f: (order.get(f.kind, 5), f.file, f.id))
        for function in nearby:
            seen.add(function.id)
            if function.span is None or function.infrastructure:
                continue
            # What lies behind another kernel or a public call is another story.
            if function.kind not in ("kernel", "entry_point"):
                queue.append(function)
            if level == 3 or function.file == subject.file:
                found.append(function)
    return found


def piece_of(function: FunctionView) -> Piece:
    """A function as a prompt shows it."""
    assert function.span is not None
    return _piece(function.span, function.text, function.name, function.kind)


def pieces_of(spans: Iterable[Span], ground: Ground, view: ScopeView) -> tuple[Piece, ...]:
    """Cited lines as a prompt shows them."""
    made = []
    for span in spans:
        inside = view.overlapping(span)
        name, kind = (inside[0].name, inside[0].kind) if inside else ("", "text")
        made.append(_piece(span, ground.text(span), name, kind))
    return tuple(made)


def _piece(span: Span, text: str, name: str, kind: str) -> Piece:
    rows = text.rstrip("\n").split("\n")
    width = len(str(span.end_line))
    numbered = "\n".join(
        f"{number:>{width}}  {row}" for number, row in enumerate(rows, span.start_line)
    )
    return Piece(span.file, span.start_line, span.end_line, name, kind, numbered)


def shown(view: ScopeView, ground: Ground, subject: FunctionView, level: int, tokens: int) -> Shown:
    """What fits into so many tokens."""
    facts = _facts(view, ground, subject, int(tokens * _FACT_SHARE))
    traces = _traces(view, ground, subject)
    left = tokens - sum(map(tokens_of, (*facts, *traces)))
    pieces: list[Piece] = []
    out = 0
    for function in nearest(view, subject, level):
        piece = piece_of(function)
        needed = tokens_of(piece.numbered)
        if needed > left:
            out += 1
            continue
        left -= needed
        pieces.append(piece)
    return Shown(tuple(pieces), facts, traces, out)


def _facts(view: ScopeView, ground: Ground, subject: FunctionView, tokens: int) -> tuple[str, ...]:
    found: list[str] = []
    for row in ground.facts_of(view.interface, subject.id):
        if row["value"] is None:
            continue
        line = f"{subject.name}: {row['fact']} of {row['subject']} = {_short(row['value'])}"
        for key in ("unit", "arch", "instantiation"):
            if row.get(key):
                line += f", {key} {row[key]}"
        tokens -= tokens_of(line)
        if tokens < 0 or len(found) == _MOST_FACTS:
            break
        found.append(f"{line} (proved by {row['proved_by']})")
    return tuple(dict.fromkeys(found))


def _traces(view: ScopeView, ground: Ground, subject: FunctionView) -> tuple[str, ...]:
    names = {subject.name} | {
        site.callee.name for site in view.launches if site.caller.id == subject.id
    }
    lines: list[str] = []
    shapes: set[str] = set()
    for trace in ground.traces(view.interface):
        launches = [one for one in trace["launches"] if one["kernel"] in names]
        if not launches:
            continue
        said = "; ".join(
            f"{one['kernel']} grid {one['grid']} block {one['block']} LDS {one['shared_bytes']}"
            for one in launches
        )
        if said in shapes:
            continue
        shapes.add(said)
        lines.append(
            f"{trace['entry']}({_short(trace['args'])}) on {', '.join(trace['arch'])}, "
            f"{trace['pointer_mode']} pointer mode: {said}"
        )
        if len(lines) == _MOST_TRACES:
            break
    return tuple(lines)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
