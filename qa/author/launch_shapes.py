"""Grid and block of a launch with the launcher's local names followed."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import read_function
from qa.reading.template_parameters import template_parameters
from qa.scope_view import Site

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_WORDS = frozenset(
    ["grid", "and", "block", "or", "as", "the", "case", "may", "be", "dim3", "size_t", "int",
     "unsigned", "sizeof", "std", "min", "max", "ceil", "int64_t", "uint32_t", "rocblas_int",
     "static_cast", "I", "T", "const"]
)  # fmt: skip
_CALL = re.compile(
    r"(?<!std::)\b(?!size_t|int\d+_t|uint\d+_t|rocblas_int|sizeof)[a-z]\w+\s*[(<]\w*"
)
_DEEPEST, _LONGEST_VALUE = 3, 90


def resolved(site: Site) -> tuple[str, str]:
    """Grid and block as expressions; a ``dim3`` variable is replaced by what it is made from."""
    return _follow(site, site.grid), _follow(site, site.block)


def shapes_of(sites: Sequence[Site]) -> str:
    """Grid and block of a kernel's launches in words, as far as they are no mere local names."""
    grids, blocks = (
        list(dict.fromkeys(rows)) for rows in zip(*(resolved(s) for s in sites), strict=True)
    )
    parts = []
    for name, rows in (("grid", grids), ("block", blocks)):
        known = [_shown(row) for row in rows if not re.fullmatch(r"[a-z_]\w*", row)]
        if len(known) == len(rows) == 1:
            parts.append(f"{name} {known[0]}")
        elif len(known) == len(rows) <= 5:
            parts.append(f"{name} {', '.join(known[:-1])} or {known[-1]}, as the case may be")
    return " and ".join(parts)


def _shown(row: str) -> str:
    """A grid or block; one of mere numbers may stand otherwise in the code: ``32 x 32``."""
    if re.fullmatch(r"\(\s*\d+(?:\s*,\s*\d+)*\s*\)", row):
        extents = re.findall(r"\d+", row)
        while len(extents) > 1 and extents[-1] == "1":
            extents.pop()
        return " x ".join(extents)
    return f"`{row}`"


def explained(sites: Sequence[Site], ground: Ground, text: str) -> dict[str, str] | None:
    """The launcher's names in grids and blocks and what they stand for.

    Args:
        sites: Launches from one launcher.
        ground: The library, for its constants.
        text: Grids and blocks in words.

    Returns:
        Names that are neither parameters nor template parameters; ``None`` where one of them is
        set in several ways or from elsewhere, so that it would say nothing.
    """
    caller = sites[0].caller
    if caller.span is None:
        return None
    reading = read_function(caller.text, caller.span.start_line)
    given = {p.name for p in reading.parameters} | set(template_parameters(caller))
    found: dict[str, str] = {}
    text = re.sub(r"\d+(?: x \d+)+", " ", text)
    open_names = [(name, 0) for name in _NAME.findall(text)]
    while open_names:
        name, depth = open_names.pop(0)
        if name in given or name in found or name in _WORDS:
            continue
        rows = [d for d in reading.definitions if d.name == name]
        value = rows[0].value.strip() if rows else ""
        if not rows and name in ground.constants:
            found[name] = f"{ground.constants[name][0]}"
        elif len(rows) == 1 and times_set(caller.text, name) <= 1 and value and depth < _DEEPEST:
            if len(value) > _LONGEST_VALUE or "{" in value or _CALL.search(value):
                return None
            found[name] = value
            open_names += [(inner, depth + 1) for inner in _NAME.findall(value)]
        else:
            return None
    return found


def bare(expression: str) -> str:
    """An expression without parentheses around the whole, and without a cast to ``dim3``."""
    text = expression.strip()
    while text.startswith("(") and text.endswith(")") and "(" not in text[1:-1].replace("()", ""):
        text = text[1:-1].strip()
    match = re.fullmatch(r"dim3\((.*)\)|\(dim3\((.*)\)\)", text)
    within = (match[1] or match[2]) if match else ""
    return f"({within})" if within and within.count("(") == within.count(")") else text


def _follow(site: Site, expression: str) -> str:
    expression = bare(expression)
    if site.caller.span is None or not re.fullmatch(r"[A-Za-z_]\w*", expression):
        return expression
    value = _last_value(
        site.caller.text, site.at.start_line - site.caller.span.start_line, expression
    )
    return value if value is not None and len(value) < 110 else expression


@functools.lru_cache(maxsize=1 << 14)
def _last_value(function: str, count: int, name: str) -> str | None:
    """What a name was last set to in a text's first lines; ``None`` where a branch that has ended
    set it."""
    above = "\n".join(function.split("\n")[:count])
    text = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), above)
    made = list(
        re.finditer(
            rf"\bdim3\s+{name}\s*(?:=\s*dim3\s*)?([({{][^;]*[)}}])\s*;"
            rf"|(?<![\w.>]){name}\s*=(?!=)\s*(?:dim3\s*)?([^;]*);"
            rf"|(?<![\w.>]){name}\.[xyz]\s*[-+*/]?=(?!=)",
            text,
        )
    )
    if not made:
        return None
    depth = 0
    for sign in text[made[-1].end() :]:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return None
    last = made[-1]
    value = last[1] or last[2]
    if value is None or re.search(r"\belse\s*$|\)\s*$", text[: last.start()].rstrip(" \n")):
        return None
    return re.sub(r"\s+", " ", f"({value[1:-1]})" if last[1] else value)
