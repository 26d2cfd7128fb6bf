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
from extractor.trace.effects import Effect
from extractor.trace.session import Effects, Request
from extractor.trace.session import Limits as CallLimits
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
        effects: Knows what kernels write.
        known: Effects that were asked for before.
        environment: Variables that the library reads.
    """

    path: Path
    rule: TraceRule
    arch: str
    effects: Effects
    known: dict[str, Effect | None]
    environment: Mapping[str, str] = field(default_factory=dict)

    def hear(
        self, calls: Sequence[Request], wanted: Mapping[str, Sequence[int]]
    ) -> Iterator[HeardCall]:
        """Makes calls; one that crashes or meets a limit is left out.

        Args:
            calls: They.
            wanted: By symbol, the bytes of each argument, of kernels whose arguments are kept.
        """
        request = {
            "library": str(self.path),
            "device": _device(self.arch),
            "handle": {"create": self.rule.create, "destroy": self.rule.destroy},
            "modes": {},
            "limits": dataclasses.asdict(_CALLS),
            "wanted": {symbol: list(sizes) for symbol, sizes in wanted.items()},
        }
        rows = [
            {"entry": one.entry, "arguments": one.arguments, "modes": one.modes} for one in calls
        ]
        answers: dict[int, dict[str, Any]] = {}
        left = list(range(len(calls)))
        while left:
            more = {"effects": self.known, "calls": [rows[number] for number in left]}
            made = {left[a["call"]]: a for a in _answers({**request, **more}, self.environment)}
            answers.update(made)
            asked = {n: _wanted(answer["record"]) - set(self.known) for n, answer in made.items()}
            # The host read what a kernel of unknown effect may have written: once more.
            left = [number for number in sorted(asked) if asked[number]]
            symbols = sorted(set().union(*asked.values()))
            self.known.update(self.effects(symbols, symbols))
        for number, answer in sorted(answers.items()):
            yield HeardCall(
                number,
                _launches(answer["record"]),
                {
                    symbol: [[bytes.fromhex(text) for text in row] for row in rows]
                    for symbol, rows in answer["heard"].items()
                },
            )


def _wanted(record: str) -> set[str]:
    lines = (line.partition(" ") for line in record.splitlines())
    return {symbol for kind, _, symbol in lines if kind == "wanted"}


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
