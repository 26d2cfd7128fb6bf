"""How an operation is described: its operands, their shapes, and when its result is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kernels.reference.precision import gamma, underflow, unit_roundoff
from kernels.task.element_types import numpy

Direction = Literal["in", "out", "inout", "free"]
Size = Callable[["Parameters"], int]
UNEVEN = ("random", "integers", "zeros", "equal", "split", "steep")
"""Values for what iterates or reflects: matrices split or are nearly singular, eigenvalues are many
times the same, columns are zero from the start and iterations over before they begin."""


class Parameters:
    """Sizes and flags of one call, by their names in the definition.

    A flag is one letter as in BLAS and LAPACK: ``trans`` N, T or C; ``side`` L or R; and so on.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def get(self, name: str, default: Any = None) -> Any:
        """A value that some variants of an operation do not have."""
        return self._values.get(name, default)

    def as_dict(self) -> dict[str, Any]:
        """All of them."""
        return dict(self._values)


@dataclass(frozen=True)
class Operand:
    """One array of an operation.

    Attributes:
        name: As in the definition; prototypes may write it in lower case.
        rows: Number of rows, or elements of a vector.
        cols: Number of columns; ``None`` for a vector.
        direction: ``free`` may be overwritten with anything.
        part: The elements that the definition speaks of: ``full``, ``triangle`` (by ``uplo``),
            ``unit_triangle`` (without the diagonal where ``diag`` is U), ``band``,
            ``triangle_band``. All others must be neither read nor written.
        content: What it is filled with: see :mod:`kernels.call.content`.
        each: Whether every member of a batch has its own, also where no stride says so.
        blank: Tells whether the definition says that it is not read for these parameters.
        present: Tells whether it is there for these parameters; a null pointer otherwise.
        outside: What may become of elements outside its part: ``untouched`` or ``free``.
    """

    name: str
    rows: Size
    cols: Size | None = None
    direction: Direction = "in"
    part: str = "full"
    content: str = "random"
    each: bool = True
    blank: Callable[[Parameters], bool] | None = None
    present: Callable[[Parameters], bool] | None = None
    outside: Literal["untouched", "free"] = "untouched"


@dataclass(frozen=True)
class Problem:
    """One way in which a result is wrong.

    Attributes:
        operand: Where.
        index: The element, row first; empty where the whole is judged.
        expected: What the definition gives.
        got: What the call gave.
        sentence: It in words.
        ratio: Error over bound.
    """

    operand: str
    index: tuple[int, ...]
    expected: str
    got: str
    sentence: str
    ratio: float


