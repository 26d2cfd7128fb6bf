"""Help answers at once, and is complete."""

from __future__ import annotations

import json
import subprocess
import sys

import typer.main
from opened_libraries import Extract

from extractor import __version__
from extractor.cli import app

# Pydantic is not among them: typer itself may load it. What of ours needs it is.
HEAVY = (
    "clang", "networkx", "rich", "tree_sitter", "tree_sitter_cpp", "git", "jinja2",
    "openai", "torch", "numpy", "sqlite3", "extractor.project", "extractor.records",
    "extractor.rules", "qa", "kernels",
)  # fmt: skip


def loaded_by(*arguments: str) -> set[str]:
    """Heavy modules that a run of the command has loaded when it ends."""
    program = (
        "import json, sys\n"
        f"sys.argv = ['extract', *{arguments!r}]\n"
        "from extractor.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print('\\0' + json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules = json.loads(done.stdout.partition("\0")[2])
    return {name for name in modules if name in HEAVY}


def test_help_loads_neither_compiler_nor_graphs() -> None:
    assert loaded_by("--help") == set()
    assert loaded_by("--version") == set()


def test_the_package_itself_loads_nothing() -> None:
    program = "import json, sys, extractor; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert set(json.loads(done.stdout)) & {*HEAVY, "typer", "pydantic"} == set()


def test_every_option_has_a_sentence() -> None:
    command = typer.main.get_command(app)
    for parameter in command.params:
        assert (getattr(parameter, "help", "") or "").rstrip().endswith("."), parameter.name


def test_help_shows_examples(extract: Extract) -> None:
    done = extract("--help")
    assert done.returncode == 0
    for example in (
        "extract rocblas --interface gemm",
        "extract rocsolver --interface getrf --view",
        "extract my-rules.toml --interface foo",
        "extract --doctor",
    ):
        assert example in done.stdout


def test_version(extract: Extract) -> None:
    assert extract("--version").stdout == f"rocquarry {__version__}\n"
