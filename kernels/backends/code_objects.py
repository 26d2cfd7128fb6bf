"""The ``compile`` backend: code objects of AMD GPUs, and what their kernels take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from extractor import settings, toolchain
from extractor.code_object.resources import KernelResources, read_resources
from extractor.errors import RocQuarryError, SourceError, UserError
from extractor.toolchain.model import Toolchain
from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.building import cache
from kernels.building.step import BuildError, Built
from kernels.isolation import BUILD, Outcome, run

_TARGET = "amdgcn-amd-amdhsa"


class CompileBackend(Backend):
    """Builds for gfx90a, gfx942 and gfx950, and runs nothing."""

    name = "compile"
    proves = ("builds", "registers", "LDS", "occupancy")
    does_not_prove = ("correctness",)
    executes = False

    def __init__(self, architectures: Sequence[str] = settings.ARCHITECTURES) -> None:
        self.architectures = tuple(architectures)

    def availability(self) -> Availability:
        """Whether a compiler with the AMDGPU target, HIP headers and device bitcode are there."""
        targets = ", ".join(self.architectures)
        try:
            found = toolchain.find(offline=True)
        except SourceError:
            return Availability(True, hardware=f"{targets} (HIP headers are fetched on first use)")
        except RocQuarryError as error:
            return Availability(False, str(error))
        return Availability(True, hardware=f"{targets} (clang {found.clang_version}, not executed)")

    def compile(self, source: Path, arguments: Sequence[str] = ()) -> Compilation:
        """Compiles for every architecture; the first that fails is the answer."""
        tools = toolchain.find()
        source = source.resolve()
        resources: list[KernelResources] = []
        seconds, all_cached = 0.0, True
        for architecture in self.architectures:
            try:
                made = compile_code_object(tools, source, arguments, architecture)
            except BuildError as error:
                text = error.outcome.stderr or error.outcome.describe()
                return Compilation(False, f"{architecture}: {text}", seconds, False)
            resources += made.resources
            seconds += made.built.seconds
            all_cached &= made.built.from_cache
        return Compilation(True, "", seconds, all_cached, tuple(resources))

    def build_program(self, source: Path, output: Path, arguments: Sequence[str] = ()) -> Program:
        """Not possible: this backend runs nothing."""
        raise UserError("backend 'compile' runs nothing; use cpu, cuda or amd")


@dataclass(frozen=True)
class CodeObject:
    """A unit compiled for one architecture.

    Attributes:
        path: The code object.
        resources: What its kernels take.
        built: How it came about.
    """

    path: Path
    resources: tuple[KernelResources, ...]
    built: Built


def compile_code_object(
    tools: Toolchain, source: Path, arguments: Sequence[str], architecture: str
) -> CodeObject:
    """Compiles a unit for one architecture.

    Raises:
        BuildError: It does not compile.
    """
    include = include_flags(tools)
    flags = [
        *tools.flags, "-x", "hip", "-std=c++17", "-O3", "-w", "--cuda-device-only",
        f"--offload-arch={architecture}",
        f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(architecture)}",
        *arguments, *include,
    ]  # fmt: skip
    seconds: list[float] = []

    def step(command: list[str], folder: Path, what: str) -> Outcome:
        outcome = run(command, BUILD, folder=folder)
        seconds.append(outcome.seconds)
        if not outcome.ok:
            raise BuildError(what, outcome)
        return outcome

    def make(folder: Path) -> list[Path]:
        what = f"compiling {source.name} for {architecture}"
        # The driver writes no list of headers for a device pass, the compiler itself does.
        listing = ("-dependency-file", "unit.d", "-MT", "unit", "-sys-header-deps")
        said = step(
            [*tools.clang, *flags, "-Rpass-analysis=kernel-resource-usage",
             *(word for option in listing for word in ("-Xclang", option)),
             "-S", str(source), "-o", "unit.s"],
            folder,
            what,
        )  # fmt: skip
        # The driver's own last steps need programs that the wheels do not have.
        step([*tools.clang, f"--target={_TARGET}", f"-mcpu={architecture}", "-c", "unit.s", "-o",
              "unit.o"], folder, what)  # fmt: skip
        step(
            [*_linker(tools), "-shared", "--no-undefined", "-o", "unit.co", "unit.o"], folder, what
        )
        found = read_resources((folder / "unit.co").read_bytes(), said.stderr, architecture)
        text = json.dumps([asdict(one) for one in found])
        (folder / "resources.json").write_text(text, encoding="utf-8")
        for name in ("unit.s", "unit.o"):
            (folder / name).unlink()
        return cache.read_dependencies(folder / "unit.d")

    parts = ("code-object", tools.identity, *flags)
    folder, found = cache.compiled(parts, source, make)
    raw = json.loads((folder / "resources.json").read_text(encoding="utf-8"))
    resources = tuple(KernelResources(**one) for one in raw)
    return CodeObject(folder / "unit.co", resources, Built(sum(seconds), found))


def include_flags(tools: Toolchain) -> list[str]:
    """Flags that find the HIP headers of a toolchain, after a unit's own."""
    return [flag for root in tools.prefixes for flag in ("-idirafter", f"{root}/include")]


def _linker(tools: Toolchain) -> list[str]:
    program = Path(tools.clang[0])
    if tools.origin == "wheels":
        return [str(program), "ld.lld"]
    return [str(program.parent / "ld.lld")]
