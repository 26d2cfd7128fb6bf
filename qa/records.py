"""One line of an entries file."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from extractor.records import Record, Source, Span

ENTRY_SCHEMA = "rocquarry.entry/1"
"""Version of an entries file."""

EntryKind = Literal["kernel_implementation", "qa", "hip_to_hip", "pytorch_to_hip"]
"""What an entry asks for."""

Category = Literal[
    "computation_semantics",
    "index_mapping",
    "memory_access",
    "synchronization",
    "launch_configuration",
    "dispatch",
    "correctness_constraints",
    "resources",
]
"""What an entry is about."""


class Context(Record):
    """Source text that the question shows.

    Attributes:
        span: Where it stands.
        text: Its exact text.
    """

    span: Span
    text: str


class Claim(Record):
    """One checkable statement of an answer.

    Attributes:
        type: Kind of statement: ``launch``, ``grid``, ``number``, ``identifier``, ...
        subject: What it is about.
        value: What is said.
        check: The tool that decides: ``trace``, ``fact``, ``recompute``, ``source``, ``scope``, ...
        passed: What it decided; ``None`` while nothing has.
    """

    type: str
    subject: str
    value: JsonValue
    check: str
    passed: bool | None


class Author(Record):
    """Who wrote an entry.

    Attributes:
        kind: ``static`` from facts and traces, ``model`` by a language model.
        model: Its name, else ``None``.
        prompt_sha256: Of the rendered prompt, else ``None``.
        tokens: Tokens used, as the server counts them.
        cost: In US dollars.
    """

    kind: Literal["static", "model"]
    model: str | None = None
    prompt_sha256: str | None = None
    tokens: int | None = None
    cost: float | None = None


class Entry(Record):
    """One question and answer, or one instruction and its code.

    Attributes:
        id: Stable over rebuilds: a hash of project, interface, kind, category and subject.
        schema_version: ``rocquarry.entry/1``; the key in JSON is ``schema``.
        project: Rule file.
        source: Which source.
        interface: Family.
        entry_points: Public names it is about.
        configs: Configurations in which it holds.
        archs: Architectures for which it holds; empty where it does not depend on one.
        kind: What it asks for.
        category: What it is about.
        level: 1: evidence in one function; 2: in several functions of one file; 3: several files.
        question: The question, or the instruction.
        answer: The answer, or the code.
        context: Source that is shown with the question.
        evidence: The lines the answer stands on.
        claims: What the answer states, checkable.
        author: Who wrote it.
        gates: Gate by name: passed.
        tool_version: rocQuarry that wrote it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: str
    schema_version: str = Field(default=ENTRY_SCHEMA, alias="schema")
    project: str
    source: Source
    interface: str
    entry_points: tuple[str, ...]
    configs: tuple[str, ...]
    archs: tuple[str, ...]
    kind: EntryKind
    category: Category
    level: Literal[1, 2, 3]
    question: str
    answer: str
    context: tuple[Context, ...]
    evidence: tuple[Span, ...]
    claims: tuple[Claim, ...]
    author: Author
    gates: dict[str, bool]
    tool_version: str
