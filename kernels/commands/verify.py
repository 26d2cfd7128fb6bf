"""``kernels verify``: a task's candidate, or whole calls of a library."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from extractor.errors import UserError

if TYPE_CHECKING:
    from kernels.call import CallVerdict
    from kernels.verify.record import Failure, Verdict

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_MOST_SHOWN = 5
_DIGITS = re.compile(r"\d+")


def verify(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="TASK|PROJECT", help="Folder of a task; or with --interface a library."
        ),
    ],
    candidate: Annotated[
        Path | None,
        typer.Option(
            "--candidate",
            metavar="FILE",
            help="HIP file to judge; without it, the baseline itself.",
        ),
    ] = None,
    interface: Annotated[
        str,
        typer.Option(
            "--interface", "-i", help="Judge whole C calls: family, half of a twin, or one."
        ),
    ] = "",
    entry: Annotated[
        str, typer.Option("--entry", help="With --interface: only this entry point.")
    ] = "",
    backend: Annotated[
        str, typer.Option("--backend", help="compile, cpu, cuda or amd; see: kernels backends")
    ] = "cpu",
    wavefront: Annotated[
        int, typer.Option("--wavefront", help="Lanes of a wavefront on the cpu backend: 64 or 32.")
    ] = 64,
    lockstep: Annotated[
        bool,
        typer.Option(
            "--lockstep/--no-lockstep",
            help="With --interface: run a wavefront as one instruction stream, as GPUs do; "
            "without, what counts on it is found.",
        ),
    ] = True,
    budget: Annotated[
        float, typer.Option("--budget", help="With --interface: seconds for all calls together.")
    ] = 300,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Of random inputs; for a task one that nobody can foresee."),
    ] = None,
    case: Annotated[
        str, typer.Option("--case", help="With --entry: one input, as a finding prints it.")
    ] = "",
    library: Annotated[
        Path | None,
        typer.Option(
            "--library", metavar="FOLDER", help="A library that 'kernels library' has built."
        ),
    ] = None,
    source: Annotated[
        str, typer.Option("--source", help="Folder or URL@REF instead of the pinned source.")
    ] = "",
    config: Annotated[
        str, typer.Option("--config", help="Configuration; the rule file's first when left out.")
    ] = "",
    out: Annotated[Path, typer.Option("--out", help="Folder for a library that is built.")] = Path(
        "out"
    ),
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", help="Compilers and entry points at once; the number of cores when 0."
        ),
    ] = 0,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="With --interface, where calls are made: local, or ray for a cluster."
        ),
    ] = "local",
    seconds: Annotated[
        float, typer.Option("--timeout", help="Seconds after which a run is ended and has failed.")
    ] = 60,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=VALUE",
            help="Give a compile-time constant of the source another value, so that small inputs "
            "reach what only huge ones do; repeatable.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a candidate against its task, or a library's C calls against their definition.

    Calls are held to BLAS and LAPACK in extended precision, with error bounds that grow with the
    operation; boundary cases come first, then random ones until the budget is spent. A finding
    names its smallest input, the orders of wavefronts that show it, and the hardware it matters
    for.

    Exit status 0: right on every input. 1: not. 2: something must be mended first.

    Example: kernels verify saxpy --candidate faster.hip --json

    Example: kernels verify rocsolver --interface getrf --budget 120
    """
    if wavefront not in (32, 64):
        raise UserError(f"--wavefront {wavefront}: a wavefront has 64 or 32 lanes")
    from kernels.building.constants import read_constants

    constants = read_constants(limit or ())
    if interface:
        if library and constants:
            raise UserError("--limit changes what is built; leave --library out")
        if backend != "cpu":
            raise UserError(f"--backend {backend}: whole calls are made on cpu only")
        from extractor.progress import Reporter
        from extractor.project import Project, output_folder
        from extractor.spread.choice import read_engine
        from kernels.call import CallOptions, verify_calls

        project = Project(
            subject, source=source or None, jobs=jobs, reporter=Reporter(quiet=as_json),
            engine=read_engine(engine),
        )  # fmt: skip
        options = CallOptions(
            entry=entry, budget=budget, seed=seed or 0, wavefront=wavefront, lockstep=lockstep,
            config=config, library=library, case=case, jobs=jobs, call_seconds=seconds,
            constants=constants,
            reproduce=(f"--source {source}",) if source else (),
        )  # fmt: skip
        folder = output_folder(out, project.rule.name, entry or interface)
        said = verify_calls(
            project, interface, options, folder, None if as_json else lambda text: print(text)
        )
        _print_calls(said, as_json=as_json)
        raise typer.Exit(0 if said.correct else 1)
    verdict = _judge(Path(subject), candidate, backend, wavefront, seconds, seed, constants)
    if as_json:
        print(json.dumps(verdict.as_json(), indent=1))
    else:
        _print_verdict(verdict)
    raise typer.Exit(0 if verdict.built and verdict.correct is not False else 1)


