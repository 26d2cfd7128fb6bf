"""Launch traces of whole interfaces, and single calls for other stages."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.api import scope_bytes
from extractor.project import Project
from extractor.trace.arguments import Value
from extractor.trace.calls import Calls, Effort
from extractor.trace.case import Case, PointerMode
from extractor.trace.cases import Variations, candidates
from extractor.trace.choice import choose
from extractor.trace.hunt import Hunt, code
from extractor.trace.kernel_effects import identity
from extractor.trace.lines import Functions, Place
from extractor.trace.records import Trace
from extractor.trace.search import Search
from extractor.trace.shared_object import SharedObject
from extractor.trace.thresholds import labels, thresholds
from extractor.trace.tracer import Tracer
from extractor.trace.watching import Watch

_DECIDE = (
    "arguments", "calls", "case", "cases", "choice", "effect_values", "effects", "guards", "hunt",
    "lines", "search", "session", "sites", "tracer", "worker",
)  # fmt: skip
"""Modules of this package that decide what a trace says."""

_USUAL = Effort()

Progress = Callable[[int, int, str], None]
"""Told (done, total, entry point)."""


@dataclass(frozen=True)
class Sizes:
    """Sizes at which the host code of an interface decides.

    Attributes:
        compared: Numbers that it compares with.
        labels: Labels of a ``switch`` in its launchers.
    """

    compared: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Traced:
    """Traces of one interface.

    Attributes:
        traces: By entry point, in the order of the cases.
        launched: By entry point, symbols of every kernel that some call launched, kept or not.
        not_called: By entry point, why it was not called.
        calls: Calls made now; 0 when all of it came from the cache.
        unreachable: Launch sites that no arguments lead to.
        refuted: Those that were launched from although they were told to be such, as
            ``entry: site``.
        places: Where the calls launched.
        left_out: Cases that were not tried because smaller ones launched so much already.
        library: The shared object that was called; ``None`` where nothing can be.
    """

    traces: list[Trace]
    launched: dict[str, list[str]]
    not_called: dict[str, str]
    calls: int
    library: SharedObject | None = None
    left_out: int = 0
    unreachable: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    places: frozenset[Place] = frozenset()


def run(
    project: Project | str,
    interface: str,
    config: str | None = None,
    cases: Mapping[str, Sequence[Case]] | None = None,
) -> list[Trace]:
    """Launch traces of an interface.

    Args:
        project: The library, or its name.
        interface: Family, half of a twin, or one entry point.
        config: Configuration; the first one when ``None``.
        cases: Calls by entry point; chosen by what they launch when ``None``.

    Example:
        >>> traces = run("rocblas", "axpy")  # doctest: +SKIP
        >>> traces[0].launches[0].grid  # doctest: +SKIP
    """
    opened = Project(project) if isinstance(project, str) else project
    chosen = opened.configurations(config or "all")[0]
    with Tracer(opened, chosen) as tracer:
        if cases is None:
            return trace_interface(tracer, interface).traces
        return [
            trace
            for entry, its_cases in cases.items()
            for case in its_cases
            for trace in tracer.call(
                entry, case.args, pointer_mode=case.pointer_mode, atomics=case.atomics
            )
        ]


_TRACERS: dict[tuple[int, str], Tracer] = {}


def trace_call(
    project: Project,
    config: str,
    entry: str,
    args: Mapping[str, Value],
    arch: str = settings.DEFAULT_ARCHITECTURE,
    pointer_mode: PointerMode = "host",
    atomics: int | None = None,
) -> Trace:
    """One call, by a worker that stays for the next one.

    Raises:
        UserError: An entry point, argument or value that does not exist.
    """
    key = (id(project), config)
    if key not in _TRACERS:
        _TRACERS[key] = Tracer(project, config)
    made = _TRACERS[key].call(
        entry, args, archs=(arch,), pointer_mode=pointer_mode, atomics=atomics
    )
    return made[0]


def close_workers() -> None:
    """Ends the workers that ``trace_call`` left."""
    for tracer in _TRACERS.values():
        tracer.close()
    _TRACERS.clear()


def trace_interface(
    tracer: Tracer,
    interface: str,
    *,
    archs: Sequence[str] = settings.TRACE_ARCHITECTURES,
    effort: Effort = _USUAL,
    progress: Progress | None = None,
) -> Traced:
    """Traces of every entry point of an interface; from the store when nothing has changed.

    Args:
        tracer: The library.
        interface: Family, half of a twin, or one entry point.
        archs: Architectures that the runtime reports.
        effort: How much is tried and kept.
        progress: Told about each entry point.
    """
    project = tracer.project
    scope = json.loads(scope_bytes(project, interface, (tracer.config,)))
    tracer.learn(_undeclared(tracer, scope))
    reasons = {entry: tracer.why_not(entry) for entry in scope["entry_points"]}
    called = [entry for entry, reason in reasons.items() if reason is None]
    not_called = {entry: reason for entry, reason in reasons.items() if reason}
    if not called:
        return Traced([], {}, not_called, 0)
    made = tracer.shared_object(called)
    sizes = Sizes(tuple(thresholds(scope)), tuple(labels(scope)))
    hunt = Hunt(project, tracer.config, scope)
    traces: list[Trace] = []
    launched: dict[str, list[str]] = {}
    places: set[Place] = set()
    functions = Functions(made.path)
    calls = left_out = 0
    with Watch(tracer) as watch:
        for done, entry in enumerate(called, start=1):
            goals = hunt.goals(entry)
            key = _key(tracer, made.path, entry, archs, effort, sizes, goals)
            known = project.store.recall(key)
            if known is None:
                groups, now, large = _trace_entry(tracer, entry, archs, effort, sizes, hunt, goals)
                calls += now
                found = choose(groups, effort.budget, [set(each) for each in goals.values()])
                found = [watch.look(trace)[0] for trace in found]
                launched[entry] = sorted(
                    {x.symbol for group in groups for trace in group for x in trace.launches}
                )
                offsets = sorted(tracer.places.pop(entry, ()))
                lines = [json.dumps([large, offsets, *launched[entry]]).encode()]
                lines += [trace.model_dump_json(by_alias=True).encode() for trace in found]
                project.store.remember(key, b"\n".join(lines))
            else:
                first, *rest = known.splitlines()
                large, offsets, *launched[entry] = json.loads(first)
                found = [Trace.model_validate_json(line) for line in rest]
            shown = functions.places((kernel, offset) for kernel, offset in offsets)
            hunt.ended(entry, goals, set(launched[entry]), shown)
            places |= shown
            traces += found
            left_out += large
            if progress:
                progress(done, len(called), entry)
    never = hunt.unreachable()
    return Traced(
        traces,
        launched,
        not_called,
        calls,
        made,
        left_out,
        never,
        hunt.refuted(),
        frozenset(places),
    )


def _undeclared(tracer: Tracer, scope: dict[str, Any]) -> dict[str, list[str]]:
    """By file, entry points that it defines and no header declares."""
    files: dict[str, list[str]] = {}
    for function in scope["functions"]:
        known = function["kind"] != "entry_point" or function["span"] is None
        if not known and function["name"] not in tracer.prototypes.functions:
            files.setdefault(function["span"]["file"], []).append(function["name"])
    return files


def _trace_entry(
    tracer: Tracer,
    entry: str,
    archs: Sequence[str],
    effort: Effort,
    steps: Sizes,
    hunt: Hunt,
    goals: Mapping[str, frozenset[str]],
) -> tuple[list[list[Trace]], int, int]:
    """Traces of each case that was tried, calls made, and cases too large to be tried."""
    prototype = tracer.prototypes.functions[entry]
    cases = list(candidates(tracer.caller, prototype, effort.draws, steps.compared, steps.labels))
    calls = Calls(tracer, entry, effort)
    swept = calls.make(cases, archs)
    launched = {x.symbol for _, group in swept for trace in group for x in trace.launches}
    left = {site: kernels for site, kernels in goals.items() if kernels.isdisjoint(launched)}
    left = {site: kernels for site, kernels in left.items() if not hunt.is_closed(entry, site)}
    groups = [traces for _, traces in swept]
    if left and effort.search:
        # What is asked for by name is all that is called; the default looks at other chips too.
        more = settings.SEARCH_ARCHITECTURES if archs == settings.TRACE_ARCHITECTURES else archs
        variations = Variations(tracer.caller, prototype, steps.compared, steps.labels)
        search = Search(calls, variations, hunt.sites, hunt.guards, more, effort.search)
        groups += [traces for _, traces in search.pursue(swept, left)]
    return groups, calls.made, calls.left_out


@functools.cache
def _code() -> str:
    folder = Path(__file__).parent
    digest = hashlib.sha256(identity().encode())
    files = [folder / f"{name}.py" for name in _DECIDE]
    watching = folder / "watching"
    for path in [*files, *sorted([*watching.glob("*.py"), *watching.glob("native/*.cpp")])]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(
    tracer: Tracer,
    library: Path,
    entry: str,
    archs: Sequence[str],
    effort: Effort,
    steps: Sizes,
    goals: Mapping[str, frozenset[str]],
) -> str:
    devices = {
        arch: repr(settings.DEVICES.get(arch)) for arch in (*archs, *settings.SEARCH_ARCHITECTURES)
    }
    parts = [
        _code(),
        code(),
        library.parent.name,
        tracer.rule.model_dump_json(),
        repr(tracer.prototypes.functions[entry]),
        json.dumps(devices),
        repr((effort, steps, tracer.limits)),
        repr(sorted((site, sorted(kernels)) for site, kernels in goals.items())),
        tracer.project.source.model_dump_json(),
    ]
    return "trace:" + hashlib.sha256("\0".join(parts).encode()).hexdigest()


__all__ = [
    "Effort", "Traced", "close_workers", "run", "trace_call", "trace_interface",
]  # fmt: skip
