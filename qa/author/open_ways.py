"""Which functions an entry point can come to, with the constants that its calls hand down.

A call that stands under ``if(pivot)`` is never made for an entry point whose calls pass ``false`` for
``pivot``. Values are followed over the whole graph of calls: a parameter that all calls give
constants may be any of these, one that some call gives anything else may be anything.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from qa.author.subjects import types_of
from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import Call, FunctionReading, Guard, read_function
from qa.reading.lanes import outcome, spelled_out
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Value

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_MOST_VALUES, _MOST_CASES = 4, 16
_ENUMERATORS = 1 << 40
Fixed = dict[str, frozenset[str]]


@dataclass(frozen=True)
class Closed:
    """A call that an entry point's calls never make.

    Attributes:
        instantiation: Of the function that has the call.
        callee: What it would call, by its instantiation.
        line: Of the call.
        guard: The test around it that comes out the other way.
        name: The one name in it that a constant settles.
        value: That constant.
    """

    instantiation: str
    callee: str
    line: int
    guard: Guard
    name: str
    value: str


class OpenWays:
    """The live graph of calls with what its literal arguments close.

    Args:
        view: The scope.
        ground: The library.
    """

    def __init__(self, view: ScopeView, ground: Ground) -> None:
        self._view = view
        self._numbers = {
            name: _ENUMERATORS + n for n, name in enumerate(sorted(ground.enumerators))
        }
        self._number_of = {
            one["id"]: number
            for function in view.functions
            for number, one in enumerate(function.instantiations)
        }
        self._reached: dict[str, frozenset[str]] = {}
        self._own: dict[str, Fixed] = {}
        self._fixed: dict[str, dict[str, Fixed]] = {}
        self._outcomes: dict[
            tuple[str, str, tuple[tuple[str, frozenset[str]], ...]], bool | None
        ] = {}

    def reached(self, entry: str) -> frozenset[str]:
        """Instantiations that an entry point may come to."""
        if entry not in self._reached:
            self._reached[entry] = self._follow(entry)
        return self._reached[entry]

    def _follow(self, entry: str) -> frozenset[str]:
        found: dict[str, Fixed] = {one: {} for one in self._view.entry_ids(entry)}
        queue = deque(found)
        while queue:
            current = queue.popleft()
            function = self._view.owner.get(current)
            for target, at, _configs in self._view.edges.get(current, ()):
                callee = self._view.owner.get(target)
                if function is None or callee is None:
                    given: Fixed | None = {}
                else:
                    given = self._given(function, current, found[current], callee, at.start_line)
                if given is None:
                    continue
                before = found.get(target)
                after = given if before is None else _joined(before, given)
                if before is None or after != before:
                    found[target] = after
                    queue.append(target)
        self._fixed[entry] = found
        return frozenset(found)

    def closed(self, entry: str) -> Iterator[Closed]:
        """Calls of functions that an entry point comes to, each kept away by one constant."""
        reached = self.reached(entry)
        for current in sorted(reached):
            function = self._view.owner.get(current)
            if function is None:
                continue
            known = self._known(function, current, self._fixed[entry][current])
            for target, at, _configs in self._view.edges.get(current, ()):
                callee = self._view.owner.get(target)
                calls = _calls(function, callee.name, at.start_line) if callee is not None else []
                if target in reached or not calls:
                    continue
                for guard in calls[0].guards:
                    one = self._one_constant(function, guard, known)
                    if one is not None:
                        yield Closed(current, target, at.start_line, guard, *one)
                        break

    def is_open(self, entry: str, caller: str, callee: str, line: int) -> bool:
        """A call between two instantiations may be made on behalf of an entry point."""
        if caller not in self.reached(entry):
            return False
        function, other = self._view.owner.get(caller), self._view.owner.get(callee)
        if function is None or other is None:
            return False
        fixed = self._fixed[entry][caller]
        return self._given(function, caller, fixed, other, line) is not None

    def _one_constant(
        self, function: FunctionView, guard: Guard, known: Fixed
    ) -> tuple[str, str] | None:
        for name in dict.fromkeys(_NAME.findall(_spelled(guard.condition, function))):
            values = known.get(name, frozenset())
            alone = {name: values}
            if len(values) == 1 and self._comes_out(function, guard, alone) is guard.negated:
                return name, next(iter(values))
        return None

    def _known(self, function: FunctionView, instantiation: str, fixed: Fixed) -> Fixed:
        known: Fixed = dict(fixed)
        for name, text in types_of(function, self._number_of.get(instantiation, 0)).items():
            if _is_plain(text):
                known[name] = frozenset((text,))
        return known | self._locals(function)

    def _given(
        self,
        function: FunctionView,
        instantiation: str,
        fixed: Fixed,
        callee: FunctionView,
        line: int,
    ) -> Fixed | None:
        """Constants that a function's call at a line hands on; ``None`` where none is made."""
        calls = _calls(function, callee.name, line)
        if not calls:
            return {}
        known = self._known(function, instantiation, fixed)
        made = [call for call in calls if not self._is_closed(function, call, known)]
        if not made:
            return None
        parameters = _reading(callee).parameters
        found: Fixed = {}
        for number, parameter in enumerate(parameters):
            values: set[str] = set()
            for call in made:
                text = call.arguments[number] if number < len(call.arguments) else ""
                if _is_plain(text) or text in self._numbers:
                    values.add(text)
                elif text in known:
                    values |= known[text]
                else:
                    values.clear()
                    break
            if (
                values
                and len(values) <= _MOST_VALUES
                and not times_set(callee.text, parameter.name)
            ):
                found[parameter.name] = frozenset(values)
        return found

    def _locals(self, function: FunctionView) -> Fixed:
        if function.id not in self._own:
            self._own[function.id] = self._set_locals(function)
        return self._own[function.id]

    def _set_locals(self, function: FunctionView) -> Fixed:
        return {
            d.name: frozenset((d.value,))
            for d in _reading(function).definitions
            if (_is_plain(d.value) or d.value in self._numbers)
            and not d.guards and times_set(function.text, d.name) == 1
        }  # fmt: skip

    def _is_closed(self, function: FunctionView, call: Call, known: Fixed) -> bool:
        reading = _reading(function)
        if any(self._comes_out(function, guard, known) is guard.negated for guard in call.guards):
            return True
        around = set(call.guards)
        return any(
            branch.returns is not None and branch.last < call.first
            and set(branch.guards) <= around and not branch.loops
            and self._comes_out(function, Guard(branch.condition, False, branch.first), known) is True
            for branch in reading.branches
        )  # fmt: skip

    def _comes_out(self, function: FunctionView, guard: Guard, known: Fixed) -> bool | None:
        """What a test is for all that its names may be; ``None`` where that is not settled."""
        test = _spelled(guard.condition, function)
        used = tuple((n, known[n]) for n in dict.fromkeys(_NAME.findall(test)) if n in known)
        if not used:
            return None
        key = (function.id, test, used)
        if key not in self._outcomes:
            self._outcomes[key] = self._settled(test, dict(used))
        return self._outcomes[key]

    def _settled(self, test: str, known: Fixed) -> bool | None:
        names = list(known)
        cases = list(itertools.product(*(sorted(known[name]) for name in names)))
        if len(cases) > _MOST_CASES:
            return None
        constants = {n: self._numbers[n] for n in _NAME.findall(test) if n in self._numbers}
        outcomes = set()
        for case in cases:
            values: dict[str, Value] = {**constants}
            for name, text in zip(names, case, strict=True):
                values[name] = self._value(text)
            outcomes.add(outcome(test, values))
        return outcomes.pop() if len(outcomes) == 1 else None

    def _value(self, text: str) -> Value:
        if text in self._numbers:
            return self._numbers[text]
        return int(text) if text.lstrip("-").isdigit() else int(text == "true")


