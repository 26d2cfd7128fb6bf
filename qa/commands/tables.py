"""Tables in the terminal, plain where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Sequence

NUMBER = ">"
"""Marks a column of numbers: its title starts with this."""


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table: with lines and colours on a terminal, tab-separated elsewhere.

    Args:
        title: What it lists.
        columns: Titles; those that start with ``>`` are of numbers.
        rows: Cells.
    """
    cells = [[f"{c:,}" if isinstance(c, int) else str(c) for c in row] for row in rows]
    names = [name.removeprefix(NUMBER) for name in columns]
    if not sys.stdout.isatty():
        print(title)
        print("\t".join(names))
        for row in cells:
            print("\t".join(" ".join(cell.split()) for cell in row))
        print()
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left")
    for column, name in zip(columns, names, strict=True):
        table.add_column(name, justify="right" if column.startswith(NUMBER) else "left")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
