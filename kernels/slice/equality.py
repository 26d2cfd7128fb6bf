"""Whether a slice is the library's kernel: the same program to the compiler, bit for bit.

Both the library's unit and the slice are taken through the same compiler's front end for one
architecture, with the library's flags. The part of the IR that the kernel is made from is brought
into one form (:mod:`kernels.slice.ir`) on both sides and compared. Where the forms differ the
machine code still may not, and is compared then: :func:`same_code`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from extractor import settings
from extractor.errors import UnitError
from extractor.project import Project
from extractor.toolchain.model import Toolchain
from extractor.unit_plan import plan_units
from extractor.units import Unit
from kernels.backends.code_objects import include_flags
from kernels.building import cache
from kernels.building.step import BuildError
from kernels.isolation import BUILD, run
from kernels.slice.headers import precompiled_flags
from kernels.slice.ir import digest, read_module

_FRONT = ("-O3", "-w", "-nogpulib", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
_FORMAT = "1"
_NAMES = (".file", ".ident", ".p2alignl", ".amdgcn_target", ".section\t.AMDGPU.csdata")


def unit_for(project: Project, config: str, path: str, architecture: str) -> Unit:
    """A unit's device pass for an architecture.

    Raises:
        UnitError: The configuration has no such unit.
    """
    units = plan_units(
        project.rule, project.tree, project.toolchain, config, "device", architecture
    )
    for unit in units:
        if unit.path == path:
            return unit
    raise UnitError(f"{path}: configuration {config} has no such unit")


def library_forms(
    project: Project, config: str, path: str, architecture: str, symbols: Sequence[str]
) -> dict[str, str]:
    """Digests of the forms of a unit's kernels; a symbol that it does not define is left out.

    Raises:
        BuildError: The unit does not compile.
    """
    unit = unit_for(project, config, path, architecture)
    wanted = sorted(set(symbols))
    key = project.indexer.closures.content_key(unit, "slice-forms", _FORMAT)
    parts = (key, project.toolchain.identity, *_FRONT, *wanted)

    def make(folder: Path) -> None:
        file = Path(project.tree.root) / path
        found = _forms(project.toolchain, unit.arguments, file, wanted)
        (folder / "forms.json").write_text(json.dumps(found), encoding="utf-8")

    place, _ = cache.made(parts, make)
    found: dict[str, str] = json.loads((place / "forms.json").read_text(encoding="utf-8"))
    return found


def slice_form(
    tools: Toolchain, file: Path, flags: Sequence[str], architecture: str, symbol: str
) -> str | None:
    """Digest of the form of a slice's kernel; ``None`` where it does not define it.

    Raises:
        BuildError: The slice does not compile.
    """
    arguments = slice_flags(tools, flags, architecture)
    parts: list[str | bytes] = ["slice-form", _FORMAT, tools.identity, *_FRONT, *arguments, symbol]
    parts.append(file.read_bytes())
    prefix = precompiled_flags(tools, [*arguments, "-O3", "-nogpulib"])

    def make(folder: Path) -> None:
        found = _forms(tools, [*arguments, *prefix], file, [symbol])
        (folder / "forms.json").write_text(json.dumps(found), encoding="utf-8")

    place, _ = cache.made(parts, make)
    found: dict[str, str] = json.loads((place / "forms.json").read_text(encoding="utf-8"))
    return found.get(symbol)


def slice_flags(tools: Toolchain, flags: Sequence[str], architecture: str) -> list[str]:
    """Flags of a slice: those of the toolchain and the architecture, and its unit's own."""
    return [
        *tools.flags, "-x", "hip", "-std=c++17", "-w", "--cuda-device-only",
        f"--offload-arch={architecture}",
        f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(architecture)}",
        *flags, *include_flags(tools),
    ]  # fmt: skip


def same_code(
    project: Project,
    config: str,
    path: str,
    file: Path,
    flags: Sequence[str],
    architecture: str,
    symbol: str,
) -> bool | None:
    """Whether the machine code of a slice's kernel is the library's, instruction by instruction.

    For kernels whose forms differ: one compiler, the same flags, from the IR of both sides cut down
    to the kernel. ``None`` where one side lacks it.

    Raises:
        BuildError: A step fails.
    """
    tools = project.toolchain
    unit = unit_for(project, config, path, architecture)
    own = _assembly(tools, slice_flags(tools, flags, architecture), file, architecture, symbol)
    library = Path(project.tree.root) / path
    other = _assembly(tools, unit.arguments, library, architecture, symbol)
    return None if own is None or other is None else own == other


def _assembly(
    tools: Toolchain, arguments: Sequence[str], file: Path, architecture: str, symbol: str
) -> str | None:
    with tempfile.TemporaryDirectory(prefix="rocquarry-code-") as work:
        folder = Path(work)
        libraries = [flag for flag in _FRONT if flag != "-nogpulib"]
        whole = folder / "unit.ll"
        _step(tools, [*arguments, *libraries, str(file), "-o", str(whole)], folder, file)
        cut = read_module(whole).cut(symbol)
        if cut is None:
            return None
        part, out = folder / "kernel.ll", folder / "kernel.s"
        part.write_text(cut, encoding="utf-8", errors="surrogateescape")
        _step(
            tools,
            ["--target=amdgcn-amd-amdhsa", f"-mcpu={architecture}", "-nogpulib", "-O3", "-w",
             "-x", "ir", str(part), "-S", "-o", str(out)],
            folder,
            file,
        )  # fmt: skip
        text = out.read_text(encoding="utf-8", errors="replace")
    # Names apart: that of the source file, and comments.
    lines = (line.partition(";")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(_NAMES))


def _step(tools: Toolchain, words: Sequence[str], folder: Path, file: Path) -> None:
    outcome = run([*tools.clang, *words], BUILD, folder=folder)
    if not outcome.ok:
        raise BuildError(f"machine code of {file.name}", outcome)


def same_forms(library: Mapping[str, str], symbol: str, own: str | None) -> bool | None:
    """Whether two forms are equal; ``None`` where one side has none."""
    other = library.get(symbol)
    return None if other is None or own is None else other == own


def _forms(
    tools: Toolchain, arguments: Sequence[str], file: Path, symbols: Sequence[str]
) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="rocquarry-forms-") as work:
        out = Path(work) / "unit.ll"
        outcome = run(
            [*tools.clang, *arguments, *_FRONT, str(file), "-o", str(out)], BUILD, folder=Path(work)
        )
        if not outcome.ok:
            raise BuildError(f"IR of {file.name}", outcome)
        module = read_module(out)
    found = {}
    for symbol in symbols:
        form = module.form(symbol)
        if form is not None:
            found[symbol] = digest(form)
    return found
