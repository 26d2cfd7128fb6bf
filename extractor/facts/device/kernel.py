"""One kernel or device function, read from its first statement to its last."""

from __future__ import annotations

from collections.abc import Callable

from extractor.facts.device.expressions import FLOAT, ZERO, Frame
from extractor.facts.device.loops import Loops
from extractor.facts.device.node import Function, Node, Type
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import MAYBE, Atom
from extractor.facts.device.values import Buffer, Pointer, Unknown


class KernelReader(Loops):
    """Reads one function and keeps what it meets in ``record``.

    Args:
        types: The unit's types by number.
        functions: Its functions by number.
        source: Gives the text of a node as it is written, on one line.

    Attributes:
        tried: How much was tried to find an index that passes its array.
    """

    tried = 0

    def __init__(
        self, types: list[Type], functions: dict[int, Function], source: Callable[[Node], str]
    ) -> None:
        super().__init__(types, functions)
        self._source = source

    def source(self, node: Node) -> str:
        """Text of a node as it is written, on one line."""
        return self._source(node)

    def read(self, function: Function, *, kernel: bool) -> None:
        """Reads a function; only a kernel's pointers are known to be to global memory."""
        constants = {}
        for name, value in function.constants.items():
            if value is not None:
                constants[name] = self.symbols.named(name, Atom("template constant"))
                self.record.constants[name] = value
        for declaration, name, number, _ in function.parameters:
            kind = self.types[number]
            if kind.reference:
                kind = self.types[kind.inner]
            depends = frozenset() if kernel else frozenset({MAYBE})
            if kind.array:
                self.variables[declaration] = Buffer("argument", name, name, declaration)
            elif kind.pointer:
                size = self.types[kind.inner].size
                buffer = Buffer("global" if kernel else "argument", name, name)
                self.variables[declaration] = Pointer(buffer, ZERO, kind.inner, size)
            elif kind.integer:
                self.variables[declaration] = self.symbols.named(name, Atom("parameter", depends))
            elif kind.record:
                whole = Unknown(f"parameter {name}", depends | {f"={name}"})
                self.variables[declaration] = whole
            else:
                self.variables[declaration] = Unknown(FLOAT, depends | {f"={name}"})
        self.frames.append(Frame(function, constants))
        if function.body is not None:
            self.run(function.body)


def derivative(
    reader: Loops, value: Polynomial, name: str
) -> tuple[Polynomial | None, list[Polynomial], str]:
    """How a value changes when a thread's number grows by one.

    Args:
        reader: Knows the atoms.
        value: The value.
        name: The number: ``threadIdx.x``.

    Returns:
        The change, the lengths of the runs of threads within which it holds (empty: everywhere),
        and the reason where there is none.
    """
    total = ZERO
    runs: list[Polynomial] = []
    for monomial, coefficient in value.terms.items():
        moved = None
        for position, atom in enumerate(monomial):
            change, inner, reason = _atom(reader, atom, name)
            if change is None:
                return None, [], reason
            runs += inner
            if change.constant == 0:
                continue
            if moved is not None:
                return None, [], f"it is not linear in {name}"
            rest = monomial[:position] + monomial[position + 1 :]
            moved = change * Polynomial({rest: coefficient})
        if moved is not None:
            total = total + moved
    return total, runs, ""


def _atom(reader: Loops, atom: str, name: str) -> tuple[Polynomial | None, list[Polynomial], str]:
    if atom == name:
        return Polynomial.number(1), [], ""
    known = reader.symbols.atoms[atom]
    if known.kind == "loop variable":
        of = known.info["of"]
        step, _, why = derivative(reader, of[1], name)
        if step is None or step.constant != 0:
            return None, [], why or f"the step of {atom} depends on {name}"
        return derivative(reader, of[0], name)
    if not known.depends & {name, "data", MAYBE, "lane"}:
        return ZERO, [], ""
    if known.kind == "loop-carried":
        return None, [], f"{known.info['variable']} may differ between threads"
    if known.kind == "loaded":
        return None, [], f"it depends on {atom}, which differs between threads"
    if known.kind == "operation":
        return _operation(reader, known.operation, known.operands, atom, name)
    return None, [], f"it depends on {atom}"


def _operation(
    reader: Loops, operator: str, operands: tuple[Polynomial, ...], atom: str, name: str
) -> tuple[Polynomial | None, list[Polynomial], str]:
    changes = [derivative(reader, operand, name) for operand in operands]
    if all(change is not None and change.constant == 0 for change, _, _ in changes):
        return ZERO, [run for _, runs, _ in changes for run in runs], ""
    failed = [why for change, _, why in changes if change is None]
    if failed:
        return None, [], failed[0]
    first, runs, _ = changes[0]
    divisor = operands[-1]
    last = changes[-1][0]
    unit = first is not None and first.constant == 1
    if operator in ("/", "%") and unit and last is not None and last.constant == 0:
        grown = Polynomial.number(0 if operator == "/" else 1)
        return grown, [*runs, divisor], ""
    if operator == "&" and unit:
        mask = divisor.constant
        if mask is not None and mask > 0 and mask & (mask + 1) == 0:
            return Polynomial.number(1), [*runs, Polynomial.number(mask + 1)], ""
    if operator == ">>" and unit and divisor.constant:
        return ZERO, [*runs, Polynomial.number(1 << divisor.constant)], ""
    if operator == "select":
        (condition, _, _), (yes, a, _), (no, b, _) = changes
        if condition is not None and condition.constant == 0 and yes == no:
            return yes, [*a, *b], ""
        return None, [], f"it is chosen by {operands[0].text}"
    return None, [], f"{atom} is not linear in {name}"
