"""Sentences, code fragments, names and numbers of an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"```.*?```", re.S)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# Outside backticks a word is code when it has an underscore, a scope, or a capital after a small
# letter; names that prose spells this way are no code.
_CODE_LIKE = re.compile(
    r"\b(?:[A-Za-z]\w*(?:::\w+)+|_*[A-Za-z][A-Za-z0-9]*_\w*|[a-z]+[A-Z]\w*)(?:\.[xyz]\b)?"
)
_SPELLED_SO = (
    "rocBLAS rocSOLVER rocSPARSE rocPRIM rocRAND hipBLAS hipBLASLt hipSOLVER cuBLAS cuSOLVER "
    "PyTorch OpenMP eBPF"
)
_NO_CODE = frozenset(re.findall(r"\w+", _SPELLED_SO))
_NUMBER = re.compile(
    r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d{1,3}(?:,\d{3})+(?![\d,]*\d)|\d+(?:'\d{3})*(?:\.\d+)?)"
    r"(?:[uU]?[lL]{0,2}|[fF])?(?![\w])"
)
_SENTENCE_END = re.compile(r"(?<=[.?!])[\"')]*\s+(?=[A-Z`(\"'0-9])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|resp)\.$")
_ARCHITECTURE = re.compile(r"\bgfx\d+[a-z]?\w*\b")


@dataclass(frozen=True)
class Number:
    """A number in prose.

    Attributes:
        value: Its value; whole where it is written so.
        start: Offset in the text.
        end: Offset behind it.
    """

    value: int | float
    start: int
    end: int


def plain(text: str) -> str:
    """The text with typographic operators written as in code."""
    table = {"·": "*", "×": "*", "−": "-", "–": "-", "≤": "<=", "≥": ">=", "≠": "!=", " ": " "}
    for shown, typed in table.items():
        text = text.replace(shown, typed)
    return text


def sentences(text: str) -> list[str]:
    """Sentences, code blocks apart; a full stop within backticks ends none."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\x00{len(kept) - 1}\x00"

    hidden = _CODE.sub(hide, _FENCE.sub(" ", text))
    parts: list[str] = []
    for piece in _SENTENCE_END.split(hidden.replace("\n\n", " ").replace("\n", " ")):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += " " + piece
        elif piece.strip():
            parts.append(piece)
    # A sentence may begin with code.
    split: list[str] = []
    for piece in parts:
        split.extend(p for p in re.split(r"(?<=[.?!])\s+(?=\x00)", piece) if p.strip())
    return [re.sub(r"\x00(\d+)\x00", lambda m: kept[int(m[1])], p).strip() for p in split]


def code_fragments(text: str) -> list[str]:
    """What stands in backticks."""
    return _CODE.findall(_FENCE.sub(" ", text))


def identifiers(text: str) -> set[str]:
    """Names a text speaks of as code: every name in backticks, and code-like words."""
    found: set[str] = set()
    for fragment in code_fragments(text):
        found.update(_IDENTIFIER.findall(fragment))
    for match in _CODE_LIKE.finditer(_CODE.sub(" ", text)):
        if match[0] not in _NO_CODE:
            found.update(_IDENTIFIER.findall(match[0]))
    return {name for name in found if not _ARCHITECTURE.fullmatch(name)} - {"x", "y", "z"}


def numbers(text: str) -> list[Number]:
    """Numbers that are no part of a name, in order."""
    found = []
    for match in _NUMBER.finditer(text):
        raw = match[0].replace(",", "").replace("'", "").rstrip("uUlL")
        if raw.lower().startswith("0x"):
            value: int | float = int(raw, 16)
        else:
            raw = raw.rstrip("fF")
            value = float(raw) if "." in raw else int(raw)
        found.append(Number(value, match.start(), match.end()))
    return found


def architectures(text: str) -> set[str]:
    """GPU architectures a text names."""
    return set(_ARCHITECTURE.findall(text))


def words(text: str) -> list[str]:
    """Lower-case words and names, without punctuation."""
    return re.findall(r"[a-z_][a-z0-9_]*|\d+", text.lower())


def checkable(sentence: str) -> bool:
    """The sentence names code, a number or an architecture."""
    return bool(
        identifiers(sentence) or code_fragments(sentence) or numbers(sentence)
        or architectures(sentence)
    )  # fmt: skip
