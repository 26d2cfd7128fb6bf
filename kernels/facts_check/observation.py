"""What one kernel did when it ran here alone: some of its accesses, kept in a file.

The kernel is cut out of its library with the places of its lines, built for the CPU runtime, and
launched with arguments of all kinds. Nothing of its facts is known here.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from extractor.errors import RocQuarryError
from extractor.output import write
from kernels.building.step import BuildError
from kernels.cpu.build import build_runtime, compile_unit, link
from kernels.facts_check import launcher
from kernels.facts_check.parameters import Parameter, launches
from kernels.facts_check.recording import Access, Frame, Launch, read_launches, source_lines

_MOST_OF_INSTRUCTION = 24
"""Accesses of one instruction in one launch that are kept, evenly spread."""

_SECONDS = 60
_FLAGS = ("-O1", "-gline-tables-only")


@dataclass
class Observation:
    """A kernel's runs.

    Attributes:
        function: Id of its definition; for calls of a library the entry point.
        symbol: The instantiation; empty for calls, whose launches name their own.
        parameters: Names, in order.
        templates: Names of its template parameters, in order.
        reason: Why nothing was seen; empty where something was.
        endings: How launches ended that did not end well, with how many there are.
        launches: Those of which something was recorded, with the accesses kept.
        lines: Source lines of the accesses' instructions, innermost function first.
    """

    function: str
    symbol: str
    parameters: list[str] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    reason: str = ""
    endings: dict[str, int] = field(default_factory=dict)
    launches: list[Launch] = field(default_factory=list)
    lines: dict[tuple[int, int], tuple[Frame, ...]] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Writes it."""
        row = asdict(self)
        row["lines"] = [[*place, frames] for place, frames in sorted(self.lines.items())]
        for launch in row["launches"]:
            launch["arguments"] = [data.hex() for data in launch["arguments"]]
            launch["accesses"] = [list(one.values()) for one in launch["accesses"]]
        write(path, gzip.compress(json.dumps(row).encode(), 5, mtime=0))

    @classmethod
    def load(cls, path: Path) -> Observation:
        """Reads what ``save`` wrote."""
        row = json.loads(gzip.decompress(path.read_bytes()))
        row["lines"] = {
            (module, offset): tuple((file, line) for file, line in frames)
            for module, offset, frames in row["lines"]
        }
        row["launches"] = [
            Launch(
                one["kernel"],
                tuple(one["grid"]),
                tuple(one["block"]),
                [bytes.fromhex(text) for text in one["arguments"]],
                [
                    Access(module, offset, address, size, kind, tuple(block), tuple(thread))
                    for module, offset, address, size, kind, block, thread in one["accesses"]
                ],
            )
            for one in row["launches"]
        ]
        return cls(**row)


def observe(
    seen: Observation,
    text: str,
    flags: Sequence[str],
    parameters: Sequence[Parameter],
    blocks: Sequence[tuple[int, int, int]],
    recorder: Path,
) -> None:
    """Builds a slice and launches its kernel; what comes of it goes into ``seen``.

    Args:
        seen: Of the kernel.
        text: Its slice with the places of its lines.
        flags: Of its unit.
        parameters: Of the kernel.
        blocks: Shapes of blocks to launch it with.
        recorder: The recorder of accesses.
    """
    unknown = [one.name for one in parameters if one.size <= 0]
    if unknown:
        seen.reason = f"the size of a parameter is not known: {unknown[0]}"
        return
    with tempfile.TemporaryDirectory(prefix="rocquarry-observe-") as name:
        work = Path(name)
        source = work / "kernel.hip"
        source.write_text(text, encoding="utf-8", errors="replace")
        try:
            unit = compile_unit(source, (*flags, *_FLAGS), lockstep=True)
            library = work / "kernel.so"
            link(unit.objects, library)
        except BuildError as error:
            seen.reason = f"it does not build for the CPU runtime: {_first_error(error)}"
            return
        task = {
            "runtime": str(build_runtime().library), "library": str(library),
            "launches": list(launches(parameters, blocks)),
        }  # fmt: skip
        _launch_all(seen, task, recorder, work)
    if not seen.reason and not any(one.accesses for one in seen.launches):
        why = next(iter(seen.endings), "it touches no device memory")
        seen.reason = f"no access was recorded: {why}"


