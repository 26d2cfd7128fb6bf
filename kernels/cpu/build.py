"""Builds HIP units for this machine: host objects with their code objects inside."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernels.building import cache
from kernels.building.host_compiler import find_host_compiler
from kernels.building.step import Built
from kernels.cpu.counting import COUNTERS
from kernels.cpu.precompiled import INCLUDE, headers_identity
from kernels.cpu.unit_steps import COUNTED, DEVICE_PASS, LIBRARIES, LOCKSTEP, UnitSteps

_RUNTIME = Path(__file__).parent / "runtime"
_COUNTER = Path(__file__).with_name("counter.cpp")

_OPTIMISATION = "-O2"
_CONTRACTION = "-ffp-contract=fast"  # as hipcc has it


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
    source: Path,
    arguments: Sequence[str] = (),
    wavefront: int = 64,
    *,
    lockstep: bool = False,
    counted: bool = False,
) -> CpuUnit:
    """Compiles one HIP unit for this machine.

    Args:
        source: Its file.
        arguments: Its own flags: include folders and macros.
        wavefront: Lanes of a wavefront, 64 or 32.
        lockstep: Let the lanes of a wavefront meet before every access to memory that they share,
            as on the GPU, where they run one instruction stream. Without, lanes run one after
            the other up to the next wait, and a kernel that leaves a barrier out because it
            counts on lockstep goes wrong. It costs some ten nanoseconds an access.
        counted: Announce accesses and floating-point operations: see :mod:`kernels.cpu.counting`.

    Raises:
        BuildError: It does not compile, or a limit ended the compiler.
        ToolchainError: There is no compiler.
    """
    compiler = find_host_compiler()
    runtime = build_runtime()
    flags = _pass_flags(wavefront)
    # Names of static kernels carry this, in both passes alike.
    own = (*arguments, f"-cuid={hashlib.sha256(source.read_bytes()).hexdigest()[:16]}")
    seconds: list[float] = []

    def make(folder: Path) -> list[Path]:
        steps = UnitSteps(compiler, source, flags, own, folder, runtime.library, lockstep, counted)
        steps.run(wavefront)
        seconds.append(steps.seconds)
        return [
            *cache.read_dependencies(folder / "host.d"),
            *cache.read_dependencies(folder / "device.d"),
        ]

    # Headers that were precompiled are on no list of what a unit read. Of the runtime a unit knows
    # only hipcpu/abi.h, which is one of them.
    parts = (
        "cpu-unit", compiler.identity, headers_identity(), *DEVICE_PASS,
        *(LOCKSTEP if lockstep else ()), *((*COUNTED, *COUNTERS) if counted else ()), *flags, *own,
    )  # fmt: skip
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
    output = output.resolve()  # the linker runs in the folder that it writes
    kind = ("-shared", "-Wl,-z,defs") if shared else ("-pie",)
    done = compiler.run(
        [
            *kind, "-o", str(output), *(str(path.resolve()) for path in objects), *arguments,
            str(runtime.library), f"-Wl,-rpath,{runtime.library.parent}", *LIBRARIES,
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
                "-Wl,-z,defs", *LIBRARIES,
            ],
            folder,
            "linking the CPU runtime",
        )  # fmt: skip
        seconds.append(done.seconds)
        for path in objects:
            path.unlink()

    folder, found = cache.made([*parts, *(path.read_bytes() for path in sources)], make)
    return CpuRuntime(folder / "libhipcpu.so", Built(sum(seconds), found))


@functools.cache
def build_counter() -> CpuRuntime:
    """Builds the library that counts for units that were compiled for it, or finds it.

    Raises:
        BuildError: It does not compile here.
        ToolchainError: There is no compiler.
    """
    compiler = find_host_compiler()
    runtime = build_runtime()
    flags = ("-std=c++17", "-O2", "-fPIC", "-shared", f"-I{INCLUDE}")
    seconds: list[float] = []

    def make(folder: Path) -> None:
        command = [
            *flags, str(_COUNTER), "-o", "libhipcpu_counter.so",
            "-Wl,-soname,libhipcpu_counter.so", str(runtime.library),
            f"-Wl,-rpath,{runtime.library.parent}", *LIBRARIES,
        ]  # fmt: skip
        seconds.append(compiler.run(command, folder, "building the counter").seconds)

    parts = ("cpu-counter", compiler.identity, str(runtime.library), *flags[:-1])
    folder, found = cache.made([*parts, _COUNTER.read_bytes()], make)
    return CpuRuntime(folder / "libhipcpu_counter.so", Built(sum(seconds), found))


def parse_flags(wavefront: int = 64) -> tuple[str, ...]:
    """Flags with which libclang parses a unit as the host pass does."""
    first = ("-include", "hipcpu/prelude.h")
    return (*find_host_compiler().parse_flags, *_pass_flags(wavefront), *first)


def _pass_flags(wavefront: int) -> tuple[str, ...]:
    return (
        "-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "-fno-hip-new-launch-api",
        "-std=c++17", _OPTIMISATION, _CONTRACTION, "-fPIC", "-fdeclspec", "-w",
        f"-DHIPCPU_WAVEFRONT={wavefront}", f"-I{INCLUDE}", "-D__HIP_PLATFORM_AMD__",
    )  # fmt: skip
