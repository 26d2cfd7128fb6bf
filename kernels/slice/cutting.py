"""Cuts the slices of all kernels that one unit owns: the unit is parsed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from extractor.errors import UnitError
from extractor.project import Project
from kernels.slice.choice import Chosen, unit_of
from kernels.slice.closure import Closure
from kernels.slice.emission import Slice, emit
from kernels.slice.instantiation import spelling_of
from kernels.slice.parsed import ParsedUnit


class UnitSlicer:
    """One unit with the kernels to be cut out of it.

    Args:
        project: The library.
        chosen: Kernels of one unit and configuration.
    """

    def __init__(self, project: Project, chosen: Sequence[Chosen]) -> None:
        self.project, self.chosen = project, chosen
        unit = unit_of(project, chosen[0].config, chosen[0].unit)
        prefixes = project.toolchain.prefixes
        self.parsed = ParsedUnit(
            unit,
            Path(project.tree.root),
            own=[Path(project.tree.root), Path(project.tree.generated), *prefixes],
            public=[prefix / "include" / "hip" for prefix in prefixes],
            probes=[spelling_of(one.symbol).address for one in chosen],
        )

    def closure(self, number: int) -> Closure:
        """What a kernel needs.

        Args:
            number: Its place among the chosen.

        Raises:
            UnitError: The unit has no such instantiation.
        """
        kernel = _kernel(self.parsed.probes.get(number))
        if kernel is None:
            why = next(iter(self.parsed.errors), "the compiler found no such function")
            raise UnitError(f"{self.chosen[number].demangled}: {why}")
        closure = Closure(self.parsed)
        closure.take(kernel)
        return closure

    def slice(self, number: int) -> Slice | str:
        """The slice of a kernel, or why there is none.

        Args:
            number: Its place among the chosen.
        """
        try:
            return emit(self.project, self.parsed, self.closure(number), self.chosen[number])
        except UnitError as error:
            return str(error)

    def slices(self) -> Iterator[tuple[Chosen, Slice | str]]:
        """Each kernel with its slice, or with why there is none."""
        for number, one in enumerate(self.chosen):
            yield one, self.slice(number)


def _kernel(probe: Any) -> Any:
    if probe is None:
        return None
    for cursor in probe.walk_preorder():
        if cursor.kind.name == "DECL_REF_EXPR" and cursor.referenced is not None:
            target = cursor.referenced
            if any(child.kind.name == "CUDAGLOBAL_ATTR" for child in target.get_children()):
                return target
    return None
