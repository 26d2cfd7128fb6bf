"""One line of ``traces.jsonl``."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from extractor.records import Record, Source

TRACE_SCHEMA = "rocquarry.trace/1"
"""Version of ``traces.jsonl``."""


class RecordedLaunch(Record):
    """A launch that the host side asked for.

    Attributes:
        kernel: Plain name.
        demangled: With template arguments and parameters.
        symbol: Mangled symbol of the kernel, as among the scope's instantiations.
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        shared_bytes: Dynamic LDS in bytes.
        repeat: How many times in a row.
        library: The library past whose boundary it was launched; not written where that is the
            trace's own.
    """

    kernel: str
    demangled: str
    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    repeat: int
    library: str | None = Field(default=None, exclude_if=lambda value: value is None)


class Trace(Record):
    """One call of an entry point with concrete arguments, and what it launched.

    Attributes:
        schema_version: ``rocquarry.trace/1``; the key in JSON is ``schema``.
        tool_version: rocQuarry that wrote it.
        project: Rule file.
        source: Which source.
        config: Configuration of the build.
        entry: Entry point.
        args: Scalars as given; enumerations by their letter or name; of an array that has the
            memory of another one, the other's name.
        arch: Architectures for which the launches are the same.
        pointer_mode: Where scalars such as alpha live.
        atomics: Whether atomics were allowed; ``None`` where the entry has no such mode.
        status: What the entry point returned, without the library's prefix.
        launches: In order; equal neighbours are one with ``repeat``.
        boundaries: Functions called that the build does not have.
        executed: Kernels whose effect was carried out, since the host read what they wrote.
        depends: What the host read back that only a real run writes, and on which launches or
            status hang: other numbers in its place gave others. Empty where there is nothing such.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: str = Field(default=TRACE_SCHEMA, alias="schema")
    tool_version: str
    project: str
    source: Source
    config: str
    entry: str
    args: dict[str, JsonValue]
    arch: tuple[str, ...]
    pointer_mode: Literal["host", "device"]
    atomics: int | None = None
    status: str
    launches: tuple[RecordedLaunch, ...]
    boundaries: tuple[str, ...] = ()
    executed: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
