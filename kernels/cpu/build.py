"""Builds HIP units for this machine: host objects with their code objects inside."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernels.building import cache
from kernels.building.elf import Elf
from kernels.building.host_compiler import HostCompiler, find_host_compiler
from kernels.building.step import Built
from kernels.cpu.code_object import dynamic_lds_source, fat_binary_source, find_kernels, pack

INCLUDE = Path(__file__).parent / "include"
_RUNTIME = Path(__file__).parent / "runtime"

_OPTIMISATION = "-O2"
_CONTRACTION = "-ffp-contract=fast"  # as hipcc has it
# The runtime looks kernels up by name, whatever visibility the unit asks for.
_DEVICE_PASS = (
    "-Xclang", "-fcuda-is-device", "-ffunction-sections", "-fvisibility=default",
    "-fstack-clash-protection",  # a large frame touches the guard page below its stack
)  # fmt: skip
_LIBRARIES = ("-lstdc++", "-lm", "-lgcc_s", "-lpthread", "-ldl")


@dataclass(frozen=True)
class CpuUnit:
    """One compiled unit.

    Attributes:
        objects: Host object and the object that carries its code object.
        kernels: Mangled names of its kernels.
        built: How it came about.
    """

    objects: tuple[Path, ...]
    kernels: tuple[str, ...]
    built: Built


@dataclass(frozen=True)
class CpuRuntime:
    """The runtime, compiled.

    Attributes:
        library: Its shared object.
        built: How it came about.
    """

    library: Path
    built: Built


def compile_unit(
    source: Path, arguments: Sequence[str] = (), wavefront: int = 64, standard: str = "c++17"
) -> CpuUnit:
    """Compiles one HIP unit for this machine.

    Args:
        source: Its file.
        arguments: Its own flags: include folders and macros.
        wavefront: Lanes of a wavefront, 64 or 32.
        standard: C++ standard.

    Raises:
        BuildError: It does not compile, or a limit ended the compiler.
        ToolchainError: There is no compiler.
    """
    compiler = find_host_compiler()
    runtime = build_runtime()
    flags = (
        *_pass_flags(wavefront, standard), *arguments,
        # Names of static kernels carry this, in both passes alike.
        f"-cuid={hashlib.sha256(source.read_bytes()).hexdigest()[:16]}",
    )  # fmt: skip
    seconds: list[float] = []

    def make(folder: Path) -> list[Path]:
        steps = _UnitSteps(compiler, source, flags, folder, runtime.library)
        steps.run(wavefront)
        seconds.append(steps.seconds)
        return [
            *cache.read_dependencies(folder / "host.d"),
            *cache.read_dependencies(folder / "device.d"),
        ]

    parts = ("cpu-unit", compiler.identity, cache.file_hash(runtime.library), *_DEVICE_PASS, *flags)
    folder, found = cache.compiled(parts, source, make)
    names = tuple((folder / "kernels.txt").read_text(encoding="utf-8").split())
    return CpuUnit((folder / "host.o", folder / "code_object.o"), names, Built(sum(seconds), found))


def link(
    objects: Sequence[Path], output: Path, *, shared: bool = True, arguments: Sequence[str] = ()
) -> Built:
    """Links host objects with the runtime into a shared object or a program.

    Raises:
        BuildError: A symbol is missing, or a limit ended the linker.
    """
    compiler = find_host_compiler()
    runtime = build_runtime()
    kind = ("-shared", "-Wl,-z,defs") if shared else ("-pie",)
    done = compiler.run(
        [
            *kind, "-o", str(output), *map(str, objects), *arguments, str(runtime.library),
            f"-Wl,-rpath,{runtime.library.parent}", *_LIBRARIES,
        ],
        output.parent,
        f"linking {output.name}",
    )  # fmt: skip
    return Built(done.seconds, False)


@functools.cache
def build_runtime() -> CpuRuntime:
    """Builds the runtime, or finds it in the cache.

    Raises:
        BuildError: It does not compile here.
        ToolchainError: There is no compiler.
    """
    compiler = find_host_compiler()
    sources = sorted([*_RUNTIME.glob("*.[ch]pp"), *INCLUDE.glob("**/*.h")])
    flags = (
        "-std=c++17", "-O2", "-fPIC", "-g1", "-mno-red-zone", "-fno-semantic-interposition",
        f"-I{INCLUDE}", f"-I{_RUNTIME}",
    )  # fmt: skip
    # Not the folders themselves: an installation elsewhere has the same runtime.
    parts = ["cpu-runtime", compiler.identity, *flags[:-2], *(path.name for path in sources)]
    seconds: list[float] = []

    def make(folder: Path) -> None:
        objects = []
        for source in sorted(_RUNTIME.glob("*.cpp")):
            target = folder / f"{source.stem}.o"
            arguments = ["-c", str(source), "-o", str(target), *flags]
            done = compiler.run(arguments, folder, f"compiling {source.name}")
            objects.append(target)
            seconds.append(done.seconds)
        done = compiler.run(
            [
                "-shared", "-o", "libhipcpu.so", *map(str, objects), "-Wl,-soname,libhipcpu.so",
                "-Wl,-z,defs", *_LIBRARIES,
            ],
            folder,
            "linking the CPU runtime",
        )  # fmt: skip
        seconds.append(done.seconds)
        for path in objects:
            path.unlink()

    folder, found = cache.made([*parts, *(path.read_bytes() for path in sources)], make)
    return CpuRuntime(folder / "libhipcpu.so", Built(sum(seconds), found))


def parse_flags(wavefront: int = 64) -> tuple[str, ...]:
    """Flags with which libclang parses a unit as the host pass does."""
    return (*find_host_compiler().parse_flags, *_pass_flags(wavefront, "c++17"))


def _pass_flags(wavefront: int, standard: str) -> tuple[str, ...]:
    return (
        "-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "-fno-hip-new-launch-api",
        f"-std={standard}", _OPTIMISATION, _CONTRACTION, "-fPIC", "-fdeclspec", "-w",
        f"-DHIPCPU_WAVEFRONT={wavefront}", f"-I{INCLUDE}", "-include", "hipcpu/prelude.h",
        "-D__HIP_PLATFORM_AMD__",
    )  # fmt: skip


class _UnitSteps:
    """The steps from one source to its two objects, in one folder."""

    def __init__(
        self,
        compiler: HostCompiler,
        source: Path,
        flags: Sequence[str],
        folder: Path,
        runtime: Path,
    ) -> None:
        self._compiler, self._source, self._flags = compiler, source, flags
        self._folder, self._runtime = folder, runtime
        self.seconds = 0.0

    def run(self, wavefront: int) -> None:
        self._compile("host", ())
        self._compile("device", _DEVICE_PASS)
        host = Elf((self._folder / "host.o").read_bytes())
        device = Elf((self._folder / "device.o").read_bytes())
        kernels = find_kernels(device, host)
        self._assemble("dynamic_lds", dynamic_lds_source(device))
        self._step(
            [
                "-shared", "-o", "device.so", "device.o", "dynamic_lds.o", str(self._runtime),
                "-Wl,-z,defs", "-Wl,-Bsymbolic", *_LIBRARIES,
            ],
            f"linking the device side of {self._source.name}",
        )  # fmt: skip
        blob = self._folder / "code_object.bin"
        blob.write_bytes(pack((self._folder / "device.so").read_bytes(), kernels, wavefront))
        self._assemble("code_object", fat_binary_source(host, blob))
        names = "\n".join(kernel.kernel for kernel in kernels)
        (self._folder / "kernels.txt").write_text(names, encoding="utf-8")
        for name in (
            "device.o",
            "dynamic_lds.o",
            "dynamic_lds.s",
            "code_object.s",
            "code_object.bin",
        ):
            (self._folder / name).unlink()

    def _compile(self, side: str, more: Sequence[str]) -> None:
        self._step(
            [
                *self._flags,
                *more,
                "-MD",
                "-MF",
                f"{side}.d",
                "-c",
                str(self._source),
                "-o",
                f"{side}.o",
            ],
            f"compiling the {side} side of {self._source.name}",
        )

    def _assemble(self, name: str, text: str) -> None:
        (self._folder / f"{name}.s").write_text(text, encoding="utf-8")
        self._step(
            ["-c", f"{name}.s", "-o", f"{name}.o"], f"assembling {name} of {self._source.name}"
        )

    def _step(self, arguments: list[str], what: str) -> None:
        self.seconds += self._compiler.run(arguments, self._folder, what).seconds
