"""One call with concrete arguments, kernels and all, on the CPU runtime: what it launches then."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.check.names import base_name
from extractor.demangle import demangle
from extractor.errors import UnknownName, UserError
from extractor.project import Project
from kernels.backends.cpu import CpuBackend
from kernels.call.case import Case, boundary_cases, describe, settled, work
from kernels.call.entry import Callable, callable_entry
from kernels.call.execution import Failure
from kernels.call.layout import place
from kernels.call.roles import Signature
from kernels.call.session import Session
from kernels.facts_check.recording import Launch, build_recorder, read_launches
from kernels.isolation.limits import Limits
from kernels.library import build_library

ARCHITECTURE = "gfx942"
"""What the CPU runtime says it is, by which host code chooses."""
_MOST_WORK = 4e8
"""Operations of a call that is still made; the runtime does some ten million a second."""
_SECONDS = 300
_SCALARS = {0.0: "0", 1.0: "1", -1.0: "-1"}


@dataclass(frozen=True)
class ExecutedLaunch:
    """A launch whose kernel ran.

    Attributes:
        kernel: Plain name.
        demangled: With template arguments and parameters.
        symbol: Mangled symbol.
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        repeat: How many times in a row.
    """

    kernel: str
    demangled: str
    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    repeat: int


@dataclass(frozen=True)
class ExecutedCall:
    """What a call did.

    Attributes:
        entry: The entry point.
        arch: Architecture that the runtime reports.
        case: The input, as ``kernels verify --case`` takes it.
        outcome: ``as defined``, or what is wrong with its result.
        launches: In order; equal neighbours are one with ``repeat``.
    """

    entry: str
    arch: str
    case: str
    outcome: str
    launches: tuple[ExecutedLaunch, ...]


def execute_call(
    project: Project, entry: str, args: Mapping[str, Any], out: Path, *, mode: str = "host"
) -> ExecutedCall:
    """Builds an entry point for the CPU runtime, and calls it once.

    Scalars such as alpha are 0, 1, -1, or a number that is none of these; arrays hold the first
    kind of values that the operation's tests use.

    Args:
        project: The library, opened.
        entry: The entry point.
        args: Values by parameter, as in a trace.
        out: Folder for the built library.
        mode: Where scalars live: ``host`` or ``device``.

    Raises:
        UserError: It cannot be called, or not with these arguments, or that would take too long.
    """
    CpuBackend(64, lockstep=True).require_usable()
    if entry not in project.entry_points:
        raise UnknownName("entry point", entry, project.entry_points)
    found = callable_entry(str(project.rule.path), project.override, entry)
    if isinstance(found, str):
        raise UserError(f"{entry} cannot be executed: {found}")
    signature = found.signature
    names = [parameter.name for parameter in signature.prototype.parameters]
    for name in args:
        if name not in names:
            raise UnknownName("parameter", name, names, f"of {entry}")
    case = case_of(found, args, mode)
    if work(signature, case) > _MOST_WORK:
        raise UserError(
            f"{entry} with these sizes would take too long on the CPU runtime; ask for smaller ones"
        )
    made = build_library(project, entry, out)
    with tempfile.TemporaryDirectory(prefix="rocquarry-executed-") as name:
        folder = Path(name)
        (folder / "recorder").mkdir()
        recordings = folder / "recordings"
        recordings.mkdir()
        recorder = build_recorder(folder / "recorder")
        limits = Limits(wall_seconds=_SECONDS, cpu_seconds=2 * _SECONDS)
        with Session(made.library.resolve(), limits, recorder, recordings) as session:
            outcome = found.execution.fixing(args).run(session, case)
        files = sorted(recordings.glob("accesses-*[0-9]"))
        launches = [
            one for file in files if "module" not in file.name for one in read_launches(file)
        ]
    return ExecutedCall(
        entry, ARCHITECTURE, describe(case), _said(outcome), tuple(_joined(launches))
    )


def case_of(found: Callable, args: Mapping[str, Any], mode: str) -> Case:
    """A case with the arguments of a trace.

    Raises:
        UserError: No case has such an argument.
    """
    signature = found.signature
    letters = {name: tuple(values) for name, values in found.flags.items()}
    case = dict(boundary_cases(signature, letters, 0)[0])
    case.update(
        values=next(iter(signature.operation.values)), mode=mode, schedule="together", guard="end",
        poison="0xff", seed=0,
    )  # fmt: skip
    for key in case:
        kind = key.partition(":")[0]
        if kind in ("ld", "gap"):
            case[key] = 0
        elif kind == "inc":
            case[key] = 1
    sizes = {*signature.sizes, *([signature.batch] if signature.batch else [])}
    for name, value in args.items():
        if name in sizes:
            case[name] = _whole(name, value)
        elif name in letters:
            letter = found.words[name].get(str(value), str(value).upper())
            if letter not in letters[name]:
                raise UserError(f"{name} is one of {', '.join(letters[name])} here, not '{value}'")
            case[name] = letter
        elif name in signature.scalars:
            if not isinstance(value, int | float):
                raise UserError(f"{name} is a number, not '{value}'")
            case[name] = _SCALARS.get(float(value), "other")
        for array in signature.arrays:
            if name == array.increment and f"inc:{array.name}" in case:
                case[f"inc:{array.name}"] = _whole(name, value)
    _lay_out(signature, case, args)
    allowed = settled(signature, case)
    for name in sizes:
        if allowed[name] != case[name]:
            raise UserError(f"{name}={case[name]} is no call of {signature.prototype.name}")
    return allowed


def _lay_out(signature: Signature, case: Case, args: Mapping[str, Any]) -> None:
    """Takes over leading dimensions and strides, which a case holds as what is more than needed."""
    batch = max(int(case[signature.batch]), 1) if signature.batch else 1
    for array in signature.arrays:
        for key, name in ((f"ld:{array.name}", array.leading), (f"gap:{array.name}", array.stride)):
            if key not in case or name not in args:
                continue
            least = place(array, {**signature.fixed, **case}, batch)
            asked = _whole(name, args[name])
            extra = asked - (least.leading if key.startswith("ld:") else least.stride)
            if key.startswith("gap:") and asked == 0 and least.stride:
                extra = -1
            elif extra < 0:
                raise UserError(f"{name}={args[name]} is smaller than what is stored behind it")
            case[key] = extra


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, int):
        raise UserError(f"{name} is a whole number, not '{value}'")
    return value


def _said(outcome: Failure | str | None) -> str:
    if outcome is None:
        return "as defined"
    if isinstance(outcome, str):
        return outcome
    return f"{outcome.kind}: {outcome.problem.sentence}"


def _joined(launches: Sequence[Launch]) -> list[ExecutedLaunch]:
    found: list[ExecutedLaunch] = []
    for one in launches:
        if found and (found[-1].symbol, found[-1].grid, found[-1].block) == (
            one.kernel, one.grid, one.block,
        ):  # fmt: skip
            last = found.pop()
            found.append(ExecutedLaunch(**{**vars(last), "repeat": last.repeat + 1}))
            continue
        found.append(
            ExecutedLaunch(
                base_name(one.kernel), demangle(one.kernel), one.kernel, one.grid, one.block, 1
            )
        )
    return found
