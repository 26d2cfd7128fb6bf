"""An index in the terms of a matrix: row, column, member of a batch; right or not said at all."""

from __future__ import annotations

import re

from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import Symbols

_SHIFT = re.compile(r"off|shift|_of$")
_OPAQUE = frozenset({"loop-carried", "condition", "result"})


def matrix_element(symbols: Symbols, index: Polynomial) -> dict[str, str] | None:
    """Row, column and batch, where one leading dimension and at most one stride are factors.

    A leading dimension is told by its name, as BLAS and LAPACK give it: ``lda`` is what a column is
    multiplied with. A parameter that is called a stride, or that a number of a block alone is
    multiplied with, leads from one matrix of a batch to the next. Parameters that are called
    offsets or shifts move the whole matrix; others, as in ``n - 1 - i``, belong to the row.

    Args:
        symbols: What the names in the index stand for.
        index: In elements.

    Returns:
        ``None`` where a part of the index belongs to none of them, or where a part is not resolved
        and may hold another one: a variable that a loop moves by a leading dimension, say.
    """
    found = _Element(symbols, index)
    return found.parts()


class _Element:
    def __init__(self, symbols: Symbols, index: Polynomial) -> None:
        self._symbols, self._index = symbols, index
        self._parameters = {n for n in index.atoms() if symbols.atoms[n].kind == "parameter"}

    def parts(self) -> dict[str, str] | None:
        leading = [name for name in self._parameters if name.lower().startswith("ld")]
        if len(leading) != 1:
            return None
        column = self._index.coefficient(leading[0])
        if column is None or column.constant is not None:
            return None
        rest = self._index - column * Polynomial.atom(leading[0])
        strides = self._strides(rest)
        if strides is None:
            return None
        found = {"leading_dimension": leading[0], "column": column.text}
        places = [column]
        for stride in strides:
            batch = rest.coefficient(stride)
            if batch is None:
                return None
            rest = rest - batch * Polynomial.atom(stride)
            found["batch"] = batch.text
            places.append(batch)
        shift = Polynomial({m: c for m, c in rest.terms.items() if m and all(map(_shifts, m))})
        if any(name not in self._parameters for name in shift.atoms()):
            return None
        if shift.terms:
            found["shift"] = shift.text
        row = rest - shift
        places.append(row)
        if not all(self._plain(place, {*leading, *strides}) for place in places):
            return None
        return {**found, "row": row.text}

    def _strides(self, rest: Polynomial) -> list[str] | None:
        """The parameter that leads to the next matrix, if there is one; ``None`` for several."""
        named = {n for n in self._parameters if n.lower().startswith("stride")}
        by_block = set()
        for monomial in rest.terms:
            scaled = [name for name in monomial if name in self._parameters]
            others = [name for name in monomial if name not in self._parameters]
            if len(scaled) == 1 and others and all(n.startswith("blockIdx.") for n in others):
                by_block.add(scaled[0])
        strides = sorted(named | by_block)
        return strides if len(strides) < 2 else None

    def _plain(self, place: Polynomial, factors: set[str]) -> bool:
        """Whether a place is made of nothing that another factor may hide in."""
        for monomial in place.terms:
            if len(monomial) > 1 and any(name in self._parameters for name in monomial):
                return False
        made_of = self._symbols.closure([place])
        return not factors & made_of.keys() and all(
            atom.kind not in _OPAQUE for atom in made_of.values()
        )


def _shifts(name: str) -> bool:
    return _SHIFT.search(name.lower()) is not None
