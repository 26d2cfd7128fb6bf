"""Expressions of a kernel, evaluated to what an index can be made of."""

from __future__ import annotations

from abc import abstractmethod

from extractor.facts.device import node as n
from extractor.facts.device.builtins import INDICES, WAVEFRONT
from extractor.facts.device.node import Node, Type
from extractor.facts.device.places import Places
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.reading import FLOAT, ONE, ZERO, Frame
from extractor.facts.device.record import Condition
from extractor.facts.device.symbols import THREAD, Atom
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

__all__ = ["FLOAT", "ONE", "ZERO", "Expressions", "Frame"]


class Expressions(Places):
    """Evaluates expressions in the state that statements before them made."""

    def value(self, node: Node) -> Value:
        """The value of an expression."""
        kind = node[n.KIND]
        if kind in (n.INTEGER, n.BOOL, n.CHARACTER):
            value = node[n.EXTRA]
            return Unknown("a literal", frozenset()) if value is None else Polynomial.number(value)
        if kind == n.DECL_REF:
            return self._name(node)
        if kind == n.MEMBER_REF:
            return self._member(node)
        if kind == n.CALL:
            return self.call(node)
        if kind in n.CASTS:
            return self._cast(node)
        if kind == n.SUBSCRIPT:
            return self.load(self.place(node), node)
        if kind == n.UNARY:
            return self._unary(node)
        if kind == n.BINARY:
            return self._binary(node)
        if kind == n.COMPOUND_ASSIGN:
            place = self.place(node[n.KIDS][0])
            old = self.load(place, node[n.KIDS][0])
            operator = n.BINARY_TEXT[node[n.EXTRA]][:-1]
            new = self.combine(operator, old, self.value(node[n.KIDS][1]), node)
            self.store(place, new, node[n.KIDS][0])
            return new
        if kind == n.CONDITIONAL and len(node[n.KIDS]) == 3:
            return self._conditional(node)
        if kind == n.SIZE_OF:
            return self._size_of(node)
        if kind in (n.FLOATING, n.STRING):
            return Unknown(FLOAT, frozenset())
        if kind == n.NULL_POINTER:
            return Pointer(Buffer("null", "nullptr"), ZERO, -1, -1)
        if kind == n.INIT_LIST and len(node[n.KIDS]) == 1:
            return self.value(node[n.KIDS][0])
        values = [self.value(kid) for kid in node[n.KIDS] if kid[n.KIND] < 200]
        return self.unresolved(FLOAT, *values) if values else Unknown("not followed")

    @abstractmethod
    def call(self, node: Node) -> Value:
        """The value of a call; statements know more about them."""

    def _name(self, node: Node) -> Value:
        extra = node[n.EXTRA]
        if not extra:
            return Unknown("not followed")
        declaration, name, _, known = extra
        if declaration < 0:
            constant = self.frame.constants.get(name)
            if constant is not None:
                return constant
            return Unknown("a template's argument") if known is None else Polynomial.number(known)
        if declaration in self.variables:
            return self.load(Variable(declaration), node)
        if known is not None:
            return Polynomial.number(known)
        if name == WAVEFRONT:
            return self.symbols.named(name, Atom("builtin"))
        kind_of = self.type_of(node)
        if kind_of is not None and kind_of.array:
            return self.load(Variable(declaration), node)
        return Unknown(f"{name} is a variable outside the kernel", frozenset())

    def _member(self, node: Node) -> Value:
        extra = node[n.EXTRA]
        if isinstance(extra, str):
            base = n.stripped(node[n.KIDS][0]) if node[n.KIDS] else None
            known = extra[-1:] in ("x", "y", "z")
            if (
                known
                and base is not None
                and base[n.KIND] == n.DECL_REF
                and base[n.EXTRA][1] in INDICES
            ):
                name = f"{base[n.EXTRA][1]}.{extra[-1]}"
                own = frozenset({name}) & (THREAD | {"blockIdx.x", "blockIdx.y", "blockIdx.z"})
                return self.symbols.named(name, Atom("builtin", own))
            return Unknown("not followed")
        if extra and extra[3] is not None:
            return Polynomial.number(extra[3])
        return self.load(self.place(node), node)

    def _cast(self, node: Node) -> Value:
        if not node[n.KIDS]:
            known = node[n.EXTRA]
            return Polynomial.number(known) if isinstance(known, int) else Unknown("not followed")
        kids = [kid for kid in node[n.KIDS] if kid[n.KIND] < 200]
        if len(kids) != 1:
            return self.unresolved("not followed", *(self.value(kid) for kid in kids))
        inner = kids[0]
        to, before = self.type_of(node), self.type_of(inner)
        if before is not None and before.array and to is not None and to.pointer:
            return self._decayed(inner)
        value = self.value(inner)
        if to is None or before is None:
            return value
        if isinstance(value, Pointer):
            if to.pointer:
                return self._repointed(value, to)
            if to.name == "bool":
                name = f"({value.buffer.name} != nullptr)"
                return self.symbols.named(name, Atom("parameter"))
            return self.unresolved("an address as an integer", value)
        if isinstance(value, Polynomial):
            if to.name == "bool" and before.name != "bool":
                if value.constant is not None:
                    return Polynomial.number(int(value.constant != 0))
                return self.symbols.operation("!=", value, ZERO)
            if to.integer and 0 < to.size < 4 and to.name != "bool" and value.constant is None:
                return self.unresolved("converted to a narrow integer", value)
            if not to.integer and not to.pointer:
                return value if value.constant is not None else self.unresolved(FLOAT, value)
            return value
        if to.integer and not before.integer:
            return self.unresolved("converted from floating point", value)
        return value

    def _decayed(self, array: Node) -> Value:
        kind = self.type_of(array)
        assert kind is not None
        chosen = array[n.KIND] == n.CONDITIONAL
        place: Place = self.at(self.value(array)) if chosen else self.place(array)
        element = self.types[kind.inner]
        if isinstance(place, Memory) and not place.member:
            pointer = place.pointer
            depth, inner = 1, element
            while inner.array:
                depth, inner = depth + 1, self.types[inner.inner]
            sizes = pointer.buffer.sizes
            extent = sizes[-depth] if len(sizes) >= depth else Polynomial.number(kind.count)
            offset = pointer.offset
            if offset.constant != 0:
                if extent is None:
                    return Unknown("an array whose size is not known")
                offset = offset * extent
            return Pointer(pointer.buffer, offset, kind.inner, element.size)
        if isinstance(place, Nowhere):
            return Unknown(place.reason, place.depends)
        name = "an array in a class"
        return Pointer(Buffer("local", name), ZERO, kind.inner, element.size)

    def _repointed(self, value: Pointer, to: Type) -> Value:
        size = self.types[to.inner].size
        if size == value.size or value.buffer.kind == "null" or size <= 0:
            return Pointer(value.buffer, value.offset, to.inner, max(size, value.size))
        if value.size > 0 and value.size % size == 0:
            factor = Polynomial.number(value.size // size)
            return Pointer(value.buffer, value.offset * factor, to.inner, size)
        if value.size > 0 and size % value.size == 0:
            # A wider element; the offset may lie within one, so its unit stays.
            return Pointer(value.buffer, value.offset, to.inner, value.size)
        return self.unresolved("a pointer cast to another element size", value)

    def _unary(self, node: Node) -> Value:
        operator, inner = node[n.EXTRA], node[n.KIDS][0]
        if operator in (n.POST_INC, n.POST_DEC, n.PRE_INC, n.PRE_DEC):
            place = self.place(inner)
            old = self.load(place, inner)
            sign = "+" if operator in (n.POST_INC, n.PRE_INC) else "-"
            new = self.combine(sign, old, ONE, node)
            self.store(place, new, inner)
            return old if operator in (n.POST_INC, n.POST_DEC) else new
        if operator == n.ADDRESS:
            place = self.place(inner)
            if isinstance(place, Memory) and not place.member:
                return place.pointer
            if isinstance(place, Variable):
                size = self.types[inner[n.TYPE]].size
                buffer = Buffer("local", "a local variable", "", place.declaration)
                return Pointer(buffer, ZERO, inner[n.TYPE], size)
            if isinstance(place, Memory):
                return self.unresolved("the address of a member", place.pointer)
            return Unknown(place.reason, place.depends)
        if operator == n.DEREFERENCE:
            return self.load(self.place(node), node)
        value = self.value(inner)
        if isinstance(value, Polynomial):
            if operator == n.MINUS:
                return -value
            if operator == n.PLUS:
                return value
            if operator == n.LOGICAL_NOT:
                return self.negated(value)
            if operator == n.NOT:
                return -value - ONE
        if operator == n.LOGICAL_NOT and isinstance(value, Pointer):
            return self.symbols.named(f"({value.buffer.name} == nullptr)", Atom("parameter"))
        return self.unresolved(FLOAT, value)

    def _binary(self, node: Node) -> Value:
        operator = n.BINARY_TEXT.get(node[n.EXTRA], "?")
        left, right = node[n.KIDS][:2]
        if operator == "=":
            place = self.place(left)
            value = self.value(right)
            self.store(place, value, left)
            return value
        if operator == ",":
            self.value(left)
            return self.value(right)
        if operator in ("&&", "||"):
            return self._logical(operator, left, right)
        return self.combine(operator, self.value(left), self.value(right), node)

    def _logical(self, operator: str, left: Node, right: Node) -> Value:
        first = self.value(left)
        before = self.path
        if isinstance(first, Polynomial):
            if first.constant is not None and bool(first.constant) == (operator == "||"):
                return Polynomial.number(int(operator == "||"))
            taken = first if operator == "&&" else self.negated(first)
            self.path += (Condition(taken.text, self.depends(first), left[n.LINE], taken),)
        second = self.value(right)
        self.path = before
        if isinstance(first, Polynomial) and isinstance(second, Polynomial):
            if first.constant is not None:
                return second
            if second.constant is not None and bool(second.constant) == (operator == "&&"):
                return first
            return self.symbols.operation(operator, first, second)
        return self.unresolved("a condition", first, second)

    def _conditional(self, node: Node) -> Value:
        condition = self.value(node[n.KIDS][0])
        if isinstance(condition, Polynomial) and condition.constant is not None:
            return self.value(node[n.KIDS][1 if condition.constant else 2])
        if not isinstance(condition, Polynomial):
            condition = self.opaque_condition(node[n.KIDS][0], condition)
        before, variables = self.path, dict(self.variables)
        text = condition.text if isinstance(condition, Polynomial) else "a condition"
        line, depends = node[n.LINE], self.depends(condition)
        taken = condition if isinstance(condition, Polynomial) else None
        self.path = (*before, Condition(text, depends, line, taken))
        first = self.value(node[n.KIDS][1])
        after, self.variables = self.variables, variables
        other = self.negated(taken) if taken is not None else None
        self.path = (*before, Condition(other.text if other else text, depends, line, other))
        second = self.value(node[n.KIDS][2])
        self.path = before
        self.merge(condition, after)
        return self.select(condition, first, second)

    def _size_of(self, node: Node) -> Value:
        known, text = node[n.EXTRA] if isinstance(node[n.EXTRA], list) else (node[n.EXTRA], "")
        if any(name in text for name in self.frame.function.types):
            name = "".join(text.split())
            info = {} if known is None else {"value": known}
            return self.symbols.named(name, Atom("template constant", info=info))
        return Unknown("a size") if known is None else Polynomial.number(known)
