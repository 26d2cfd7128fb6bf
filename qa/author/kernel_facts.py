"""The facts of one kernel, sorted by what they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from extractor.records import Span
from qa.author.draft import Draft
from qa.author.numbers import put_into
from qa.author.subjects import types_of
from qa.ground import Ground
from qa.reading.access_guards import needed_at
from qa.reading.element_types import BYTES
from qa.reading.function import FunctionReading, read_function
from qa.reading.lanes import makes, spelled_out
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Unknown, Value, evaluate, names_in
from qa.text.brackets import split_at, unwrapped

_PARAMETERS: dict[str, int] = {"incx": 2, "incy": 3, "inc": 2, "batch_count": 2, "alpha": 1}
_CLAIMED = frozenset(
    ("array", "buffer", "access", "index", "class", "stride", "condition", "resolved", "divergent",
     "equals", "then", "else", "bytes", "elements", "type", "mfma", "lds", "global", "barrier")
)  # fmt: skip
_ONE = re.compile(
    r"\(?threadIdx\.x\)? == [^=<>]+|[^=<>]+ == \(?threadIdx\.x\)?|!\s*\(?threadIdx\.x\)?"
)
_INDEX = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz]\b")


@dataclass(frozen=True)
class Row:
    """One fact with its line, and the fact as its claim needs it."""

    line: int
    column: int
    value: dict[str, Any]
    fact: dict[str, Any]

    @property
    def span(self) -> Span:
        """The lines that show it."""
        return Span(**self.fact["span"])


@dataclass
class KernelFacts:
    """What tools proved about a kernel.

    Attributes:
        function: The kernel.
        reading: Its text, read.
        rows: Facts by their name, one for each place, those of the first instantiation.
    """

    function: FunctionView
    ground: Ground
    reading: FunctionReading
    rows: dict[str, list[Row]] = field(default_factory=dict)
    _chosen: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)

    def of(self, name: str, *, own: bool = True) -> list[Row]:
        """Facts of a kind in the order of the text; ``own`` leaves out those of called functions."""
        span = self.function.span
        assert span is not None
        return [
            row for row in self.rows.get(name, ())
            if not own or (
                row.fact["span"] is not None and row.fact["span"]["file"] == span.file
                and span.start_line <= row.fact["span"]["start_line"] <= span.end_line
                and not row.value.get("through")
            )
        ]  # fmt: skip

    def types(self, preferred: str = "float") -> tuple[int, dict[str, str]]:
        """An instantiation, of the preferred element type where there is one, and its arguments."""
        if preferred not in self._chosen:
            self._chosen[preferred] = self._choose(preferred)
        number, types = self._chosen[preferred]
        return number, dict(types)

    def _choose(self, preferred: str) -> tuple[int, dict[str, str]]:
        def rank(number: int) -> tuple[int, int, int, int]:
            arguments = self.function.instantiations[number]["template_arguments"]
            # Arrays of pointers are indexed by the batch first, and offsets start anew in each.
            arrays = self.arrays(number)
            kinds = [re.sub(r"[\s*]|const", "", a) for a in arguments]
            others = sum(kind in BYTES and kind not in (preferred, "int") for kind in kinds)
            return (arrays, others, -kinds.count(preferred), number)

        best = min(range(len(self.function.instantiations)), key=rank, default=0)
        return best, types_of(self.function, best)

    def symbol(self) -> str:
        """The mangled name of that instantiation."""
        number, _types = self.types()
        rows = self.function.instantiations[number : number + 1]
        return str(rows[0]["symbol"]) if rows else ""

    def arrays(self, number: int) -> int:
        """How many parameters of an instantiation are arrays of pointers, one for each problem."""
        bound = types_of(self.function, number)
        kinds = (
            re.sub(r"[A-Za-z_]\w*", lambda m: bound.get(m[0], m[0]), p.type)
            for p in self.reading.parameters
        )
        return sum(kind.count("*") > 1 for kind in kinds)

    def holds(self, row: Row) -> bool:
        """The fact is about that instantiation, about all, or about one with as plain a buffer."""
        return row.fact.get("instantiation") in (None, self.symbol()) or (
            "[" not in str(row.value.get("buffer")) and not self.arrays(self.types()[0])
        )


def kernel_facts(view: ScopeView, ground: Ground, function: FunctionView) -> KernelFacts:
    """Collects the facts of a kernel; once for each scope."""
    return view.once(f"facts of {function.id}", lambda: _kernel_facts(view, ground, function))


def _kernel_facts(view: ScopeView, ground: Ground, function: FunctionView) -> KernelFacts:
    assert function.span is not None
    found = KernelFacts(function, ground, read_function(function.text, function.span.start_line))
    seen: set[tuple[str, str, str]] = set()
    symbol = found.symbol()
    facts = ground.facts_of(view.interface, function.id)
    for fact in sorted(facts, key=lambda f: f.get("instantiation") not in (None, symbol)):
        value = fact["value"]
        if value is None or fact["span"] is None:
            continue
        if fact.get("arch") and fact.get("proved_by") == "ast":
            continue  # the text is another one elsewhere, and sentences of a text name none
        shaped = value if isinstance(value, dict) else {"value": value}
        key = (fact["fact"], fact["subject"], str(shaped.get("array", shaped.get("buffer", ""))))
        if key in seen and fact["fact"] not in ("lds_array", "lds_bytes"):
            continue
        seen.add(key)
        place = fact["subject"].split(":")
        numbers = [int(part) for part in place[1:] if part.isdigit()]
        line = numbers[0] if numbers else fact["span"]["start_line"]
        column = numbers[1] if len(numbers) > 1 else 0
        found.rows.setdefault(fact["fact"], []).append(Row(line, column, shaped, fact))
    for rows in found.rows.values():
        rows.sort(key=lambda row: (row.line, row.column))
    return found


def claim_fact(draft: Draft, row: Row) -> None:
    """Claims what an answer says of a fact, and no more of it."""
    fact, value = row.fact, row.fact["value"]
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if key in _CLAIMED}
    said = {key: fact.get(key) for key in ("fact", "function", "subject", "arch", "instantiation")}
    draft.claim(
        "fact", fact["function"].rsplit(":", 1)[-1].split("::")[-1], {**said, "value": value}, "fact"
    )  # fmt: skip


def plain_index(text: Any) -> bool:
    """An index that arithmetic alone gives: no contents of memory, no numbered loop variables."""
    return (
        isinstance(text, str) and not re.search(r"['@\[\]&|]|select|->", text) and len(text) < 160
    )


def settings(index: str, types: dict[str, str], symbols: dict[str, Any]) -> dict[str, Value] | None:
    """Ordinary values for the names of an index; ``None`` where one cannot be given."""
    values: dict[str, Value] = {}
    for name in names_in(index):
        if _INDEX.fullmatch(name):
            continue
        kind = (symbols.get(name) or {}).get("kind", "")
        bound = types.get(name, "")
        if re.fullmatch(r"\d+", bound):
            values[name] = int(bound)
        elif kind == "loop variable":
            start = str((symbols.get(name) or {}).get("start", ""))
            if not start.isdigit():
                return None  # where a round begins depends on the thread
            values[name] = int(start)
        elif kind == "template constant":
            return None
        else:
            values[name] = ordinary(name)
    return values


def ordinary(name: str) -> int:
    """An ordinary value for a kernel's parameter, by what its name says."""
    bare = name.lower().rstrip("_")
    if bare in _PARAMETERS:
        return _PARAMETERS[bare]
    if bare.startswith("ld"):
        return 1024
    if bare.startswith("inc"):
        return 2
    if bare.startswith(("offset", "shift")):
        return 0
    if bare.startswith("stride") or "st_or_of" in bare:
        return 100000
    return {"m": 1000, "n": 700, "k": 300}.get(bare, 5)


