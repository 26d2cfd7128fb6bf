"""Has a library launch a kernel, and says what it launched it with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from extractor import settings
from extractor.api import scope_bytes
from extractor.project import Project
from extractor.trace.arguments import Caller, Value
from extractor.trace.case import Case as TracedCase
from extractor.trace.cases import candidates
from extractor.trace.effects import Effect
from extractor.trace.prototypes import Parameter
from extractor.trace.session import Request
from extractor.trace.shared_object import SharedObject
from extractor.trace.thresholds import thresholds
from extractor.trace.tracer import Tracer
from extractor.trace_rule import ParameterRule
from extractor.trace_rule import Trace as TraceRule
from kernels.launches.growing import larger_arguments
from kernels.launches.listening import Geometry, HostLibrary
from kernels.task.element_types import ELEMENT_TYPES, from_storage
from kernels.task.model import Number
from kernels.task.signature import CParameter

_DRAWS = 120
_MOST_ENTRIES = 6
_SMALL, _SMALL_COUNT = 1100, 5
_POINTER_BYTES = 8
_FAR = 1 << 22
_MOST_GROWN = 3


@dataclass(frozen=True)
class CapturedLaunch:
    """One launch that a library made.

    Attributes:
        call: The call of an entry point that led to it, as a person reads it.
        geometry: Grid, block and bytes of dynamic LDS.
        scalars: What the kernel's scalars were.
        absent: Pointers that were null.
    """

    call: str
    geometry: Geometry
    scalars: Mapping[str, Number]
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Stage:
    """A kind of calls. Large calls are made, and other architectures asked, only for kernels that
    nothing before launches."""

    arch: str
    large: bool


@dataclass(frozen=True)
class _Call:
    """A call of an entry point, how a person writes it, and what it was made from."""

    entry: str
    name: str
    request: Request
    args: Mapping[str, Value]
    case: TracedCase


class _QuickCaller(Caller):
    """A caller that looks up each parameter once; thousands of calls have the same ones."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller.rule, caller.enumerations)
        # What is frozen are the rule and the enumerations; this follows from them.
        object.__setattr__(self, "_lines", {})
        object.__setattr__(self, "_roles", {})

    def line(self, entry: str, parameter: Parameter) -> ParameterRule | None:
        known: dict[tuple[str, Parameter], ParameterRule | None] = vars(self)["_lines"]
        key = (entry, parameter)
        if key not in known:
            known[key] = super().line(entry, parameter)
        return known[key]

    def role(self, entry: str, parameter: Parameter) -> str:
        known: dict[tuple[str, Parameter], str] = vars(self)["_roles"]
        key = (entry, parameter)
        if key not in known:
            known[key] = super().role(entry, parameter)
        return known[key]


