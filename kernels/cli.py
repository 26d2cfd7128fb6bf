"""The ``kernels`` command."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from extractor.console import run_console
from extractor.errors import RocQuarryError, UserError
from kernels.commands.call import call
from kernels.commands.seed_library import LibraryRequest, seed_library
from kernels.commands.transfer import export, import_, profile
from kernels.commands.verify import verify
from kernels.identity import require_own_package

app = typer.Typer(
    name="kernels",
    help="Build, run and judge HIP kernels, with or without a GPU.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command()
def backends(as_json: Json = False) -> None:
    """Say which backends can be used here, what each proves, and why one cannot.

    With it what stands between the programs that they run and this machine.

    Example: kernels backends
    """
    from kernels.backends import all_backends
    from kernels.isolation.sandbox import best_sandbox

    sandbox = best_sandbox()

    rows: list[dict[str, Any]] = []
    for backend in all_backends():
        found = backend.availability()
        rows.append(
            {
                "backend": backend.name, "usable": found.usable, "reason": found.reason,
                "hardware": found.hardware, "executes": backend.executes,
                "proves": list(backend.proves), "does_not_prove": list(backend.does_not_prove),
                "sandbox": sandbox.name if backend.executes else "",
            }
        )  # fmt: skip
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        state = f"usable: {row['hardware']}" if row["usable"] else f"not usable: {row['reason']}"
        print(f"{row['backend']:8} {state}")
        print(f"{'':8} proves {', '.join(row['proves'])}")
        if row["does_not_prove"]:
            print(f"{'':8} does not prove {', '.join(row['does_not_prove'])}")
    print(f"{'sandbox':8} {sandbox.describe()}")


@app.command()
def seed(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE.hip|PROJECT",
            help="A HIP file, or a library: rocblas, rocsolver, or the path of a rule file.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the task; of a library the output folder.")
    ] = Path("out"),
    interface: Annotated[
        str, typer.Option("--interface", "-i", help="Of a library: family or entry point.")
    ] = "",
    kernel: Annotated[
        str, typer.Option("--kernel", help="Of a library: only the kernel of this name.")
    ] = "",
    whole: Annotated[
        bool, typer.Option("--all", help="Of a library: the kernels of every interface.")
    ] = False,
    config: Annotated[
        str, typer.Option("--config", help="Of a library: a configuration, or all.")
    ] = "all",
    tasks: Annotated[
        bool, typer.Option("--tasks/--no-tasks", help="Of a library: make tasks, or slices only.")
    ] = True,
    library_source: Annotated[
        str, typer.Option("--source", help="Of a library: folder or URL@REF to take instead.")
    ] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", help="Of a library: units at once; number of cores when 0.")
    ] = 0,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="Of a library, where units are cut: local, or ray for a cluster."
        ),
    ] = "local",
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Json = False,
    entry: Annotated[
        str, typer.Option("--entry", help="Function or kernel to call, where the file has several.")
    ] = "",
    extent: Annotated[
        list[str] | None,
        typer.Option(
            "--extent",
            metavar="NAME=SIZE",
            help="Elements of a buffer; measured on the cpu backend when left out.",
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", metavar="NAME", help="A buffer that is written and never read."),
    ] = None,
    grid: Annotated[
        str, typer.Option("--grid", metavar="X[,Y[,Z]]", help="Grid of an entry that is a kernel.")
    ] = "",
    block: Annotated[
        str,
        typer.Option("--block", metavar="X[,Y[,Z]]", help="Block of an entry that is a kernel."),
    ] = "256",
    shared: Annotated[
        str,
        typer.Option("--shared", metavar="BYTES", help="Dynamic LDS of an entry that is a kernel."),
    ] = "0",
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            metavar="NAME=VALUE,…",
            help="One set of scalars; without it, sizes around wavefronts.",
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option("--value", metavar="NAME=VALUE", help="Value of a scalar in every case."),
    ] = None,
) -> None:
    """Make a task folder from a HIP file, or slices and tasks from a library's kernels.

    Sizes are whole-number expressions over the entry's scalars: (n + 255) / 256.

    Example: kernels seed saxpy.hip --out saxpy --extent x=n --extent y=n --grid '(n + 255) / 256'

    Of a library, writes OUT/PROJECT/slices/KERNEL (slice.json, baseline.hip) and
    OUT/PROJECT/tasks/KERNEL. Exit status 1: a kernel is not sliced, compiled or equal.

    Example: kernels seed rocblas --interface gemm --out out
    """
    if not Path(source).is_file() or source.endswith(".toml"):
        if not (interface or kernel or whole):
            raise UserError(
                f"{source}: there is no such file; of a library say --interface NAME, "
                "--kernel NAME or --all"
            )
        request = LibraryRequest(
            source, library_source, interface, kernel, config, jobs, tasks=tasks, engine=engine
        )
        seed_library(request, out, quiet=quiet, as_json=as_json)
    from kernels.task.seed import SeedOptions, seed_task

    options = SeedOptions(
        entry=entry,
        extents=dict(_pair(text, "--extent") for text in extent or ()),
        outputs=tuple(output or ()),
        grid=tuple(part for part in _parts(grid) if part),
        block=tuple(_parts(block)),
        shared_bytes=shared,
        cases=tuple(_numbers(text.split(","), "--case") for text in case or ()),
        constants=_numbers(value or (), "--value"),
    )
    failures: dict[str, str] = {}
    task = seed_task(Path(source), out, options, failures)
    print(f"{out}: {task.entry.kind} {task.entry.name}, {len(task.cases)} cases")
    for name, why in failures.items():
        print(f"  left out, since the kernel fails in it: {name}: {why}")


app.command()(verify)
app.command()(call)
app.command()(export)
app.command("import")(import_)
app.command()(profile)


@app.command()
def library(
    project: Annotated[
        str,
        typer.Argument(metavar="PROJECT", help="rocblas, rocsolver, or the path of a rule file."),
    ],
    interface: Annotated[
        str, typer.Option("--interface", "-i", help="Family, half of a twin, or one entry point.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the library.")] = Path("out"),
    backend: Annotated[
        str, typer.Option("--backend", help="What the library is built for; cpu is the only one.")
    ] = "cpu",
    config: Annotated[
        str,
        typer.Option("--config", help="Configuration; the first of the rule file when left out."),
    ] = "",
    wavefront: Annotated[
        int, typer.Option("--wavefront", help="Lanes of a wavefront: 64 or 32.")
    ] = 64,
    lockstep: Annotated[
        bool,
        typer.Option(
            "--lockstep/--no-lockstep",
            help="Run a wavefront as one instruction stream, as kernels of libraries expect; "
            "without, they run faster, and wrong where they leave barriers out.",
        ),
    ] = True,
    source: Annotated[
        str, typer.Option("--source", help="Folder or URL@REF instead of the pinned source.")
    ] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", help="Compilers at once; the number of cores when 0.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Build an interface of a library, host code and kernels, to be called on this machine.

    Writes OUT/PROJECT/INTERFACE/: a shared object with the real C interface, the runtime, and a
    Python module that loads both.

    Example: kernels library rocblas --interface axpy --backend cpu
    """
    from extractor.progress import Reporter
    from extractor.project import Project, output_folder
    from kernels.backends import get_backend
    from kernels.library import build_library

    if get_backend(backend).name != "cpu":
        raise UserError(f"--backend {backend}: a library can be built for cpu only")
    if wavefront not in (32, 64):
        raise UserError(f"--wavefront {wavefront}: a wavefront has 64 or 32 lanes")
    get_backend("cpu").require_usable()
    opened = Project(project, source=source or None, jobs=jobs, reporter=Reporter(quiet=as_json))
    made = build_library(
        opened, interface, output_folder(out, opened.rule.name, interface),
        config=config or None, wavefront=wavefront, lockstep=lockstep, jobs=jobs,
        progress=None if as_json else _say_unit,
    )  # fmt: skip
    if as_json:
        print(json.dumps({**asdict(made), "library": str(made.library)}, indent=1))
    else:
        print(f"{made.library}: {len(made.entry_points)} entry points, {made.kernels} kernels, "
              f"{len(made.units)} units, {made.seconds:.0f} s")  # fmt: skip
        for name in made.boundaries:
            print(f"  boundary {name}")
        for unit, why in made.failures.items():
            print(f"  not built {unit}: {why}")
    raise typer.Exit(1 if made.failures or not made.entry_points else 0)


def _say_unit(path: str, done: int, known: int) -> None:
    print(f"[{done}/{known}] {path}", file=sys.stderr)


def main() -> None:
    """Entry point of the console script."""
    try:
        require_own_package()
    except RocQuarryError as error:
        print(f"kernels: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    run_console(app, "kernels", "interrupted; what was finished is kept")


def _parts(text: str) -> list[str]:
    """Splits at commas outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _pair(text: str, option: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise UserError(f"{option} {text}: write NAME=VALUE")
    return name.strip(), value.strip()


def _numbers(texts: tuple[str, ...] | list[str], option: str) -> dict[str, int | float]:
    values: dict[str, int | float] = {}
    for text in texts:
        name, value = _pair(text, option)
        try:
            values[name] = int(value, 0)
        except ValueError:
            try:
                values[name] = float(value)
            except ValueError:
                raise UserError(f"{option} {text}: '{value}' is no number") from None
    return values


if __name__ == "__main__":
    main()
