"""One entry point judged, in whichever process it is: its prototype, its calls, its verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from extractor.families import read_name
from extractor.project import Project, opened
from kernels.call.case import WORDS, boundary_cases, completed, parse
from kernels.call.execution import Execution, Handle
from kernels.call.options import CallOptions
from kernels.call.prototype import Headers, read_headers
from kernels.call.record import EntryVerdict, Finding
from kernels.call.roles import Signature, read_signature, real_letters
from kernels.call.search import Judge, Search
from kernels.isolation.limits import Limits

_STATUS = "status"


@dataclass(frozen=True)
class EntryRequest:
    """One entry point to judge.

    Attributes:
        project: Path of the rule file.
        source: Folder or ``URL@REF`` instead of the pinned source.
        entry: Its name.
        library: The built library.
        options: What the user chose.
        command: Beginning of a reproducer.
        deadline: When all calls should be done, in seconds since the epoch.
        turns: Entry points that one worker still has to judge, this one among them; they share the
            time that is left.
    """

    project: str
    source: str | None
    entry: str
    library: Path
    options: CallOptions
    command: str
    deadline: float
    turns: int


@dataclass(frozen=True)
class EntryJudged:
    """What came of it."""

    record: EntryVerdict
    findings: tuple[Finding, ...]


def judge_entry(request: EntryRequest) -> EntryJudged:
    """Tries the inputs of one entry point under its share of the time.

    Raises:
        UserError: The case that was asked for is none of this entry point.
    """
    options = request.options
    project = _library(request.project, request.source).project
    called = callable_entry(request.project, request.source, request.entry)
    record = EntryVerdict(request.entry, read_name(project.rule.families, request.entry).own)
    if isinstance(called, str):
        record.skipped = called
        return EntryJudged(record, ())
    share = max((request.deadline - time.time()) / request.turns, 1.0)
    found, flags = called.signature, called.flags
    judge = Judge(
        request.library, called.execution, record,
        Limits(wall_seconds=options.call_seconds, cpu_seconds=100_000),
        wavefront=options.wavefront, lockstep=options.lockstep, command=request.command,
    )  # fmt: skip
    with Search(found, flags, judge, options.seed, share) as search:
        if options.case:
            letters = {name: tuple(values) for name, values in flags.items()}
            pattern = boundary_cases(found, letters, options.seed)[0]
            words = {**letters, "values": found.operation.values, **WORDS}
            search.one(completed(parse(options.case), pattern, words))
        else:
            search.all()
        return EntryJudged(record, tuple(search.findings))


@dataclass(frozen=True)
class Callable:
    """An entry point that can be called.

    Attributes:
        signature: What it takes.
        flags: Letters and values of its flags.
        execution: Makes its calls.
        words: Letters of each flag by what the header calls its values.
    """

    signature: Signature
    flags: Mapping[str, Mapping[str, int]]
    execution: Execution
    words: Mapping[str, Mapping[str, str]]


def callable_entry(project: str, source: str | None, entry: str) -> Callable | str:
    """An entry point with all that calling it needs, or why it cannot be called.

    Args:
        project: Path of the rule file.
        source: Folder or ``URL@REF`` instead of the pinned source.
        entry: Its name.
    """
    known = _library(project, source)
    found = _signature(known.project, known.headers, entry)
    if isinstance(found, str):
        return found
    flags = {name: real_letters(found, name, known.headers) for name in found.flags}
    words = {name: _words(found, name, flags[name], known.headers) for name in found.flags}
    return Callable(found, flags, Execution(found, flags, known.handle, known.statuses), words)


def _words(
    signature: Signature, name: str, letters: Mapping[str, int], headers: Headers
) -> dict[str, str]:
    """Letters of a flag by the names of its constants."""
    types = {argument.name: argument.type.base for argument in signature.prototype.parameters}
    known = headers.constants(types[name])
    by_value = {value: letter for letter, value in letters.items()}
    return {word: by_value[value] for word, value in known.items() if value in by_value}


@dataclass(frozen=True)
class _Library:
    project: Project
    headers: Headers
    handle: Handle
    statuses: Mapping[int, str]


@lru_cache(maxsize=2)
def _library(name: str, source: str | None) -> _Library:
    """What all entry points of a library share, read once a process."""
    project = opened(name, source)
    headers = library_headers(project)
    return _Library(project, headers, _handle(headers, project), _statuses(headers))


def library_headers(project: Project) -> Headers:
    """Public headers of a library, and of those it stands on, with what the build generates."""
    files: list[Path] = []
    for one in (project, *(Project(name) for name in project.rule.siblings)):
        globs = one.rule.entry_points.headers or ("**/*.h", "**/*.hpp")
        for pattern in globs:
            files.extend(sorted(one.tree.root.glob(pattern)))
    return read_headers(files)


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