def _judge(
    task: Path,
    candidate: Path | None,
    backend: str,
    wavefront: int,
    seconds: float,
    seed: int | None,
    constants: Mapping[str, str],
) -> Verdict:
    from kernels.backends import get_backend
    from kernels.backends.cpu import CpuBackend
    from kernels.isolation import EXECUTION
    from kernels.task import load_task
    from kernels.task.folder import BASELINE
    from kernels.verify import verify as judge

    chosen = CpuBackend(wavefront) if backend == "cpu" else get_backend(backend)
    loaded = load_task(task)
    file = candidate or task / BASELINE
    if not file.is_file():
        raise UserError(f"{file}: there is no such file")
    limits = type(EXECUTION)(wall_seconds=seconds, cpu_seconds=int(2 * seconds) + 1)
    return judge(loaded, task, file, chosen, limits, seed=seed, constants=constants)


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """Failures in few lines: those that differ in numbers alone stand together."""
    alike: dict[str, list[Failure]] = {}
    for failure in failures:
        alike.setdefault(_DIGITS.sub("#", failure.error), []).append(failure)
    lines = []
    for group in [*alike.values()][:_MOST_SHOWN]:
        first, others = group[0], len(group) - 1
        more = f", and on {others} more input{'s' if others > 1 else ''}" if others else ""
        values = f": expected {first.expected}, got {first.got}" if first.expected else ""
        lines += [f"{first.error}{values}{more}", f"  with {first.reproducer}"]
    if len(alike) > _MOST_SHOWN:
        lines.append(f"and {len(alike) - _MOST_SHOWN} other kinds of failure; --json lists all")
    return lines


def _print_verdict(verdict: Verdict) -> None:
    state = {True: "correct", False: "not correct", None: "built, not run"}[verdict.correct]
    print(f"{verdict.task}: {state if verdict.built else 'does not build'} ({verdict.hardware})")
    print(
        f"inputs passed {verdict.inputs_passed} and {verdict.fresh_passed} fresh ones (seed "
        f"{verdict.seed}), failed {len(verdict.failures)}, "
        f"skipped {len(verdict.inputs_skipped)}"
    )
    if verdict.cheat:
        print(f"  its text {verdict.cheat}")
    for line in failure_lines(verdict.failures):
        print(f"  {line}")
    for note in verdict.notes:
        print(f"  {note}")
    for skipped in verdict.inputs_skipped[:_MOST_SHOWN]:
        print(f"  skipped {skipped}")
    if len(verdict.inputs_skipped) > _MOST_SHOWN:
        print(f"  skipped {len(verdict.inputs_skipped) - _MOST_SHOWN} more; --json lists all")
    for one in verdict.resources:
        words = ", ".join(
            f"{k} {v}" for k, v in asdict(one).items() if k not in ("kernel", "architecture")
        )
        print(f"  {one.architecture} {one.kernel}: {words}")
    if verdict.diagnostics:
        print(verdict.diagnostics.strip())


def _print_calls(said: CallVerdict, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(said.as_json(), indent=1))
        return
    judged = [e for e in said.entries if not e.skipped]
    left = len(said.entries) - len(judged)
    print(
        f"{said.project} {said.version} {said.interface}: {len(judged)} entry points judged, "
        f"{left} without reference, {sum(e.inputs_passed for e in judged)} inputs passed, "
        f"{len(said.findings)} findings ({said.hardware})"
    )
    for name, why in said.not_built.items():
        print(f"  not built {name}: {why}")
    for note in said.notes:
        print(f"  {note}")
    for record in judged:
        for text in record.unsteady:
            print(f"  {record.entry}: failed after other calls only: {text}")
    for one in said.findings:
        print(f"  {one.entry}: {one.error}")
        print(f"    expected {one.expected}, got {one.got}; {one.times} inputs; {one.kind}")
        print(f"    shows under {', '.join(one.schedules)} of {', '.join(one.tried)}")
        print(f"    matters for {one.hardware}")
        print(f"    {one.reproducer}")
