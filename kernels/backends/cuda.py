"""The ``cuda`` backend: HIP sources on an NVIDIA card, through headers of our own and nvcc."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.building import cache
from kernels.building.step import BuildError
from kernels.cuda.dialect import for_nvcc
from kernels.isolation import BUILD, run

_INCLUDE = Path(__file__).parent.parent / "cuda" / "include"
_STANDARDS = ("-std=c++17", "-std=c++20")
"""In this order: more functions of the C++ library are ``constexpr`` in the later one, which is
what lets nvcc call them on the card."""
_FLAGS = (
    "-x", "cu", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
    "--disable-warnings",
)  # fmt: skip


class CudaBackend(Backend):
    """Builds with nvcc and runs on the NVIDIA card of this machine."""

    name = "cuda"
    proves = ("numerics at scale", "timing of that NVIDIA card")
    does_not_prove = ("AMD speed", "wave64")
    executes = True
    uses_devices = True

    def availability(self) -> Availability:
        """Whether there is an nvcc and a card."""
        nvcc = shutil.which("nvcc")
        if not nvcc:
            return Availability(False, "there is no nvcc on PATH")
        card = _card()
        if not card:
            return Availability(False, "nvcc is here but no NVIDIA card (nvidia-smi lists none)")
        return Availability(True, hardware=f"{card} (warps of 32 lanes)")

    def dialect(self, text: str) -> str:
        """Without what nvcc does not take."""
        return for_nvcc(text)

    def compile(self, source: Path, arguments: Sequence[str] = ()) -> Compilation:
        """Compiles a unit to an object; needs nvcc and no card."""
        try:
            _, seconds, found = self._build(source, arguments, "unit.o", ("-c",))
        except BuildError as error:
            said = error.outcome.stderr + error.outcome.stdout
            return Compilation(False, said or str(error), error.outcome.seconds, False)
        return Compilation(True, "", seconds, found)

    def build_program(self, source: Path, output: Path, arguments: Sequence[str] = ()) -> Program:
        """Builds a program from a unit."""
        built, seconds, found = self._build(source, arguments, "program", ())
        shutil.copy2(built, output)
        return Program(output, Compilation(True, "", seconds, found))

    def _build(
        self, source: Path, arguments: Sequence[str], name: str, more: Sequence[str]
    ) -> tuple[Path, float, bool]:
        nvcc = shutil.which("nvcc")
        if not nvcc:
            self.require_usable()
        assert nvcc
        # The card's own architecture where there is one, else what nvcc takes by itself.
        flags = [*_FLAGS, *(["-arch=native"] if _card() else []), f"-I{_INCLUDE}", *arguments]
        seconds: list[float] = []
        source = source.resolve()

        def make(folder: Path) -> list[Path]:
            text = source.read_text(encoding="utf-8", errors="replace")
            unit, near = source, []
            if self.dialect(text) != text:
                unit, near = folder / source.name, [f"-I{source.parent}"]
                unit.write_text(self.dialect(text), encoding="utf-8")
            for standard in _STANDARDS:
                command = [nvcc, *flags, standard, *near, *more, "-MD", "-MF", "unit.d", str(unit)]
                outcome = run([*command, "-o", name], BUILD, folder=folder)
                seconds.append(outcome.seconds)
                if outcome.ok:
                    found = cache.read_dependencies(folder / "unit.d")
                    return [source if path == unit else path for path in found]
            raise BuildError(f"compiling {source.name} with nvcc", outcome)

        parts = ("cuda", _version(nvcc), name, *_STANDARDS, *flags, *more)
        folder, found = cache.compiled(parts, source, make)
        return folder / name, sum(seconds), found


def _version(nvcc: str) -> str:
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    return done.stdout


def _card() -> str:
    program = shutil.which("nvidia-smi")
    if not program:
        return ""
    try:
        done = subprocess.run(
            [program, "--query-gpu=name", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""
