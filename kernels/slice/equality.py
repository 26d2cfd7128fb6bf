"""Whether a slice is the library's kernel: the same program to the compiler, bit for bit.

Both the library's unit and the slice are taken through the same compiler's front end for one
architecture, with the library's flags. The part of the IR that the kernel is made from is brought
into one form (:mod:`kernels.slice.ir`) on both sides and compared. Where the forms differ the
machine code still may not, and is compared then: :func:`assembly`.
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
from kernels.slice.ir import digest, read_module

_FRONT = ("-O3", "-w", "-nogpulib", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
_FORMAT = "1"


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
    parts = ("slice-forms", _FORMAT, project.toolchain.identity, project.indexer.key_of(unit),
             architecture, *_FRONT, *unit.arguments, *wanted)  # fmt: skip

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
    return _forms(tools, slice_flags(tools, flags, architecture), file, [symbol]).get(symbol)


def slice_flags(tools: Toolchain, flags: Sequence[str], architecture: str) -> list[str]:
    """Flags of a slice: those of the toolchain and the architecture, and its unit's own."""
    return [
        *tools.flags, "-x", "hip", "-std=c++17", "-w", "--cuda-device-only",
        f"--offload-arch={architecture}",
        f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(architecture)}",
        *flags, *include_flags(tools),
    ]  # fmt: skip


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
