"""Has a library launch a kernel, and says what it launched it with.

The library's host side runs as for launch traces, against a recorder that stands for the HIP
runtime; beside grid and block, the arguments of chosen kernels are kept.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.api import scope_bytes
from extractor.project import Project
from extractor.trace.arguments import Value
from extractor.trace.case import Case as TracedCase
from extractor.trace.cases import candidates
from extractor.trace.run import Traced, trace_interface
from extractor.trace.session import Limits as CallLimits
from extractor.trace.session import Request, Session
from extractor.trace.thresholds import thresholds
from extractor.trace.tracer import Tracer
from extractor.trace_rule import Trace as TraceRule
from kernels.isolation import Limits, run
from kernels.task.element_types import ELEMENT_TYPES, from_storage
from kernels.task.model import Number
from kernels.task.signature import CParameter

_PACKAGE = Path(__file__).resolve().parents[2]
_LIMITS = Limits(wall_seconds=120, cpu_seconds=120, memory_bytes=0)
_CALLS = CallLimits(milliseconds=2_000, lines=4_000, launches=1 << 16)
_DRAWS = 200
_MOST_ENTRIES = 6
_MOST_REPEATS = 64
_MOST_LOST = 6
_SMALL, _SMALL_COUNT = 1100, 5
_POINTER_BYTES = 8


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
    geometry: tuple[int, ...]
    scalars: Mapping[str, Number]
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Call:
    """A call of an entry point, and how a person writes it."""

    name: str
    request: Request


class Captures:
    """Launches of one interface's kernels under one configuration.

    Args:
        project: The library.
        interface: Family or entry point.
        config: Configuration.

    Raises:
        RuleError: The rule file does not say how entry points are called.
    """

    def __init__(self, project: Project, interface: str, config: str) -> None:
        self._interface = interface
        self._tracer = Tracer(project, config)

    @cached_property
    def traced(self) -> Traced:
        """Traces of the interface, those of the store where nothing has changed."""
        with self._tracer as tracer:
            return trace_interface(tracer, self._interface)

    def counts(self) -> dict[str, int]:
        """By symbol, in how many kept traces and entry points it is launched."""
        found: dict[str, int] = {}
        for symbols in self.traced.launched.values():
            for symbol in symbols:
                found[symbol] = found.get(symbol, 0) + 1
        for trace in self.traced.traces:
            for launch in trace.launches:
                found[launch.symbol] = found.get(launch.symbol, 0) + launch.repeat
        return found

    def of(self, symbol: str, parameters: Sequence[CParameter]) -> list[CapturedLaunch]:
        """Launches of a kernel, those of small calls first.

        Args:
            symbol: Mangled symbol of the instantiation.
            parameters: Its parameters; each has an element type or is a stream.
        """
        if self.traced.library is None:
            return []
        entries = sorted(
            (entry for entry, symbols in self.traced.launched.items() if symbol in symbols),
            key=lambda entry: (len(entry), entry),
        )
        calls = [self._cases(entry) for entry in entries[:_MOST_ENTRIES]]
        # Large calls are made, and other architectures asked, only for what the rest do not launch.
        for arch in settings.TRACE_ARCHITECTURES:
            for size in (0, 1):
                found = self._heard(
                    arch, [one for both in calls for one in both[size]], symbol, parameters
                )
                if found:
                    return found
        return []

    def _cases(self, entry: str) -> tuple[list[_Call], list[_Call]]:
        """Small calls of an entry point, and all others."""
        caller, rule = self._tracer.caller, self._tracer.rule
        prototype = self._tracer.prototypes.functions[entry]
        small: list[_Call] = []
        large: list[_Call] = []
        for case in candidates(caller, prototype, _DRAWS, self._steps):
            args = _apart(caller.complete(prototype, case.args))
            wire = caller.wire(prototype, args, case.pointer_mode)
            request = Request(entry, wire, list(_modes(rule, case)))
            fits = all(
                abs(value) <= (_SMALL_COUNT if "batch" in name else _SMALL)
                for name, value in args.items()
                if isinstance(value, int) and not _strides(name)
            )
            (small if fits else large).append(_Call(_spelled(entry, args), request))
        return small, large

    @cached_property
    def _steps(self) -> list[int]:
        text = scope_bytes(self._tracer.project, self._interface, (self._tracer.config,))
        return thresholds(json.loads(text))

    def _heard(
        self,
        arch: str,
        calls: Sequence[_Call],
        symbol: str,
        parameters: Sequence[CParameter],
    ) -> list[CapturedLaunch]:
        assert self.traced.library is not None
        request = {
            "library": str(self.traced.library.path),
            "device": _device(arch),
            "handle": {"create": self._tracer.rule.create, "destroy": self._tracer.rule.destroy},
            "modes": {},
            "limits": dataclasses.asdict(_CALLS),
            "wanted": {symbol: [_size(one) for one in parameters]},
            "emulated": self._emulated(arch, symbol),
            "calls": [dataclasses.asdict(one.request) for one in calls],
            "first": 0,
        }
        found = []
        for line in _answers(request):
            name = calls[line["call"]].name
            geometries = _geometries(line["record"], symbol)
            heard = line["heard"].get(symbol, ())
            for number, (geometry, data) in enumerate(zip(geometries, heard, strict=False)):
                label = f"{name} launch {number + 1}" if len(heard) > 1 else name
                found.append(_captured(label, geometry, data, parameters))
        return found

    def _emulated(self, arch: str, symbol: str) -> dict[str, Any]:
        """Kernels whose results the host side reads; they write them here as well."""
        assert self.traced.library is not None
        rules = _Emulations(self.traced.library.path, self._tracer.rule, arch)
        names = {s for symbols in self.traced.launched.values() for s in symbols} | {symbol}
        found = {name: rules.of(name) for name in sorted(names)}
        return {name: how for name, how in found.items() if how is not None}


class _Emulations(Session):
    """What a session emulates, without its worker."""

    def of(self, symbol: str) -> dict[str, Any] | None:
        return self._emulation(symbol)


def _answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the worker heard, call by call; a call that ends it is left out."""
    with tempfile.TemporaryDirectory(prefix="rocquarry-launches-") as name:
        folder = Path(name)
        first, lost = 0, 0
        heard = folder / "heard.jsonl"
        while first < len(request["calls"]) and lost < _MOST_LOST:
            heard.unlink(missing_ok=True)
            text = json.dumps({**request, "first": first})
            (folder / "request.json").write_text(text, encoding="utf-8")
            run(
                [sys.executable, "-s", "-m", "kernels.launches.worker", str(folder)],
                _LIMITS,
                folder=folder,
                environment=_environment(),
            )
            last = first - 1
            for line in heard.read_text(encoding="utf-8").splitlines() if heard.exists() else ():
                answer = json.loads(line)
                last = answer["call"]
                yield answer
            if last + 1 < len(request["calls"]):
                lost += 1
            first = last + 1 if last + 1 >= len(request["calls"]) else last + 2


