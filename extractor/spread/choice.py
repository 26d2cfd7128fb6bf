"""The engine that a user asked for."""

from __future__ import annotations

from extractor.errors import UserError
from extractor.spread.calls import Engine


def read_engine(text: str) -> Engine:
    """Reads the value of ``--engine``; what it needs is asked for at once, not after long work.

    Raises:
        UserError: There is no such engine.
        MissingExtra: It needs an extra that is not installed.
    """
    if text == "local":
        return "local"
    if text == "ray":
        from extractor.spread.cluster import load_ray

        load_ray()
        return "ray"
    raise UserError(f"unknown engine '{text}'; known: local, ray")
