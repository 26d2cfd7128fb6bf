"""Judges the entry points of an interface by their definition, on a library built for the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor.errors import UnknownName, UserError
from extractor.families import read_name
from extractor.project import Project
from kernels.backends.cpu import CpuBackend
from kernels.call.case import boundary_cases, completed, parse
from kernels.call.execution import Execution, Handle
from kernels.call.prototype import Headers, read_headers
from kernels.call.record import CallVerdict, EntryVerdict
from kernels.call.roles import Signature, read_signature, real_letters
from kernels.call.search import Judge, Search
from kernels.isolation.limits import Limits
from kernels.library import build_library

_DEFAULT_BUDGET = 300.0
_STATUS = "status"


@dataclass(frozen=True)
class CallOptions:
    """What a user may choose.

    Attributes:
        entry: One entry point of the interface; all when empty.
        budget: Seconds for all calls together.
        seed: Of random inputs.
        wavefront: Lanes of a wavefront.
        lockstep: Whether the lanes of a wavefront run in lockstep, as on the hardware.
        config: Configuration; the first when empty.
        library: Folder with a library that ``kernels library`` built; built now when ``None``.
        case: One input, as a finding has it; no others are tried then.
        jobs: Compilers at once.
        call_seconds: Time after which one call is ended.
        constants: Compile-time constants of the library that get another value.
    """

    entry: str = ""
    budget: float = _DEFAULT_BUDGET
    seed: int = 0
    wavefront: int = 64
    lockstep: bool = True
    config: str = ""
    library: Path | None = None
    case: str = ""
    jobs: int = 0
    call_seconds: float = 60
    reproduce: Sequence[str] = field(default_factory=tuple)
    constants: Mapping[str, str] = field(default_factory=dict)


Notice = Callable[[str], None]


def verify_calls(
    project: Project, interface: str, options: CallOptions, out: Path, notice: Notice | None = None
) -> CallVerdict:
    """Verifies an interface.

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
    library = _library(project, interface, options, out, verdict)
    begin = time.monotonic()
    headers = library_headers(project)
    handle = _handle(headers, project)
    judged = []
    for name in entries:
        found = _signature(project, headers, name)
        operation = read_name(project.rule.families, name).own
        record = EntryVerdict(name, operation)
        verdict.entries.append(record)
        if isinstance(found, str):
            record.skipped = found
        else:
            judged.append((record, found))
    deadline = time.monotonic() + options.budget
    statuses = _statuses(headers)
    limits = Limits(wall_seconds=options.call_seconds, cpu_seconds=100_000)
    for number, (record, signature) in enumerate(judged):
        share = max((deadline - time.monotonic()) / (len(judged) - number), 1.0)
        flags = {name: real_letters(signature, name, headers) for name in signature.flags}
        execution = Execution(signature, flags, handle, statuses)
        judge = Judge(
            library, execution, record, limits, wavefront=options.wavefront,
            lockstep=options.lockstep, command=_command(project, interface, options),
        )  # fmt: skip
        with Search(signature, flags, judge, options.seed, share) as search:
            if options.case:
                letters = {name: tuple(known) for name, known in flags.items()}
                pattern = boundary_cases(signature, letters, options.seed)[0]
                search.one(completed(parse(options.case), pattern, letters))
            else:
                search.all()
            verdict.findings.extend(search.findings)
        if notice:
            notice(_line(record))
    verdict.seconds = time.monotonic() - begin
    return verdict


def library_headers(project: Project) -> Headers:
    """Public headers of a library, and of those it stands on, with what the build generates."""
    files: list[Path] = []
    for one in (project, *(Project(name) for name in project.rule.siblings)):
        globs = one.rule.entry_points.headers or ("**/*.h", "**/*.hpp")
        for pattern in globs:
            files.extend(sorted(one.tree.root.glob(pattern)))
    return read_headers(files)


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


def _signature(project: Project, headers: Headers, name: str) -> Signature | str:
    prototype = headers.prototype(name)
    if prototype is None:
        return "no header has its prototype"
    return read_signature(prototype, read_name(project.rule.families, name).own, headers)


def _handle(headers: Headers, project: Project) -> Handle:
    """The functions around a handle, by the names that such functions have."""
    names = set(project.entry_points)
    for sibling in project.rule.siblings:
        names |= set(Project(sibling).entry_points)

    def ending(text: str) -> str:
        fitting = sorted(n for n in names if n.endswith(text))
        # A library on top of another has the other's handle, and names of its own for it.
        taken = [n for n in fitting if headers.prototype(n) and _takes(headers, n)]
        return (taken or fitting or [""])[0]

    create = ending("create_handle")
    mode = ending("set_pointer_mode")
    modes: dict[str, int] = {}
    prototype = headers.prototype(mode) if mode else None
    if prototype:
        for constant, value in headers.constants(prototype.parameters[-1].type.base).items():
            modes[constant.rsplit("_", 1)[-1]] = value
    return Handle(create, ending("destroy_handle"), mode, modes)


def _takes(headers: Headers, name: str) -> bool:
    prototype = headers.prototype(name)
    return bool(
        prototype and prototype.parameters and "handle" in prototype.parameters[0].type.base
    )


def _statuses(headers: Headers) -> Mapping[int, str]:
    return {
        value: constant
        for name, constants in headers.enumerations.items()
        if name.endswith(_STATUS)
        for constant, value in constants.items()
    }


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
