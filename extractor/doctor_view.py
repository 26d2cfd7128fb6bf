"""Shows what the doctor found as text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from extractor.doctor import Report
from extractor.pins import PinStatus

_MARKS = {"ok": ("ok", "green"), "later": ("--", "dim"), "missing": ("!!", "bold red")}
_PIN_MARKS = {"there": ("ok", "green"), "gone": ("!!", "bold red"), "unreachable": ("??", "yellow")}


def show_report(report: Report, console: Console) -> None:
    """Prints a report, with what to do under each thing that is missing."""
    table = _three_columns()
    for finding in report.findings:
        mark, style = _MARKS[finding.state]
        what = Text(finding.found)
        if finding.where:
            what.append(f"\n{finding.where}", style="dim")
        if finding.mend:
            what.append(f"\nmend: {finding.mend}", style="bold")
        table.add_row(Text(mark, style=style), Text(finding.topic), what)
    console.print(table)
    console.print()
    console.print(Text(f"cache {report.cache}, {size(report.free)} free on its disk"))
    sizes = Table.grid(padding=(0, 2))
    sizes.add_column(justify="right")
    for item in report.usage:
        sizes.add_row(size(item.bytes), item.kind, Text(item.holds, style="dim"))
    console.print(sizes)


def show_pins(pins: Sequence[PinStatus], console: Console) -> None:
    """Prints which pinned files the mirrors have, and what replaces those they dropped."""
    table = _three_columns()
    for pin in pins:
        mark, style = _PIN_MARKS[pin.status]
        what = Text(pin.pin)
        if pin.status != "there":
            what.append(f"\n{pin.where}", style="dim")
        if pin.cached:
            what.append("\nin the cache", style="dim")
        for replacement in pin.replacements:
            what.append(f"\nnow there: {replacement}", style="bold")
        table.add_row(Text(mark, style=style), Text(pin.used_by), what)
    console.print(table)


def _three_columns() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")  # a path that is cut short is of no use
    return table


def size(count: int) -> str:
    """A number of bytes in the unit that reads best.

    Example:
        >>> size(512), size(58_793_110)
        ('512 B', '56.1 MiB')
    """
    amount, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