class Instance:
    """One member of a batch: parameters, operands before and after the call.

    Attributes:
        p: Sizes, flags and scalars; ``alpha`` and ``beta`` in extended precision.
        before: Operands before the call, in extended precision.
        after: The same afterwards.
        elements: Element type of each operand.
        parts: Which elements of each operand the definition speaks of.
    """

    def __init__(
        self,
        p: Parameters,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        elements: Mapping[str, str],
        parts: Mapping[str, Any],
    ) -> None:
        self.p, self.before, self.after = p, before, after
        self.elements, self.parts = elements, parts
        self.unit = max((unit_roundoff(e) for e in elements.values()), default=0.0)

    def gamma(self, terms: float) -> float:
        """See :func:`kernels.reference.precision.gamma`; complex products count four times.

        A complex product has a relative error of at most ``sqrt(2) gamma_2`` (Higham, section
        3.6).
        """
        factor = 4 if any(e.startswith("complex") for e in self.elements.values()) else 1
        return gamma(factor * terms, self.unit)

    def compare(
        self, name: str, expected: Any, bound: Any, *, part: Any = None
    ) -> Iterator[Problem]:
        """Elements that are further from their expected value than their bound.

        Args:
            name: The operand.
            expected: In extended precision, in the operand's shape.
            bound: Absolute error allowed, in the same shape or one number.
            part: Which elements count; the operand's own part when ``None``.
        """
        np = numpy()
        got = self.after[name]
        element = self.elements[name]
        # The result is rounded once to its own type, and may be flushed there.
        limit = (
            np.broadcast_to(np.asarray(bound, dtype=np.longdouble), got.shape)
            + unit_roundoff(element) * np.abs(expected)
            + underflow(element)
        )
        if unit_roundoff(element) == 0:
            limit = np.zeros(got.shape, dtype=np.longdouble)
        chosen = self.parts[name] if part is None else part
        with np.errstate(all="ignore"):
            error = np.abs(got - expected)
            finite = np.isfinite(expected)
            bad = np.where(finite, ~(error <= limit), ~_same_kind(got, expected))
        bad = bad & chosen
        if not bad.any():
            return
        with np.errstate(all="ignore"):
            ratios = np.where(bad & finite, error / np.where(limit == 0, 1, limit), 0)
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        worst = float(np.nanmax(ratios)) if np.isfinite(ratios).any() else float("inf")
        wrong = int(bad.sum())
        yield Problem(
            name, at, _short(expected[at]), _short(got[at]),
            f"{name} differs in {wrong} of {int(np.count_nonzero(chosen))} elements",
            worst if np.isfinite(got[at]).all() else float("inf"),
        )  # fmt: skip

    def within(self, name: str, what: str, value: Any, limit: Any) -> Iterator[Problem]:
        """A measure, such as a residual, that must not exceed its limit.

        Args:
            name: Operand that it is of.
            what: Its name in words.
            value: The measure; an array counts by its largest element.
            limit: In the same shape, or one number.
        """
        np = numpy()
        value = np.asarray(value, dtype=np.longdouble)
        limit = np.broadcast_to(np.asarray(limit, dtype=np.longdouble), value.shape)
        floor = underflow(max(self.elements.values(), key=unit_roundoff)) * 1024
        with np.errstate(all="ignore"):
            bad = ~(value <= limit + floor)
        if not bad.any():
            return
        with np.errstate(all="ignore"):
            ratio = np.where(bad, value / (limit + floor), 0)
        place = np.unravel_index(int(np.argmax(np.nan_to_num(ratio, nan=np.inf))), value.shape)
        yield Problem(
            name, tuple(int(i) for i in place), f"at most {float(limit[place]):.3g}",
            f"{float(value[place]):.3g}", f"{what} is too large", float(ratio[place]),
        )  # fmt: skip

    def exactly(self, name: str, what: str, expected: Any, got: Any) -> Iterator[Problem]:
        """A whole number, or a truth, that must be as expected."""
        if bool(expected == got):
            return
        yield Problem(name, (), str(expected), str(got), what, float("inf"))


def _same_kind(got: Any, expected: Any) -> Any:
    """Where a result is not finite as it should not be; infinities of real numbers by sign."""
    np = numpy()
    if np.iscomplexobj(expected):
        return ~np.isfinite(got)
    return (np.isnan(got) & np.isnan(expected)) | (got == expected)


def _short(value: Any) -> str:
    np = numpy()
    if np.iscomplexobj(value):
        return f"{float(value.real):.9g}{float(value.imag):+.9g}i"
    return f"{float(value):.9g}"


Check = Callable[[Instance], Iterator[Problem]]


Prepare = Callable[[Parameters, dict[str, Any], Any], dict[str, Any]]


def _any_sizes(values: dict[str, Any]) -> dict[str, Any]:
    return values


def _as_drawn(_: Parameters, arrays: dict[str, Any], __: Any) -> dict[str, Any]:
    return arrays


@dataclass(frozen=True)
class Operation:
    """One operation of BLAS or LAPACK.

    Attributes:
        names: Its names without a precision: ``gemv``.
        operands: Its arrays, in no particular order.
        check: Yields what is wrong with one result.
        settle: Brings drawn sizes into what the definition allows, for instance ``k <= n``.
        values: Kinds of content that make sense: see :mod:`kernels.call.content`.
        scalars: Parameters that are one number in memory and read only.
        flags: Letters of a flag where not all of them are allowed.
        prepare: Makes operands that belong together, such as factors and pivots, out of random
            ones; called with parameters, arrays by name and a numpy generator.
    """

    names: Sequence[str]
    operands: Sequence[Operand]
    check: Check
    settle: Callable[[dict[str, Any]], dict[str, Any]] = _any_sizes
    values: Sequence[str] = ("random",)
    scalars: Sequence[str] = ("alpha", "beta")
    flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    prepare: Prepare = _as_drawn

    def operand(self, name: str) -> Operand | None:
        """An operand by a prototype's name for it."""
        for one in self.operands:
            if one.name == name:
                return one
        for one in self.operands:
            # AP is A in packed storage; a batch has results.
            if name.lower() in (one.name.lower(), f"{one.name.lower()}p", f"{one.name.lower()}s"):
                return one
        return None
