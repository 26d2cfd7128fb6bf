"""Parameters of function templates, as their text names them."""

from __future__ import annotations

import functools
import re

from qa.scope_view import FunctionView


def template_parameters(function: FunctionView) -> list[str]:
    """Names of a function template's parameters, in order; empty for a plain function."""
    return list(_template_parameters(function.text))


@functools.lru_cache(maxsize=1 << 13)
def _template_parameters(text: str) -> tuple[str, ...]:
    head = re.match(r"\s*template\s*<(.*?)>\s*(?:[A-Z_a-z]|\[)", text, re.S)
    if not head:
        return ()
    names, depth, part = [], 0, ""
    for character in head[1] + ",":
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            bare = part.split("=")[0].replace("...", " ").split()
            names.append(bare[-1].strip("*&") if bare else "")
            part = ""
        else:
            part += character
    return tuple(names)
