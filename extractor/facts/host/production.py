"""Facts of many host functions: made by several processes, and kept by what they depend on."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from extractor.errors import UserError
from extractor.facts.host.closures import Closures
from extractor.facts.host.facts import HostFacts
from extractor.facts.host.program import HostProgram
from extractor.facts.records import Fact
from extractor.project import Project

_FEWEST = 24
"""Functions for which further processes are worth their start."""

_CHUNK = 12
"""Instantiations that one request to a process is about, at least."""


@dataclass(frozen=True)
class Part:
    """A definition with its instantiations, or an entry point with all that it calls.

    Attributes:
        function: Id of the definition; empty for an entry point.
        members: Nodes of the host graph.
        entry: Name of the entry point; empty for a definition.
    """

    function: str
    members: tuple[int, ...]
    entry: str = ""

    @property
    def name(self) -> str:
        """For those who watch the work."""
        return self.entry or self.function


def facts_of(project: Project, interface: str | None, config: str) -> Iterator[Fact]:
    """Facts of the host functions of one configuration.

    Each function has facts over its own parameters; an entry point also has the launches of
    everything it calls, over its own arguments, with the calls on the way under ``through``. Of a
    whole library only the former are made: the latter restate them for every entry point.

    Args:
        project: The opened library.
        interface: Family or entry point; ``None`` for the whole library.
        config: Configuration.

    Raises:
        UserError: Something the user must fix.
    """
    entries = None if interface is None else project.resolve(interface)
    program = HostProgram(project, entries, config)
    yield from Production(program, composed=interface is not None).facts()


class Production:
    """Makes the facts of one program.

    Args:
        program: The host side of a configuration.
        composed: Make the launches of entry points over their own arguments, too.
    """

    def __init__(self, program: HostProgram, *, composed: bool) -> None:
        self._program = program
        self._parts = parts_of(program, composed=composed)

    def facts(self) -> Iterator[Fact]:
        """Functions by file and line, then entry points by name.

        Raises:
            UserError: A process that made some of them ended early.
        """
        project = self._program.project
        keys = self._keys()
        made: dict[int, bytes] = {}
        pending: list[int] = []
        for number, key in enumerate(keys):
            data = project.store.recall(key)
            if data is None:
                pending.append(number)
            else:
                made[number] = data
        title = f"{project.rule.name} {self._program.config} host facts"
        with (
            contextlib.closing(self._lines(pending)) as answers,
            project.reporter.work(title) as advance,
        ):
            for done, (number, data) in enumerate(answers, start=1):
                made[number] = data
                project.store.remember(keys[number], data)
                advance(done, len(pending), self._parts[number].name)
        for number in range(len(self._parts)):
            for line in made.pop(number).splitlines():
                yield Fact.model_validate_json(line)

    def _keys(self) -> list[str]:
        program = self._program
        closures = Closures(program)
        rule = program.project.rule
        common = f"{_identity()}:{rule.name}:{program.config}:{rule.facts!r}"
        keys = []
        for part in self._parts:
            digest = hashlib.blake2b(f"{common}:{part.function}:{part.entry}".encode())
            for index in part.members:
                digest.update(program.bodies.missing.get(index, "").encode() + b"\0")
                digest.update(closures.digest(index))
            keys.append(f"host-facts:{digest.hexdigest()[:40]}")
        return keys

    def _lines(self, pending: Sequence[int]) -> Generator[tuple[int, bytes], None, None]:
        """Lines of each part, in any order."""
        facts = HostFacts(self._program)
        jobs = min(self._program.project.indexer.jobs, len(pending))
        weight = sum(len(self._parts[number].members) for number in pending)
        if jobs < 2 or weight < _FEWEST:
            for number in pending:
                yield number, _made(facts, self._parts[number])
            return
        # What was read is large and never changes: processes that start from this one share it.
        _SHARED[:] = [(facts, self._parts)]
        context = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_quiet)
        try:
            futures: list[Future[list[tuple[int, bytes]]]] = [
                pool.submit(_chunk, chunk) for chunk in self._chunks(pending)
            ]
            for future in as_completed(futures):
                yield from future.result()
        except BrokenProcessPool as error:
            raise UserError(f"a process that made host facts ended early: {error}") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _SHARED.clear()

    def _chunks(self, pending: Sequence[int]) -> Iterator[list[int]]:
        """Neighbours together, as they call the same functions."""
        chunk: list[int] = []
        weight = 0
        for number in pending:
            chunk.append(number)
            weight += len(self._parts[number].members)
            if weight >= _CHUNK:
                yield chunk
                chunk, weight = [], 0
        if chunk:
            yield chunk


def parts_of(program: HostProgram, *, composed: bool) -> list[Part]:
    """Definitions by file and line, then, where wanted, entry points by name."""
    definitions: dict[str, list[int]] = {}
    for index in program.functions:
        definitions.setdefault(program.identity(index), []).append(index)
    parts = [
        Part(function, tuple(sorted(members)))
        for function, members in sorted(definitions.items(), key=lambda item: _place(item[0]))
    ]
    if composed:
        parts += [Part("", (index,), name) for name, index in program.entries.items()]
    return parts


_ONLY_CHECKS = ("check.py", "traced.py")
"""Modules that no fact depends on."""

_SHARED: list[tuple[HostFacts, list[Part]]] = []


def _quiet() -> None:
    # An interrupt is for the process that asked; it then ends these.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _chunk(numbers: list[int]) -> list[tuple[int, bytes]]:
    facts, parts = _SHARED[0]
    return [(number, _made(facts, parts[number])) for number in numbers]


def _made(facts: HostFacts, part: Part) -> bytes:
    stated = (
        facts.entry(part.entry) if part.entry else facts.definition(part.function, part.members)
    )
    return b"".join(fact.model_dump_json(by_alias=True).encode() + b"\n" for fact in stated)


def _place(function: str) -> tuple[str, int, str]:
    file, line, name = function.split(":", 2)
    return file, int(line), name


@cache
def _identity() -> str:
    digest = hashlib.blake2b(digest_size=12)
    folder = Path(__file__).parent
    made_by = [one for one in sorted(folder.glob("*.py")) if one.name not in _ONLY_CHECKS]
    for source in [*made_by, folder.parent / "records.py"]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
