"""What was read of one function, as facts without provenance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.access_facts import (
    global_access,
    lds_access,
    symbols_of,
)
from extractor.facts.device.builtins import SHUFFLES
from extractor.facts.device.kernel import KernelReader
from extractor.facts.device.node import Function, Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Barrier, Condition, Loop
from extractor.facts.device.same_everywhere import same_everywhere
from extractor.facts.device.spelling import simplified
from extractor.facts.device.symbols import DATA, MAYBE, SHARED_DATA, THREAD
from extractor.facts.device.values import Memory

Finding = dict[str, Any]
"""``subject, fact, value, unit, arch, reason, span``; files by their numbers in the unit. With
``limited`` it holds for the instantiation that was read, and for none that was not."""


class Findings:
    """Facts of one function that was read.

    Args:
        reader: Has read it.
        function: Which.
        kernel: Whether it is a kernel.
        files: The unit's files by number.
        pragmas: Gives the unroll pragma before a loop, if there is one.
    """

    def __init__(
        self,
        reader: KernelReader,
        function: Function,
        files: list[str],
        pragmas: Any,
        *,
        kernel: bool,
    ) -> None:
        self._reader, self._function, self._kernel = reader, function, kernel
        self._files, self._pragmas = files, pragmas

    def all(self) -> Iterator[Finding]:
        """Every fact, in the order of the source within each kind."""
        yield from self._arrays()
        yield from self._barriers()
        yield from self._lanes()
        yield from self._loops()
        yield from self._guards()
        yield from self._scalars()
        yield from self._accesses()

    def _at(self, node: Node, *, column: bool = False) -> str:
        place = f"{self._files[node[n.FILE]]}:{node[n.LINE]}"
        return f"{place}:{node[n.COLUMN]}" if column else place

    def _through(self, through: tuple[str, ...]) -> list[str]:
        found = []
        for place in through:
            file, _, rest = place.partition(":")
            found.append(f"{self._files[int(file)]}:{rest}")
        return found

    def _finding(
        self,
        fact: str,
        subject: str,
        value: Any,
        node: Node,
        *,
        reason: str | None = None,
        unit: str | None = None,
        arch: str | None = None,
        through: tuple[str, ...] = (),
    ) -> Finding:
        if isinstance(value, dict) and "symbols" in value:
            value = simplified(value)
        if through and isinstance(value, dict):
            value = {**value, "through": self._through(through)}
        return {
            "fact": fact,
            "subject": subject,
            "value": value,
            "reason": reason,
            "unit": unit,
            "arch": arch,
            "span": [self._files[node[n.FILE]], node[n.LINE], max(node[n.LINE], node[n.END_LINE])],
        }

    def _arrays(self) -> Iterator[Finding]:
        total, known = 0, True
        reader = self._reader
        general = reader.record.arrays.keys() >= reader.record.others.keys()
        for declaration, (node, function) in sorted(reader.record.arrays.items()):
            kind = reader.types[node[n.TYPE]]
            element = kind
            extents: list[Polynomial | None] = []
            buffer = reader.variables.get(declaration)
            extents = list(getattr(buffer, "sizes", ())) or []
            while element.array:
                element = reader.types[element.inner]
            name = node[n.EXTRA][1]
            if node[n.EXTRA][3] == 2:
                value = {"type": element.name, "elements": None, "bytes": None, "dynamic": True}
                yield self._finding("lds_array", name, value, node)
                continue
            elements: Any = 1
            if extents and all(extent is not None for extent in extents):
                product = Polynomial.number(1)
                for extent in extents:
                    assert extent is not None
                    product = product * extent
                elements = product.constant if product.constant is not None else product.text
            elif kind.size > 0 and element.size > 0:
                elements = kind.size // element.size
            written = node[n.EXTRA][5].split("[")[0].strip()
            size: Any = kind.size if kind.size >= 0 else None
            if size is None:
                known = False
            else:
                total += size
            value = {"type": written or element.name, "elements": elements, "bytes": size}
            made = self._finding("lds_array", name, value, node, unit="bytes")
            if not same_everywhere(reader.source, node, function):
                general, made = False, {**made, "limited": True}
            yield made
        if self._kernel and known:
            span = [self._files[self._function.file], self._function.line, self._function.end_line]
            yield {
                "fact": "lds_bytes",
                "subject": self._function.name,
                "value": total,
                "reason": None,
                "unit": "bytes",
                "arch": None,
                "span": span,
                "own": True,
                **({} if general else {"limited": True}),
            }

    def _barriers(self) -> Iterator[Finding]:
        for barrier in self._reader.record.barriers:
            value, reason = _divergence(barrier)
            where = self._at(barrier.node)
            yield self._finding(
                "barrier", where, value, barrier.node, reason=reason, through=barrier.through
            )

    def _lanes(self) -> Iterator[Finding]:
        for lanes in self._reader.record.lanes:
            where = self._at(lanes.node)
            if lanes.name in SHUFFLES:
                width = lanes.arguments[-1] if len(lanes.arguments) > 2 else ""
                value: Any = {"function": lanes.name, "width": _maybe_number(width)}
                if len(lanes.arguments) > 1:
                    value["offset"] = _maybe_number(lanes.arguments[1])
                found = self._finding("shuffle", where, value, lanes.node, through=lanes.through)
                yield found
                continue
            if " on the number" in lanes.name:
                value = {"width": int(lanes.arguments[0]), "how": lanes.name}
            else:
                value = {"width": None, "how": f"calls {lanes.name}"}
            yield self._finding(
                "wavefront_assumption", where, value, lanes.node, through=lanes.through
            )
        for access in self._reader.record.accesses:
            if access.kind == "atomic" and isinstance(access.place, Memory):
                name = access.node[n.EXTRA][1] if access.node[n.EXTRA] else "atomic"
                value = {"function": name, "target": access.place.pointer.buffer.name}
                where = self._at(access.node)
                yield self._finding("atomic", where, value, access.node, through=access.through)

    def _loops(self) -> Iterator[Finding]:
        reader = self._reader
        for _, loop, through in reader.record.loops:
            value: Any = {
                "variable": loop.variable or None,
                "start": loop.start.text if loop.start else None,
                "bound": f"{loop.compare} {loop.limit.text}" if loop.limit else loop.bound or None,
                "step": loop.step.text if loop.step else None,
                "trip_count": _count(loop),
                "unroll": self._pragmas(loop.node),
            }
            found = [v for v in (loop.start, loop.limit, loop.step, loop.trips) if v is not None]
            value["symbols"] = symbols_of(reader, *found)
            yield self._finding("loop", self._at(loop.node), value, loop.node, through=through)

    def _guards(self) -> Iterator[Finding]:
        for guard in self._reader.record.guards:
            value = {"condition": guard.condition, "effect": guard.effect}
            if guard.resolved is not None and guard.resolved != guard.condition:
                value["resolved"] = guard.resolved
            node = guard.node
            yield self._finding("guard", self._at(node), value, node, through=guard.through)

    def _scalars(self) -> Iterator[Finding]:
        for test in self._reader.record.scalars:
            sides = [test.then, test.otherwise]
            if test.negated:
                sides.reverse()
            equal, other = (
                {"reads": list(side[0]), "writes": list(side[1]), "returns": not side[2]}
                for side in sides
            )
            value: dict[str, Any] = {"equals": test.equals, "then": equal, "else": other}
            if test.together is not None:
                value["together"] = test.together
            yield self._finding("scalar_handling", test.scalar, value, test.node)

    def _accesses(self) -> Iterator[Finding]:
        reader = self._reader
        for access in reader.record.accesses:
            where = self._at(access.node, column=True)
            place = access.place
            if isinstance(place, Memory) and place.pointer.buffer.kind == "lds":
                value, reason = lds_access(reader, access)
                yield self._finding(
                    "lds_access",
                    where,
                    value,
                    access.node,
                    reason=reason,
                    through=access.through,
                )
                continue
            if not self._kernel:
                continue  # stated for each kernel that calls it
            value, reason = global_access(reader, self._function, access)
            yield self._finding(
                "global_access", where, value, access.node, reason=reason, through=access.through
            )


def _divergence(barrier: Barrier) -> tuple[Any, str | None]:
    conditions = [*barrier.path, *barrier.left]
    surely = [c for c in conditions if c.depends & (THREAD | {DATA})]
    if surely:
        return {"divergent": True, "condition": surely[0].text, "line": surely[0].line}, None
    perhaps = [c for c in conditions if MAYBE in c.depends]
    if perhaps:
        return None, f"whether all threads agree on {_told(perhaps[0])} was not proved"
    value: dict[str, Any] = {"divergent": False, "condition": None}
    loaded = [c for c in conditions if SHARED_DATA in c.depends]
    if loaded:
        value["assumes"] = f"memory behind {_told(loaded[0])} is not written while threads read it"
    return value, None


def _told(condition: Condition) -> str:
    return f"{condition.text} (line {condition.line})"


def _count(loop: Loop) -> Any:
    if loop.trips is None:
        return None
    return loop.trips.constant if loop.trips.constant is not None else loop.trips.text


def _maybe_number(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text or None
