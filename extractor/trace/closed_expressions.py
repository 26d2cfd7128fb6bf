"""Expressions of a kernel that is read for its effect."""

from __future__ import annotations

from abc import abstractmethod

from extractor.facts.device import node as n
from extractor.facts.device.builtins import INDICES
from extractor.facts.device.node import Node
from extractor.trace.closed_values import (
    Address,
    ClosedValues,
    Open,
    Several,
    Unfollowed,
    Value,
    number_of,
)
from extractor.trace.effect_values import BITS, INDEX_NAMES, Expression, made, number

_RANK = "?bBhHiIqQetfd"
_COMPARED = frozenset({"<", ">", "<=", ">=", "==", "!="})


class ClosedExpressions(ClosedValues):
    """Evaluates expressions in the state that statements before them made."""

    @abstractmethod
    def call(self, node: Node) -> Value:
        """The value of a call of a function that is no operator and no constructor."""

    @abstractmethod
    def store(self, address: Address, value: Value, kind: int) -> None:
        """Notes a store."""

    def condition(self, node: Node) -> Expression:
        """An expression as a condition."""
        return self.truth(self.value(node))

    def value(self, node: Node) -> Value:
        """The value of an expression.

        Raises:
            Open: It is not closed.
        """
        try:
            return self._value(node)
        except ArithmeticError as error:
            raise Open("it computes what is no number") from error

    def _value(self, node: Node) -> Value:
        kind, extra, kids = node[n.KIND], node[n.EXTRA], node[n.KIDS]
        if kind in (n.INTEGER, n.BOOL, n.CHARACTER):
            if extra is None:
                raise Open("it has a literal that is not read")
            return number(self.form(node[n.TYPE]), extra)
        if kind == n.FLOATING:
            return self._floating(node)
        if kind == n.DECL_REF:
            return self._name(node)
        if kind == n.MEMBER_REF:
            return self._member(node)
        if kind in n.CASTS:
            return self._cast(node)
        if kind == n.UNARY:
            return self._unary(node)
        if kind == n.BINARY:
            return self._binary(node)
        if kind == n.COMPOUND_ASSIGN:
            operator = n.BINARY_TEXT[extra][:-1]
            old = self._variable(kids[0])
            new = self._combined(operator, old, self.value(kids[1]), None)
            if not isinstance(new, Address):
                new = self._converted(new, node[n.TYPE])
            return self._set(kids[0], new)
        if kind == n.CONDITIONAL and len(kids) == 3:
            condition = self.condition(kids[0])
            if condition[0] == "k":
                return self.value(kids[1 if condition[2] else 2])
            return self.select(condition, self.value(kids[1]), self.value(kids[2]))
        if kind == n.SIZE_OF and isinstance(extra, list) and extra[0] is not None:
            return number("Q", extra[0])
        if kind == n.NULL_POINTER:
            return number("Q", 0)
        if kind == n.CALL:
            return self._called(node)
        if kind == n.INIT_LIST and kids:
            if len(kids) == 1:
                return self._converted(self.value(kids[0]), node[n.TYPE])
            return self._built(node[n.TYPE], [self.value(kid) for kid in kids])
        if kind == n.SUBSCRIPT:
            raise Open("it loads memory")
        raise Open("it has an expression that is not followed")

    def _floating(self, node: Node) -> Value:
        text = str(node[n.EXTRA]).rstrip("fFlL").replace("'", "")
        try:
            return number(self.form(node[n.TYPE]), float(text))
        except ValueError as error:
            raise Open("it has a literal that is not read") from error

    def _name(self, node: Node) -> Value:
        extra = node[n.EXTRA]
        if extra:
            declaration, name, _, known = extra
            found = self.env.get(declaration) if declaration >= 0 else None
            if isinstance(found, Unfollowed):
                raise Open(found.reason)
            if found is not None:
                return found
            if known is None and declaration < 0:
                known = self.frames[-1].function.constants.get(name)
            if known is not None:
                return number(self.form(node[n.TYPE]), known)
            raise Open(f"it uses {name}")
        raise Open("it uses a name that is not followed")

    def _member(self, node: Node) -> Value:
        extra = node[n.EXTRA]
        base = n.stripped(node[n.KIDS][0]) if node[n.KIDS] else None
        if isinstance(extra, str):
            if base is not None and base[n.KIND] == n.DECL_REF and base[n.EXTRA][1] in INDICES:
                name = f"{base[n.EXTRA][1]}.{extra[-1:]}"
                if name in INDEX_NAMES:
                    return ["i", "I", name]
        elif extra and extra[3] is not None:
            return number(self.form(node[n.TYPE]), extra[3])
        raise Open("it uses a member")

    def _cast(self, node: Node) -> Value:
        kids = [kid for kid in node[n.KIDS] if kid[n.KIND] < 200]
        if not kids and isinstance(node[n.EXTRA], int):
            return number(self.form(node[n.TYPE]), node[n.EXTRA])
        if len(kids) != 1:
            raise Open("it has an expression that is not followed")
        inner = kids[0]
        before = self.types[inner[n.TYPE]] if inner[n.TYPE] >= 0 else None
        if before is not None and before.array:
            raise Open("it uses an array")
        return self._converted(self.value(inner), node[n.TYPE])

    def _converted(self, value: Value, kind: int) -> Value:
        type_ = self.types[kind] if kind >= 0 else None
        if type_ is None or type_.name == "void":
            return value
        if isinstance(value, Address):
            if type_.pointer:
                return Address(value.parameter, value.offset, type_.inner)
            if type_.kind == 3:
                return self.truth(value)
            raise Open("it uses an address as a number")
        if type_.kind == 3:
            return self.truth(value)
        form = self.form(kind)
        parts = self.parts(value, form)
        return Several(form, tuple(parts)) if type_.record else parts[0]

    def _unary(self, node: Node) -> Value:
        operator, inner = node[n.EXTRA], node[n.KIDS][0]
        if operator in (n.POST_INC, n.POST_DEC, n.PRE_INC, n.PRE_DEC):
            old = self._variable(inner)
            sign = "+" if operator in (n.POST_INC, n.PRE_INC) else "-"
            new = self._combined(sign, old, number("i", 1), None)
            if not isinstance(new, Address):
                new = self._converted(new, inner[n.TYPE])
            self._set(inner, new)
            return old if operator in (n.POST_INC, n.POST_DEC) else new
        if operator == n.ADDRESS:
            return self._place(inner)
        if operator == n.DEREFERENCE:
            raise Open("it loads memory")
        if operator == n.LOGICAL_NOT:
            return made("!", "?", self.condition(inner))
        value = number_of(self.value(inner))
        if operator == n.PLUS:
            return value
        if operator in (n.MINUS, n.NOT):
            return made("neg" if operator == n.MINUS else "~", value[1], value)
        raise Open("it has an expression that is not followed")

    def _binary(self, node: Node) -> Value:
        operator = n.BINARY_TEXT.get(node[n.EXTRA], "?")
        left, right = node[n.KIDS][:2]
        if operator == "=":
            return self._set(left, self.value(right))
        if operator == ",":
            self.value(left)
            return self.value(right)
        if operator in ("&&", "||"):
            first = self.condition(left)
            if first[0] == "k" and bool(first[2]) == (operator == "||"):
                return first
            return made(operator, "?", first, self.condition(right))
        letter = None if operator in _COMPARED else node[n.TYPE]
        return self._combined(operator, self.value(left), self.value(right), letter)

    def _combined(self, operator: str, left: Value, right: Value, kind: int | None) -> Value:
        """An operator on two values; its type is that of ``kind``, else what C makes of both."""
        if operator == "+" and isinstance(right, Address):
            left, right = right, left
        if isinstance(left, Address) and operator in ("+", "-") and not isinstance(right, Address):
            size = self.types[left.type].size
            if size <= 0:
                raise Open("it computes with an address of unknown type")
            steps = made("cast", "q", number_of(right))
            moved = made("*", "q", steps, number("q", size))
            return Address(left.parameter, made(operator, "q", left.offset, moved), left.type)
        if isinstance(left, Address) or isinstance(right, Address):
            if operator not in _COMPARED:
                raise Open("it computes with addresses")
            sides = [
                self.pointer(x) if isinstance(x, Address) else number_of(x) for x in (left, right)
            ]
            return made(operator, "?", *sides)
        one, other = number_of(left), number_of(right)
        if operator in _COMPARED:
            common = _common(one[1], other[1])
            return made(operator, "?", made("cast", common, one), made("cast", common, other))
        letter = self.form(kind) if kind is not None else _common(one[1], other[1])
        if len(letter) != 1 or (
            operator in ("%", "<<", ">>", "&", "|", "^") and letter not in BITS
        ):
            raise Open("it has an expression that is not followed")
        if operator not in ("<<", ">>"):
            one, other = made("cast", letter, one), made("cast", letter, other)
        return made(operator, letter, one, other)

    # --- variables and memory ---------------------------------------------------------------

    def _variable(self, node: Node) -> Value:
        target = n.stripped(node)
        if target[n.KIND] != n.DECL_REF:
            raise Open("it loads memory")
        return self._name(target)

    def _set(self, node: Node, value: Value) -> Value:
        target = n.stripped(node)
        if target[n.KIND] == n.DECL_REF:
            if target[n.EXTRA] and target[n.EXTRA][0] in self.env:
                self.env[target[n.EXTRA][0]] = value
                return value
            raise Open("it sets a variable that is not followed")
        self.store(self._place(target), value, target[n.TYPE])
        return value

    def _place(self, node: Node) -> Address:
        node = n.stripped(node)
        found: Value | None = None
        if node[n.KIND] == n.SUBSCRIPT:
            base, index = (self.value(kid) for kid in node[n.KIDS][:2])
            found = self._combined("+", base, index, None)
        elif node[n.KIND] == n.UNARY and node[n.EXTRA] == n.DEREFERENCE:
            found = self.value(node[n.KIDS][0])
        if isinstance(found, Address):
            return found
        raise Open("it writes to a place that is not followed")

    # --- calls ------------------------------------------------------------------------------

    def _called(self, node: Node) -> Value:
        if node[n.EXTRA] is None:
            raise Open("it calls what is not known")
        _, name, kind = node[n.EXTRA][:3]
        arguments = [kid for kid in node[n.KIDS] if kid[n.KIND] != n.OBJECT]
        objects = [kid[n.KIDS][0] for kid in node[n.KIDS] if kid[n.KIND] == n.OBJECT]
        sides = [*objects, *arguments]
        if kind == n.CONSTRUCTOR:
            return self._built(node[n.TYPE], [self.value(kid) for kid in arguments])
        if kind == n.CONVERSION and len(sides) == 1:
            return self._converted(self.value(sides[0]), node[n.TYPE])
        if name in ("min", "max") and len(arguments) == 2:
            one, other = (number_of(self.value(kid)) for kid in arguments)
            if one[1] == other[1] and one[1] in BITS:
                return made(name, one[1], one, other)
        if name.startswith("operator") and name != "operator()":
            return self._operator(name.removeprefix("operator"), sides, node[n.TYPE])
        return self.call(node)

    def _built(self, kind: int, values: list[Value]) -> Value:
        """An element made by its constructor: of another one, or of its parts."""
        form = self.form(kind)
        if len(values) == 1 and isinstance(values[0], Several):
            return self._converted(values[0], kind)
        if not 0 < len(values) <= len(form):
            raise Open("it makes an element that is not followed")
        given = [number_of(value) for value in values]
        given += [number("i", 0)] * (len(form) - len(given))
        parts = [made("cast", letter, part) for letter, part in zip(form, given, strict=True)]
        return Several(form, tuple(parts)) if self.types[kind].record else parts[0]

    def _operator(self, operator: str, sides: list[Node], kind: int) -> Value:
        if operator == "=" and len(sides) == 2:
            return self._set(sides[0], self.value(sides[1]))
        values = [self.value(side) for side in sides]
        if not all(isinstance(value, Several | list) for value in values):
            raise Open(f"it uses an operator {operator} that is not followed")
        form = self.form(kind)
        rows = [self._widened(value, form) for value in values]
        if operator in ("+", "-") and len(rows) == 2:
            triples = zip(form, *rows, strict=True)
            parts = [made(operator, x, a, b) for x, a, b in triples]
        elif operator == "-" and len(rows) == 1:
            parts = [made("neg", x, a) for x, a in zip(form, rows[0], strict=True)]
        elif operator == "*" and len(rows) == 2 and len(form) == 2:
            (a, b), (c, d), x = *rows, form[0]
            parts = [
                made("-", x, made("*", x, a, c), made("*", x, b, d)),
                made("+", x, made("*", x, a, d), made("*", x, b, c)),
            ]
        elif operator == "*" and len(rows) == 2 and len(form) == 1:
            parts = [made("*", form, rows[0][0], rows[1][0])]
        else:
            raise Open(f"it uses an operator {operator} that is not followed")
        return Several(form, tuple(parts))

    def _widened(self, value: Value, form: str) -> list[Expression]:
        if isinstance(value, list):
            rest = [number(letter, 0) for letter in form[1:]]
            return [made("cast", form[0], value), *rest]
        return self.parts(value, form)


def _common(one: str, other: str) -> str:
    """The letter of the type in which C computes with two numbers."""
    found = max(one, other, key=_RANK.index)
    return "i" if found in "?bBhH" else found
