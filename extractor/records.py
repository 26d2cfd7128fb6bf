"""Records on disk: what one stage writes and another, or another program, reads.

Every model is frozen, refuses unknown keys and is published as JSON Schema (``extract
--schema``). A
change of meaning raises the version in ``schema``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCOPE_SCHEMA = "rocquarry.scope/1"
"""Version of ``scope.json``."""

FunctionKind = Literal["entry_point", "host", "launcher", "kernel", "device", "boundary"]


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Span(Record):
    """A range of whole lines.

    Attributes:
        file: File relative to the library's root, or absolute outside it.
        start_line: First line, from 1.
        end_line: Last line, inclusive.
        sha256: Over the raw bytes of these lines, their line ends included.
    """

    file: str
    start_line: int
    end_line: int
    sha256: str


class Source(Record):
    """Which source a record is about.

    Attributes:
        name: Project.
        version: Version that the tree states.
        commit: Commit or tag, else the hash of what was unpacked.
        license: SPDX identifier.
    """

    name: str
    version: str
    commit: str
    license: str


class Instantiation(Record):
    """One concrete function.

    Attributes:
        id: Its identity in ``calls`` and ``launches``: the mangled symbol; where units have
        copies of
            their own, with a hash of the content; on the device side with ``@device``.
        symbol: Mangled symbol.
        template_arguments: As demangled; empty for a function that is no template.
        configs: Configurations in which the interface reaches it.
    """

    id: str
    symbol: str
    template_arguments: tuple[str, ...]
    configs: tuple[str, ...]


class Function(Record):
    """One definition with everything that was instantiated from it.

    Attributes:
        id: ``file:line:qualified name``.
        name: Plain name.
        qualified_name: With namespaces and classes, without template arguments.
        signature: Text from the start of the definition to its body, on one line without comments.
        kind: What it is on the way from an entry point to a kernel.
        span: Where its text stands; absent where nothing defines it.
        text: The exact source text of the span.
        launch_bounds: The kernel's launch bounds as written, else ``null``.
        infrastructure: Why the rule file calls it infrastructure, else ``null``.
        instantiations: In the order of their ids.
    """

    id: str
    name: str
    qualified_name: str
    signature: str
    kind: FunctionKind
    span: Span | None
    text: str
    launch_bounds: str | None
    infrastructure: str | None
    instantiations: tuple[Instantiation, ...]


class Call(Record):
    """One use of a function by another.

    Attributes:
        caller: Id of an instantiation.
        callee: Id of an instantiation.
        kind: ``call``, or ``reference`` where only the address is taken.
        at: Where.
        dead: It can never run.
        dead_reason: Why; ``null`` when it can run.
        configs: Configurations in which it exists.
    """

    caller: str
    callee: str
    kind: Literal["call", "reference"]
    at: Span
    dead: bool
    dead_reason: str | None
    configs: tuple[str, ...]


class Expression(Record):
    """One part of a launch configuration.

    Attributes:
        written: As it stands at the launch.
        expanded: As the macros expand it; equal to ``written`` where none is in the way.
    """

    written: str
    expanded: str


class Launch(Record):
    """A kernel launch: grid in blocks, block in threads, dynamic LDS in bytes, stream.

    Attributes as for ``Call``; a part that the launch leaves out has its default, ``0``.
    """

    caller: str
    kernel: str
    at: Span
    grid: Expression
    block: Expression
    shared_bytes: Expression
    stream: Expression
    dead: bool
    dead_reason: str | None
    configs: tuple[str, ...]


class Boundary(Record):
    """A function at which the walk ends.

    Attributes:
        name: Qualified name.
        library: What it belongs to.
        callers: Ids of the instantiations that call it.
        configs: Configurations in which it is called.
    """

    name: str
    library: str
    callers: tuple[str, ...]
    configs: tuple[str, ...]


class Excluded(Record):
    """What one line of the rule file left out.

    Attributes:
        rule: The line's pattern.
        reason: Its reason.
        count: Functions that would have been entered.
    """

    rule: str
    reason: str
    count: int


class Unresolved(Record):
    """A call whose target is not known.

    Attributes:
        at: Where.
        text: The call's source text.
        reason: Why it could not be resolved.
    """

    at: Span
    text: str
    reason: str


class Indirect(Record):
    """A call through a pointer. Which function it runs is a value; every function whose address is
    taken on the way is among the ``reference`` calls.

    Attributes:
        at: Where.
        text: The call's source text.
        caller: Qualified name of the function it stands in.
    """

    at: Span
    text: str
    caller: str


class Divergent(Record):
    """A symbol with several bodies; the linker keeps the first.

    Attributes:
        usr: Unified symbol resolution string.
        symbol: Mangled symbol.
        at: The bodies, the kept one first.
        units: The unit that brings each of them.
    """

    usr: str
    symbol: str
    at: tuple[Span, ...]
    units: tuple[str, ...]


class FailedUnit(Record):
    """A unit that did not parse cleanly, with the compiler's first errors."""

    path: str
    config: str
    side: Literal["host", "device"]
    errors: tuple[str, ...]


class Scope(Record):
    """What one interface reaches.

    Attributes:
        schema_version: ``rocquarry.scope/1``; the key in JSON is ``schema``.
        tool_version: rocQuarry that wrote it.
        project: Rule file.
        interface: Family or entry point asked for.
        configs: Configurations covered.
        source: Which source.
        entry_points: Public names.
        functions: One for each definition, by file and line.
        calls: Between instantiations.
        launches: Of kernels.
        per_entry: For each entry point and configuration the ids of the kernels it can launch.
        boundaries: Where the walk ended.
        excluded: What each rule left out.
        unresolved: Calls without a known target.
        indirect: Calls through pointers.
        divergent: Symbols with several bodies among those reached.
        failed_units: Units with errors among those read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: str = Field(default=SCOPE_SCHEMA, alias="schema")
    tool_version: str
    project: str
    interface: str
    configs: tuple[str, ...]
    source: Source
    entry_points: tuple[str, ...]
    functions: tuple[Function, ...]
    calls: tuple[Call, ...]
    launches: tuple[Launch, ...]
    per_entry: dict[str, dict[str, tuple[str, ...]]]
    boundaries: tuple[Boundary, ...]
    excluded: tuple[Excluded, ...]
    unresolved: tuple[Unresolved, ...]
    indirect: tuple[Indirect, ...]
    divergent: tuple[Divergent, ...]
    failed_units: tuple[FailedUnit, ...]


class KernelLine(Record):
    """A kernel in one line of ``--kernels``.

    Attributes:
        name: Plain name.
        file: File that defines it, relative to the library's root.
        instantiations: Distinct mangled symbols the entry point can launch.
        dead: Every launch on the way is one that never runs.
        reason: Why it is dead, else ``null``.
    """

    name: str
    file: str
    instantiations: int
    dead: bool
    reason: str | None


class EntryLine(Record):
    """One line of ``extract PROJECT --all --kernels FILE``.

    Attributes:
        entry: Entry point.
        config: Configuration.
        kernels: Kernels it can launch, and dead ones.
        boundaries: Names at which its walks end.
        unresolved: Calls without a known target on its way.
    """

    entry: str
    config: str
    kernels: tuple[KernelLine, ...]
    boundaries: tuple[str, ...]
    unresolved: int
