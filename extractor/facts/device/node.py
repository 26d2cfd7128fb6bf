"""A node of a syntax tree as the compiled part writes it, and what its numbers mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Node = list[Any]
"""``[kind, type, file, line, column, end_line, begin, end, extra, children]``."""

KIND, TYPE, FILE, LINE, COLUMN, END_LINE, BEGIN, END, EXTRA, KIDS = range(10)

# Cursor kinds, as libclang numbers them.
OBJECT = -1  # not libclang's: the object of a member call
VAR, PARM, METHOD, CONSTRUCTOR, CONVERSION, FIELD = 9, 10, 21, 24, 26, 6
UNEXPOSED, DECL_REF, MEMBER_REF, CALL = 100, 101, 102, 103
INTEGER, FLOATING, STRING, CHARACTER, PAREN, UNARY = 106, 107, 109, 110, 111, 112
SUBSCRIPT, BINARY, COMPOUND_ASSIGN, CONDITIONAL, C_CAST, INIT_LIST = 113, 114, 115, 116, 117, 119
STATIC_CAST, REINTERPRET_CAST, CONST_CAST, FUNCTIONAL_CAST = 124, 126, 127, 128
BOOL, NULL_POINTER, THIS, SIZE_OF, LAMBDA = 130, 131, 132, 136, 144
CASTS = frozenset({UNEXPOSED, PAREN, C_CAST, STATIC_CAST, REINTERPRET_CAST, CONST_CAST, 128})
COMPOUND, CASE, DEFAULT, IF, SWITCH, WHILE, DO, FOR = 202, 203, 204, 205, 206, 207, 208, 209
GOTO, CONTINUE, BREAK, RETURN, DECL_STMT, FOR_RANGE = 210, 212, 213, 214, 231, 225

# Operators, as clang numbers them.
# fmt: off
BINARY_TEXT = {
    3: "*", 4: "/", 5: "%", 6: "+", 7: "-", 8: "<<", 9: ">>", 11: "<", 12: ">", 13: "<=",
    14: ">=", 15: "==", 16: "!=", 17: "&", 18: "^", 19: "|", 20: "&&", 21: "||", 22: "=",
    23: "*=", 24: "/=", 25: "%=", 26: "+=", 27: "-=", 28: "<<=", 29: ">>=", 30: "&=",
    31: "^=", 32: "|=", 33: ",",
}
# fmt: on
POST_INC, POST_DEC, PRE_INC, PRE_DEC, ADDRESS, DEREFERENCE = 1, 2, 3, 4, 5, 6
PLUS, MINUS, NOT, LOGICAL_NOT, REAL, IMAGINARY = 7, 8, 9, 10, 11, 12

# Kinds of types.
_POINTER, _LVALUE_REFERENCE, _RVALUE_REFERENCE, _ENUM, _RECORD = 101, 103, 104, 106, 105
_ARRAYS = (112, 114, 115)
_INTEGERS = range(3, 21)


@dataclass(frozen=True)
class Type:
    """A canonical type of the unit."""

    name: str
    kind: int
    size: int
    inner: int
    count: int
    constant: bool

    @property
    def pointer(self) -> bool:
        """Whether it is a pointer."""
        return self.kind == _POINTER

    @property
    def reference(self) -> bool:
        """Whether it is a reference."""
        return self.kind in (_LVALUE_REFERENCE, _RVALUE_REFERENCE)

    @property
    def array(self) -> bool:
        """Whether it is an array."""
        return self.kind in _ARRAYS

    @property
    def integer(self) -> bool:
        """Whether it is an integer, a boolean or an enumeration."""
        return self.kind in _INTEGERS or self.kind == _ENUM

    @property
    def record(self) -> bool:
        """Whether it is a class."""
        return self.kind == _RECORD


@dataclass(frozen=True)
class Function:
    """A function of the unit with its tree.

    Attributes:
        id: Number in the unit.
        symbol: Mangled.
        name: Plain.
        file: Number of its file.
        line: First line of its declarator.
        end_line: Last line.
        result: Type of its result.
        parameters: ``[declaration, name, type, text]`` of each.
        constants: Names of its template's parameters with their arguments, for those that are no
            types.
        types: The same for those that are types, canonical.
        order: Names of all template parameters in order.
        body: Its tree; ``None`` for one without.
    """

    id: int
    symbol: str
    name: str
    file: int
    line: int
    end_line: int
    result: int
    parameters: list[list[Any]]
    constants: dict[str, int | None]
    types: dict[str, str]
    order: tuple[str, ...]
    body: Node | None


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, in the source's order."""
    yield node
    for kid in node[KIDS]:
        yield from walk(kid)


def stripped(node: Node) -> Node:
    """What stands inside conversions and parentheses."""
    while node[KIND] in CASTS and len(node[KIDS]) == 1:
        node = node[KIDS][0]
    return node
