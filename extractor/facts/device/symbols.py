"""The atoms of one kernel's expressions: what each stands for and on what its value depends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from extractor.facts.device.polynomial import Polynomial

THREAD = frozenset({"threadIdx.x", "threadIdx.y", "threadIdx.z", "lane"})
"""Dependences that differ between the threads of a block."""

DATA = "data"
"""Depends on memory read at an address that differs between threads."""

SHARED_DATA = "uniform data"
"""Depends on memory read at one address for all threads of a block."""

MAYBE = "unknown"
"""May depend on anything."""

Dependences = frozenset[str]


@dataclass(frozen=True)
class Atom:
    """What a name in a polynomial stands for.

    Attributes:
        kind: ``builtin``, ``parameter``, ``template constant``, ``loop variable``, ``iteration``,
            ``loaded``, ``loop-carried``, ``result`` or ``operation``.
        depends: What its value depends on, apart from constants and arguments.
        operation: For an operation its C operator or name: ``/ % & | ^ << >> < <= == != ! && ||
            min max select abs``.
        operands: Its operands.
        info: More for the reader: start, bound and step of a loop variable.
    """

    kind: str
    depends: Dependences = frozenset()
    operation: str = ""
    operands: tuple[Polynomial, ...] = ()
    info: dict[str, Any] = field(default_factory=dict, compare=False)


class Symbols:
    """All atoms of one kernel by name."""

    def __init__(self) -> None:
        self.atoms: dict[str, Atom] = {}

    def named(self, name: str, atom: Atom) -> Polynomial:
        """An atom of this name; another one of that name, or of another value, gets a number
        behind it."""

        def other(name: str) -> bool:
            known = self.atoms.get(name, atom)
            return known != atom or known.info.get("value") != atom.info.get("value")

        chosen, number = name, 2
        while other(chosen):
            chosen, number = f"{name}'{number}", number + 1
        self.atoms.setdefault(chosen, atom)
        return Polynomial.atom(chosen)

    def fresh(self, name: str, atom: Atom) -> Polynomial:
        """A new atom: where the name is taken, with a number behind it."""
        chosen, number = name, 2
        while chosen in self.atoms:
            chosen, number = f"{name}'{number}", number + 1
        self.atoms[chosen] = atom
        return Polynomial.atom(chosen)

    def depends(self, value: Polynomial) -> Dependences:
        """What a value depends on."""
        found: set[str] = set()
        for name in value.atoms():
            found |= self.atoms[name].depends
        return frozenset(found)

    def operation(self, operator: str, *operands: Polynomial) -> Polynomial:
        """An operation that is no polynomial, as an atom."""
        written = [operand.text for operand in operands]
        if operator in _INFIX:
            text = f"({written[0]}) {operator} ({written[1]})" if len(written) == 2 else ""
            text = f"({_bare(operands[0])} {operator} {_bare(operands[1])})"
        elif operator == "!":
            text = f"!{_bare(operands[0])}"
        else:
            text = f"{operator}({', '.join(written)})"
        depends: set[str] = set()
        for operand in operands:
            depends |= self.depends(operand)
        self.atoms.setdefault(text, Atom("operation", frozenset(depends), operator, operands))
        return Polynomial.atom(text)

    def closure(self, values: Iterable[Polynomial]) -> dict[str, Atom]:
        """The leaves that these values are made of, through operations and loop variables."""
        found: dict[str, Atom] = {}
        stack = [name for value in values for name in value.atoms()]
        while stack:
            name = stack.pop()
            if name in found:
                continue
            atom = found[name] = self.atoms[name]
            for operand in (*atom.operands, *atom.info.get("of", ())):
                stack.extend(operand.atoms())
        return found


_INFIX = {"/", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", "&&", "||"}


def _bare(value: Polynomial) -> str:
    return value.text if value.single or value.constant is not None else f"({value.text})"
