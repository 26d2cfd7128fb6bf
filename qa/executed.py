"""A recorded call as it ran: the way that it took, and how each test on it came out."""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from extractor.records import Span
from extractor.trace.branches import Executed, Function, Region
from qa.reading.function import Branch
from qa.scope_view import FunctionView, ScopeView, Site
from qa.text.brackets import split_at, unwrapped

_SPACE = re.compile(r"\s+")
_NEAR = 16
_ONE = re.compile(r"[\w.:>\-]+(?:\(.*\))?", re.S)
_CAST = re.compile(r"^(?:\(\s*bool\s*\)|static_cast\s*<\s*bool\s*>)\s*")


@dataclass(frozen=True)
class _Operand:
    """An operand of a test with its line, and how it came out."""

    line: int
    held: int
    failed: int


class Run:
    """What one call executed on one architecture, in terms of a scope.

    Args:
        view: The scope.
        executed: What ran.
    """

    def __init__(self, view: ScopeView, executed: Executed) -> None:
        self._view = view
        self._functions: dict[str, Function] = {
            f.symbol: f for f in executed.functions if f.symbol in view.symbols
        }
        self._operands: dict[str, dict[str, list[_Operand]]] = {}
        self._ways: dict[tuple[str, ...], list[tuple[str, Span | None]]] = {}
        self._calls: dict[tuple[str, str], list[tuple[str, Span]]] = {}

    def ran(self, function: FunctionView) -> list[Function]:
        """Instantiations of a definition that ran."""
        symbols = dict.fromkeys(one["symbol"] for one in function.instantiations)
        return [self._functions[s] for s in symbols if s in self._functions]

    def count(self, function: FunctionView, line: int, name: str = "") -> int | None:
        """How often a line of a definition ran; ``None`` where the definition did not run.

        Args:
            function: The definition.
            line: Counted from 1 in its file.
            name: What is called on the line, where it may stand behind a test.
        """
        column = _column(function, line, name)
        counts = [
            n for one in self.ran(function)
            if (n := one.runs(function.file, line, column)) is not None
        ]  # fmt: skip
        return sum(counts) if counts else None

    def rounds(self, function: FunctionView, condition: str, line: int) -> tuple[int, int]:
        """How often the condition of a loop held, and how often it ended the loop."""
        rows = self._at(function, _CAST.sub("", unwrapped(condition)), line)
        return sum(r.held for r in rows), sum(r.failed for r in rows)

    def asks(self, function: FunctionView, condition: str) -> bool:
        """Whether the call came to some operand of a condition."""
        text = _CAST.sub("", unwrapped(condition))
        pieces = [one for part in split_at(text, "||") for one in split_at(part, "&&")]
        if len(pieces) > 1:
            return any(self.asks(function, piece) for piece in pieces)
        bare = [text, unwrapped(text[1:])] if text.startswith("!") else [text]
        return any(r.held or r.failed for one in bare for r in self._at(function, one, 0))

    def truth(
        self,
        function: FunctionView,
        condition: str,
        line: int = 0,
        otherwise: Callable[[str], bool | None] | None = None,
    ) -> bool | None:
        """How a condition of a definition came out, every time that it was asked.

        Args:
            function: The definition.
            condition: As written.
            line: Its line, where the same text may stand at several.
            otherwise: Asked for operands that did not come out, such as those that the compiler
                decides.

        Returns:
            ``None`` where it came out both ways, or was not asked.
        """
        text = _CAST.sub("", unwrapped(condition))
        for sign, by_one in (("||", True), ("&&", False)):
            pieces = split_at(text, sign)
            if len(pieces) > 1:
                truths = [self.truth(function, one, line, otherwise) for one in pieces]
                if by_one in truths:
                    return by_one  # each time that those before it left it open
                return (not by_one) if None not in truths else None
        rows = self._at(function, text, line)
        held, failed = sum(r.held for r in rows), sum(r.failed for r in rows)
        if held and failed:
            return None
        if held or failed:
            return held > 0
        if text.startswith("!") and not text.startswith("!="):
            inner = unwrapped(text[1:])
            if _ONE.fullmatch(inner) or text[1:].strip().startswith("("):
                truth = self.truth(function, inner, line, otherwise)
                return None if truth is None else not truth
        return otherwise(text) if otherwise is not None else None

    def taken(self, function: FunctionView, branch: Branch) -> bool | None:
        """Whether the call took an ``if``; ``None`` where it did so only sometimes, or never came
        to it."""
        truth = self.truth(function, branch.condition, branch.first)
        if truth is not None:
            return truth
        begin = _consequence(function, branch)
        outcomes: set[bool] = set()
        for one in self.ran(function):
            inner = [r for r in one.regions if r.file == function.file and r.place[:2] == begin]
            if not inner:
                return None
            around = _around(one, function.file, inner[0])
            if around is None or not around.count:
                continue
            if 0 < inner[0].count < around.count:
                return None
            outcomes.add(inner[0].count > 0)
        return outcomes.pop() if len(outcomes) == 1 else None

    def _at(self, function: FunctionView, text: str, line: int) -> list[_Operand]:
        rows = self._rows(function).get(_SPACE.sub("", text), [])
        return [row for row in rows if line <= row.line <= line + _NEAR] if line else rows

    def _rows(self, function: FunctionView) -> Mapping[str, list[_Operand]]:
        if function.id not in self._operands:
            rows: dict[str, list[_Operand]] = {}
            for one in self.ran(function):
                for test in one.tests:
                    text = _text(function, test.file, test.place)
                    if text:
                        key = _SPACE.sub("", _CAST.sub("", unwrapped(text)))
                        rows.setdefault(key, []).append(
                            _Operand(test.place[0], test.held, test.failed)
                        )
            self._operands[function.id] = rows
        return self._operands[function.id]

    def way(
        self, entry: str, config: str, symbol: str, through: str | None = None
    ) -> list[tuple[str, Span | None]]:
        """The way from an entry point to an instantiation that the call took.

        The shortest one where it took several; arguments as for ``ScopeView.path``.

        Returns:
            Instantiations with the place of the call, the entry first; empty where the call did not
            get there by calls that the scope knows.
        """
        key = (entry, config, symbol, through or "")
        if key not in self._ways:
            self._ways[key] = self._way(entry, config, symbol, through)
        return list(self._ways[key])

    def _way(
        self, entry: str, config: str, symbol: str, through: str | None
    ) -> list[tuple[str, Span | None]]:
        starts = self._view.entry_ids(entry)
        seen: dict[str, tuple[str, Span] | None] = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            current = queue.popleft()
            calls = (current, config)
            if calls not in self._calls:
                self._calls[calls] = list(self._edges(current, config))
            for target, at in self._calls[calls]:
                if target == symbol or target.split("@")[0] == symbol:
                    if through is None or self._view.owner[current].id == through:
                        trail: list[tuple[str, Span | None]] = [(target, at)]
                        step = seen[current]
                        trail.append((current, step[1] if step else None))
                        while step is not None:
                            before = seen[step[0]]
                            trail.append((step[0], before[1] if before else None))
                            step = before
                        return trail[::-1]
                elif target not in seen:
                    seen[target] = (current, at)
                    queue.append(target)
        return []

    def _edges(self, current: str, config: str) -> Iterator[tuple[str, Span]]:
        """Calls and launches of an instantiation whose lines ran."""
        symbol = current.split("@")[0]
        one = self._functions.get(symbol)
        if one is None:
            return
        for target, at, configs in self._view.edges.get(current, ()):
            if config not in configs or not self._made(one, current, target, at):
                continue
            owner = self._view.owner.get(target)
            if owner is None or owner.kind == "kernel" or target.split("@")[0] in self._functions:
                yield target, at

    def made(self, sites: list[Site]) -> list[Site]:
        """Those of some launch sites whose lines ran."""
        return [s for s in sites if self.count(s.caller, s.at.start_line, s.callee.name)]

    def _made(self, one: Function, caller: str, target: str, at: Span) -> bool:
        """A call or launch was made, as far as its line tells; a macro's has none."""
        function, following = self._view.owner.get(caller), self._view.owner.get(target)
        name = following.name if following is not None else ""
        if function is None or function.file != at.file:
            return True
        return one.runs(at.file, at.start_line, _column(function, at.start_line, name)) != 0


