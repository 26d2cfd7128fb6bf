"""Integer polynomials over named atoms: the form in which an index is kept, compared and written.

Integers are those of mathematics: that an expression does not wrap around in its machine type is
not checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

Monomial = tuple[str, ...]
"""Names of atoms, sorted, one for each power; empty for a constant."""


class Polynomial:
    """A sum of products of atoms with integer coefficients. Never changed once made.

    Args:
        terms: Coefficient of each monomial; zeros are dropped.
    """

    __slots__ = ("_text", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms: dict[Monomial, int] = {m: c for m, c in terms.items() if c}
        self._text: str | None = None

    @classmethod
    def number(cls, value: int) -> Polynomial:
        """A constant."""
        return cls({(): value})

    @classmethod
    def atom(cls, name: str) -> Polynomial:
        """One atom."""
        return cls({(name,): 1})

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                key = tuple(sorted(left + right))
                terms[key] = terms.get(key, 0) + a * b
        return Polynomial(terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    @property
    def constant(self) -> int | None:
        """Its value where it has no atoms."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and () in self.terms:
            return self.terms[()]
        return None

    @property
    def single(self) -> str | None:
        """Its name where it is one atom."""
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            if coefficient == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    def atoms(self) -> set[str]:
        """Names of its atoms."""
        return {name for monomial in self.terms for name in monomial}

    def coefficient(self, name: str) -> Polynomial | None:
        """What an atom is multiplied with; ``None`` where it stands in a higher power."""
        terms: dict[Monomial, int] = {}
        for monomial, value in self.terms.items():
            count = monomial.count(name)
            if count > 1:
                return None
            if count:
                rest = list(monomial)
                rest.remove(name)
                terms[tuple(rest)] = value
        return Polynomial(terms)

    def divided(self, divisor: Polynomial) -> Polynomial | None:
        """The exact quotient by a divisor of one term; ``None`` where it is not exact."""
        if len(divisor.terms) != 1:
            return Polynomial.number(1) if self == divisor else None
        ((below, by),) = divisor.terms.items()
        terms: dict[Monomial, int] = {}
        for monomial, value in self.terms.items():
            rest = list(monomial)
            for name in below:
                if name not in rest:
                    return None
                rest.remove(name)
            if value % by:
                return None
            terms[tuple(rest)] = value // by
        return Polynomial(terms)

    def substituted(self, replace: Callable[[str], Polynomial | None]) -> Polynomial:
        """With every atom replaced that the function has something for."""
        result = Polynomial({})
        for monomial, value in self.terms.items():
            product = Polynomial.number(value)
            for name in monomial:
                product = product * (replace(name) or Polynomial.atom(name))
            result = result + product
        return result

    @property
    def text(self) -> str:
        """Its one way of being written: terms by their atoms' names, the constant last."""
        if self._text is None:
            self._text = _written(self.terms.items())
        return self._text

    def __repr__(self) -> str:
        return f"Polynomial({self.text})"


def _written(terms: Iterable[tuple[Monomial, int]]) -> str:
    parts: list[str] = []
    for monomial, value in sorted(terms, key=lambda item: (not item[0], item[0])):
        product = "*".join(monomial)
        size = abs(value)
        body = product if size == 1 else f"{size}*{product}"
        if not monomial:
            body = str(size)
        if parts:
            parts.append(f" - {body}" if value < 0 else f" + {body}")
        else:
            parts.append(f"-{body}" if value < 0 else body)
    return "".join(parts) or "0"