def _launch_all(seen: Observation, task: dict[str, Any], recorder: Path, work: Path) -> None:
    first, count = 0, len(task["launches"])
    while first < count:
        recording = work / f"accesses-{first}"
        begun, ended, why = _run({**task, "first": first}, recorder, recording, work)
        if begun < 0:
            seen.reason = why
            return
        for error in ended:
            if error:
                seen.endings["a fault"] = seen.endings.get("a fault", 0) + 1
        if why:
            seen.endings[why] = seen.endings.get(why, 0) + 1
        keep(seen, recording)
        first = begun + 1


def _run(
    task: dict[str, Any], recorder: Path, recording: Path, work: Path
) -> tuple[int, list[int], str]:
    """The last launch begun, errors of those that ended, and why the process ended early."""
    file = work / "task.json"
    file.write_text(json.dumps(task), encoding="utf-8")
    preloaded = {"LD_PRELOAD": f"{recorder}:{task['runtime']}"}
    environment = {
        **os.environ,
        **preloaded,
        "ROCQUARRY_ACCESSES": str(recording),
        "ROCQUARRY_THINNED": "1",
    }
    command = [sys.executable, str(Path(launcher.__file__)), str(file)]
    with (work / "said").open("w+", encoding="utf-8") as said:
        try:
            done = subprocess.run(
                command, env=environment, stdout=said, stderr=subprocess.PIPE, timeout=_SECONDS,
                check=False,
            )  # fmt: skip
            why = "" if done.returncode == 0 else f"the process ended with {done.returncode}"
        except subprocess.TimeoutExpired:
            why = f"it did not end within {_SECONDS} seconds"
        said.seek(0)
        rows = [line.split() for line in said]
    begun = [int(row[1]) for row in rows if row[:1] == ["begin"]]
    ended = [int(row[2]) for row in rows if row[:1] == ["end"]]
    return max(begun, default=-1), ended, why


def keep(seen: Observation, recording: Path) -> None:
    """Adds some accesses of a recording to an observation, where there is one."""
    if not recording.exists():
        return
    kept = [_thinned(one) for one in read_launches(recording)]
    # Another process has other code objects.
    shift = 1 + max((module for module, _ in seen.lines), default=-1)
    found = source_lines(recording, {(a.module, a.offset) for one in kept for a in one.accesses})
    seen.lines.update({(module + shift, at): frames for (module, at), frames in found.items()})
    for one in kept:
        moved = [Access(**{**asdict(a), "module": a.module + shift}) for a in one.accesses]
        seen.launches.append(
            Launch(seen.symbol or one.kernel, one.grid, one.block, one.arguments, moved)
        )


def _thinned(launch: Launch) -> Launch:
    by_place: dict[tuple[int, int], list[Access]] = {}
    for access in launch.accesses:
        by_place.setdefault((access.module, access.offset), []).append(access)
    kept = [one for rows in by_place.values() for one in _spread(rows)]
    return Launch(launch.kernel, launch.grid, launch.block, launch.arguments, kept)


def _spread(rows: Sequence[Access]) -> Iterable[Access]:
    count = min(len(rows), _MOST_OF_INSTRUCTION)
    return (rows[(len(rows) - 1) * n // max(1, count - 1)] for n in range(count))


def _first_error(error: RocQuarryError) -> str:
    outcome = getattr(error, "outcome", None)
    text = getattr(outcome, "stderr", "") or str(error)
    lines = [line for line in text.splitlines() if "error:" in line]
    return (lines or text.splitlines() or [""])[0].rpartition("error: ")[2][:160]


def block_shapes(
    bounds: Any, constants: Mapping[str, int], known: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Shapes of blocks to launch a kernel with.

    Args:
        bounds: Threads a block may have, as a number or an expression; ``None`` where nothing says.
        constants: Numbers among its template arguments.
        known: Shapes that the host side launches it with; they come first.
    """
    from kernels.facts_check.expression import Unsupported, compiled

    most = 1024
    if bounds is not None:
        try:
            most = compiled(str(bounds))(constants)
        except Unsupported:
            most = 256
    if known:
        return list(known)[:3]
    numbers = [value for value in constants.values() if 1 < value <= 1024]
    pairs = [(a, b, 1) for n, a in enumerate(numbers) for b in numbers[n + 1 :] if a * b == most]
    if most in numbers or (bounds is not None and not pairs):
        return [(most, 1, 1)]
    return pairs[:1] or [(128, 1, 1), (16, 16, 1), (64, 4, 1)]
