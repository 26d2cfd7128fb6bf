"""The clang that compiles for this machine: that of the wheels, which needs nothing installed."""

from __future__ import annotations

import functools
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor import settings
from extractor.toolchain import probe
from extractor.toolchain.wheels import find_wheels
from kernels.building.step import BuildError
from kernels.isolation import BUILD, Outcome, run

_AVX2_LEVEL = frozenset(("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"))


@dataclass(frozen=True)
class HostCompiler:
    """A clang with the flags it needs here.

    Attributes:
        command: Command prefix that runs it, flags included.
        parse_flags: The flags among them that libclang needs too.
        identity: Changes whenever the compiler or the system's C++ library does.
    """

    command: tuple[str, ...]
    parse_flags: tuple[str, ...]
    identity: str

    def run(self, arguments: Sequence[str], folder: Path, what: str) -> Outcome:
        """Runs it under limits.

        Raises:
            BuildError: It failed, or met a limit.
        """
        outcome = run((*self.command, *arguments), BUILD, folder=folder)
        if not outcome.ok:
            raise BuildError(what, outcome)
        return outcome


@functools.cache
def find_host_compiler() -> HostCompiler:
    """Finds the compiler.

    Raises:
        ToolchainError: A wheel is missing; the message names the fix.
    """
    wheels = find_wheels()
    flags = (
        f"--target={settings.host_triple()}",
        f"-resource-dir={wheels.resource}",
        *machine_flags(),
    )
    identity = "\n".join(
        [wheels.compiler, wheels.parser, probe.standard_library(), *flags[:1], *machine_flags()]
    )
    return HostCompiler((*wheels.clang, *flags), flags, identity)


@functools.cache
def machine_flags() -> tuple[str, ...]:
    """Instruction sets this machine has beyond the common ones, as far as they pay."""
    if platform.machine() == "x86_64" and _processor_features() >= _AVX2_LEVEL:
        return ("-march=x86-64-v3",)
    return ()


def _processor_features() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())
