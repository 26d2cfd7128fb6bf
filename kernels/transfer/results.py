"""``kernels import``: what came back from a machine with a card, checked and judged here."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tarfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from kernels.profile.timing import Roofline, Timing, roofline, summarise
from kernels.task.inputs import Value, make_inputs
from kernels.task.model import Task
from kernels.transfer.archive import expected_beside
from kernels.verify.compare import first_difference

_OUTPUT_MAGIC = 0x31305455 ^ 0x5152000000000000
_LARGEST_FILE = 1 << 30
_LANES = 64
"""Of a wavefront on the cpu backend that gave the values a card is held to."""
_WIDE = "the kernel counts on wavefronts of 64 lanes, those of this card have"
_NOTE = (
    "Times are of this card alone and say nothing about another. Device events, 25 ms of warm-up, "
    "at least 100 ms of calls or 2000 calls, 256 MiB written before each, median and its 95 % "
    "interval. Values are held to the cpu backend of this repository (wave64). Operations and "
    "bytes are those of one run of the baseline there, each byte read and each written once."
)
_LOCKSTEP = "the kernel counts on lanes that run in lockstep, which this card does not promise"
_NO_VALUE = "the cpu backend gives no value that does not depend on the order of its threads"


@dataclass(frozen=True)
class TaskResult:
    """One task on the card.

    Attributes:
        task: Its name.
        correct: Whether every output that could be judged agrees with the cpu backend; ``None``
            where none could.
        inputs_passed: How many cases agree.
        inputs_skipped: Cases that could not be judged, with the reason.
        failures: Cases that differ, with the difference.
        error: Why it did not run; empty where it did.
        profiled: The case that was timed.
        moved: Bytes that a call of it must move.
        flops: Operations of a call; 0 where nobody counted.
        timing: Its times; ``None`` where it was not timed.
        roofline: Against the card's limits.
        not_counted: Why operations and traffic of the call were not counted; then ``moved`` is
            what its buffers hold.
        counters: Of one launch, as the card's profiler names them.
        counters_error: Why there are none.
    """

    task: str
    correct: bool | None
    inputs_passed: int
    inputs_skipped: tuple[str, ...]
    failures: tuple[str, ...]
    error: str
    profiled: str
    moved: int
    timing: Timing | None
    roofline: Roofline | None
    flops: int = 0
    not_counted: str = ""
    counters: Mapping[str, Any] = field(default_factory=dict)
    counters_error: str = ""


@dataclass(frozen=True)
class Imported:
    """What a machine sent back.

    Attributes:
        hardware: Name of its card.
        machine: Its system.
        compiler: What built the tasks there.
        archive: Which export it belongs to.
        tasks: Results by task.
        lanes: Of a wavefront of the card; 0 where nothing says.
    """

    hardware: str
    machine: str
    compiler: str
    archive: str
    tasks: tuple[TaskResult, ...]
    lanes: int = 0

    def summary(self) -> dict[str, Any]:
        """How many tasks agree, differ, could not be judged or did not run, and were timed."""
        unrun = [one for one in self.tasks if one.error and one.correct is None]
        counted = [one for one in self.tasks if one.counters and not one.not_counted]
        shares = sorted(
            one.roofline.share for one in self.tasks if one.roofline and one.roofline.share
        )
        return {
            "tasks": len(self.tasks),
            "agree": sum(one.correct is True for one in self.tasks),
            "differ": sum(one.correct is False for one in self.tasks),
            "not_judged": sum(one.correct is None for one in self.tasks) - len(unrun),
            "did_not_run": len(unrun),
            "inputs_agreeing": sum(one.inputs_passed for one in self.tasks),
            "timed": sum(one.timing is not None for one in self.tasks),
            "agree_and_timed": sum(one.correct is True and one.timing is not None
                                   for one in self.tasks),
            "with_counters": len(counted),
            "operations_as_the_card_counts": sum(one.flops == _on_card(one) for one in counted),
            "roofline_share_largest": shares[-1] if shares else None,
            "roofline_share_median": shares[len(shares) // 2] if shares else None,
        }  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"note": _NOTE, "summary": self.summary(), **asdict(self)}


def _on_card(task: TaskResult) -> float:
    """Operations of single and double precision that the card's counters saw, a fused multiply-add
    as two. Those of half precision are left out: the compiler makes constants with them."""
    return sum(
        float(task.counters.get(f"smsp__sass_thread_inst_executed_op_{kind}{name}_pred_on.sum", 0))
        * each
        for kind in "fd"
        for name, each in (("add", 1), ("mul", 1), ("fma", 2))
    )


def import_results(results: Path, archive: Path) -> Imported:
    """Checks and judges results.

    Args:
        results: What the worker packed.
        archive: The archive that was exported; its expected values lie beside it.

    Raises:
        UserError: A file is damaged or missing, or the two do not belong together.
    """
    came = _unpacked(results)
    kept = _unpacked(expected_beside(archive))
    try:
        record = json.loads(came["results.json"])
        label = json.loads(kept["archive.json"])["archive"]
    except (KeyError, ValueError) as error:
        raise UserError(f"{results}: not the results of a worker: {error}") from error
    if record.get("archive") != label:
        raise UserError(f"{results} does not belong to {archive}: it was made from another export")
    for name, wanted in record["files"].items():
        if name not in came or hashlib.sha256(came[name]).hexdigest() != wanted:
            raise UserError(f"{results}: {name} is missing or damaged; copy the file again")
    card = _card(record)
    found = tuple(
        _result(name, one, came, kept, card) for name, one in sorted(record["tasks"].items())
    )
    return Imported(card.name, record["machine"], record["compiler"], label, found, card.lanes)


@dataclass(frozen=True)
class _Card:
    """Its name, lanes of a wavefront, and whether these run one instruction stream."""

    name: str
    lanes: int
    lockstep: bool


def _card(record: Mapping[str, Any]) -> _Card:
    """What the card said of itself.

    Results of before it was asked are of one maker's cards or of the other's.
    """
    name = str(record["hardware"])
    other = "NVIDIA" not in name
    return _Card(
        name, int(record.get("lanes") or (_LANES if other else 32)),
        bool(record.get("lockstep", other)),
    )  # fmt: skip


def _result(
    name: str,
    record: Mapping[str, Any],
    came: Mapping[str, bytes],
    kept: Mapping[str, bytes],
    card: _Card,
) -> TaskResult:
    about = json.loads(kept[f"{name}/about.json"])
    task = Task.model_validate_json(kept[f"{name}/task.json"])
    passed, failures = 0, []
    skipped = [f"{case}: larger than what was exported" for case in about["too_large"]]
    cases = {case.name: case for case in task.cases}
    for number, case in enumerate(about["cases"]):
        if record["error"]:
            break
        if case in about["counts_on_64"] and card.lanes != _LANES:
            skipped.append(f"{case}: {_WIDE} {card.lanes}")
            continue
        if str(number) in record.get("case_errors", {}):
            failures.append(f"{case}: {record['case_errors'][str(number)]}")
            continue
        expected = kept.get(f"{name}/{number}.expected")
        output = came.get(f"{name}/{number}.out")
        if expected is None or output is None:
            skipped.append(f"{case}: {'no output' if expected else _NO_VALUE}")
            continue
        if status := _status(output):
            failures.append(f"{case}: {status}")
            continue
        values = make_inputs(task, cases[case])
        why = _difference(task, values, expected, output)
        if why and about["lockstep"] and not card.lockstep:
            skipped.append(f"{case}: {_LOCKSTEP}: {why}")
        elif why:
            failures.append(f"{case}: {why}")
        else:
            passed += 1
    timing = summarise(record["milliseconds"]) if record.get("milliseconds") else None
    buffers = [p.type for p in task.parameters if p.kind == "buffer"]
    reached = None
    if timing:
        element = next((t for t in buffers if "float" in t or "complex" in t), "float32")
        reached = roofline(timing, about["moved"], about["flops"], card.name, element)
    correct = None if record["error"] or not (passed or failures) else not failures
    error = record["error"] or record.get("profile_error", "")
    return TaskResult(
        name, correct, passed, tuple(skipped), tuple(failures), error, about["profiled"],
        about["moved"], timing, reached, about["flops"], about["not_counted"],
        record.get("counters", {}), record.get("counters_error", ""),
    )  # fmt: skip


def _status(output: bytes) -> str:
    """Why a call gave no values at all; empty where it gave some."""
    if len(output) < 16 or struct.unpack_from("<Qq", output)[0] != _OUTPUT_MAGIC:
        return "its output is no output"
    error = struct.unpack_from("<Qq", output)[1]
    return f"HIP error {error}" if error else ""


def _difference(task: Task, values: list[Value], expected: bytes, output: bytes) -> str:
    """Where values are not what was expected; empty where they are."""
    sizes = [len(v.data) for v in values if v.parameter.kind == "buffer"]
    got, want, at, start = [], [], 16, 0
    for size in sizes:
        if at + 8 + size > len(output) or struct.unpack_from("<Q", output, at)[0] != size:
            return "its output has other sizes"
        got.append(output[at + 8 : at + 8 + size])
        want.append(expected[start : start + size])
        at += 8 + size
        start += size
    found = first_difference(task, values, want, got)
    return f"{found.sentence()}: expected {found.expected}, got {found.got}" if found else ""


def _unpacked(path: Path) -> dict[str, bytes]:
    """The files of an archive, in memory: nothing of it is written anywhere."""
    found = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes()), mode="r:gz") as archive:
            for member in archive:
                if member.isfile() and member.size <= _LARGEST_FILE:
                    file = archive.extractfile(member)
                    found[member.name] = file.read() if file else b""
    except (OSError, tarfile.TarError, EOFError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    return found
