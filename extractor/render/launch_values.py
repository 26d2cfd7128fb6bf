"""What a launch's grid, block, LDS and stream say to a person who reads one line.

A macro often hides the configuration, and what it expands to is often a name that was given its
value a few lines above. Both are looked up in the text; nothing is computed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

FIELDS = ("grid", "block", "shared_bytes", "stream")

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_LONGEST = 120
_TYPES = r"dim3|(?:const\s+)?(?:auto|int|unsigned|size_t|u?int(?:32|64)_t|rocblas_int|hipStream_t)"


def launch_parts(record: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """The scope's (field, written, expanded) texts, each on one line."""
    return tuple(
        (field, _one_line(value.get("written")), _bare(_one_line(value.get("expanded"))))
        for field in FIELDS
        if (value := record.get(field))
    )


def launch_values(
    texts: tuple[tuple[str, str, str], ...], text: str, line: int
) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    """Reads a launch of the scope.

    Args:
        texts: What `launch_parts` returns.
        text: Source text of the function that launches.
        line: Line of the launch, from 0 within that text.

    Returns:
        The macro call that hides the configuration, or an empty string; and for each field its
        name, its value and what more is known of the value: its expansion, or what the variable
        was given.
    """
    parts = {field: (as_written, expanded) for field, as_written, expanded in texts}
    written = [parts[field][0] for field in ("grid", "block") if field in parts]
    hidden = len(written) == 2 and written[0] == written[1] and written[0] != parts["grid"][1]
    macro = written[0] if hidden and "(" in written[0] else ""
    above = "\n".join(text.split("\n")[: max(line, 0)])
    values: list[tuple[str, str, str]] = []
    for field, (as_written, expanded) in parts.items():
        value = expanded if macro and as_written == macro else as_written or expanded
        more = expanded if expanded != value else ""
        if not more and _IDENTIFIER.fullmatch(value):
            more = given(above, value)
        if value:
            values.append((field, value, more))
    return macro, tuple(values)


def given(above: str, name: str) -> str:
    """What the last declaration of a variable in a text gave it, or an empty string."""
    pattern = re.compile(rf"\b(?P<type>{_TYPES})\s+{re.escape(name)}\s*(?P<open>[=({{])")
    declarations = list(pattern.finditer(above))
    if not declarations:
        return ""
    found = declarations[-1]
    start = found.end() if found["open"] == "=" else found.end() - 1
    depth, end = 0, start
    while end < len(above):
        char = above[end]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if char == ";" or (depth <= 0 and char == "," and found["open"] == "="):
            break
        end += 1
        if depth == 0 and found["open"] != "=":
            break
    value = _one_line(above[start:end])
    if found["open"] != "=":
        value = f"{found['type']}{value}"
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for place, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if depth == 0 and place < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text
