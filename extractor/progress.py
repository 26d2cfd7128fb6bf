"""Progress on long work: a bar on a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

_PLAIN_SECONDS = 5.0


class Reporter:
    """Tells a person what goes on, on standard error.

    Args:
        quiet: Say nothing but errors.
        verbose: Say more.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet, self.verbose = quiet, verbose
        self._terminal = sys.stderr.isatty()

    def note(self, text: str) -> None:
        """One line that matters even when nobody asked."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """One line for those who asked for more."""
        if self.verbose:
            print(text, file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def work(self, title: str) -> Iterator[Any]:
        """Yields a function to call with (done, total, name) as the work goes on."""
        if self.quiet:
            yield lambda done, total, name: None
        elif self._terminal:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[name]}"),
            )
            with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
                task = None

                def advance(done: int, total: int, name: str) -> None:
                    nonlocal task
                    if task is None:
                        task = bar.add_task(title, total=total, name=name)
                    bar.update(task, completed=done, total=total, name=name)

                yield advance
        else:
            last = time.monotonic()

            def line(done: int, total: int, name: str) -> None:
                nonlocal last
                now = time.monotonic()
                if now - last >= _PLAIN_SECONDS or (done == total and total > 1):
                    last = now
                    print(f"{title}: {done}/{total} {name}", file=sys.stderr, flush=True)

            yield line
