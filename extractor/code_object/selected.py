"""Compiles chosen kernels of a unit for one architecture, and says what they take."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.code_object.instruction_mix import instruction_mix
from extractor.code_object.ir_subset import subset
from extractor.code_object.resources import KernelResources, read_resources
from extractor.errors import UnitError
from extractor.toolchain.model import Toolchain

_TARGET = "amdgcn-amd-amdhsa"
_FRONT_END = ("-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm")


@dataclass(frozen=True)
class CompiledKernel:
    """One kernel on one architecture.

    Attributes:
        resources: Registers, memory and occupancy.
        mix: Instructions by class.
    """

    resources: KernelResources
    mix: dict[str, int]


def compile_selected(
    tools: Toolchain,
    source: Path,
    arguments: Sequence[str],
    architecture: str,
    symbols: Sequence[str],
) -> dict[str, CompiledKernel]:
    """Compiles some kernels of a unit, optimised as the library's own build does (``-O3``).

    Args:
        tools: The compiler.
        source: The unit.
        arguments: Its flags for the device pass; the architecture among them is replaced.
        architecture: For instance ``gfx942``.
        symbols: Mangled names of the kernels.

    Returns:
        The kernels that the unit defines.

    Raises:
        UnitError: The unit, or what is left of it, does not compile; the message quotes why.
    """
    with tempfile.TemporaryDirectory(prefix="rocquarry-code-object-") as work:
        folder = Path(work)
        part = folder / "part.ll"
        defined = write_subset(tools, source, arguments, architecture, symbols, part)
        if not defined:
            return {}
        machine = for_machine(tools, architecture)
        said = run_compiler(
            [
                *(*machine, "-x", "ir", "-O3", "-w", "-S", str(part)),
                *("-Rpass-analysis=kernel-resource-usage", "-o", str(folder / "part.s")),
            ],
            source.name,
        )
        run_compiler(
            [*machine, "-c", str(folder / "part.s"), "-o", str(folder / "part.o")],
            source.name,
        )
        run_compiler(
            [
                *(*_linker(tools), "-shared", "-o", str(folder / "part.co")),
                str(folder / "part.o"),
            ],
            source.name,
        )
        found = read_resources((folder / "part.co").read_bytes(), said, architecture)
        mix = instruction_mix((folder / "part.s").read_text(encoding="utf-8"), defined)
    return {
        one.kernel: CompiledKernel(one, mix.get(one.kernel, {}))
        for one in found
        if one.kernel in defined
    }


def write_subset(
    tools: Toolchain,
    source: Path,
    arguments: Sequence[str],
    architecture: str,
    symbols: Sequence[str],
    part: Path,
    level: str = "-O3",
) -> Collection[str]:
    """Writes the intermediate code of some kernels of a unit, which no pass has changed yet.

    Args:
        tools: The compiler.
        source: The unit.
        arguments: Its flags for the device pass; the architecture among them is replaced.
        architecture: For instance ``gfx942``.
        symbols: Mangled names of the kernels.
        part: The file; its folder has room for the whole unit's code meanwhile.
        level: How far the unit is meant to be optimised.

    Returns:
        Those that the unit defines; without any, nothing is written.

    Raises:
        UnitError: The unit does not compile.
    """
    flags = [
        f"--offload-arch={architecture}" if flag.startswith("--offload-arch=") else flag
        for flag in arguments
    ]
    whole = part.with_name("whole.ll")
    command = [*tools.clang, *flags, level, *_FRONT_END, str(source), "-o", str(whole)]
    run_compiler(command, source.name)
    text, defined = subset(whole.read_bytes(), symbols)
    whole.unlink()
    if defined:
        part.write_bytes(text)
    return defined


def for_machine(tools: Toolchain, architecture: str) -> list[str]:
    """The compiler as it takes intermediate code for an architecture."""
    return [*tools.clang, f"--target={_TARGET}", f"-mcpu={architecture}", "-nogpulib"]


def _linker(tools: Toolchain) -> list[str]:
    program = Path(tools.clang[0])
    if tools.origin == "wheels":
        return [str(program), "ld.lld"]
    return [str(program.parent / "ld.lld")]


def run_compiler(command: Sequence[str], name: str) -> str:
    """Runs a step of a unit's compilation; what the compiler says.

    Raises:
        UnitError: It failed; the message quotes why.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        detail = (errors or done.stderr.splitlines() or ["no message"])[0]
        raise UnitError(f"{name} does not compile: {detail}")
    return done.stderr
