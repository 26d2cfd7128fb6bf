"""``extract PROJECT --trace ENTRY NAME=VALUE…``: what single calls launch."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.commands import call_tests
from extractor.demangle import template_arguments
from extractor.errors import UserError
from extractor.project import Project
from extractor.trace.arguments import Value
from extractor.trace.branches import Branches
from extractor.trace.case import PointerMode
from extractor.trace.past_boundary import PastBoundary
from extractor.trace.records import Trace
from extractor.trace.tracer import Tracer
from extractor.trace.watching import Watch, WatchedLaunch

_BESIDE = ("arch", "pointer_mode", "atomics", "entry")


@dataclass(frozen=True)
class Point:
    """One call.

    Attributes:
        entry: Entry point.
        args: Values by parameter, as they were written.
        arch: Architecture that the runtime reports.
        pointer_mode: Where scalars live.
        atomics: Whether atomics are allowed; the library's default when ``None``.
    """

    entry: str
    args: dict[str, Value] = field(default_factory=dict)
    arch: str = settings.DEFAULT_ARCHITECTURE
    pointer_mode: PointerMode = "host"
    atomics: int | None = None


def parse(words: Sequence[str]) -> Point:
    """Reads ``ENTRY NAME=VALUE…``.

    Raises:
        UserError: A word that is neither.
    """
    entry, *rest = words
    if "=" in entry:
        raise UserError(f"name an entry point before '{entry}'")
    values: dict[str, Any] = {}
    for word in rest:
        name, found, value = word.partition("=")
        if not found or not name or not value:
            raise UserError(f"'{word}' is no NAME=VALUE, such as m=300 or side=left")
        values[name] = value
    return _point(entry, values)


def read_sweep(file: Path, entry: str | None) -> list[Point]:
    """Reads a table of calls: CSV with a header, or an object a line as in ``traces.jsonl``.

    Raises:
        UserError: The file cannot be read, or a line of it.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {error}") from error
    rows: Iterable[dict[str, Any]]
    if file.suffix == ".csv":
        rows = [{k: v for k, v in row.items() if v} for row in csv.DictReader(text.splitlines())]
    else:
        rows = []
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    rows.append({**json.loads(line)})
                except (ValueError, TypeError) as error:
                    raise UserError(f"{file}:{number} is no JSON object: {error}") from error
    points = []
    for row in rows:
        named = row.get("entry") or entry
        if not named:
            raise UserError(f"{file}: a call without an entry point; add a column 'entry'")
        values = row["args"] if isinstance(row.get("args"), dict) else {}
        others = {k: v for k, v in row.items() if k not in ("args", "launches", "status")}
        points.append(_point(str(named), {**others, **values}, lenient=bool(values)))
    return points


def _point(entry: str, values: Mapping[str, Any], *, lenient: bool = False) -> Point:
    mode = str(values.get("pointer_mode") or "host")
    if mode not in ("host", "device"):
        raise UserError(f"pointer_mode is host or device, not '{mode}'")
    arch = values.get("arch") or settings.DEFAULT_ARCHITECTURE
    atomics = values.get("atomics")
    args = {k: _value(v) for k, v in values.items() if k not in _BESIDE}
    if lenient:  # a trace's own fields stand beside its arguments
        args = {k: _value(v) for k, v in values.items() if k not in (*_BESIDE, *Trace.model_fields)}
    return Point(
        entry, args, str(arch[0] if isinstance(arch, list) else arch),
        "device" if mode == "device" else "host", None if atomics in (None, "") else int(atomics),
    )  # fmt: skip


def _value(given: Any) -> Value:
    if isinstance(given, int | float | list):
        return given
    text = str(given)
    for kind in (int, float):
        try:
            number: int | float = kind(text)
        except ValueError:
            continue
        return number
    return text


def run(
    project: Project,
    config: str,
    points: Sequence[Point],
    execute: Path | None = None,
    *,
    tests: bool = False,
) -> Iterator[dict[str, Any]]:
    """Makes each call, and says what it launched.

    Args:
        project: The library.
        config: Configuration.
        points: The calls.
        execute: Run the kernels, too, with a library that is built in this folder.
        tests: Say how the tests of the host code came out, too.

    Raises:
        UserError: An entry point, argument or value that does not exist.
    """
    with Tracer(project, config) as tracer, Watch(tracer) as watch, Branches(tracer) as branches:
        past = PastBoundary(tracer.host.graphs()) if project.rule.siblings else None
        for point in points:
            args = {name: _named(tracer, point.entry, name, v) for name, v in point.args.items()}
            (trace,) = tracer.call(
                point.entry, args, archs=(point.arch,), pointer_mode=point.pointer_mode,
                atomics=point.atomics,
            )  # fmt: skip
            trace, given = watch.look(trace)
            answer = _answer(project, past.marked(trace) if past else trace, given)
            if tests:
                answer["tests"] = call_tests.came_out(tracer, branches, trace)
            if execute is not None:
                answer["execution"] = executed(project, trace, execute)
            yield answer


