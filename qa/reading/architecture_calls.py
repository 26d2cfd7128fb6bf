"""What a library's handle answers about the device, for an architecture of a question."""

from __future__ import annotations

import re

_CALL = re.compile(r"\w+(?:->|\.)get\w*Arch\w*\(\)")
_NAME = re.compile(r"gfx(\d+)(\d)([0-9a-f])")


def answers(text: str, architecture: str) -> dict[str, int]:
    """The calls in a text that ask for the architecture, and what they give.

    ``getArch()`` gives the digits of the name as a number, the last one read as hexadecimal: 910
    for gfx90a.

    Args:
        text: Source.
        architecture: Such as ``gfx90a``; another kind of name is not known.
    """
    digits = _NAME.fullmatch(architecture)
    if digits is None:
        return {}
    major, minor, stepping = int(digits[1]), int(digits[2]), int(digits[3], 16)
    return {
        asked: major if "Major" in asked else major * 100 + minor * 10 + stepping
        for asked in set(_CALL.findall(text))
    }
