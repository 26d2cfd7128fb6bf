"""How a command answers and ends: one line for its user's faults, a trace for its own."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from extractor.errors import DamagedStore, RocQuarryError

_INTERRUPTED, _CLOSED_PIPE = 130, 141


def run_console(app: typer.Typer, name: str, interrupted: str) -> NoReturn:
    """Runs a command and ends the program.

    Exit status: the command's own, that of an error of the user (one line on standard error), 2
    for wrong options, 130 after Ctrl-C, 141 when the reader of a pipe has gone. Other exceptions
    are faults of the program and keep their trace.

    Args:
        app: The command.
        name: Its name, in front of messages.
        interrupted: What is said after Ctrl-C.
    """
    command = typer.main.get_command(app)
    try:
        try:
            code = command.main(standalone_mode=False)
        except DamagedStore:
            # It has been emptied and that was said: what it held is indexed again.
            code = command.main(standalone_mode=False)
        if code == _INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
    except (KeyboardInterrupt, typer.Abort):
        _fail(name, interrupted, _INTERRUPTED)
    except RocQuarryError as error:
        _fail(name, str(error), error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(_CLOSED_PIPE)
    except Exception as error:
        shown = getattr(error, "format_message", None)
        if shown is None:
            raise
        text = shown()
        if text.startswith("Usage:"):  # no arguments at all: what is said is the help
            with contextlib.suppress(BrokenPipeError):
                print(text, flush=True)
            sys.exit(2)
        _fail(name, text, 2)
    sys.exit(code if isinstance(code, int) else 0)


def run_script(main: Callable[[], int | None], name: str) -> NoReturn:
    """Runs a program that reads its own arguments, and ends it as :func:`run_console` does.

    Args:
        main: It; what it returns is the exit status.
        name: Its name, in front of messages.
    """
    try:
        code = main()
    except KeyboardInterrupt:
        _fail(name, "interrupted", _INTERRUPTED)
    except RocQuarryError as error:
        _fail(name, str(error), error.exit_code)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        _fail(name, f"{error.filename}: {error.strerror}", 2)
    sys.exit(code or 0)


def answer(found: Any, show: Callable[[Any], None], *, as_json: bool, quiet: bool) -> None:
    """Prints an answer: as one JSON object, or as a person reads it, or not at all."""
    if as_json:
        print(json.dumps(found))
    elif not quiet:
        show(found)


def _fail(name: str, text: str, code: int) -> NoReturn:
    print(f"{name}: {text}", file=sys.stderr)
    sys.exit(code)
