"""Judges the entry points of an interface by their definition, on a library built for the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from extractor.errors import UnknownName, UserError
from extractor.project import Project
from extractor.spread import spread
from kernels.backends.cpu import CpuBackend
from kernels.call.entry import EntryJudged, EntryRequest, judge_entry
from kernels.call.options import CallOptions
from kernels.call.record import CallVerdict, EntryVerdict
from kernels.library import build_library

Notice = Callable[[str], None]


def verify_calls(
    project: Project, interface: str, options: CallOptions, out: Path, notice: Notice | None = None
) -> CallVerdict:
    """Verifies an interface, entry points side by side: here, or on the project's Ray cluster.

    Args:
        project: The library, opened.
        interface: Family, half of a twin, or one entry point.
        options: What the user chose.
        out: Folder for the library where it is built.
        notice: Told about each entry point.

    Raises:
        UserError: There is no such interface, entry point or case, or nothing was built.
    """
    entries = project.rule.resolve_interface(interface, project.entry_points)
    if options.entry:
        if options.entry not in entries:
            raise UnknownName("entry point", options.entry, entries, f"of {interface}")
        entries = [options.entry]
    if options.case and len(entries) != 1:
        raise UserError("--case is an input of one entry point; name it with --entry")
    backend = CpuBackend(options.wavefront, lockstep=options.lockstep)
    backend.require_usable()
    verdict = CallVerdict(
        project.rule.name, project.tree.version, interface, "cpu",
        f"{backend.availability().hardware}{'' if options.lockstep else ', lanes not in lockstep'}",
        options.wavefront, options.lockstep, options.seed,
    )  # fmt: skip
    library = _library(project, interface, options, out, verdict).resolve()
    begin = time.monotonic()
    workers = options.jobs or project.indexer.jobs
    deadline = time.time() + options.budget
    requests = [
        EntryRequest(
            str(project.rule.path), project.override, name, library, options,
            _command(project, interface, options), deadline, -(-(len(entries) - number) // workers),
        )
        for number, name in enumerate(entries)
    ]  # fmt: skip
    judged: dict[int, EntryJudged] = {}
    for number, found in spread(judge_entry, requests, jobs=workers, engine=project.engine):
        judged[number] = found
        if notice:
            notice(_line(found.record))
    for number in sorted(judged):
        verdict.entries.append(judged[number].record)
        verdict.findings.extend(judged[number].findings)
    verdict.seconds = time.monotonic() - begin
    return verdict


def _library(
    project: Project, interface: str, options: CallOptions, out: Path, verdict: CallVerdict
) -> Path:
    if options.library:
        found = sorted(options.library.glob("lib*.so"))
        found = [path for path in found if path.name != "libhipcpu.so"]
        if len(found) != 1:
            raise UserError(f"{options.library}: no built library; make one with: kernels library")
        return found[0]
    made = build_library(
        project, options.entry or interface, out, config=options.config or None,
        wavefront=options.wavefront, lockstep=options.lockstep, jobs=options.jobs,
        constants=options.constants,
    )  # fmt: skip
    verdict.build_seconds = made.seconds
    verdict.not_built.update(made.failures)
    if options.constants:
        words = ", ".join(f"{name}={value}" for name, value in options.constants.items())
        verdict.notes.append(f"with other constants, which no build of the library has: {words}")
    verdict.notes.extend(f"boundary {name}" for name in made.boundaries)
    if not made.entry_points:
        raise UserError(
            f"nothing of {interface} could be built: {next(iter(made.failures.values()), '')}"
        )
    return made.library


def _command(project: Project, interface: str, options: CallOptions) -> str:
    words = ["kernels verify", project.rule.name, f"--interface {interface}"]
    if options.wavefront != 64:
        words.append(f"--wavefront {options.wavefront}")
    if not options.lockstep:
        words.append("--no-lockstep")
    if options.library:
        words.append(f"--library {options.library}")
    words.extend(f"--limit {name}={value}" for name, value in options.constants.items())
    words.extend(options.reproduce)
    return " ".join(words)


def _line(record: EntryVerdict) -> str:
    if record.skipped:
        return f"{record.entry}: not judged: {record.skipped}"
    return (
        f"{record.entry}: {record.inputs_passed} inputs passed, {record.inputs_failed} failed"
        + (f", {record.boundary_left} boundary cases left" if record.boundary_left else "")
    )
