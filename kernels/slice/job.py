"""Slices of one unit's kernels, each kept in the cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import extractor
from extractor import __version__, settings
from extractor.errors import RocQuarryError
from extractor.project import Project, opened
from extractor.slice_record import SliceRecord
from kernels.building import cache
from kernels.slice.choice import Chosen
from kernels.slice.cutting import UnitSlicer
from kernels.slice.emission import Slice, own_flags
from kernels.slice.equality import (
    library_forms,
    same_code,
    same_forms,
    slice_flags,
    slice_form,
)
from kernels.slice.headers import precompiled_flags

_FILE = "slice.json"
_DECIDING = ("attributes", "closure", "code_names", "cutting", "emission", "equality",
             "fragment", "headers", "includes", "instantiation", "ir", "job", "macros", "parsed",
             "skipped", "templates", "usings")  # fmt: skip
_DECIDING_SHARED = ("demangle.py", "slice_record.py", "source_text.py", "units.py")


@dataclass(frozen=True)
class Plan:
    """What is done with every slice.

    Attributes:
        architectures: It is compiled for each of them.
        compared: On these its code is held against the library's.
    """

    architectures: tuple[str, ...] = settings.ARCHITECTURES
    compared: tuple[str, ...] = (settings.DEFAULT_ARCHITECTURE,)


@dataclass(frozen=True)
class UnitRequest:
    """The kernels of one unit.

    Attributes:
        project: Path of the rule file.
        source: Folder or ``URL@REF`` instead of the pinned source.
        chosen: The kernels, all of one unit and configuration.
        plan: What is done with every slice.
    """

    project: str
    source: str | None
    chosen: tuple[Chosen, ...]
    plan: Plan


def slice_unit(request: UnitRequest) -> list[tuple[SliceRecord, str]]:
    """The slices of one unit, each from the cache where it is there."""
    project = opened(request.project, request.source)
    work = _UnitWork(project, request)
    first = request.chosen[0]
    units = {unit.path: unit for unit in project.units(first.config, "device")}
    common = [
        "slice", code_identity(), project.toolchain.identity,
        project.indexer.closures.content_key(units[first.unit], "slice"),
        json.dumps(project.source.model_dump()), json.dumps(asdict(request.plan)),
    ]  # fmt: skip
    found = []
    for number, one in enumerate(request.chosen):

        def make(folder: Path, number: int = number) -> None:
            record, text = work.slice(number, folder)
            row = [record.model_dump(mode="json", by_alias=True), text]
            (folder / _FILE).write_text(json.dumps(row), encoding="utf-8")

        place, _ = cache.made([*common, json.dumps(asdict(one))], make)
        record, text = json.loads((place / _FILE).read_text(encoding="utf-8"))
        found.append((SliceRecord.model_validate(record), text))
    return found


class _UnitWork:
    """A unit's kernels, with what they share made when the first of them is not in the cache."""

    def __init__(self, project: Project, request: UnitRequest) -> None:
        self._project, self._request = project, request

    @cached_property
    def _slicer(self) -> UnitSlicer | str:
        """The unit, parsed; why it cannot be, where it cannot."""
        try:
            return UnitSlicer(self._project, self._request.chosen)
        except RocQuarryError as error:
            return str(error)

    @cached_property
    def _library(self) -> tuple[dict[str, dict[str, str]], str]:
        """By architecture the forms of the library's kernels, and why one has none."""
        first = self._request.chosen[0]
        symbols = [one.symbol for one in self._request.chosen]
        found: dict[str, dict[str, str]] = {}
        why = ""
        for architecture in self._request.plan.compared:
            try:
                found[architecture] = library_forms(
                    self._project, first.config, first.unit, architecture, symbols
                )
            except RocQuarryError as error:
                found[architecture] = {}
                why = f"the library's unit does not compile: {error}"
        return found, why

    def slice(self, number: int, work: Path) -> tuple[SliceRecord, str]:
        """One slice, compiled and compared; its text is empty where it cannot be cut."""
        project, slicer = self._project, self._slicer
        one = self._request.chosen[number]
        if isinstance(slicer, str):
            return _record(project, one, None, (), {}, {}, slicer), ""
        flags = own_flags(project, slicer.parsed)
        cut = slicer.slice(number)
        if isinstance(cut, str):
            return _record(project, one, None, flags, {}, {}, cut), ""
        library, why = self._library
        file = work / f"{one.slug}.hip"
        file.write_text(cut.text, encoding="utf-8", errors="replace")
        placed = work / f"{one.slug}-placed.hip"
        placed.write_text(cut.placed, encoding="utf-8", errors="replace")
        compiled, equal, reasons = _proved(
            project, one, file, placed, flags, library, self._request.plan
        )
        if why:
            reasons.append(why)
        file.unlink()
        placed.unlink()
        return _record(project, one, cut, flags, compiled, equal, "; ".join(reasons)), cut.text


