"""One line of ``facts.jsonl``."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from extractor.records import Record, Span

FACT_SCHEMA = "rocquarry.fact/1"
"""Version of ``facts.jsonl``."""

Proof = Literal["ast", "ir", "code_object", "trace", "execution"]
"""What can prove a fact."""


class Fact(Record):
    """Something that a tool proved, or could not prove, about a kernel or a function of the host.

    Attributes:
        schema_version: ``rocquarry.fact/1``; the key in JSON is ``schema``.
        project: Rule file.
        function: Id of the definition in ``scope.json``: ``file:line:qualified name``.
        subject: What within the function: an array's name, ``file:line`` of a barrier, a loop or a
            launch, ``file:line:column`` of an access; the function's name where it is the whole.
        fact: Which property, from the list in ``extractor/facts/vocabulary.py``.
        value: The property; ``null`` where it could not be proved.
        unit: Of numbers: ``bytes``, ``threads``, ``registers``; ``null`` without one.
        config: Configuration the fact is limited to; ``null`` where it holds in all.
        arch: Architecture it is limited to; ``null`` where it holds on all.
        instantiation: Mangled symbol it is limited to; ``null`` where it holds for all, of a kernel
            for one of every shape of template arguments (``instantiations_read`` counts them).
        span: The lines that show it.
        proved_by: What proved it, or failed to.
        reason: Why the value is ``null``, else ``null``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: str = Field(default=FACT_SCHEMA, alias="schema")
    project: str
    function: str
    subject: str
    fact: str
    value: JsonValue
    unit: str | None = None
    config: str | None = None
    arch: str | None = None
    instantiation: str | None = None
    span: Span | None
    proved_by: Proof
    reason: str | None = None
