"""Grid and block of a launch with the launcher's local names followed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qa.scope_view import Site


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
        known = [f"`{row}`" for row in rows if not re.fullmatch(r"[a-z_]\w*", row)]
        if len(known) == len(rows) == 1:
            parts.append(f"{name} {known[0]}")
        elif len(known) == len(rows) <= 5:
            parts.append(f"{name} {', '.join(known[:-1])} or {known[-1]}, as the case may be")
    return " and ".join(parts)


def bare(expression: str) -> str:
    """An expression without parentheses around the whole, and without a cast to ``dim3``."""
    text = expression.strip()
    while text.startswith("(") and text.endswith(")") and "(" not in text[1:-1].replace("()", ""):
        text = text[1:-1].strip()
    match = re.fullmatch(r"\(?dim3\((.*)\)\)?", text)
    return f"({match[1]})" if match and match[1].count("(") == match[1].count(")") else text


def _follow(site: Site, expression: str) -> str:
    expression = bare(expression)
    if site.caller.span is None or not re.fullmatch(r"[A-Za-z_]\w*", expression):
        return expression
    rows = site.caller.text.split("\n")
    above = "\n".join(rows[: site.at.start_line - site.caller.span.start_line])
    value = _last_value(above, expression)
    return value if value is not None and len(value) < 110 else expression


def _last_value(above: str, name: str) -> str | None:
    """What a name was last set to; ``None`` where a branch that has ended set it."""
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
