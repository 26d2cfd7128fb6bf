"""Commands of ``qa`` about entries that are there already, one module each."""

from __future__ import annotations

import typer

from qa.commands import build, compare, diff, release, review, stats, view


def register(app: typer.Typer) -> None:
    """Adds the commands to an application."""
    for module in (build, stats, diff, compare, view, review, release):
        app.command(module.__name__.rpartition(".")[2])(module.command)
