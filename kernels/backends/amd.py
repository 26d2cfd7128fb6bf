"""The ``amd`` backend: hipcc and an AMD card.

Written against HIP's documented interface and compiler options. It has not been run on hardware,
and says so in every result.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from extractor import settings, toolchain
from extractor.code_object.elf import Elf
from kernels.backends.code_objects import compile_code_object, include_flags
from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.building import cache
from kernels.building.fat_binary import pack_fat_binary
from kernels.building.step import BuildError
from kernels.isolation import BUILD, run

UNTESTED = "this backend is untested on hardware"
_FLAGS = ("-x", "hip", "-std=c++17", "-O3", "-w")
_DRIVER = Path("/dev/kfd")
_LIBRARIES = ("-lstdc++", "-lm", "-lgcc_s", "-lpthread")
_WEAK = 2


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
        """Compiles a unit; needs no card, and without hipcc takes the wheels' compiler."""
        try:
            if _hipcc() is None:
                return compile_without_rocm(source.resolve(), arguments)
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


def compile_without_rocm(source: Path, arguments: Sequence[str] = ()) -> Compilation:
    """Compiles and links a unit for AMD GPUs with the wheels' compiler.

    Host side and code object are made as hipcc makes them, against the real HIP headers, and linked
    into a shared object that leaves nothing undefined but HIP's own functions. It proves that the
    source fits the documented interface, and nothing about running it.

    Raises:
        BuildError: It does not compile, or wants functions that HIP does not have.
    """
    tools = toolchain.find()
    architecture = settings.DEFAULT_ARCHITECTURE
    made = compile_code_object(tools, source, arguments, architecture)
    flags = [
        *tools.flags, *_FLAGS, "--cuda-host-only", "-nogpulib", f"--offload-arch={architecture}",
        f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(architecture)}", "-fPIC", *arguments,
        *include_flags(tools),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="rocquarry-amd-") as name:
        folder = Path(name)
        triple = settings.host_triple().replace("-", "-unknown-", 1)
        packed = pack_fat_binary({architecture: made.path.read_bytes()}, triple)
        (folder / "unit.hipfb").write_bytes(packed)
        embed = ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", "unit.hipfb"]
        seconds = made.built.seconds
        for what, command in (
            ("compiling the host side", [*flags, *embed, "-c", str(source), "-o", "unit.o"]),
            ("linking", [*tools.flags[:1], "-shared", "unit.o", "-o", "unit.so", *_LIBRARIES]),
        ):
            outcome = run([*tools.clang, *command], BUILD, folder=folder)
            seconds += outcome.seconds
            if not outcome.ok:
                raise BuildError(f"{what} of {source.name}", outcome)
        missing = _not_of_hip(Elf((folder / "unit.so").read_bytes()))
    text = f"functions that nothing defines: {', '.join(missing)}" if missing else ""
    return Compilation(not missing, text, seconds, False, made.resources)


def _not_of_hip(elf: Elf) -> list[str]:
    """Undefined symbols that are neither HIP's nor of a system library (those have a version)."""
    return sorted(
        symbol.name
        for symbol in elf.symbols
        if not symbol.defined
        and symbol.name
        and "@" not in symbol.name
        and symbol.binding != _WEAK
        and not symbol.name.startswith(("hip", "__hip"))
    )


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
