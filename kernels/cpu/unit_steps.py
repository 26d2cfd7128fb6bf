"""The steps from one HIP source to a host object and an object with its code object inside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from extractor.code_object.elf import Elf
from kernels.building.host_compiler import HostCompiler
from kernels.building.step import BuildError
from kernels.cpu import precompiled
from kernels.cpu.code_object import dynamic_lds_source, fat_binary_source, find_kernels, pack
from kernels.cpu.counting import with_counters

LIBRARIES = ("-lstdc++", "-lm", "-lgcc_s", "-lpthread", "-ldl")
DEVICE_PASS = (
    "-Xclang", "-fcuda-is-device", "-ffunction-sections",
    "-fstack-clash-protection",  # a large frame touches the guard page below its stack
)  # fmt: skip
# A call before every access to memory; ``runtime/block.cpp`` has what is called. Accesses wider
# than 16 bytes would get none, so nothing is vectorised.
LOCKSTEP = (
    "-fsanitize=thread", "-fno-vectorize", "-fno-slp-vectorize",
    "-mllvm", "-tsan-instrument-atomics=0", "-mllvm", "-tsan-instrument-func-entry-exit=0",
    "-mllvm", "-tsan-instrument-read-before-write=1",
)  # fmt: skip
# The same calls, for a unit whose accesses and operations are counted and not ordered.
COUNTED = (*LOCKSTEP, "-S", "-emit-llvm")
_PARTS_NOT_KEPT = ("device.o", "dynamic_lds.o", "dynamic_lds.s", "code_object.s", "code_object.bin")


class UnitSteps:
    """The steps of one unit, in one folder.

    Args:
        compiler: What compiles.
        source: The unit.
        pass_flags: Flags that all units share.
        arguments: Flags of this unit.
        folder: Where everything is written; empty at the start.
        runtime: The runtime's shared object.
        lockstep: Whether lanes meet before every access to memory.
        counted: Whether it announces its accesses and operations instead: see
            :mod:`kernels.cpu.counting`.
    """

    def __init__(
        self,
        compiler: HostCompiler,
        source: Path,
        pass_flags: Sequence[str],
        arguments: Sequence[str],
        folder: Path,
        runtime: Path,
        lockstep: bool = False,
        counted: bool = False,
    ) -> None:
        self._compiler, self._source, self._folder = compiler, source, folder
        self._pass_flags, self._arguments = pass_flags, arguments
        self._runtime = runtime
        self._lockstep = COUNTED if counted else LOCKSTEP if lockstep else ()
        self._counted = counted
        self.seconds = 0.0

    def run(self, wavefront: int) -> None:
        """Does them all.

        Raises:
            BuildError: One failed.
        """
        self._compile("host", ())
        self._compile("device", DEVICE_PASS)
        if self._counted:
            self._count()
        host = Elf((self._folder / "host.o").read_bytes())
        device = Elf((self._folder / "device.o").read_bytes())
        kernels = find_kernels(device, host)
        self._assemble("dynamic_lds", dynamic_lds_source(device))
        self._step(
            [
                "-shared", "-o", "device.so", "device.o", "dynamic_lds.o", str(self._runtime),
                "-Wl,-z,defs", "-Wl,-Bsymbolic", *LIBRARIES,
            ],
            f"linking the device side of {self._source.name}",
        )  # fmt: skip
        blob = self._folder / "code_object.bin"
        blob.write_bytes(pack((self._folder / "device.so").read_bytes(), kernels, wavefront))
        self._assemble("code_object", fat_binary_source(host, blob))
        names = "\n".join(kernel.kernel for kernel in kernels)
        (self._folder / "kernels.txt").write_text(names, encoding="utf-8")
        for name in _PARTS_NOT_KEPT:
            (self._folder / name).unlink()

    def _compile(self, side: str, more: Sequence[str]) -> None:
        # The runtime looks kernels up by name, whatever visibility the unit asks for.
        last = ("-fvisibility=default", *self._lockstep) if more else ()
        rest = [
            *self._arguments, *last, "-MD", "-MF", f"{side}.d",
            *(() if more and self._counted else ("-c",)), str(self._source), "-o", f"{side}.o",
        ]  # fmt: skip
        what = f"compiling the {side} side of {self._source.name}"
        flags = [*self._pass_flags, *more]
        if precompiled.suits(self._arguments):
            headers = precompiled.precompile(flags)
            if headers:
                use = ["-Xclang", "-include-pch", "-Xclang", str(headers)]
                try:
                    return self._step([*flags, *use, *rest], what)
                except BuildError as error:
                    if not precompiled.was_refused(error):
                        raise
        return self._step([*flags, "-include", "hipcpu/prelude.h", *rest], what)

    def _count(self) -> None:
        """Makes the device's object out of its intermediate code, with counters in it."""
        text = (self._folder / "device.o").read_text(encoding="utf-8")
        (self._folder / "device.ll").write_text(with_counters(text), encoding="utf-8")
        self._step(
            ["-x", "ir", "-fPIC", "-ffunction-sections", "-O2", "-Xclang", "-disable-llvm-passes",
             "-c", "device.ll", "-o", "device.o"],
            f"compiling the counted device side of {self._source.name}",
        )  # fmt: skip
        (self._folder / "device.ll").unlink()

    def _assemble(self, name: str, text: str) -> None:
        (self._folder / f"{name}.s").write_text(text, encoding="utf-8")
        command = ["-c", f"{name}.s", "-o", f"{name}.o"]
        self._step(command, f"assembling {name} of {self._source.name}")

    def _step(self, arguments: Sequence[str], what: str) -> None:
        self.seconds += self._compiler.run(arguments, self._folder, what).seconds