def open_ways(view: ScopeView, ground: Ground) -> OpenWays:
    """Those of an interface, made once."""
    return view.once("open ways", lambda: OpenWays(view, ground))


def calls_of(function: FunctionView, name: str, line: int) -> list[Call]:
    """Calls of a function that a function makes at a line, with all of their arguments."""
    return [call for call in _calls(function, name, line) if call.name == name]


def _joined(one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]) -> Fixed:
    """What names may be where two ways meet."""
    both = {name: one[name] | other[name] for name in one if name in other}
    return {name: values for name, values in both.items() if len(values) <= _MOST_VALUES}


@lru_cache(maxsize=1 << 14)
def _is_plain(text: str) -> bool:
    return text in ("true", "false") or re.fullmatch(r"-?\d+", text) is not None


def _reading(function: FunctionView) -> FunctionReading:
    if function.span is None:
        return FunctionReading()
    return read_function(function.text, function.span.start_line)


@lru_cache(maxsize=1 << 14)
def _written_out(condition: str, text: str, first: int) -> str:
    return spelled_out(condition, read_function(text, first), text)


def _spelled(condition: str, function: FunctionView) -> str:
    assert function.span is not None
    return _written_out(condition, function.text, function.span.start_line)


def _calls(function: FunctionView, name: str, line: int) -> list[Call]:
    """Calls of a function that begin at a line; those of a macro with its name count as well."""
    if function.span is None:
        return []
    return _calls_at(function.text, function.span.start_line, name, line)


@lru_cache(maxsize=1 << 14)
def _calls_at(text: str, first: int, name: str, line: int) -> list[Call]:
    calls = [call for call in read_function(text, first).calls if call.first <= line <= call.last]
    own = [call for call in calls if call.name == name]
    if own:
        nearest = max(call.first for call in own)
        return [call for call in own if call.first == nearest]
    around = [call for call in calls if re.search(rf"\b{re.escape(name)}\b", call.text)]
    # The macro's own arguments are no arguments of the function: only the tests around it count.
    return [Call(c.first, c.last, c.text, c.guards, c.loops, c.name, ()) for c in around[:1]]
