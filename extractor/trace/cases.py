"""Cases of an entry point: argument values that are likely to take different ways through it.

Four sweeps, always the same for the same entry point: square problems through all sizes while
enumerations and increments turn over; enumerations and scalars in all combinations; one parameter
at a time through all of its values; and draws of everything at once. Which of them are worth
keeping is decided by what they launch.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import random
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from extractor.trace.arguments import Caller, Value, default_of
from extractor.trace.case import Case, PointerMode
from extractor.trace.prototypes import Parameter, Prototype

_USUAL = 0.6
"""Share of draws that take a parameter's default."""
_SQUARE = 0.5
"""Share of draws whose sizes are all the same."""
_SAME_MEMORY = 0.1
"""Share of draws in which two arrays are the same memory."""
_MANY = 3
"""So many enumerations of one type are drawn together, from one or two values."""
_COMBINED = {64: 256, 300: 48}
"""Size of the problems for which choices are combined: most combinations."""
_FEW, _PAIRED = 3, 6
"""Of at most so many sizes that a site's conditions name, so many numbers are combined."""
_BLOCKS = (64, 256, 512)
"""What comes before the rest of a problem that is done in blocks."""
_LARGE = 0.04
"""Share of draws with a size beyond 32 bits, where parameters have 64."""


def candidates(
    caller: Caller,
    prototype: Prototype,
    draws: int,
    thresholds: Sequence[int] = (),
    labels: Sequence[int] = (),
) -> Iterator[Case]:
    """All cases that may be tried, the plainest first, each once.

    Args:
        caller: Knows how the library is called.
        prototype: The entry point.
        draws: How many cases are drawn at random, with a seed made of the name.
        thresholds: Sizes at which the source decides, tried with their neighbours.
        labels: Sizes that have a way of their own, tried as square problems.
    """
    seen = set()
    for case in _Cases(caller, prototype, thresholds, labels).all(draws):
        if case.key() not in seen:
            seen.add(case.key())
            yield case


class Variations:
    """Cases that differ from a given one in one value or mode.

    Args:
        caller: Knows how the library is called.
        prototype: The entry point.
        thresholds: Sizes at which the source decides.
        labels: Sizes that have a way of their own.
    """

    def __init__(
        self,
        caller: Caller,
        prototype: Prototype,
        thresholds: Sequence[int] = (),
        labels: Sequence[int] = (),
    ) -> None:
        self._cases = _Cases(caller, prototype, thresholds, labels)

    def of(
        self, case: Case, numbers: Sequence[int] = (), words: Set[str] = frozenset()
    ) -> Iterator[Case]:
        """All of them: modes first, then single values, then sizes.

        Args:
            case: The given one.
            numbers: Sizes that are tried before the others.
            words: Names of parameters that are changed before the others.
        """
        return self._cases.near(case, numbers, words)

    def turned_squares(self) -> Iterator[Case]:
        """Square problems of all sizes under every mode but the usual one."""
        for case in self._cases.squares():
            yield from self._cases.turned(case)