def _named(tracer: Tracer, entry: str, name: str, value: Value) -> Value:
    """A value as traces call it: an enumerator may be written by its last words, or in full."""
    prototype = tracer.prototypes.functions.get(entry)
    parameter = (
        next((p for p in prototype.parameters if p.name == name), None) if prototype else None
    )
    if parameter is None or parameter.kind != "enumeration" or isinstance(value, list):
        return value
    known = tracer.caller.enumerators(parameter)
    full = dict(tracer.caller.enumerations.get(parameter.type, {}))
    start = _shared_start(list(full))
    written = str(value).lower()
    numbers = {number for text, number in full.items()
               if written in (text.lower(), text.removeprefix(start).lower())}  # fmt: skip
    numbers |= {number for text, number in known.items() if written == text.lower()}
    if not numbers:
        numbers = {n for text, n in full.items() if text.lower().endswith(f"_{written}")}
    if isinstance(value, int) and value in full.values():
        numbers = {value}
    if len(numbers) != 1:
        words = ", ".join(text.removeprefix(start) for text in full)
        raise UserError(f"{name} cannot be '{value}'; known: {words}")
    number = numbers.pop()
    return next(text for text, n in known.items() if n == number)


def executed(project: Project, trace: Trace, out: Path) -> dict[str, Any]:
    """What the call of a trace launches when its kernels run, by ``kernels call``.

    Raises:
        UserError: It cannot be run here; the message is that of the other command.
    """
    words = {**trace.args, "pointer_mode": trace.pointer_mode}
    command = [sys.executable, "-m", "kernels.cli", "call", str(project.rule.path), trace.entry]
    command += [f"{name}={value}" for name, value in words.items() if not isinstance(value, list)]
    command += ["--out", str(out), "--json"]
    if project.override:
        command += ["--source", project.override]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it ended without a word"]
        raise UserError(f"--execute: {last[0].removeprefix('error: ')}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _shared_start(names: Sequence[str]) -> str:
    """The words that all names begin with, with the underscore after them."""
    words = [name.split("_")[:-1] for name in names]
    shared = []
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        shared.append(f"{column[0]}_")
    return "".join(shared)


def _answer(project: Project, trace: Trace, given: Sequence[WatchedLaunch]) -> dict[str, Any]:
    launches = []
    most = settings.DEVICES[trace.arch[0]].shared
    for launch, seen in itertools.zip_longest(trace.launches, given):
        row = launch.model_dump(mode="json")
        launches.append({
            **row, "template_arguments": list(template_arguments(launch.symbol)),
            "stream": seen.stream if seen else None,
            "scalar_arguments": list(seen.scalars) if seen else None,
            "library": launch.library or project.rule.name,
        })  # fmt: skip
    return {
        "entry": trace.entry, "config": trace.config, "args": trace.args, "arch": trace.arch[0],
        "pointer_mode": trace.pointer_mode, "status": trace.status, "launches": launches,
        "boundaries": list(trace.boundaries), "executed": list(trace.executed),
        "depends": list(trace.depends),
        "limits": [
            text for launch in trace.launches
            if (text := over_limit(launch.grid, launch.block, launch.shared_bytes, most))
        ],
    }  # fmt: skip


def over_limit(
    grid: Sequence[int], block: Sequence[int], shared: int = 0, most_shared: int = 65536
) -> str:
    """Why a chip would refuse a launch; empty where it would not.

    Args:
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        shared: Dynamic LDS in bytes.
        most_shared: LDS that a block can have, in bytes.
    """
    shape = f"grid {tuple(grid)}, block {tuple(block)}"
    if not all((*grid, *block)):
        return f"{shape}: an extent is zero"
    if block[0] * block[1] * block[2] > 1024:
        return f"{shape}: more than 1024 threads a block"
    if any(g * b >= 1 << 32 for g, b in zip(grid, block, strict=True)):
        return f"{shape}: grid times block passes 2^32"
    if shared > most_shared:
        return f"{shape}: {shared} bytes of LDS, the chip has {most_shared}"
    return ""


def show(answers: Iterable[Mapping[str, Any]]) -> None:
    """Prints launches in their order."""
    for answer in answers:
        args = " ".join(f"{k}={v}" for k, v in answer["args"].items())
        print(f"{answer['entry']} {args} on {answer['arch']}: {answer['status']}")
        for launch in answer["launches"]:
            times = f", {launch['repeat']} times" if launch["repeat"] > 1 else ""
            written = ", ".join(launch["template_arguments"])
            print(
                f"  {launch['kernel']}{f'<{written}>' if written else ''}"
                f" grid {' x '.join(map(str, launch['grid']))}"
                f" block {' x '.join(map(str, launch['block']))}"
                f" LDS {launch['shared_bytes']} ({launch['library']}{times})"
            )
            if launch["stream"] is not None:
                given = ", ".join(map(_written, launch["scalar_arguments"]))
                print(f"    stream {launch['stream']}, given ({given})")
        for text in answer["limits"]:
            print(f"  a chip refuses this: {text}")
        for text in answer["depends"]:
            print(f"  hangs on what only a real run writes: {text}")
        for line in call_tests.lines(answer.get("tests", [])):
            print(line)
        if "execution" in answer:
            _show_execution(answer["execution"])


def _show_execution(done: Mapping[str, Any]) -> None:
    print(f"  run on the CPU runtime, as {done['arch']}: {done['outcome']}")
    for launch in done["launches"]:
        times = f" ({launch['repeat']} times)" if launch["repeat"] > 1 else ""
        grid, block = (" x ".join(map(str, launch[key])) for key in ("grid", "block"))
        print(f"    {launch['kernel']} grid {grid} block {block}{times}")


def _written(value: Any) -> str:
    """A scalar argument; a pointer is a dot."""
    if isinstance(value, list):
        return f"({' '.join(map(str, value))})"
    return "·" if value is None else str(value)
