"""Kernels of a library, each cut out, run alone, and held against its facts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from extractor.errors import RocQuarryError
from extractor.facts.device.representatives import shape
from extractor.project import opened
from extractor.spread import spread
from kernels.facts_check.kernel import Kernel, arguments_by_name
from kernels.facts_check.observation import Observation, block_shapes, observe
from kernels.facts_check.parameters import parameters_of
from kernels.library.overlay import changed_text
from kernels.slice.choice import Chosen, Launchable, simplicity
from kernels.slice.cutting import UnitSlicer
from kernels.slice.emission import own_flags
from kernels.slice.instantiation import spelling_of

# A kernel that only its unit knows is made only where something names it.
_ADDRESS = """\
extern "C" __attribute__((visibility("default"))) const void* rocquarry_kernel()
{{ return reinterpret_cast<const void*>({}); }}
"""

Blocks = dict[str, list[tuple[int, int, int]]]
"""Shapes of blocks by the kernel's id."""


def instantiations(kernels: Sequence[Launchable], shapes: int) -> list[Chosen]:
    """Of each kernel the simplest instantiation of a few shapes of template arguments."""
    found = []
    for one in kernels:
        by_shape: dict[Any, str] = {}
        for symbol in sorted(one.symbols, key=simplicity):
            by_shape.setdefault(shape(symbol), symbol)
        found += [chosen_of(one, symbol) for symbol in list(by_shape.values())[:shapes]]
    return found


def chosen_of(kernel: Launchable, symbol: str) -> Chosen:
    """One instantiation of a kernel."""
    config, unit = kernel.symbols[symbol]
    names = (kernel.function, kernel.name, kernel.qualified_name)
    return Chosen(*names, symbol, config, unit, kernel.configs)


@dataclass(frozen=True)
class Run:
    """How kernels are run.

    Attributes:
        rules: Rule file of the library.
        source: Its other revision, if one was asked for.
        folder: Where observations are kept.
        recorder: The recorder of accesses.
        bounds: Launch bounds by the kernel's id.
        blocks: Blocks that the host side launches kernels with, by the kernel's id.
    """

    rules: str
    source: str | None
    folder: Path
    recorder: Path
    bounds: Mapping[str, Any]
    blocks: Blocks


def observed(run: Run, chosen: Sequence[Chosen], jobs: int) -> Iterator[list[Observation]]:
    """Runs kernels unit by unit; what was observed before is read from its file.

    Args:
        run: How.
        chosen: Instantiations.
        jobs: Units at once.
    """
    rows = sorted(chosen, key=lambda one: (one.config, one.unit, one.function, one.symbol))
    units = [list(group) for _, group in groupby(rows, key=lambda one: (one.config, one.unit))]
    work = [(run, group) for group in units]
    for _, found in spread(_unit, work, jobs=jobs):
        yield found


def _unit(work: tuple[Run, list[Chosen]]) -> list[Observation]:
    run, chosen = work
    paths = [run.folder / f"{one.slug}-{_mark(one.symbol)}.json.gz" for one in chosen]
    found: list[Observation] = []
    slicer: UnitSlicer | str = ""
    for number, (one, path) in enumerate(zip(chosen, paths, strict=True)):
        if path.exists():
            found.append(Observation.load(path))
            continue
        project = opened(run.rules, run.source)
        if slicer == "":
            try:
                slicer = UnitSlicer(project, chosen)
            except RocQuarryError as error:
                slicer = str(error)
        seen = Observation(one.function, one.symbol)
        cut = slicer if isinstance(slicer, str) else slicer.slice(number)
        if isinstance(slicer, str) or isinstance(cut, str):
            seen.reason = f"it cannot be cut out: {cut}"
        else:
            kernel = _kernel(slicer.parsed.probes.get(number))
            parameters = parameters_of(kernel)
            seen.parameters = [parameter.name for parameter in parameters]
            if spelling_of(one.symbol).template:
                seen.templates = _template_names(kernel)
            constants, _ = arguments_by_name(seen.templates, one.symbol)
            known = run.blocks.get(one.function, ())
            shapes = block_shapes(run.bounds.get(one.function), constants, known)
            text = f"{changed_text(cut.placed)}\n{_ADDRESS.format(spelling_of(one.symbol).address)}"
            flags = own_flags(project, slicer.parsed)
            observe(seen, text, flags, parameters, shapes, run.recorder)
        seen.save(path)
        found.append(seen)
    return found


def kernel_of(seen: Observation) -> Kernel:
    """How an observation's values are read."""
    constants, types = arguments_by_name(seen.templates, seen.symbol)
    return Kernel(seen.function, seen.parameters, constants, types)


def _mark(symbol: str) -> str:
    return hashlib.sha256(symbol.encode()).hexdigest()[:10]


def _kernel(probe: Any) -> Any:
    for cursor in probe.walk_preorder():
        if cursor.kind.name == "DECL_REF_EXPR" and cursor.referenced is not None:
            target = cursor.referenced
            if any(child.kind.name == "CUDAGLOBAL_ATTR" for child in target.get_children()):
                return target
    raise AssertionError("a slice was cut, so the kernel is there")


def _template_names(kernel: Any) -> list[str]:
    from clang.cindex import conf

    template = conf.lib.clang_getSpecializedCursorTemplate(kernel)
    template._tu = kernel._tu  # what it is called from does not keep it
    kinds = ("TEMPLATE_TYPE_PARAMETER", "TEMPLATE_NON_TYPE_PARAMETER",
             "TEMPLATE_TEMPLATE_PARAMETER")  # fmt: skip
    return [child.spelling for child in template.get_children() if child.kind.name in kinds]
