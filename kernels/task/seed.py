"""Makes a task from a HIP file of a user."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor import __version__
from extractor.errors import UnknownName, UserError
from kernels.task.binding_source import binding_source
from kernels.task.element_types import ELEMENT_TYPES
from kernels.task.expression import names_in
from kernels.task.folder import save_task
from kernels.task.model import (
    Case,
    Entry,
    Launch,
    Number,
    Parameter,
    Provenance,
    Task,
    Tolerance,
)
from kernels.task.signature import CParameter, Offered, read_signatures

_OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_SIZES = (0, 1, 2, 63, 64, 65, 127, 128, 255, 256, 257, 1000)
"""Around the multiples of a wavefront and of common blocks, zero and one among them."""
_FEWER = (0, 1, 2, 31, 64, 65, 130)
"""Where several sizes are multiplied with each other."""
_UNLIKE = ((65, 33, 17, 5), (16, 64, 32, 8), (3, 130, 66, 10))
"""Sizes that differ, so that one cannot stand for another."""


@dataclass(frozen=True)
class SeedOptions:
    """What the user says about a file that its text does not.

    Attributes:
        entry: Function or kernel to call; the only one when empty.
        extents: Elements of a buffer by parameter, as sizes; measured where nothing is said.
        outputs: Buffers that are written and not read.
        grid: For a kernel, its grid as one to three sizes.
        block: For a kernel, its block.
        shared_bytes: For a kernel, its dynamic LDS.
        cases: Values of scalars, one mapping a case; sizes around wavefronts when empty.
        constants: Values of scalars that all cases share.
        arguments: Compiler arguments.
    """

    entry: str = ""
    extents: Mapping[str, str] = field(default_factory=dict)
    outputs: Sequence[str] = ()
    grid: Sequence[str] = ()
    block: Sequence[str] = ("256",)
    shared_bytes: str = "0"
    cases: Sequence[Mapping[str, Number]] = ()
    constants: Mapping[str, Number] = field(default_factory=dict)
    arguments: Sequence[str] = ()


def seed_task(
    source: Path, folder: Path, options: SeedOptions, failures: dict[str, str] | None = None
) -> Task:
    """Makes a task folder from a HIP file.

    Args:
        source: The file; it must be one unit that includes nothing of its own.
        folder: Where the task goes.
        options: What the file does not say.
        failures: Gets the cases that were made up here and in which the baseline does not run,
            with the reason; the task comes without them. They are an error where it is ``None``.

    Raises:
        UserError: The file does not parse, or something that is needed was not said.
    """
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source}: cannot be read: {error}") from error
    source = source.resolve()
    for name in _OWN_INCLUDE.findall(text):
        if (source.parent / name).is_file():
            raise UserError(
                f"{source.name} includes {name}, which would not be in the task; put its text into "
                f"{source.name}"
            )
    offered = _choose(read_signatures(source, options.arguments), options.entry, source)
    known = [p.name for p in offered.parameters]
    for name in (*options.extents, *options.outputs):
        if name not in known:
            raise UnknownName("parameter", name, known, hint=f"of {offered.name}")
    parameters = tuple(_parameter(one, options, offered) for one in offered.parameters)
    unknown = [p.name for p in parameters if p.kind == "buffer" and not p.extent]
    task = Task(
        task=source.stem,
        tool_version=__version__,
        entry=Entry(kind="kernel" if offered.kind == "kernel" else "function", name=offered.name),
        parameters=parameters,
        launch=_launch(offered, options),
        cases=_cases(parameters, options, unknown),
        tolerance=_tolerances(parameters),
        source=Provenance(
            origin="file", name=source.name, sha256=hashlib.sha256(text.encode()).hexdigest()
        ),
    )
    if unknown:
        # The verifier's program runs the baseline; a task on disk needs it only here.
        from kernels.task.measure import measure_extents

        task = measure_extents(
            task, source, unknown, options.arguments,
            failures=None if options.cases else failures,
        )  # fmt: skip
    save_task(task, folder, text, binding_source(task))
    return task


def _choose(found: Sequence[Offered], wanted: str, source: Path) -> Offered:
    if wanted:
        for one in found:
            if wanted in (one.name, one.name.split("::")[-1]):
                return one
        raise UnknownName("entry", wanted, [one.name for one in found])
    functions = [one for one in found if one.kind == "function"]
    kernels = [one for one in found if one.kind == "kernel"]
    # A function that launches says how its kernels are launched; nothing has to be asked.
    for group in (functions, kernels):
        if len(group) == 1:
            return group[0]
        if group:
            names = ", ".join(one.name for one in group)
            raise UserError(f"{source.name} has several entries: {names}; choose one with --entry")
    raise UserError(
        f"{source.name} defines no kernel and no function that launches one (templates cannot be "
        "called as they are: add a function that launches an instantiation)"
    )


def _parameter(one: CParameter, options: SeedOptions, offered: Offered) -> Parameter:
    if one.kind == "stream":
        return Parameter(name=one.name, kind="stream")
    if not one.type:
        raise UserError(
            f"{offered.name}: parameter '{one.name}' is '{one.spelling}', which a task cannot make "
            "values for; wrap the call in a function with plain parameters"
        )
    whole = ELEMENT_TYPES[one.type].family == "int"
    low, high = (0, 9) if whole else (-1, 1)
    if one.kind == "scalar":
        return Parameter(
            name=one.name,
            kind="scalar",
            type=one.type,
            components=one.components,
            low=low,
            high=high,
        )
    role = "output" if one.name in options.outputs else "inout" if one.written else "input"
    return Parameter.model_validate(
        {
            "name": one.name, "kind": "buffer", "type": one.type, "components": one.components,
            "role": role, "extent": options.extents.get(one.name, ""), "low": low, "high": high,
        }
    )  # fmt: skip


def _launch(offered: Offered, options: SeedOptions) -> Launch | None:
    if offered.kind != "kernel":
        return None
    if not options.grid:
        raise UserError(
            f"{offered.name} is a kernel and nothing in the file launches it; say how with --grid, "
            "for instance --grid '(n + 255) / 256' --block 256"
        )
    return Launch(
        grid=_three(options.grid), block=_three(options.block), shared_bytes=options.shared_bytes
    )


def _three(sizes: Sequence[str]) -> tuple[str, str, str]:
    filled = [*sizes, "1", "1"][:3]
    return filled[0], filled[1], filled[2]


def _cases(
    parameters: Sequence[Parameter], options: SeedOptions, unknown: Sequence[str]
) -> tuple[Case, ...]:
    scalars = [p for p in parameters if p.kind == "scalar"]
    extents = [p.extent for p in parameters if p.extent]
    sized = {name for text in extents for name in names_in(text)}
    if unknown:
        # Nothing says which scalars are sizes: every whole number may be one.
        sized |= {p.name for p in scalars if p.element.family == "int"}
    for text in (*options.grid, *options.block, options.shared_bytes):
        sized |= names_in(text)
    fixed = {p.name: options.constants.get(p.name, _usual(p)) for p in scalars}
    chosen: list[Mapping[str, Number]] = list(options.cases)
    if not chosen:
        free = [p.name for p in scalars if p.name in sized and p.name not in options.constants]
        chosen = list(_made_up(free))
    cases = []
    for number, values in enumerate(chosen):
        for name in values:
            if name not in fixed:
                raise UnknownName("scalar", name, fixed)
        label = ",".join(f"{name}={value}" for name, value in values.items()) or "only"
        cases.append(
            Case(
                name=label,
                scalars={**fixed, **values},
                seed=number,
                extents=dict.fromkeys(unknown, 0),
            )
        )
    return tuple(cases)


def _made_up(free: Sequence[str]) -> Iterator[Mapping[str, Number]]:
    if len(free) < 2:
        yield from [dict.fromkeys(free, size) for size in _SIZES] if free else [{}]
        return
    for size in _FEWER:
        yield dict.fromkeys(free, size)
    for row in _UNLIKE:
        yield {name: row[place % len(row)] for place, name in enumerate(free)}


def _usual(parameter: Parameter) -> Number:
    # Neither 0 nor 1, which would hide a factor that was left out.
    return 3 if parameter.element.family in ("int", "bool") else 1.5


def _tolerances(parameters: Sequence[Parameter]) -> dict[str, Tolerance]:
    names = {p.type for p in parameters if p.kind == "buffer"}
    return {
        name: Tolerance(
            relative=ELEMENT_TYPES[name].tolerance[0], absolute=ELEMENT_TYPES[name].tolerance[1]
        )
        for name in sorted(names)
    }
