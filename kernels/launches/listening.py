"""Calls entry points of a library's host side and hears what it launches.

The host side runs as for launch traces, against a recorder that stands for the HIP runtime, in a
process of its own under limits. Beside grid and block, the arguments of chosen kernels are kept.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.trace.session import Limits as CallLimits
from extractor.trace.session import Request, Session
from extractor.trace_rule import Trace as TraceRule
from kernels.isolation import Limits, run

_PACKAGE = Path(__file__).resolve().parents[2]
_LIMITS = Limits(wall_seconds=300, cpu_seconds=120, memory_bytes=0)
_CALLS = CallLimits(milliseconds=2_000, lines=4_000, launches=1 << 16)
_MOST_LOST = 8
_MOST_REPEATS = 64

Geometry = tuple[int, ...]
"""Grid, block and bytes of dynamic LDS."""


@dataclass(frozen=True)
class HeardCall:
    """What one call launched.

    Attributes:
        number: Of the call.
        launches: By symbol, grid, block and LDS of its launches in their order.
        arguments: Of wanted kernels, the bytes of each argument, launch by launch.
    """

    number: int
    launches: Mapping[str, Sequence[Geometry]]
    arguments: Mapping[str, Sequence[Sequence[bytes]]]


@dataclass(frozen=True)
class HostLibrary:
    """A library's host side and how it is called.

    Attributes:
        path: The shared object, linked to the recorder.
        rule: The rule file's ``[trace]``.
        arch: Architecture that the runtime reports.
        environment: Variables that the library reads.
    """

    path: Path
    rule: TraceRule
    arch: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def hear(
        self, calls: Sequence[Request], wanted: Mapping[str, Sequence[int]], known: Sequence[str]
    ) -> Iterator[HeardCall]:
        """Makes calls; one that crashes or meets a limit is left out.

        Args:
            calls: They.
            wanted: By symbol, the bytes of each argument, of kernels whose arguments are kept.
            known: Symbols among which the rule file's emulated kernels are looked for.
        """
        rules = _Emulations(self.path, self.rule, self.arch)
        emulated = {name: how for name in known if (how := rules.of(name)) is not None}
        request = {
            "library": str(self.path),
            "device": _device(self.arch),
            "handle": {"create": self.rule.create, "destroy": self.rule.destroy},
            "modes": {},
            "limits": dataclasses.asdict(_CALLS),
            "wanted": {symbol: list(sizes) for symbol, sizes in wanted.items()},
            "emulated": emulated,
            "calls": [
                {"entry": one.entry, "arguments": one.arguments, "modes": one.modes}
                for one in calls
            ],
        }
        for answer in _answers(request, self.environment):
            yield HeardCall(
                answer["call"],
                _launches(answer["record"]),
                {
                    symbol: [[bytes.fromhex(text) for text in row] for row in rows]
                    for symbol, rows in answer["heard"].items()
                },
            )


class _Emulations(Session):
    """What a session emulates, without its worker."""

    def of(self, symbol: str) -> dict[str, Any] | None:
        return self._emulation(symbol)


def _answers(request: dict[str, Any], environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """What the worker heard, call by call; after a call that ended it another one goes on."""
    count = len(request["calls"])
    with tempfile.TemporaryDirectory(prefix="rocquarry-launches-") as name:
        folder = Path(name)
        first, lost = 0, 0
        heard = folder / "heard.jsonl"
        while first < count and lost < _MOST_LOST:
            heard.unlink(missing_ok=True)
            text = json.dumps({**request, "first": first})
            (folder / "request.json").write_text(text, encoding="utf-8")
            run(
                [sys.executable, "-s", "-m", "kernels.launches.worker", str(folder)],
                _LIMITS,
                folder=folder,
                environment={**environment, **_environment()},
            )
            last = first - 1
            if heard.exists():
                for line in heard.read_text(encoding="utf-8").splitlines():
                    answer = json.loads(line)
                    last = answer["call"]
                    yield answer
            lost += last + 1 < count
            first = last + 2


def _environment() -> dict[str, str]:
    # As for traces: variables that the library reads must not change what it does.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_PACKAGE), *filter(None, sys.path)])}


def _device(arch: str) -> dict[str, Any]:
    device = settings.DEVICES[arch]
    return {
        "architecture": f"{arch}:sramecc+:xnack-", "compute_units": device.compute_units,
        "wavefront": settings.wavefront_size(arch), "memory": device.memory,
        "shared": device.shared, "major": int(arch[3:-2]), "minor": int(arch[-2:-1], 16),
    }  # fmt: skip


def _launches(record: str) -> dict[str, list[Geometry]]:
    found: dict[str, list[Geometry]] = {}
    for line in record.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "launch":
            symbol, *numbers = rest.split(" ")
            geometry = tuple(int(text) for text in numbers[:7])
            found.setdefault(symbol, []).extend([geometry] * min(int(numbers[7]), _MOST_REPEATS))
    return found
