"""``kernels call``: one call of a library, kernels and all, on the CPU runtime."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from extractor.errors import UserError


def call(
    project: Annotated[
        str,
        typer.Argument(metavar="PROJECT", help="rocblas, rocsolver, or the path of a rule file."),
    ],
    entry: Annotated[str, typer.Argument(metavar="ENTRY", help="The entry point.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=VALUE…]", help="Its arguments, and pointer_mode=host or device."
        ),
    ] = None,
    source: Annotated[
        str, typer.Option("--source", help="Folder or URL@REF instead of the pinned source.")
    ] = "",
    out: Annotated[Path, typer.Option("--out", help="Folder for the built library.")] = Path("out"),
    jobs: Annotated[
        int, typer.Option("--jobs", help="Compilers at once; the number of cores when 0.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Build an entry point for the CPU runtime, call it once, and say what it launched.

    Kernels run, so launches that hang on what kernels write are those of a real run; the result is
    held against the definition of the operation.

    Example: kernels call rocblas rocblas_saxpy n=1000 incx=2
    """
    from extractor.progress import Reporter
    from extractor.project import Project, output_folder
    from kernels.call.executed import execute_call

    args = _read(words or [])
    mode = str(args.pop("pointer_mode", "host"))
    if mode not in ("host", "device"):
        raise UserError(f"pointer_mode is host or device, not '{mode}'")
    opened = Project(project, source=source or None, jobs=jobs, reporter=Reporter(quiet=as_json))
    done = execute_call(opened, entry, args, output_folder(out, opened.rule.name, entry), mode=mode)
    if as_json:
        print(json.dumps(asdict(done)))
        return
    print(f"{done.entry} on the CPU runtime, as {done.arch}: {done.outcome}")
    print(f"  input {done.case}")
    for launch in done.launches:
        times = f" ({launch.repeat} times)" if launch.repeat > 1 else ""
        grid, block = (" x ".join(map(str, shape)) for shape in (launch.grid, launch.block))
        print(f"  {launch.kernel} grid {grid} block {block}{times}")


def _read(words: list[str]) -> dict[str, int | float | str]:
    values: dict[str, int | float | str] = {}
    for word in words:
        name, found, value = word.partition("=")
        if not found or not name or not value:
            raise UserError(f"'{word}' is no NAME=VALUE, such as m=300 or side=left")
        values[name] = value
        for kind in (int, float):
            try:
                values[name] = kind(value)
            except ValueError:
                continue
            break
    return values
