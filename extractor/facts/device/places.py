"""Places of values: variables, memory behind pointers, members; what is loaded and stored there."""

from __future__ import annotations

from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.arithmetic import Arithmetic
from extractor.facts.device.node import Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.reading import FLOAT, ZERO
from extractor.facts.device.symbols import DATA, MAYBE, SHARED_DATA, THREAD, Atom
from extractor.facts.device.values import (
    Buffer,
    Memory,
    Nowhere,
    Place,
    Pointer,
    Unknown,
    Value,
    Variable,
)


class Places(Arithmetic):
    """Finds places and moves values."""

    def place(self, node: Node) -> Place:
        """Where an expression's value is kept."""
        kind = node[n.KIND]
        if kind == n.DECL_REF and node[n.EXTRA] and node[n.EXTRA][0] >= 0:
            known = self.variables.get(node[n.EXTRA][0])
            if isinstance(known, Variable | Memory | Nowhere):
                return known
            if isinstance(known, Buffer):
                whole = self.type_of(node)
                return Memory(Pointer(known, ZERO, node[n.TYPE], whole.size if whole else -1))
            return Variable(node[n.EXTRA][0])
        if kind == n.SUBSCRIPT:
            whole = self.type_of(node[n.KIDS][0])
            if whole is not None and not whole.pointer and not whole.array:
                return self._component(node)
            base, index = self.value(node[n.KIDS][0]), self.value(node[n.KIDS][1])
            return self.at(self.combine("+", base, index, node))
        if kind == n.UNARY and node[n.EXTRA] == n.DEREFERENCE:
            return self.at(self.value(node[n.KIDS][0]))
        if kind == n.UNARY and node[n.EXTRA] in (n.PRE_INC, n.PRE_DEC):
            self.value(node)
            return self.place(node[n.KIDS][0])
        if kind in (n.BINARY, n.COMPOUND_ASSIGN) and node[n.EXTRA] in range(22, 33):
            self.value(node)
            return self.place(node[n.KIDS][0])
        if kind == n.MEMBER_REF and isinstance(node[n.EXTRA], list):
            return self._member_place(node)
        if kind in n.CASTS and len(node[n.KIDS]) == 1:
            return self.place(node[n.KIDS][0])
        value = self.value(node)
        return Nowhere("a temporary", self.depends(value))

    def _component(self, node: Node) -> Place:
        """A component of a vector."""
        found, index = self.place(node[n.KIDS][0]), self.value(node[n.KIDS][1])
        if isinstance(found, Nowhere):
            return found
        number = index.text if isinstance(index, Polynomial) else "?"
        member = f"{found.member}[{number}]"
        if isinstance(found, Variable):
            return Variable(found.declaration, member)
        return Memory(found.pointer, member)

    def _member_place(self, node: Node) -> Place:
        name = node[n.EXTRA][1]
        if not node[n.KIDS]:
            return Nowhere("a member of the function's own object")
        base = node[n.KIDS][0]
        kind = self.type_of(base)
        arrow = kind is not None and kind.pointer
        found = self.at(self.value(base)) if arrow else self.place(base)
        if isinstance(found, Nowhere):
            return found
        member = f"{found.member}.{name}" if found.member else name
        if isinstance(found, Variable):
            return Variable(found.declaration, member)
        return Memory(found.pointer, member)

    def at(self, value: Value) -> Place:
        """Where an address points."""
        if isinstance(value, Pointer):
            return Memory(value)
        reason = value.reason if isinstance(value, Unknown) else "an integer as an address"
        return Nowhere(reason, self.depends(value), through_pointer=True)

    def load(self, place: Place, node: Node) -> Value:
        """What is kept in a place."""
        if isinstance(place, Variable):
            return self._variable(place, node)
        if isinstance(place, Nowhere):
            if place.through_pointer:
                self.note("load", place, node)
            return Unknown(place.reason, place.depends)
        kind = self.type_of(node)
        pointer = place.pointer
        if kind is not None and kind.array:
            return Pointer(pointer.buffer, pointer.offset, node[n.TYPE], kind.size)
        self.note("load", place, node)
        index = self.symbols.depends(pointer.offset)
        mixed = index & (THREAD | {DATA, MAYBE})
        differs = index & (THREAD | {DATA})
        depends = frozenset({DATA if differs else MAYBE if mixed else SHARED_DATA})
        if pointer.buffer.kind == "local":
            own = self.variables.get(pointer.buffer.declaration)
            if isinstance(own, Unknown | Polynomial) and pointer.offset.constant == 0:
                return own
            return Unknown("an element of a local array")
        if pointer.buffer.kind == "global" and kind is not None and not mixed:
            depends |= {f"={pointer.buffer.parameter}"}
        name = f"{pointer.buffer.name}[{pointer.offset.text}]"
        if place.member:
            name += f".{place.member}"
        if kind is not None and kind.pointer:
            inner = self.types[kind.inner]
            buffer = Buffer("global", name, pointer.buffer.parameter)
            return Pointer(buffer, ZERO, kind.inner, inner.size)
        if kind is not None and kind.integer:
            atom = Atom("loaded", depends, info={"of": (pointer.offset,)})
            return self.symbols.named(name, atom)
        return Unknown(FLOAT, depends)

    def _variable(self, place: Variable, node: Node) -> Value:
        key: Any = (place.declaration, place.member) if place.member else place.declaration
        known = self.variables.get(key)
        if known is None and place.member:
            known = self._part(place, node)
        if known is None:
            kind = self.type_of(node)
            if kind is not None and not kind.integer and not kind.pointer:
                return Unknown(FLOAT, frozenset())
            return Unknown("a variable without a known value")
        if isinstance(known, Variable | Memory | Nowhere):
            return self.load(known, node)
        if isinstance(known, Buffer):
            kind = self.type_of(node)
            whole = Pointer(known, ZERO, node[n.TYPE], kind.size if kind else -1)
            if kind is not None and not kind.array:
                return self.load(Memory(whole), node)  # one value in LDS
            return whole
        value: Value = known
        return value

    def _part(self, place: Variable, node: Node) -> Value | None:
        whole = self.variables.get(place.declaration)
        if isinstance(whole, Variable):
            member = f"{whole.member}.{place.member}" if whole.member else place.member
            return self._variable(Variable(whole.declaration, member), node)
        if isinstance(whole, Memory):
            member = f"{whole.member}.{place.member}" if whole.member else place.member
            return self.load(Memory(whole.pointer, member), node)
        kind = self.type_of(node)
        name = whole.reason if isinstance(whole, Unknown) else ""
        if name.startswith("parameter ") and kind is not None:
            # A member of a class that the kernel is passed.
            text = f"{name.removeprefix('parameter ')}.{place.member}"
            if kind.integer:
                return self.symbols.named(text, Atom("parameter"))
            if kind.pointer:
                size = self.types[kind.inner].size
                return Pointer(Buffer("global", text, text), ZERO, kind.inner, size)
        return Unknown(FLOAT, self.depends(whole)) if isinstance(whole, Unknown) else None

    def store(self, place: Place, value: Value, node: Node) -> None:
        """Puts a value into a place."""
        if isinstance(place, Variable):
            if place.member:
                self.variables[place.declaration, place.member] = value
            else:
                self.variables[place.declaration] = value
        elif isinstance(place, Memory):
            self.note("store", place, node)
            local = place.pointer.buffer
            if local.kind == "local" and local.declaration >= 0:
                known = self.variables.get(local.declaration)
                if not isinstance(known, Buffer):
                    self.variables[local.declaration] = value
        elif place.through_pointer:
            self.note("store", place, node)