def _environment() -> dict[str, str]:
    # As for traces: variables that the library reads must not change what it does.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_PACKAGE), *filter(None, sys.path)])}


def _device(arch: str) -> dict[str, Any]:
    device = settings.DEVICES[arch]
    return {
        "architecture": f"{arch}:sramecc+:xnack-", "compute_units": device.compute_units,
        "wavefront": settings.wavefront_size(arch), "memory": device.memory,
        "shared": device.shared, "major": int(arch[3:-2], 16), "minor": int(arch[-2:-1], 16),
    }  # fmt: skip


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


def _geometries(record: str, symbol: str) -> Iterator[tuple[int, ...]]:
    """Grid, block and LDS of a kernel's launches, in their order."""
    for line in record.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "launch" and rest.startswith(f"{symbol} "):
            *numbers, repeat = (int(text) for text in rest.split(" ")[1:])
            for _ in range(min(repeat, _MOST_REPEATS)):
                yield tuple(numbers)


def _captured(
    call: str, geometry: tuple[int, ...], data: Sequence[str], parameters: Sequence[CParameter]
) -> CapturedLaunch:
    scalars: dict[str, Number] = {}
    absent = set()
    for parameter, text in zip(parameters, data, strict=True):
        raw = bytes.fromhex(text)
        if parameter.kind == "scalar":
            value = from_storage(raw, ELEMENT_TYPES[parameter.type])[0]
            # Entry points are called with real factors.
            number = complex(value).real
            whole = ELEMENT_TYPES[parameter.type].family in ("int", "bool")
            scalars[parameter.name] = int(value) if whole else float(number)
        elif parameter.kind == "buffer" and not any(raw):
            absent.add(parameter.name)
    return CapturedLaunch(call, geometry, scalars, frozenset(absent))


def _apart(args: Mapping[str, Value]) -> dict[str, Value]:
    """The same arguments with members of a batch so far apart that none overlaps another.

    What several blocks write to one place has no one result that a task could ask for.
    """
    numbers = [v for name, v in args.items() if isinstance(v, int) and not _strides(name)]
    leading = [v for n, v in args.items() if isinstance(v, int) and n.lower().startswith("ld")]
    most = max([1, *map(abs, numbers)])
    far = most * max([3, *leading]) + 1
    return {n: far if _strides(n) and isinstance(v, int) else v for n, v in args.items()}


def _strides(name: str) -> bool:
    return "stride" in name.lower()


def _spelled(entry: str, args: Mapping[str, Value]) -> str:
    return " ".join([entry, ",".join(f"{name}={value}" for name, value in args.items())]).strip()
