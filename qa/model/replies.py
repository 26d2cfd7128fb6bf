"""What a model has to reply with, as schemas."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

ReplyType = TypeVar("ReplyType", bound="Reply")


class Reply(BaseModel):
    """Base of all replies."""

    model_config = ConfigDict(extra="forbid")


class Question(Reply):
    """A question, or why there is none."""

    declined: str = Field(description="Why there is no question; empty when there is one.")
    question: str
    architectures: list[str] = Field(description="Those on which the answer depends; else empty.")


class Citation(Reply):
    """Lines that a sentence stands on."""

    ground: Literal["source", "trace", "fact", "recompute"]
    file: str = Field(description="File as given with the source; empty for other grounds.")
    first_line: int
    last_line: int


class Sentence(Reply):
    """One sentence of an answer."""

    text: str
    citations: list[Citation]


class CheckedClaim(Reply):
    """Something that a tool can check."""

    type: Literal["number", "constant", "condition", "path"]
    subject: str = Field(
        description="number: the expression; constant: its name; condition: the function; "
        "path: the first function."
    )
    value: str = Field(
        description="number, constant: the figure; condition: its text as in the code; path: "
        "functions in order, with commas."
    )


class Answer(Reply):
    """An answer sentence by sentence, or why there is none."""

    declined: str = Field(description="What is missing; empty when there is an answer.")
    sentences: list[Sentence]
    claims: list[CheckedClaim]


class SecondAnswer(Reply):
    """An answer as plain text."""

    declined: bool
    answer: str


class Comparison(Reply):
    """Whether two answers agree."""

    agree: bool
    difference: str = Field(description="Where they part, in one sentence; empty when they agree.")


def schema_of(kind: type[Reply]) -> dict[str, Any]:
    """JSON Schema with every key required, as servers with strict output want it."""
    made: dict[str, Any] = _strict(kind.model_json_schema())
    return made


def _strict(node: Any) -> Any:
    if isinstance(node, dict):
        made = {key: _strict(value) for key, value in node.items() if key != "default"}
        if made.get("type") == "object":
            made["required"] = sorted(made.get("properties", {}))
            made["additionalProperties"] = False
        return made
    return [_strict(item) for item in node] if isinstance(node, list) else node


class Unreadable(ValueError):
    """A reply that is not what was asked for; the message says how."""


def read(kind: type[ReplyType], text: str) -> ReplyType:
    """A reply out of what the model wrote; a Markdown fence around it is taken off.

    Raises:
        Unreadable: It is no JSON, or has another shape.
    """
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rpartition("```")[0]
    try:
        return kind.model_validate(json.loads(bare))
    except json.JSONDecodeError as error:
        raise Unreadable(f"no JSON: {error.msg} at character {error.pos}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "reply"
        raise Unreadable(f"{where}: {first['msg']}") from None
