"""Bounds that count one element more than their parameter says."""

from __future__ import annotations

from typing import Any

from extractor.facts.device.bounds import parts
from extractor.facts.device.kernel import KernelReader
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Access
from extractor.facts.device.values import Memory

ZERO = Polynomial.number(0)


def one_too_many(reader: KernelReader, access: Access) -> dict[str, Any] | None:
    """The bound by which an access to device memory counts 0, 1, … up to and including a parameter.

    Args:
        reader: Knows the atoms.
        access: The access.

    Returns:
        ``bound`` as a text, ``parameter`` it ends with, ``step`` between two of the elements.
        ``None`` where nothing of the kind is certain: the count has to begin at 0, grow by 1, be
        bounded by this alone, and move the index by one step each.
    """
    place = access.place
    if not isinstance(place, Memory) or access.after_loop_return:
        return None
    index = place.pointer.offset
    conditions = [part for one in access.path if one.value for part in parts(reader, one.value)]
    for condition in conditions:
        found = _counted(reader, condition)
        if found is None:
            continue
        count, parameter = found
        moving = _moving(reader, count)
        if not moving or any(
            other != condition and _moving(reader, other) & moving for other in conditions
        ):
            continue
        if any(one.value is None and one.depends & _depends(reader, count) for one in access.path):
            continue
        step = _step(reader, index, count, moving)
        if step is not None and parameter not in (index - count * step).atoms():
            return {"bound": condition.text, "parameter": parameter, "step": step.text}
    return None


def _counted(reader: KernelReader, condition: Polynomial) -> tuple[Polynomial, str] | None:
    """The count and the parameter of ``count <= parameter``."""
    atom = reader.symbols.atoms[condition.single] if condition.single else None
    if atom is None or atom.operation != "<=":
        return None
    count, bound = atom.operands
    name = bound.single
    if name is None or reader.symbols.atoms[name].kind != "parameter":
        return None
    return count, name


def _moving(reader: KernelReader, value: Polynomial) -> set[str]:
    """Threads, blocks and loop variables that a value is made of."""
    return {
        name
        for name, atom in reader.symbols.closure([value]).items()
        if atom.kind == "loop variable" or name.startswith(("threadIdx.", "blockIdx."))
    }


def _depends(reader: KernelReader, value: Polynomial) -> frozenset[str]:
    return reader.symbols.depends(value)


def _step(
    reader: KernelReader, index: Polynomial, count: Polynomial, moving: set[str]
) -> Polynomial | None:
    """What the index grows by when the count does, where the count is 0, 1, 2 and so on."""
    first = _first(reader, count, frozenset())
    unit = [name for name in count.atoms() & moving if _by_one(reader, count, name)]
    if first != ZERO or not unit:
        return None
    step = index.coefficient(unit[0])
    if step is None or not step.terms:
        return None
    rest = index - count * step
    if _moving(reader, rest) & moving or _moving(reader, step):
        return None
    constant = rest.terms.get((), 0)
    return step if constant >= 0 else None


def _first(reader: KernelReader, value: Polynomial, seen: frozenset[str]) -> Polynomial | None:
    """The value in the first thread of the first block, at the start of every loop."""
    result = ZERO
    for monomial, coefficient in value.terms.items():
        product = Polynomial.number(coefficient)
        for name in monomial:
            atom = reader.symbols.atoms[name]
            if name.startswith(("threadIdx.", "blockIdx.")):
                product = ZERO
            elif atom.kind == "loop variable" and name not in seen:
                start = _first(reader, atom.info["of"][0], seen | {name})
                if start is None:
                    return None
                product = product * start
            elif atom.kind in ("operation", "loop variable", "loaded", "loop-carried"):
                return None
            else:
                product = product * Polynomial.atom(name)
        result = result + product
    return result


def _by_one(reader: KernelReader, count: Polynomial, name: str) -> bool:
    if count.coefficient(name) != Polynomial.number(1):
        return False
    atom = reader.symbols.atoms[name]
    return name == "threadIdx.x" or (
        atom.kind == "loop variable" and atom.info["of"][1] == Polynomial.number(1)
    )