class _Cases:
    def __init__(
        self,
        caller: Caller,
        prototype: Prototype,
        thresholds: Sequence[int],
        labels: Sequence[int],
    ) -> None:
        self._caller, self._entry = caller, prototype.name
        named = [p for p in prototype.parameters if caller.named(prototype.name, p)]
        self._sizes = [p for p in named if self._role(p) == "size"]
        self._sizes_by_name = [p.name for p in self._sizes]
        others = [p for p in named if self._role(p) != "size"]
        self._others = {p.name: values for p in others if len(values := self._values(p)) > 1}
        near = {v + step for v in thresholds for step in (-1, 0, 1) if v + step > 0}
        self._steps = sorted(near | set(caller.rule.sizes))
        self._labels = sorted(set(labels) - set(self._steps))
        wide = all(p.bits > 32 for p in self._sizes)
        self._large = list(caller.rule.large_sizes) if wide and self._sizes else []
        # Increments and leading dimensions of 64 bits have a way of their own as well.
        self._wide = [
            p.name for p in named
            if p.kind == "integer" and p.bits > 32 and caller.rule.large_sizes
        ]  # fmt: skip
        scalars = [p for p in prototype.parameters if self._role(p) in ("scalar", "result")]
        self._scalars = {p.name for p in scalars}
        self._modes: list[PointerMode] = ["host"]
        if caller.rule.pointer_mode and scalars:
            self._modes.append("device")
        atomics = caller.rule.atomics
        self._atomics: list[int | None] = [None]
        if atomics:
            self._atomics = [int(name) for name in atomics.values]
        # A call with many types is only valid where they go together.
        types: dict[str, list[str]] = {}
        for parameter in named:
            if parameter.kind == "enumeration":
                types.setdefault(parameter.type, []).append(parameter.name)
        self._together = [names for names in types.values() if len(names) >= _MANY]
        self._alike = caller.alike(prototype)
        self._random = random.Random(hashlib.sha256(self._entry.encode()).digest())

    def _role(self, parameter: Parameter) -> str:
        return self._caller.role(self._entry, parameter)

    def _values(self, parameter: Parameter) -> list[Value]:
        line = self._caller.line(self._entry, parameter)
        first = default_of(self._caller, self._entry, parameter, line)
        rest: list[Value] = list(line.values) if line else []
        if parameter.kind == "enumeration":
            known = self._caller.enumerators(parameter)
            letters = self._caller.rule.letters
            chosen = [letters.get(str(value), str(value)) for value in rest]
            rest = [value for value in (chosen or known) if value in known]
        return [first, *(value for value in rest if value != first)]

    def all(self, draws: int) -> Iterator[Case]:
        """Every case in order."""
        atomics = self._atomics[0]
        yield Case({}, "host", atomics)
        yield from self.squares()
        yield from self._combinations()
        for name, values in self._others.items():
            for value in values[1:]:
                yield Case({name: value}, "host", atomics)
        for mode in self._modes[1:]:
            yield Case({}, mode, atomics)
        for allowed in self._atomics[1:]:
            yield Case({}, "host", allowed)
        for one, other in self._alike:
            yield Case({other: one}, "host", atomics)
        for parameter in self._sizes:
            yield Case({parameter.name: 0}, "host", atomics)
        for _ in range(draws * (4 if self._together else 1)):
            yield self._draw()

    def near(self, case: Case, numbers: Sequence[int], words: Set[str]) -> Iterator[Case]:
        """Cases that differ from one in a single value or mode."""
        yield from self.turned(case)
        named = [*self._sizes_by_name, *self._others, *self._wide]
        for name in sorted(dict.fromkeys(named), key=lambda name: name not in words):
            values: list[Value] = list(self._caller.rule.large_sizes) if name in self._wide else []
            values += self._others.get(name, ())
            if name in self._sizes_by_name:
                values += numbers
            for value in values:
                yield replace(case, args={**case.args, name: value})
        told = [name for name in self._sizes_by_name if name in words]
        if 1 < len(told) <= _FEW:
            for several in itertools.product(numbers[:_PAIRED], repeat=len(told)):
                yield replace(case, args={**case.args, **dict(zip(told, several, strict=True))})
        # Blocked algorithms hand what is left over to the site.
        left_over = [block + number for number in numbers for block in _BLOCKS if number < block]
        known = list(dict.fromkeys([*numbers, *left_over, *self._steps]))
        for number in known:
            sizes: dict[str, Value] = dict.fromkeys(self._sizes_by_name, number)
            yield replace(case, args={**case.args, **sizes})
        for number in known:
            for name in self._sizes_by_name:
                yield replace(case, args={**case.args, name: number})

    def turned(self, case: Case) -> Iterator[Case]:
        """A case under every other mode."""
        for mode in self._modes:
            for allowed in self._atomics:
                if (mode, allowed) != (case.pointer_mode, case.atomics):
                    yield replace(case, pointer_mode=mode, atomics=allowed)

    def squares(self) -> Iterator[Case]:
        """Square problems of all sizes, while enumerations turn over."""
        for number, size in enumerate((*self._steps, *self._labels)):
            for turn in range(3):
                yield self._square(size, number * 3 + turn)

    def _combinations(self) -> Iterator[Case]:
        """Every choice of enumerations and scalars, where there are not too many of them."""
        chosen = {
            name: values for name, values in self._others.items()
            if name in self._scalars or all(isinstance(value, str) for value in values)
            if name not in {other for names in self._together for other in names}
        }  # fmt: skip
        count = math.prod(len(values) for values in chosen.values())
        if len(chosen) < 2:
            return
        for size, most in _COMBINED.items():
            if count > most:
                continue
            args: dict[str, Value] = {p.name: size for p in self._sizes}
            for values in itertools.product(*chosen.values()):
                yield Case(
                    {**args, **dict(zip(chosen, values, strict=True))}, "host", self._atomics[0]
                )

    def _square(self, size: int, turn: int) -> Case:
        args: dict[str, Value] = {p.name: size for p in self._sizes}
        for place, (name, values) in enumerate(self._others.items()):
            if all(isinstance(value, str) for value in values):
                # Every letter with every size, in another order for each parameter.
                args[name] = values[(turn // (place % 3 + 1)) % len(values)]
        for names in self._together:
            args.update({name: args[names[0]] for name in names if name in args})
        return Case(args, "host", self._atomics[0])

    def _draw(self) -> Case:
        dice = self._random
        args: dict[str, Value] = {}
        same = dice.choice(self._steps)
        square = dice.random() < _SQUARE
        for parameter in self._sizes:
            args[parameter.name] = same if square else dice.choice(self._steps)
        if self._large and dice.random() < _LARGE:
            args[dice.choice(self._sizes).name] = dice.choice(self._large)
        for name, values in self._others.items():
            letters = all(isinstance(value, str) for value in values)
            if letters or dice.random() > _USUAL:
                args[name] = dice.choice(values)
        for names in self._together:
            usual, other = (dice.choice(self._others[names[0]]) for _ in range(2))
            args.update({name: dice.choice((usual, usual, other)) for name in names})
        if self._alike and dice.random() < _SAME_MEMORY:
            one, other = dice.choice(self._alike)
            args[other] = one
        return Case(args, dice.choice(self._modes), dice.choice(self._atomics))
