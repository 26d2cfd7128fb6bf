"""Prompts: templates of ``prompts/``, rendered and identified."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from extractor import settings


@dataclass(frozen=True)
class Piece:
    """Source lines as a prompt shows them.

    Attributes:
        file: File relative to the library's root.
        start: First line.
        end: Last line.
        name: Function.
        kind: What it is in the scope.
        numbered: Lines, each with its number.
    """

    file: str
    start: int
    end: int
    name: str
    kind: str
    numbered: str


@functools.lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(settings.prompts_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        keep_trailing_newline=False,
    )


@functools.lru_cache(maxsize=1)
def version() -> str:
    """Version of the templates."""
    return (settings.prompts_folder() / "VERSION").read_text(encoding="utf-8").strip()


def mark_of(*texts: str) -> str:
    """A word for the fence around data that none of the texts contains."""
    joined = "\0".join(texts)
    for number in range(1_000):
        mark = hashlib.sha256(f"{number}\0{joined}".encode()).hexdigest()[:12]
        if mark not in joined:
            return mark
    raise AssertionError("a text cannot hold its own hashes")


def render(name: str, *, pieces: Sequence[Piece] = (), **values: Any) -> str:
    """A prompt.

    Args:
        name: Template below ``prompts/``, without its ending.
        pieces: Source to show, fenced as data.
        values: What the template asks for.
    """
    texts = [piece.numbered for piece in pieces]
    texts += [value for value in values.values() if isinstance(value, str)]
    texts += [
        item
        for value in values.values()
        if isinstance(value, list | tuple)
        for item in map(str, value)
    ]
    template = _environment().get_template(f"{name}.j2")
    return template.render(pieces=pieces, mark=mark_of(*texts), **values).strip() + "\n"
