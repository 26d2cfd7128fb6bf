"""A draft that keeps what is said, and functions made from a text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from extractor.records import Span


class Draft:
    """Keeps what is said."""

    def __init__(self, **known: Any) -> None:
        self.said: list[str] = []
        self.category, self.untold = "dispatch", False
        self.view = SimpleNamespace(**known)
        self.ground: Any = SimpleNamespace(constants={}, span=None)

    def say(self, text: str, *_cites: object) -> None:
        self.said.append(text)

    def claim(self, *_claim: object) -> None:
        pass

    def tells(self, text: str) -> bool:
        return any(f"`{text}`" in said for said in self.said)

    @staticmethod
    def choose(*forms: str, salt: str = "") -> str:
        del salt
        return forms[0]

    @staticmethod
    def lines(_function: object, first: int, last: int = 0) -> Span:
        return Span(file="a.hpp", start_line=first, end_line=last or first, sha256="0" * 64)

    @staticmethod
    def head(_function: object) -> Span:
        return Span(file="a.hpp", start_line=1, end_line=1, sha256="0" * 64)


def function(text: str, name: str = "f", kind: str = "host") -> Any:
    span = Span(file="a.hpp", start_line=1, end_line=text.count("\n") + 1, sha256="0" * 64)
    return SimpleNamespace(
        id=name, name=name, text=text, span=span, kind=kind, file="a.hpp", signature=text,
        instantiations=({"id": f"{name}_of_float", "template_arguments": ()},),
    )  # fmt: skip
