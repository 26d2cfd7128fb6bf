"""The ``amd`` backend: hipcc and an AMD card.

Written against HIP's documented interface and compiler options. It has not been run on hardware,
and says so in every result.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from extractor import settings
from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.building import cache
from kernels.building.step import BuildError
from kernels.isolation import BUILD, run

UNTESTED = "this backend is untested on hardware"
_FLAGS = ("-x", "hip", "-std=c++17", "-O3", "-w")
_DRIVER = Path("/dev/kfd")


class AmdBackend(Backend):
    """Builds with ROCm's hipcc and runs on the AMD card of this machine."""

    name = "amd"
    proves = ("numerics", "races that the card shows", "speed", "MFMA", "wave64")
    does_not_prove = ()
    executes = True
    uses_devices = True

    def availability(self) -> Availability:
        """Whether there are a hipcc and a card."""
        if not _hipcc():
            return Availability(False, f"there is no ROCm with a hipcc ({UNTESTED})")
        architecture = _architecture()
        if not architecture:
            return Availability(False, f"hipcc is here but no AMD card ({UNTESTED})")
        return Availability(True, hardware=f"{architecture} ({UNTESTED})")

    def compile(self, source: Path, arguments: Sequence[str] = ()) -> Compilation:
        """Compiles a unit to an object; needs hipcc and no card."""
        try:
            _, seconds, found = self._build(source, arguments, "unit.o", ("-c",))
        except BuildError as error:
            said = error.outcome.stderr or str(error)
            return Compilation(False, said, error.outcome.seconds, False)
        return Compilation(True, "", seconds, found)

    def build_program(self, source: Path, output: Path, arguments: Sequence[str] = ()) -> Program:
        """Builds a program from a unit."""
        built, seconds, found = self._build(source, arguments, "program", ())
        shutil.copy2(built, output)
        return Program(output, Compilation(True, "", seconds, found))

    def _build(
        self, source: Path, arguments: Sequence[str], name: str, more: Sequence[str]
    ) -> tuple[Path, float, bool]:
        hipcc = _hipcc()
        if hipcc is None:
            self.require_usable()
        assert hipcc
        architecture = _architecture() or settings.DEFAULT_ARCHITECTURE
        flags = [*_FLAGS, f"--offload-arch={architecture}", *arguments]
        seconds: list[float] = []
        source = source.resolve()

        def make(folder: Path) -> list[Path]:
            command = [str(hipcc), *flags, *more, str(source), "-o", name]
            outcome = run(command, BUILD, folder=folder)
            seconds.append(outcome.seconds)
            if not outcome.ok:
                raise BuildError(f"compiling {source.name} with hipcc", outcome)
            # One driver call makes several passes and one -MF file holds only the last of them.
            listed = run(
                [*command[:-2], "-M", "--cuda-host-only", "-o", "unit.d"], BUILD, folder=folder
            )
            return cache.read_dependencies(folder / "unit.d") if listed.ok else [source]

        version = subprocess.run(
            [str(hipcc), "--version"], capture_output=True, text=True, check=False
        ).stdout
        folder, found = cache.compiled(("amd", version, name, *flags, *more), source, make)
        return folder / name, sum(seconds), found


def _hipcc() -> Path | None:
    for root in settings.rocm_folders():
        if (root / "bin" / "hipcc").is_file():
            return root / "bin" / "hipcc"
    found = shutil.which("hipcc")
    return Path(found) if found else None


def _architecture() -> str:
    """Architecture of the first card, as ``rocm_agent_enumerator`` names it; empty without one."""
    if not _DRIVER.exists():
        return ""
    hipcc = _hipcc()
    program = shutil.which("rocm_agent_enumerator") or (
        str(hipcc.parent / "rocm_agent_enumerator") if hipcc else ""
    )
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    names = [line.strip() for line in done.stdout.splitlines() if line.startswith("gfx")]
    return next((name for name in names if name != "gfx000"), "")
