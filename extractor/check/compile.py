"""One unit through the compiler: unoptimised IR, read while it is written."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from extractor.check.ir import read_unit
from extractor.check.symbols import UnitSymbols
from extractor.errors import UnitError
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

MARKS = Path(__file__).with_name("mark_kernels.h")
"""Header that makes the IR say where each kernel is defined."""

EMIT = ("-O0", "-gline-tables-only", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-w")
"""Text of the IR as the front end makes it: only what it folds itself is folded."""

_ERROR = re.compile(r"(?:fatal )?error: .*")


@dataclass(frozen=True)
class Compiled:
    """What one compilation gave.

    Attributes:
        symbols: Symbols of the unit.
        read: Every file that the compiler read, absolute.
    """

    symbols: UnitSymbols
    read: tuple[str, ...]


OPTIMISED = ("-O1", "-fno-inline", "-gline-tables-only", "-S", "-emit-llvm", "-w")
"""Text of the IR after the optimiser has dropped what no run can come to, calls left whole."""


def command(
    unit: Unit, root: Path, toolchain: Toolchain, emit: tuple[str, ...] = EMIT
) -> list[str]:
    """The compiler command, complete but for where it writes."""
    return [
        *toolchain.clang,
        *unit.arguments,
        "-include",
        str(MARKS),
        *emit,
        str(root / unit.path),
    ]


def compile_unit(
    unit: Unit, root: Path, toolchain: Toolchain, emit: tuple[str, ...] = EMIT
) -> Compiled:
    """Compile one unit's host side and read its symbols.

    The IR is read from a pipe: a unit's text can be 100 MB, and nothing needs all of it at once.

    Raises:
        UnitError: The compiler failed; the message holds its first error.
    """
    with tempfile.TemporaryDirectory(prefix="rocquarry-check-") as folder:
        made = Path(folder, "unit.d")
        with Path(folder, "messages").open("w+b") as messages:
            symbols = _run(
                [
                    *command(unit, root, toolchain, emit),
                    "-MD",
                    "-MF",
                    str(made),
                    "-MT",
                    "unit",
                    "-o",
                    "-",
                ],
                messages,
                unit,
            )
        return Compiled(symbols, _dependencies(made.read_text()))


def _run(arguments: list[str], messages: IO[bytes], unit: Unit) -> UnitSymbols:
    try:
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=messages)
    except OSError as error:
        raise UnitError(f"{unit.path}: the compiler did not start: {error}") from error
    with process:
        assert process.stdout is not None
        try:
            symbols = read_unit(process.stdout)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        messages.seek(0)
        raise UnitError(f"{unit.path}: {_first_error(messages.read(), process.returncode)}")
    return symbols


def _first_error(messages: bytes, code: int) -> str:
    text = messages.decode(errors="replace")
    for line in text.splitlines():
        if _ERROR.search(line):
            return line.strip()
    last = text.strip().splitlines()[-1:] or ["no message"]
    return f"the compiler ended with {code}: {last[0]}"


def _dependencies(rule: str) -> tuple[str, ...]:
    """Files of a make rule, without its target. Make escapes blanks, ``#`` and ``$``."""
    names = re.split(r"(?<!\\)\s+", rule.replace("\\\n", " ").partition(":")[2].strip())
    return tuple(re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in names if name)
