"""The state in which a kernel is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.node import Function, Node, Type
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Access, Condition, Loop, Record
from extractor.facts.device.symbols import Dependences, Symbols
from extractor.facts.device.values import Memory, Nowhere, Pointer, Unknown, Value

ZERO, ONE = Polynomial.number(0), Polynomial.number(1)
FLOAT = "a value that is no integer"


@dataclass
class Frame:
    """One function being read.

    Attributes:
        function: Which.
        constants: Values of its template's constants.
        entry: Conditions around its call.
        loops: Number of loops around its call.
        exits: Number of loops around its call that are being gone round, in rehearsal or not.
        returns: Of each ``return`` the conditions, the value and the variables there.
        left: Conditions under which threads returned.
        left_loop: Whether a thread may have returned from inside a loop.
    """

    function: Function
    constants: dict[str, Polynomial]
    entry: int = 0
    loops: int = 0
    exits: int = 0
    returns: list[tuple[tuple[Condition, ...], Value | None, dict[Any, Any], int]] = field(
        default_factory=list
    )
    left: list[Condition] = field(default_factory=list)
    left_loop: bool = False


class Reading(ABC):
    """What is known while a function is read: variables, conditions and loops around.

    Args:
        types: The unit's types by number.
        functions: Its functions by number.

    Attributes:
        unreached: Branches around that this instantiation does not have, as their conditions are
            constants of it; they are read for what other instantiations have there.
    """

    def __init__(self, types: list[Type], functions: dict[int, Function]) -> None:
        self.types, self.functions = types, functions
        self.symbols = Symbols()
        self.record = Record()
        self.products: dict[tuple[int, int, int], Polynomial] = {}
        self.variables: dict[Any, Any] = {}
        self.path: tuple[Condition, ...] = ()
        self.loops: tuple[Loop, ...] = ()
        self.through: tuple[str, ...] = ()
        self.frames: list[Frame] = []
        self.rehearsal = False
        self.unreached = 0
        self.exits: list[tuple[int, set[str]]] = []
        self.references = frozenset(
            number
            for number, kind in enumerate(types)
            if kind.reference and not types[kind.inner].constant
        )

    @property
    def frame(self) -> Frame:
        """The innermost function being read."""
        return self.frames[-1]

    def type_of(self, node: Node) -> Type | None:
        """Type of an expression."""
        return self.types[node[n.TYPE]] if node[n.TYPE] >= 0 else None

    def depends(self, value: Value | None) -> Dependences:
        """What a value depends on."""
        if isinstance(value, Polynomial):
            return self.symbols.depends(value)
        if isinstance(value, Pointer):
            return self.symbols.depends(value.offset)
        return value.depends if value is not None else frozenset()

    def unresolved(self, reason: str, *values: Value) -> Unknown:
        """A value made of others in a way that is not followed."""
        found: set[str] = set()
        for value in values:
            found |= self.depends(value)
        return Unknown(reason, frozenset(found))

    @abstractmethod
    def value(self, node: Node) -> Value:
        """The value of an expression; expressions know how."""

    def note(self, kind: str, place: Memory | Nowhere, node: Node) -> None:
        """Records an access."""
        if self.rehearsal:
            return
        if isinstance(place, Memory) and place.pointer.buffer.kind not in ("global", "lds"):
            return
        where = (node, self.frame.function, kind, place, node[n.TYPE])
        narrow = self._narrow(node) if isinstance(place, Memory) else ()
        left = any(frame.left_loop for frame in self.frames)
        found = Access(*where, self.path, self.loops, self.through, narrow, left)
        self.record.accesses.append(found)

    def _narrow(self, node: Node) -> tuple[Polynomial, ...]:
        """Products of 32 bits that stand in an expression itself."""
        found = []
        for inner in n.walk(node):
            if inner[n.KIND] == n.BINARY and n.BINARY_TEXT.get(inner[n.EXTRA]) == "*":
                product = self.products.get((inner[n.FILE], inner[n.BEGIN], inner[n.END]))
                if product is not None and product.constant is None:
                    found.append(product)
        return tuple(found)
