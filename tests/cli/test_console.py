"""How commands end, whatever ends them."""

from __future__ import annotations

import pytest
import typer

from extractor.console import run_console
from extractor.errors import UserError

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.command()
def boil(how: str) -> None:
    """Boil something."""
    if how == "wrong":
        raise UserError("no such pot; take another")
    if how == "interrupted":
        raise KeyboardInterrupt
    if how == "broken":
        raise ZeroDivisionError("a fault of the program")
    raise typer.Exit(1 if how == "no" else 0)


@app.command()
def cool() -> None:
    """Cool something."""


def end(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr("sys.argv", ["stove", *arguments])
    with pytest.raises(SystemExit) as ended:
        run_console(app, "boil", "interrupted; the water is kept")
    return ended.value.code


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("yes", 0, ""),
        ("no", 1, ""),
        ("wrong", 2, "boil: no such pot; take another\n"),
        ("interrupted", 130, "boil: interrupted; the water is kept\n"),
        ("--frob", 2, "boil: No such option: --frob\n"),
    ],
)
def test_an_end_is_one_line_and_a_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
    code: int,
    said: str,
) -> None:
    assert end(monkeypatch, "boil", how) == code
    assert capsys.readouterr().err == said


def test_a_fault_of_the_program_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["stove", "boil", "broken"])
    with pytest.raises(ZeroDivisionError):
        run_console(app, "boil", "")


def test_no_arguments_print_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end(monkeypatch) == 2
    assert capsys.readouterr().out.startswith("Usage: ")
