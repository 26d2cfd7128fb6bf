"""Builds the program that runs one entry on inputs from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from kernels.backends.model import Backend, Program
from kernels.building.constants import Constants, with_constants
from kernels.task.model import Entry

NATIVE = Path(__file__).parent.parent / "native"

_RUNNER = """\
#define main rocquarry_candidate_main
#include "{source}"
#undef main
#include "runner.hpp"

int main(int argc, char** argv) {{
  return rocquarry::run(argc, argv, [](const rocquarry::Call& call) {{
    return rocquarry::{how}({entry}, call);
  }});
}}
"""


def build_runner(
    entry: Entry,
    source: Path,
    backend: Backend,
    work: Path,
    name: str,
    arguments: Sequence[str] = (),
    constants: Constants = MappingProxyType({}),
) -> Program:
    """Builds the program.

    Args:
        entry: What it calls.
        source: HIP file that defines the entry.
        backend: What it is built with.
        work: Folder for it; the program gets one of its own there.
        name: Name of that folder.
        arguments: Compiler arguments.
        constants: Compile-time constants of the source that get another value.

    Raises:
        BuildError: It does not build.
    """
    # Each program in a folder of its own: the sandbox shows a candidate nothing of the baseline's.
    place = work / name
    place.mkdir()
    runner = work / f"{name}.hip"
    how = "launch_kernel" if entry.kind == "kernel" else "call_function"
    shown = source.resolve()
    plain = source.read_text(encoding="utf-8", errors="replace")
    changed = backend.dialect(with_constants(plain, constants)[0] if constants else plain)
    if changed != plain:
        shown = work / f"{name}-changed.hip"
        shown.write_text(changed, encoding="utf-8")
    text = _RUNNER.format(source=shown, how=how, entry=entry.name)
    runner.write_text(text, encoding="utf-8")
    return backend.build_program(
        runner, place / "program", (f"-I{NATIVE}", f"-I{source.resolve().parent}", *arguments)
    )
