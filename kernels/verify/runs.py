"""Runs one program over the cases of a task, each case until its end or its fault."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kernels.backends.model import Program
from kernels.isolation import Limits, Outcome, run
from kernels.isolation.sandbox import Sandbox
from kernels.task.inputs import Value
from kernels.verify.exchange import read_output, write_input

_FINDINGS_KEPT = 24
_ERRORS = {
    1: "an invalid value", 2: "not enough device memory", 98: "no such kernel",
    9: "a launch with no threads or more than a device takes", 719: "a launch that failed",
}  # fmt: skip
NOT_RUN = "not run, since others before it ended the program"


@dataclass(frozen=True)
class CaseRun:
    """What came of one case.

    Attributes:
        buffers: What the buffers held at the end, in order; ``None`` where there is no result.
        error: What went wrong, in one sentence; empty where nothing did.
        findings: Reports of the CPU runtime.
    """

    buffers: tuple[bytes, ...] | None
    error: str
    findings: tuple[dict[str, Any], ...] = ()


def run_cases(
    program: Program,
    inputs: Sequence[tuple[Sequence[int], Sequence[Value]]],
    settings: Mapping[str, str],
    limits: Limits,
    sandbox: Sandbox,
    reserve: int = 0,
    most_ends: int = 0,
) -> list[CaseRun]:
    """Runs a program over inputs, in as few processes as its faults allow.

    Args:
        program: Built from ``kernels/native/runner.hpp``.
        inputs: For each case its geometry and arguments.
        settings: Environment of the run.
        limits: Of each process.
        sandbox: What it runs in.
        reserve: Bytes to which each buffer may grow where it is accessed, on the CPU runtime.
        most_ends: Processes that may end before they are done; no further case is run then. Any
            number when 0.
    """
    if reserve:
        settings = {**settings, "HIPCPU_MEASURE": str(reserve), "HIPCPU_POISON": "0"}
        limits = replace(limits, memory_bytes=0)
    folder = Path(tempfile.mkdtemp(prefix="rocquarry-run-"))
    try:
        for number, (geometry, values) in enumerate(inputs):
            write_input(folder / f"{number}.in", geometry, values)
        found = list(_run_all(program, inputs, settings, limits, sandbox, folder, most_ends))
        return [_without_extents(one) for one in found] if reserve else found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _without_extents(run: CaseRun) -> CaseRun:
    """What is reported of how far a buffer grew is no fault."""
    kept = tuple(one for one in run.findings if one.get("kind") != "extent")
    if len(kept) == len(run.findings) or (run.buffers is None and not run.findings):
        return run
    ended = "" if run.buffers is not None else "it ended before it was done"
    return CaseRun(run.buffers, _sentence(kept) or ended, kept)


def _run_all(
    program: Program,
    inputs: Sequence[tuple[Sequence[int], Sequence[Value]]],
    settings: Mapping[str, str],
    limits: Limits,
    sandbox: Sandbox,
    folder: Path,
    most_ends: int,
) -> Iterator[CaseRun]:
    environment = {
        "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": str(folder),
        "TMPDIR": str(folder), **program.environment, **settings,
    }  # fmt: skip
    last = len(inputs) - 1
    number = ends = 0
    while number <= last:
        if most_ends and ends >= most_ends:
            yield CaseRun(None, NOT_RUN)
            number += 1
            continue
        ends += 1
        command = [str(program.path), str(folder), str(number), str(last)]
        outcome = run(
            command, limits, folder=folder, environment=environment, sandbox=sandbox,
            readable=[program.path.parent, *program.reads],
        )  # fmt: skip
        while number <= last:
            done = read_output(folder / f"{number}.out", inputs[number][1])
            findings = _findings(folder / f"{number}.findings")
            if done is None:
                # The case in which the process ended; the next ones get a process of their own.
                yield CaseRun(None, _explain(outcome, findings), findings)
                number += 1
                break
            error, buffers = done
            text = _sentence(_faults(findings)) or _named(error) or _sentence(findings)
            yield CaseRun(None if error else tuple(buffers), text, findings)
            number += 1
            if error:
                break


def _findings(path: Path) -> tuple[dict[str, Any], ...]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found = []
    for line in lines[:_FINDINGS_KEPT]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return tuple(found)


def _faults(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is reported without how far a buffer grew."""
    return [one for one in findings if one.get("kind") != "extent"]


def _named(error: int) -> str:
    if not error:
        return ""
    return f"HIP error {error}" + (f", {_ERRORS[error]}" if error in _ERRORS else "")


def _sentence(findings: Sequence[Mapping[str, Any]]) -> str:
    if not findings:
        return ""
    first = findings[0]
    where = "".join(
        f", {key} {first[key]}" for key in ("kernel", "block", "thread") if key in first
    )
    return f"{first.get('kind', 'finding')}: {first.get('message', '')}{where}"


def _explain(outcome: Outcome, findings: Sequence[Mapping[str, Any]]) -> str:
    said = _sentence(_faults(findings))
    last = outcome.stderr.strip().splitlines()[-1:] if not said else []
    return said or f"the program was {outcome.describe()}" + (f": {last[0]}" if last else "")