class Captures:
    """Launches of one interface's kernels under one configuration.

    Args:
        project: The library.
        interface: Family or entry point.
        config: Configuration.
        checking: Calls are made under the environment in which the library checks numbers.

    Raises:
        RuleError: The rule file does not say how entry points are called.
    """

    def __init__(
        self, project: Project, interface: str, config: str, *, checking: bool = False
    ) -> None:
        self._interface, self._checking = interface, checking
        self._tracer = Tracer(project, config)
        self._known: dict[_Stage, dict[str, list[str]]] = {}
        self._made: dict[str, tuple[list[_Call], list[_Call]]] = {}
        self._launching: dict[str, tuple[_Stage, list[_Call]]] = {}
        self._effects: dict[str, Effect | None] = {}

    def symbols(self) -> Iterator[set[str]]:
        """Kernels that calls launch: those of small calls first, then more and more."""
        for stage in _stages():
            yield set(self._entries(stage))

    def of(self, symbol: str, parameters: Sequence[CParameter]) -> list[CapturedLaunch]:
        """Launches of a kernel; none where no call that was tried launches it.

        Args:
            symbol: Mangled symbol of the instantiation.
            parameters: Its parameters; each has an element type or is a stream.
        """
        for stage in _stages():
            entries = self._entries(stage).get(symbol, [])
            chosen = sorted(entries, key=lambda entry: (len(entry), entry))[:_MOST_ENTRIES]
            found = self._heard(stage, chosen, symbol, parameters)
            if found:
                return found
        return []

    def larger(self, symbol: str, parameters: Sequence[CParameter]) -> list[CapturedLaunch]:
        """Launches of a kernel by ever larger calls, after :meth:`of` has found some.

        Args:
            symbol: Mangled symbol of the instantiation.
            parameters: Its parameters.
        """
        stage, calls = self._launching.get(symbol, (None, []))
        for call in calls[:_MOST_GROWN] if stage else ():
            assert stage
            prototype = self._tracer.prototypes.functions[call.entry]
            sizes = {
                p.name for p in prototype.parameters if self._caller.role(call.entry, p) == "size"
            }
            grown = [
                self._call(call.entry, args, call.case)
                for args in larger_arguments(call.args, sizes)
            ]
            found = self._launches(stage, grown, symbol, parameters)
            if found:
                return list({one.call.partition(" launch ")[0]: one for one in found}.values())
        return []

    @cached_property
    def _scope(self) -> dict[str, object]:
        data = scope_bytes(self._tracer.project, self._interface, (self._tracer.config,))
        scope: dict[str, object] = json.loads(data)
        return scope

    @cached_property
    def _called(self) -> list[str]:
        """Entry points that can be called."""
        names = self._scope["entry_points"]
        assert isinstance(names, list)
        return [str(name) for name in names if self._tracer.why_not(name) is None]

    @cached_property
    def _caller(self) -> _QuickCaller:
        return _QuickCaller(self._tracer.caller)

    @cached_property
    def _library(self) -> SharedObject:
        return self._tracer.shared_object(self._called)

    def _host(self, stage: _Stage) -> HostLibrary:
        rule = self._tracer.rule
        environment = rule.checking if self._checking else {}
        effects = self._tracer.effects(self._library).of
        path = self._library.path
        return HostLibrary(path, rule, stage.arch, effects, self._effects, environment)

    def _entries(self, stage: _Stage) -> dict[str, list[str]]:
        """By symbol, the entry points that launch it."""
        if stage not in self._known:
            found: dict[str, list[str]] = {}
            calls = [call for entry in self._called for call in self._calls(entry)[stage.large]]
            heard = self._host(stage).hear([c.request for c in calls], {}) if calls else ()
            for one in heard:
                for symbol in one.launches:
                    entries = found.setdefault(symbol, [])
                    if calls[one.number].entry not in entries:
                        entries.append(calls[one.number].entry)
            self._known[stage] = found
        return self._known[stage]

    def _calls(self, entry: str) -> tuple[list[_Call], list[_Call]]:
        """Calls of an entry point: the small ones, and all others."""
        if entry not in self._made:
            caller, rule = self._caller, self._tracer.rule
            prototype = self._tracer.prototypes.functions[entry]
            made: tuple[list[_Call], list[_Call]] = ([], [])
            for number, case in enumerate(candidates(caller, prototype, _DRAWS, self._steps)):
                args = _apart(caller.complete(prototype, case.args))
                made[_is_large(args)].append(self._call(entry, args, _turned(rule, case, number)))
            self._made[entry] = made
        return self._made[entry]

    def _call(self, entry: str, args: Mapping[str, Value], case: TracedCase) -> _Call:
        wire = self._caller.wire(self._tracer.prototypes.functions[entry], args, case.pointer_mode)
        request = Request(entry, wire, list(_modes(self._tracer.rule, case)))
        return _Call(entry, _spelled(entry, args), request, args, case)

    @cached_property
    def _steps(self) -> list[int]:
        return thresholds(self._scope)

    def _heard(
        self, stage: _Stage, entries: Sequence[str], symbol: str, parameters: Sequence[CParameter]
    ) -> list[CapturedLaunch]:
        calls = [call for entry in entries for call in self._calls(entry)[stage.large]]
        return self._launches(stage, calls, symbol, parameters) if calls else []

    def _launches(
        self, stage: _Stage, calls: Sequence[_Call], symbol: str, parameters: Sequence[CParameter]
    ) -> list[CapturedLaunch]:
        wanted = {symbol: [_size(one) for one in parameters]}
        found: list[CapturedLaunch] = []
        launching: list[_Call] = []
        for one in self._host(stage).hear([c.request for c in calls], wanted):
            rows = one.arguments.get(symbol, ())
            name = calls[one.number].name
            if rows:
                launching.append(calls[one.number])
            pairs = zip(one.launches.get(symbol, ()), rows, strict=False)
            for number, (geometry, data) in enumerate(pairs):
                label = f"{name} launch {number + 1}" if len(rows) > 1 else name
                found.append(_captured(label, geometry, data, parameters))
        self._launching.setdefault(symbol, (stage, launching))
        return found


