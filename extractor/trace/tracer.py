"""Calls entry points of one library and says what each call launched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from pydantic import JsonValue

from extractor import __version__, settings
from extractor.check.names import base_name
from extractor.errors import RuleError, UnknownName, UserError
from extractor.glob import match_name
from extractor.project import Project
from extractor.trace.arguments import Caller, Value
from extractor.trace.case import Case, PointerMode
from extractor.trace.kernel_effects import KernelEffects
from extractor.trace.prototypes import Prototype, Prototypes, read_definitions, read_prototypes
from extractor.trace.records import Trace
from extractor.trace.session import Limits, Outcome, Request, Session
from extractor.trace.shared_object import HostSide, SharedObject
from extractor.trace_rule import Trace as TraceRule


def _json(value: Value) -> JsonValue:
    return list(value) if isinstance(value, list) else value


class Tracer:
    """One library under one configuration. Use as a context manager, or ``close`` it.

    The shared object of an interface is built when its first entry point is called, and workers
    stay for the next call.

    Args:
        project: The library.
        config: Its configuration.
        limits: What one call may take.

    Attributes:
        places: By entry point, kernels and the offsets in its shared object at which calls
            launched them.

    Raises:
        RuleError: The rule file does not say how entry points are called.
    """

    def __init__(self, project: Project, config: str, limits: Limits | None = None) -> None:
        if project.rule.trace is None:
            raise RuleError(
                f"{project.rule.path}: no [trace] section says how entry points are called; "
                "see rules/README.md"
            )
        self.project, self.config, self.limits = project, config, limits or Limits()
        self.rule: TraceRule = project.rule.trace
        self.host = HostSide(project, config)
        self.places: dict[str, set[tuple[str, int]]] = {}
        self._objects: dict[tuple[str, ...], SharedObject] = {}
        self._effects: dict[str, KernelEffects] = {}
        self._sessions: dict[tuple[str, str], Session] = {}

    def __enter__(self) -> Tracer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    @cached_property
    def prototypes(self) -> Prototypes:
        """Prototypes of all declared entry points."""
        return read_prototypes(self.project, self.config)

    @cached_property
    def caller(self) -> Caller:
        """Knows how entry points are called."""
        return Caller(self.rule, self.prototypes.enumerations)

    def learn(self, files: Mapping[str, Sequence[str]]) -> None:
        """Reads prototypes of entry points that no header declares.

        Args:
            files: By source file, the names that it defines.
        """
        found = read_definitions(self.project, self.config, files)
        self.prototypes.functions.update(found.functions)
        for name, values in found.enumerations.items():
            self.prototypes.enumerations.setdefault(name, values)

    def why_not(self, entry: str) -> str | None:
        """Why an entry point is not called, else ``None``."""
        prototype = self.prototypes.functions.get(entry)
        if prototype is None:
            return "its prototype was not found"
        for glob, reason in self.rule.exclude.items():
            if match_name(entry, (glob,)):
                return reason
        kinds = [self.caller.role(entry, parameter) for parameter in prototype.parameters]
        if "handle" not in kinds:
            return f"it takes no {self.rule.handle}"
        return None

    def shared_object(self, entries: Iterable[str]) -> SharedObject:
        """The shared object with some entry points, built on first use."""
        key = tuple(sorted(entries))
        if key not in self._objects:
            self._objects[key] = self.host.build(key, self.rule.support())
        return self._objects[key]

    def home(self, entry: str) -> SharedObject:
        """The shared object of the interface that an entry point belongs to."""
        for key, made in self._objects.items():
            if entry in key:
                return made
        family = next((f for f in self.project.families().values() if entry in f), [entry])
        return self.shared_object(name for name in family if self.why_not(name) is None)

    def effects(self, made: SharedObject) -> KernelEffects:
        """What the kernels of a shared object write."""
        key = str(made.path)
        if key not in self._effects:
            self._effects[key] = KernelEffects(self.host, made)
        return self._effects[key]

    def call(
        self,
        entry: str,
        args: Mapping[str, Value],
        *,
        archs: Sequence[str] = settings.TRACE_ARCHITECTURES,
        pointer_mode: PointerMode = "host",
        atomics: int | None = None,
    ) -> list[Trace]:
        """Calls an entry point once on each architecture.

        Args:
            entry: Its name.
            args: Values by parameter; those left out have their defaults.
            archs: Architectures that the runtime reports.
            pointer_mode: Where scalars live.
            atomics: Whether atomics are allowed; the library's default when ``None``.

        Returns:
            One trace for each group of architectures with the same launches.

        Raises:
            UnknownName: No such entry point.
            UserError: An argument that it does not have or a value that it cannot be given.
        """
        case = Case(dict(args), pointer_mode, atomics)
        return self.call_all(entry, [case], archs)[0]

    def call_all(
        self, entry: str, cases: Sequence[Case], archs: Sequence[str]
    ) -> list[list[Trace]]:
        """Calls an entry point with several cases; for each what ``call`` returns."""
        prototype = self._prototype(entry)
        full = [self.caller.complete(prototype, case.args) for case in cases]
        requests = [
            self.request(entry, args, pointer_mode=case.pointer_mode, atomics=case.atomics)
            for args, case in zip(full, cases, strict=True)
        ]
        outcomes = [self._session(entry, arch).call_all(requests) for arch in archs]
        places = self.places.setdefault(entry, set())
        for made in outcomes:
            places.update(*(outcome.places for outcome in made))
        traces = []
        for case, args, each in zip(cases, full, zip(*outcomes, strict=True), strict=True):
            groups: dict[Outcome, list[str]] = {}
            for arch, outcome in zip(archs, each, strict=True):
                groups.setdefault(outcome, []).append(arch)
            traces.append(
                [self._trace(prototype, args, case, some, found) for found, some in groups.items()]
            )
        return traces

    def request(
        self,
        entry: str,
        args: Mapping[str, Value],
        *,
        pointer_mode: PointerMode,
        atomics: int | None,
    ) -> Request:
        """A call as workers take it, from every argument's value."""
        lines = self.caller.wire(self._prototype(entry), args, pointer_mode)
        return Request(entry, lines, self._modes(pointer_mode, atomics))

    def _prototype(self, entry: str) -> Prototype:
        known = self.prototypes.functions
        if entry not in known:
            raise UnknownName("entry point", entry, known)
        reason = self.why_not(entry)
        if reason:
            raise UserError(f"{entry} is not called for traces: {reason}")
        return known[entry]

    def _modes(self, pointer_mode: PointerMode, atomics: int | None) -> list[tuple[str, int]]:
        modes = []
        if self.rule.pointer_mode:
            values = self.rule.pointer_mode.values
            modes.append((self.rule.pointer_mode.call, values[pointer_mode]))
        if self.rule.atomics and atomics is not None:
            modes.append((self.rule.atomics.call, self.rule.atomics.values[str(atomics)]))
        return modes

    def _session(self, entry: str, arch: str) -> Session:
        if arch not in settings.DEVICES:
            raise UnknownName("architecture", arch, settings.DEVICES)
        home = self.home(entry)
        key = (str(home.path), arch)
        if key not in self._sessions:
            effects = self.effects(home).of
            self._sessions[key] = Session(home.path, self.rule, arch, self.limits, effects)
        return self._sessions[key]

    def _trace(
        self,
        prototype: Prototype,
        args: dict[str, Value],
        case: Case,
        archs: Sequence[str],
        outcome: Outcome,
    ) -> Trace:
        return Trace(
            tool_version=__version__,
            project=self.project.rule.name,
            source=self.project.source,
            config=self.config,
            entry=prototype.name,
            args={name: _json(value) for name, value in args.items()},
            arch=tuple(archs),
            pointer_mode=case.pointer_mode,
            atomics=case.atomics,
            status=self._status(prototype, outcome),
            launches=outcome.launches,
            boundaries=outcome.boundaries,
            executed=tuple(sorted({base_name(symbol) for symbol in outcome.executed})),
        )

    def _status(self, prototype: Prototype, outcome: Outcome) -> str:
        if outcome.returned is None:
            return outcome.why
        for name, value in self.prototypes.enumerations.get(prototype.returns, {}).items():
            if value == outcome.returned:
                return name.removeprefix(self.rule.status)
        return str(outcome.returned)
