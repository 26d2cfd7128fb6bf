"""Builds an interface of a library for the CPU runtime: a shared object with the real C interface.

The index says which units the entry points need. What the objects of these leave undefined and
another unit of the library, or of a library it stands on, defines, brings that unit in, until
nothing is missing. What nobody has is a boundary: it gets a stand-in that ends the program with one
line when it is called, and it is listed.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from extractor.code_object.elf import STB_LOCAL, Elf
from extractor.project import Project
from kernels.building.constants import Constants
from kernels.building.host_compiler import find_host_compiler
from kernels.building.step import BuildError
from kernels.cpu.build import CpuUnit, build_runtime, compile_unit, link
from kernels.isolation import waiting_threads
from kernels.library.binding import write_binding
from kernels.library.plan import LibraryUnit, UnitFinder

# Half of the time at -O2, and the code is run for its results.
_OPTIMISATION = ("-O1",)
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<name>[^']+)'")
_MOST_ROUNDS = 12

Progress = Callable[[str, int, int], None]


@dataclass
class LibraryBuild:
    """What came of building an interface.

    Attributes:
        library: The shared object.
        entry_points: Entry points of the interface that it has.
        units: Units that went into it, as ``project:path``.
        kernels: How many kernels it has.
        boundaries: Functions that nothing defines, each with a stand-in.
        failures: Units that did not compile, with the first error.
        seconds: Wall time.
    """

    library: Path
    entry_points: list[str]
    units: list[str] = field(default_factory=list)
    kernels: int = 0
    boundaries: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def build_library(
    project: Project,
    interface: str,
    out: Path,
    *,
    config: str | None = None,
    wavefront: int = 64,
    lockstep: bool = True,
    jobs: int = 0,
    progress: Progress | None = None,
    arguments: Sequence[str] = (),
    constants: Constants = MappingProxyType({}),
) -> LibraryBuild:
    """Builds an interface and writes ``libNAME-INTERFACE.so``, the runtime and a Python binding.

    Args:
        project: The library, opened.
        interface: Family, half of a twin, or one entry point.
        out: Folder for the files.
        config: Configuration; the first when ``None``.
        wavefront: Lanes of a wavefront.
        lockstep: See :func:`kernels.cpu.build.compile_unit`.
        jobs: Compilers at once; the number of cores when 0.
        progress: Told the unit, how many are done and how many are known.
        arguments: More flags for every unit, such as ``-gline-tables-only``.
        constants: Compile-time constants of the library that get another value.

    Raises:
        UnknownName: There is no such interface or configuration.
        BuildError: The objects do not link.
    """
    begin = time.monotonic()
    entries = project.resolve(interface)
    finder = UnitFinder(project, project.configurations(config or "all")[0], constants)
    work = _Work(wavefront, lockstep, jobs or os.cpu_count() or 1, progress, arguments)
    own = project.rule.name
    work.compile(finder.for_entries([*entries, *finder.support[own]]))
    wanted = {name for names in finder.support.values() for name in names}
    asked: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        missing = (work.undefined() | (wanted - work.defined)) - asked
        more = [unit for unit in finder.providers(missing) if unit not in work.done]
        asked |= missing
        if not more:
            break
        work.compile(more)
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"lib{own}-{interface}.so"
    boundaries = link_with_boundaries(work.objects(), target)
    runtime = out / "libhipcpu.so"
    shutil.copy2(build_runtime().library, runtime)
    there = [entry for entry in entries if entry in work.defined]
    write_binding(out / f"{own}_{interface}.py".replace("-", "_"), target, there, lockstep=lockstep)
    return LibraryBuild(
        library=target,
        entry_points=there,
        units=[f"{unit.project}:{unit.path}" for unit in work.done],
        kernels=sum(len(unit.kernels) for unit in work.done.values()),
        boundaries=boundaries,
        failures={f"{u.project}:{u.path}": text for u, text in work.failures.items()},
        seconds=time.monotonic() - begin,
    )


class _Work:
    """Units compiled so far, and what their objects define and want."""

    def __init__(
        self,
        wavefront: int,
        lockstep: bool,
        jobs: int,
        progress: Progress | None,
        arguments: Sequence[str],
    ) -> None:
        self._arguments = arguments
        self._lockstep = lockstep
        self._wavefront, self._jobs, self._progress = wavefront, jobs, progress
        self.done: dict[LibraryUnit, CpuUnit] = {}
        self.failures: dict[LibraryUnit, str] = {}
        self.defined: set[str] = set()
        self._wanted: set[str] = set()

    def compile(self, units: Iterable[LibraryUnit]) -> None:
        """Compiles units, several at once."""
        todo = [u for u in dict.fromkeys(units) if u not in self.done and u not in self.failures]
        known = len(self.done) + len(self.failures) + len(todo)
        with waiting_threads(self._jobs) as pool:
            for unit, made in zip(todo, pool.map(self._one, todo), strict=True):
                if isinstance(made, str):
                    self.failures[unit] = made
                else:
                    self.done[unit] = made
                    self._note(made)
                if self._progress:
                    self._progress(unit.path, len(self.done) + len(self.failures), known)

    def undefined(self) -> set[str]:
        """What the objects want and none of them has."""
        return self._wanted - self.defined

    def objects(self) -> list[Path]:
        """Every object, in the order in which they were asked for."""
        return [path for made in self.done.values() for path in made.objects]

    def _one(self, unit: LibraryUnit) -> CpuUnit | str:
        arguments = (*unit.arguments, *_OPTIMISATION, *self._arguments)
        try:
            return compile_unit(unit.file, arguments, self._wavefront, lockstep=self._lockstep)
        except BuildError as error:
            return str(error)

    def _note(self, made: CpuUnit) -> None:
        for symbol in Elf(made.objects[0].read_bytes()).symbols:
            if symbol.binding == STB_LOCAL or not symbol.name:
                continue
            (self.defined if symbol.defined else self._wanted).add(symbol.name)


def link_with_boundaries(objects: Sequence[Path], target: Path) -> list[str]:
    """Links, with stand-ins for what nobody defines; their names."""
    target = target.absolute()  # tools run in other folders
    arguments = ["-Wl,-rpath,$ORIGIN", "-Wl,-Bsymbolic", f"-Wl,-soname,{target.name}"]
    try:
        link(objects, target, arguments=arguments)
        return []
    except BuildError as error:
        # The linker spells names as a person reads them unless it is told not to.
        missing = sorted(_undefined(objects, target, arguments))
        if not missing:
            raise error
    stand_ins = target.with_suffix(".boundaries.s")
    stand_ins.write_text(_stand_ins(missing), encoding="utf-8")
    compiled = target.with_suffix(".boundaries.o")
    command = ["-c", str(stand_ins), "-o", str(compiled)]
    find_host_compiler().run(command, target.parent, "assembling stand-ins for boundaries")
    try:
        link([*objects, compiled], target, arguments=arguments)
    finally:
        stand_ins.unlink()
        compiled.unlink()
    return missing


def _undefined(objects: Sequence[Path], target: Path, arguments: Sequence[str]) -> set[str]:
    try:
        link(objects, target, arguments=[*arguments, "-Wl,--no-demangle"])
    except BuildError as error:
        return {match["name"] for match in _UNDEFINED.finditer(error.outcome.stderr)}
    return set()


def _stand_ins(names: Sequence[str]) -> str:
    """Assembler text of functions that say their name and end the program."""
    lines = [".text"]
    for number, name in enumerate(names):
        lines += [
            f'.globl "{name}"', f'.type "{name}",@function', f'"{name}":',
            f"lea .Lname{number}(%rip), %rdi", "jmp hipcpu_boundary@PLT",
        ]  # fmt: skip
    lines.append(".section .rodata")
    for number, name in enumerate(names):
        lines += [f".Lname{number}:", f'.asciz "{name}"']
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])