def _stages() -> list[_Stage]:
    return [_Stage(arch, large) for arch in settings.TRACE_ARCHITECTURES for large in (False, True)]


def _is_large(args: Mapping[str, Value]) -> bool:
    return any(
        abs(value) > (_SMALL_COUNT if "batch" in name else _SMALL)
        for name, value in args.items()
        if isinstance(value, int) and not _strides(name)
    )


def _turned(rule: TraceRule, case: TracedCase, number: int) -> TracedCase:
    """A case with each way to treat atomics in turn: all sizes are tried with all of them."""
    if rule.atomics is None or case.atomics is None:
        return case
    values = [int(name) for name in rule.atomics.values]
    return replace(case, atomics=values[number % len(values)])


def _modes(rule: TraceRule, case: TracedCase) -> Iterator[tuple[str, int]]:
    """What sets the modes of the handle for a call."""
    if rule.pointer_mode:
        yield rule.pointer_mode.call, rule.pointer_mode.values[case.pointer_mode]
    if rule.atomics and case.atomics is not None:
        yield rule.atomics.call, rule.atomics.values[str(case.atomics)]


def _size(parameter: CParameter) -> int:
    if parameter.kind != "scalar":
        return _POINTER_BYTES
    return ELEMENT_TYPES[parameter.type].bytes * parameter.components


def _captured(
    call: str, geometry: Geometry, data: Sequence[bytes], parameters: Sequence[CParameter]
) -> CapturedLaunch:
    scalars: dict[str, Number] = {}
    absent = set()
    for parameter, raw in zip(parameters, data, strict=True):
        if parameter.kind == "scalar":
            value = from_storage(raw, ELEMENT_TYPES[parameter.type])[0]
            whole = ELEMENT_TYPES[parameter.type].family in ("int", "bool")
            # Entry points are called with real factors.
            scalars[parameter.name] = int(value) if whole else float(complex(value).real)
        elif parameter.kind == "buffer" and not any(raw):
            absent.add(parameter.name)
    return CapturedLaunch(call, geometry, scalars, frozenset(absent))


def _apart(args: Mapping[str, Value]) -> dict[str, Value]:
    """The same arguments with members of a batch so far apart that none overlaps another.

    What several blocks write to one place has no one result that a task could ask for.
    """
    numbers = [
        value
        for name, value in args.items()
        if isinstance(value, int) and not _strides(name) and "batch" not in name
    ]
    leading = [v for n, v in args.items() if isinstance(v, int) and n.lower().startswith("ld")]
    most = max([1, *map(abs, numbers)])
    far = most * max([3, *leading]) + 1
    if far > _FAR:
        return dict(args)  # memory that no machine here has would be in between
    return {n: far if _strides(n) and isinstance(v, int) else v for n, v in args.items()}


def _strides(name: str) -> bool:
    return "stride" in name.lower()


def _spelled(entry: str, args: Mapping[str, Value]) -> str:
    return " ".join([entry, ",".join(f"{name}={value}" for name, value in args.items())]).strip()
