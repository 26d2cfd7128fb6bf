"""What an instruction says of a function's purpose: the public operation, and its own comment."""

from __future__ import annotations

import re

from extractor.records import Span
from qa.ground import Ground
from qa.reading.documentation import Documentation
from qa.reading.function import read_function
from qa.reading.function_text import without_comments
from qa.scope_view import FunctionView

_SHORTEST, _LONGEST, _FEWEST_WORDS = 40, 420, 7
_TAGS = re.compile(r"[@\\](?:brief|remark|note|details)\b")
_MARKS = re.compile(r"^\s*(?:/\*[*!]*|//[/!]*|\*+/?)|\*+/\s*$")
_RULE = re.compile(r"[*=\-/]{4,}")
_NOT_PROSE = re.compile(r"[{};@\\]|\b(?:TODO|FIXME|return is|template interface)\b|[\[\]].*[+*]")
_WRITTEN = re.compile(
    r"\b(?:into|writes?(?: to| into)?|stores?(?: in| to| into)?|updates?|overwrites?|fills?|clears?)\s+"
    r"(?:the\s+)?(?:(?:matrix|vector|array|buffer)\s+)?`?([A-Za-z_]\w*)"
)
_SCALAR = re.compile(r"alpha|beta|gamma|lambda|sigma|tau")
_LOCAL = re.compile(r"(?!rocblas_|hip|batch_count$)[a-z]+(?:_[a-z0-9_]+|[a-z0-9]*[A-Z]\w*)|\w+_")
_OPPOSITE = (("left", "right"), ("upper", "lower"), ("forward", "backward"), ("row", "column"))
_BEGINS = re.compile(r"[A-Z\"(]")


def operation(documentation: Documentation | None, part: str = "") -> str:
    """The public operation, with a blank before it; nothing where none is known.

    Args:
        documentation: The header's words on the public function.
        part: What the function itself does in it; empty where that is not known.
    """
    words = documentation.operation if documentation is not None else ""
    if len(words.split()) <= 3:
        return f" {part}" if part else ""
    return f" The public call it works for: {words}. {part}".rstrip()


def own_words(ground: Ground, function: FunctionView) -> tuple[str, Span] | None:
    """What the comment right above a definition says, where it is prose, and where it stands."""
    if function.span is None or function.span.start_line < 2:
        return None
    rows = [
        row.decode(errors="replace").rstrip()
        for row in ground.project.text.lines(ground.locate(function.file))
    ]
    last = function.span.start_line - 1
    first = _first_line(rows, last)
    if first > last:
        return None
    text = " ".join(_MARKS.sub("", _MARKS.sub("", row)).strip() for row in rows[first - 1 : last])
    text = re.sub(r"\s+", " ", _RULE.sub(" ", _TAGS.sub(" ", text))).strip()
    text = re.sub(r"^\*+\s|\s\*+$", "", text)
    if (
        not _SHORTEST <= len(text) <= _LONGEST
        or len(text.split()) < _FEWEST_WORDS
        or _NOT_PROSE.search(text)
        or not (_BEGINS.match(text) or text.startswith(function.name))
        or _denied(text, function)
        or speaks_of_others(text, function)
    ):
        return None
    return text.rstrip("."), ground.span(function.file, first, last)


def _denied(text: str, function: FunctionView) -> bool:
    """A comment says that something is written which the code only reads: it is an old one."""
    reading = read_function(function.text, function.span.start_line if function.span else 1)
    kinds = {p.name: p.type for p in reading.parameters}
    stored = {store.base for store in reading.stores}
    if _other_side(text, function.name) or _other_kind(text, function):
        return True
    return any(
        name in kinds and name not in stored and re.match(r"(?:const\b|\w+ const\b)", kinds[name])
        and re.search(r"[*&]|\[", kinds[name]) is not None
        for name in _WRITTEN.findall(text)
    )  # fmt: skip


def _other_side(text: str, name: str) -> bool:
    """A comment tells the opposite of what a function's name says: left and right, upper and lower.

    ``XA = B`` has the matrix on the right side of the unknown, ``AX = B`` on the left.
    """
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", text)}
    parts = set(name.lower().split("_"))
    for one, other in (*_OPPOSITE, *(pair[::-1] for pair in _OPPOSITE)):
        if one in parts and other not in parts and other in words and one not in words:
            return True
    right = re.search(r"\bX\s*\*?\s*(?:op\()?A\b", text) is not None
    left = re.search(r"\bA\)?\s*\*?\s*X\b", text) is not None
    return ("left" in parts and right and not left) or ("right" in parts and left and not right)


def _other_kind(text: str, function: FunctionView) -> bool:
    """A comment says that a type is a pointer which the signature makes one: ``T is const T*``."""
    return any(
        re.search(rf"\b{name}\s+(?:const\s*)?\*|\bconst\s+{name}\s*\*", function.signature)
        for name in re.findall(
            r"\b([A-Z]\w*) (?:is|is always|is either)(?: always)?:?\s+(?:const\s+)?\w+\s*(?:const\s*)?\*",
            text,
        )
    )


def speaks_of_others(text: str, function: FunctionView) -> bool:
    """A comment names a scalar or a variable that the code does not have: it is another's."""
    code = set(re.findall(r"[A-Za-z_]\w*", without_comments(function.text)))
    code |= {part for name in code for part in name.split("_")}  # alpha_device is an alpha
    return any(
        name not in code and (_SCALAR.fullmatch(name) or _LOCAL.fullmatch(name))
        for name in re.findall(r"(?<![\w:.])[A-Za-z_]\w*(?!\w|::)", text)
    )


def _first_line(rows: list[str], last: int) -> int:
    """First line of the comment that ends with a line; one past it where that line is none."""
    line = last
    if rows[line - 1].strip().endswith("*/"):
        while line > 1 and "/*" not in rows[line - 1]:
            line -= 1
        return line if rows[line - 1].lstrip().startswith("/*") else last + 1
    while line > 0 and rows[line - 1].lstrip().startswith("//"):
        line -= 1
    return line + 1