def _proved(
    project: Project,
    one: Chosen,
    file: Path,
    placed: Path,
    flags: Sequence[str],
    library: dict[str, dict[str, str]],
    plan: Plan,
) -> tuple[dict[str, bool], dict[str, bool | None], list[str]]:
    from kernels.backends.code_objects import compile_code_object

    tools = project.toolchain
    compiled: dict[str, bool] = {}
    equal: dict[str, bool | None] = dict.fromkeys(plan.architectures)
    reasons: list[str] = []
    for architecture in plan.architectures:
        try:
            prefix = precompiled_flags(tools, [*slice_flags(tools, flags, architecture), "-O3"])
            made = compile_code_object(tools, file, (*flags, *prefix), architecture)
            compiled[architecture] = bool(made.resources)
            if not made.resources:
                reasons.append(f"{architecture}: the code object has no kernel")
        except RocQuarryError as error:
            compiled[architecture] = False
            reasons.append(f"{architecture}: {error}".replace(f"{file.parent}/", ""))
    for architecture, forms in library.items():
        if not compiled.get(architecture):
            continue
        try:
            for text in (file, placed):
                own = slice_form(tools, text, flags, architecture, one.symbol)
                equal[architecture] = same_forms(forms, one.symbol, own)
                if equal[architecture] is not False:
                    break
        except RocQuarryError as error:
            reasons.append(f"{architecture}: {error}")
            continue
        if equal[architecture] is False:
            equal[architecture] = _same_code(project, one, placed, flags, architecture)
        if equal[architecture] is False:
            reasons.append(f"{architecture}: its code is not the library's")
        elif equal[architecture] is None:
            reasons.append(f"{architecture}: the unit or the slice lacks {one.symbol}")
    return compiled, equal, reasons


def _same_code(
    project: Project, one: Chosen, file: Path, flags: Sequence[str], architecture: str
) -> bool | None:
    try:
        return same_code(project, one.config, one.unit, file, flags, architecture, one.symbol)
    except RocQuarryError:
        return False


def _record(
    project: Project,
    one: Chosen,
    cut: Slice | None,
    flags: Sequence[str],
    compiled: dict[str, bool],
    equal: dict[str, bool | None],
    reason: str,
) -> SliceRecord:
    text = cut.text if cut else ""
    return SliceRecord(
        tool_version=__version__,
        project=project.rule.name,
        source=project.source,
        function=one.function,
        name=one.name,
        instantiation=one.symbol,
        demangled=one.demangled,
        traced=one.traced,
        config=one.config,
        configs=one.configs,
        unit=one.unit,
        flags=tuple(flags),
        sliced=cut is not None,
        compiled=compiled,
        equal=equal,
        spans=cut.spans if cut else (),
        functions=cut.functions if cut else (),
        lines=len(text.splitlines()),
        sha256=hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest() if cut else "",
        reason=reason or None,
    )


@lru_cache(maxsize=1)
def code_identity() -> str:
    """Identity of the program text that decides what a slice is and what is proved of it.

    Edits elsewhere (launches, inputs, tasks, the rest of the program) leave finished slices valid.
    """
    own, shared = Path(__file__).parent, Path(extractor.__file__).parent
    files = [own / f"{name}.py" for name in _DECIDING]
    files += [shared / name for name in _DECIDING_SHARED]
    return cache.key_of(__version__, *(path.read_bytes() for path in files))
