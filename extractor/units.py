"""Translation units: one source file under one configuration, for one side of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["host", "device"]
Language = Literal["hip", "cuda", "c++"]


@dataclass(frozen=True)
class Unit:
    """One compilation.

    Attributes:
        path: Source file relative to the tree's root, with forward slashes.
        config: Configuration of the rule file.
        side: Host pass or device pass.
        arguments: Every flag, absolute paths, no compiler and no file name.
        group: Units of one group have the same arguments and may share a precompiled header.
    """

    path: str
    config: str
    side: Side
    arguments: tuple[str, ...]
    group: str