def _column(function: FunctionView, line: int, name: str) -> int:
    """Where a name stands on a line of a definition, else the line's first character."""
    assert function.span is not None
    return _column_in(function.text, line - function.span.start_line, name)


@functools.lru_cache(maxsize=1 << 14)
def _column_in(text: str, number: int, name: str) -> int:
    rows = text.split("\n", number + 1)
    row = rows[number] if number < len(rows) else ""
    match = re.search(rf"\b{re.escape(name)}\b", row) if name else None
    return (match.start() if match is not None else len(row) - len(row.lstrip())) + 1


def _text(function: FunctionView, file: str, place: tuple[int, int, int, int]) -> str:
    """A part of a definition as written; empty outside of it."""
    if function.span is None or file != function.file:
        return ""
    first, column, last, end = place
    lines = function.text.split("\n")
    rows = lines[first - function.span.start_line : last - function.span.start_line + 1]
    if first < function.span.start_line or len(rows) != last - first + 1:
        return ""
    rows[-1] = rows[-1][: end - 1]
    rows[0] = rows[0][column - 1 :]
    return "\n".join(rows)


def _consequence(function: FunctionView, branch: Branch) -> tuple[int, int]:
    """Line and column at which what an ``if`` guards begins; zeros where that was not found."""
    assert function.span is not None
    rows = function.text.split("\n")[branch.first - function.span.start_line :]
    text = "\n".join(rows)
    match = re.search(r"\bif\b(?:\s*constexpr)?\s*\(", text)
    if match is None:
        return (0, 0)
    depth, at = 1, match.end()
    while at < len(text) and depth:
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    at += len(text[at:]) - len(text[at:].lstrip())
    line = branch.first + text.count("\n", 0, at)
    return (line, at - (text.rfind("\n", 0, at) + 1) + 1)


def _around(one: Function, file: str, inner: Region) -> Region | None:
    """The smallest part of a function that lies around another."""
    found = [
        r for r in one.regions
        if r is not inner and r.file == file and r.place[:2] <= inner.place[:2]
        and inner.place[2:] <= r.place[2:]
    ]  # fmt: skip
    return min(found, key=lambda r: (r.place[2] - r.place[0], r.place[3]), default=None)
