"""``slice.json``: what a slice was cut from, and what was proved of it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from extractor.records import Record, Source, Span

SLICE_SCHEMA = "rocquarry.slice/1"
"""Version of ``slice.json``."""


class SliceRecord(Record):
    """One kernel instantiation as a file of its own, ``baseline.hip`` beside this record.

    Attributes:
        schema_version: ``rocquarry.slice/1``; the key in JSON is ``schema``.
        tool_version: rocQuarry that wrote it.
        project: Rule file.
        source: Which source.
        function: Id of the kernel's definition as in ``scope.json``.
        name: Plain name of the kernel.
        instantiation: Mangled symbol of the instantiation.
        demangled: The same as a person reads it.
        traced: A trace shows this instantiation being launched.
        config: Configuration it was cut from.
        configs: Every configuration that launches the definition.
        unit: Unit that owns it.
        flags: Flags of the unit that the slice is compiled with.
        sliced: There is a ``baseline.hip``.
        compiled: By architecture, whether the slice compiles.
        equal: By architecture, whether its machine code is that of the library, the file names and
            line numbers that ``assert`` prints apart; ``None`` where it was not compared.
        spans: Every range of source lines that the slice holds, in its order.
        functions: Ids of the functions among them, the kernel's last.
        lines: Lines of ``baseline.hip``.
        sha256: Hash of ``baseline.hip``.
        reason: What could not be done and why; ``None`` where all was done.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: str = Field(default=SLICE_SCHEMA, alias="schema")
    tool_version: str
    project: str
    source: Source
    function: str
    name: str
    instantiation: str
    demangled: str
    traced: bool
    config: str
    configs: tuple[str, ...]
    unit: str
    flags: tuple[str, ...]
    sliced: bool
    compiled: dict[str, bool]
    equal: dict[str, bool | None]
    spans: tuple[Span, ...]
    functions: tuple[str, ...]
    lines: int
    sha256: str
    reason: str | None = None
