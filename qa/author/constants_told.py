"""The library's constants that an instruction speaks of, with what they are."""

from __future__ import annotations

import re

from qa.author.draft import code, listed
from qa.ground import Ground
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView

_SPOKEN = re.compile(r"`([^`]*)`")
_CONSTANT = re.compile(
    r"(?<![\w.>\"])(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|c_[A-Za-z]\w*|[A-Z]+\d+)\b(?!\s*[(\"])"
)
_MOST = 12


def constants_told(ground: Ground, function: FunctionView, words: str) -> str:
    """What the constants in some words are; empty where there are none, or all are explained.

    Args:
        ground: The library.
        function: The function; its own names are no constants of the library.
        words: The instruction so far.
    """
    own = set(template_parameters(function))
    spoken = re.sub(r"```.*?```", " ", words, flags=re.S)
    names = dict.fromkeys(
        name for piece in _SPOKEN.findall(spoken) for name in _CONSTANT.findall(piece)
    )
    rows = [
        f"{code(name)} is {ground.constants[name][0]}" for name in names
        if name in ground.constants and name not in own and f"`{name}` is " not in spoken
        and not re.search(rf"\b{name}\s*=(?!=)", function.text)
    ]  # fmt: skip
    if not rows or len(rows) > _MOST:
        return ""
    return f"Of the library's constants, {listed(rows)}."
