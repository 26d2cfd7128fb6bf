"""The ``cpu`` backend: HIP on the processor of this machine. See :mod:`kernels.cpu`."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from extractor.errors import RocQuarryError
from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.building.step import BuildError


class CpuBackend(Backend):
    """Runs kernels as fibers of this machine.

    Args:
        wavefront: Lanes of a wavefront, 64 as on CDNA or 32 as on RDNA.
        lockstep: Let the lanes of a wavefront meet before every access to memory.
        counted: Programs count their operations and accesses, and report them as findings.
    """

    name = "cpu"
    proves = (
        "numerics",
        "races that some order of threads shows",
        "out-of-bounds accesses",
        "wavefront assumptions",
    )
    does_not_prove = ("speed", "MFMA")
    executes = True

    def __init__(
        self, wavefront: int = 64, *, lockstep: bool = False, counted: bool = False
    ) -> None:
        self.wavefront = wavefront
        self.lockstep = lockstep
        self.counted = counted

    def availability(self) -> Availability:
        """Whether this is x86-64 Linux with the wheels' compiler and a C++ library."""
        if sys.platform != "linux" or platform.machine() != "x86_64":
            return Availability(False, "it needs x86-64 Linux")
        from kernels.cpu.build import build_runtime

        try:
            build_runtime()
        except RocQuarryError as error:
            return Availability(False, str(error))
        return Availability(True, hardware=f"{_processor()} (wave{self.wavefront} emulated)")

    def compile(self, source: Path, arguments: Sequence[str] = ()) -> Compilation:
        """Compiles a unit for this machine."""
        from kernels.cpu.build import compile_unit

        try:
            unit = compile_unit(source.resolve(), arguments, self.wavefront, lockstep=self.lockstep)
        except BuildError as error:
            return Compilation(
                False, error.outcome.stderr or str(error), error.outcome.seconds, False
            )
        return Compilation(True, "", unit.built.seconds, unit.built.from_cache)

    def build_program(self, source: Path, output: Path, arguments: Sequence[str] = ()) -> Program:
        """Compiles a unit and links it with the runtime."""
        from kernels.cpu.build import build_counter, build_runtime, compile_unit, link

        unit = compile_unit(
            source.resolve(), arguments, self.wavefront, lockstep=self.lockstep,
            counted=self.counted,
        )  # fmt: skip
        counter = build_counter().library if self.counted else None
        # Before the runtime: its functions are the ones that the program calls.
        first = (str(counter), f"-Wl,-rpath,{counter.parent}") if counter else ()
        linked = link(unit.objects, output, shared=False, arguments=first)
        seconds = unit.built.seconds + linked.seconds
        compilation = Compilation(True, "", seconds, unit.built.from_cache)
        libraries = (build_runtime().library, *((counter,) if counter else ()))
        return Program(output, compilation, reads=tuple(one.parent for one in libraries))


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.machine()
    line = next((line for line in text.splitlines() if line.startswith("model name")), "")
    return line.partition(":")[2].strip() or platform.machine()
