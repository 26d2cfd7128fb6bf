"""Macros and constants of a function's file that an instruction speaks of, with what they are."""

from __future__ import annotations

import re

from qa.author.draft import code, listed
from qa.ground import Ground
from qa.reading.function import read_function
from qa.reading.function_text import without_comments
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView

_SPOKEN = re.compile(r"`([^`]*)`")
_NAMES = re.compile(r"(?<![\w.>:\"])[A-Za-z_]\w*")
_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([\w, .]*\))?[ \t]+((?:[^\n]*\\\n)*[^\n]*)", re.M
)
_CONSTANT = re.compile(
    r"^(?:(?:static|inline|const|constexpr)\s+)*(?:const|constexpr)\s+[\w:]+\s+(\w+)\s*=\s*([^;{}]+);",
    re.M,
)
_LONGEST, _MOST = 200, 8


def macros_told(ground: Ground, function: FunctionView, words: str) -> str:
    """What names of the file in some words stand for; empty where there are none.

    Args:
        ground: The library.
        function: The function; its own names are none of the file's.
        words: The instruction so far.
    """
    if function.span is None:
        return ""
    rows = ground.project.text.lines(ground.locate(function.file))
    above = b"".join(rows[: function.span.start_line - 1]).decode(errors="replace")
    return file_names(above, function, words)


def file_names(above: str, function: FunctionView, words: str) -> str:
    """As ``macros_told``, of the text that stands above the function in its file."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    own = {p.name for p in reading.parameters} | {d.name for d in reading.definitions}
    own |= set(template_parameters(function)) | {function.name}
    spoken = re.sub(r"```.*?```", " ", words, flags=re.S)
    names = list(dict.fromkeys(
        name for piece in _SPOKEN.findall(spoken) for name in _NAMES.findall(piece)
    ))  # fmt: skip
    known = _known(above)
    parts: list[str] = []
    for name in names:  # grows: what a macro is may speak of another one
        if name in own or name not in known or f"`{name}` is " in spoken or len(parts) >= _MOST:
            continue
        shown, value = known[name]
        parts.append(f"{code(shown)} is {code(value)}")
        names += [n for n in dict.fromkeys(_NAMES.findall(value)) if n not in names]
    return f"In its file {listed(parts)}." if parts else ""


def _known(above: str) -> dict[str, tuple[str, str]]:
    """Macros and constants with one short value: how they are written, and that."""
    found: dict[str, set[tuple[str, str]]] = {}
    bare = without_comments(above)
    for name, names, value in _MACRO.findall(bare):
        text = re.sub(r"\s+", " ", value.replace("\\\n", " ")).strip()
        found.setdefault(name, set()).add((name + re.sub(r"\s+", " ", names), text))
    for name, value in _CONSTANT.findall(bare):
        found.setdefault(name, set()).add((name, re.sub(r"\s+", " ", value).strip()))
    return {
        name: next(iter(values)) for name, values in found.items()
        if len(values) == 1 and all(
            0 < len(v) <= _LONGEST and not re.search(r"[`#;]", v) for _n, v in values
        )
    }  # fmt: skip
