"""Grid and block of a launch with the launcher's local names followed."""

from __future__ import annotations

import re

from qa.reading.function import Definition, read_function
from qa.scope_view import Site


def resolved(site: Site) -> tuple[str, str]:
    """Grid and block as expressions; a ``dim3`` variable is replaced by what it is made from."""
    return _follow(site, site.grid), _follow(site, site.block)


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
    reading = read_function(site.caller.text, site.caller.span.start_line)
    above: list[Definition] = [
        d for d in reading.definitions if d.name == expression and d.first <= site.at.start_line
    ]
    if not above:
        return expression
    value = re.sub(r"^dim3\s*", "", above[-1].value)
    return value if len(value) < 110 else expression