def at(index: str, values: dict[str, Value], **place: int) -> int | None:
    """An index at a thread: ``tx``, ``ty``, ``bx``, ``by``, ``bz``; whole, or ``None``."""
    spots: dict[str, Value] = {
        "threadIdx.x": place.get("tx", 0), "threadIdx.y": place.get("ty", 0),
        "threadIdx.z": 0, "blockIdx.x": place.get("bx", 0), "blockIdx.y": place.get("by", 0),
        "blockIdx.z": place.get("bz", 0),
    }  # fmt: skip
    try:
        value = evaluate(index, {**values, **spots})
    except Unknown:
        return None
    return int(value) if value == int(value) else None


def put_in(index: str, values: dict[str, Value], **place: int) -> str:
    """The index with numbers for its names."""
    spots = {
        "threadIdx.x": place.get("tx", 0), "threadIdx.y": place.get("ty", 0), "threadIdx.z": 0,
        "blockIdx.x": place.get("bx", 0), "blockIdx.y": place.get("by", 0),
        "blockIdx.z": place.get("bz", 0),
    }  # fmt: skip
    return put_into(index, {**values, **spots})


def kept_away(facts: KernelFacts, row: Row, values: dict[str, Value], **place: int) -> bool:
    """A thread is known not to make an access: a test around it, or in its statement, fails."""
    function = facts.function
    assert function.span is not None
    tests = needed_at(function.text, function.span.start_line, row.line, row.column) or ()
    spot: dict[str, Value] = {
        f"{kind}Idx.{axis}": place.get(f"{kind[0]}{axis}", 0)
        for kind in ("thread", "block") for axis in "xyz"
    }  # fmt: skip
    return makes(tests, facts.reading, function.text, {**values, **spot}) is False


def at_work(
    facts: KernelFacts, row: Row, values: dict[str, Value], spot: dict[str, int]
) -> dict[str, int]:
    """A thread that makes an access, or a nearer one that does; nothing where none is known to."""
    spots = [{**spot, **near} for near in ({}, {"tx": 3}, {"ty": 0}, {"tx": 3, "ty": 0})]
    return next((one for one in spots if not kept_away(facts, row, values, **one)), {})


def one_lane(facts: KernelFacts, row: Row) -> bool:
    """A test around an access, or within its statement, lets one thread of a row through."""
    function = facts.function
    assert function.span is not None
    for one in needed_at(function.text, function.span.start_line, row.line, row.column) or ():
        test = spelled_out(one.condition, facts.reading, function.text)
        if not one.negated and any(
            _ONE.fullmatch(unwrapped(p)) for p in split_at(unwrapped(test), "&&")
        ):
            return True
    for guard in facts.of("guard"):
        span = guard.fact["span"]
        if guard.line == row.line or not span["start_line"] <= row.line <= span["end_line"]:
            continue
        condition = str(guard.value.get("resolved") or guard.value["condition"])
        for part in split_at(unwrapped(condition), "&&"):
            if _ONE.fullmatch(unwrapped(part)):
                return True
    return False
