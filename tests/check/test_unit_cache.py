"""Compiled units are found again, and only while nothing has changed."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from extractor.check.build import build
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

from .conftest import make_units

FILES = {
    "shape.hpp": "inline int area(int x) { return x * x; }\n",
    "a.cpp": '#include "shape.hpp"\nextern "C" int a() { return area(2); }\n',
    "b.cpp": '#ifdef WITH_MORE\nint more();\nextern "C" int b() { return more(); }\n'
    '#else\nextern "C" int b() { return 0; }\n#endif\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


@pytest.fixture
def units(toolchain: Toolchain, cache_folder: Path, root: Path) -> list[Unit]:
    return make_units(toolchain, root, FILES)


def counts(units: list[Unit], root: Path, toolchain: Toolchain, jobs: int = 1) -> tuple[int, int]:
    built = build(units, root, toolchain, jobs=jobs)
    assert not built.failed
    return built.compiled, built.cached


def rewrite(file: Path, text: str) -> None:
    before = file.stat().st_mtime_ns
    file.write_text(text)
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_a_second_run_compiles_nothing_and_answers_the_same(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    first = build(units, root, toolchain)
    second = build(units, root, toolchain)
    assert (first.compiled, first.cached, second.compiled, second.cached) == (2, 0, 0, 2)
    assert first.program.bound == second.program.bound


def test_workers_give_what_one_process_gives_in_build_order(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    many = build(units, root, toolchain, jobs=2)
    one = build(units, root, toolchain)
    assert many.program.units == ["a.cpp", "b.cpp"]
    assert many.program.bound == one.program.bound


def test_a_changed_header_compiles_what_includes_it_and_nothing_else(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    assert counts(units, root, toolchain) == (2, 0)
    rewrite(root / "shape.hpp", "inline int area(int x) { return x + x; }\n")
    assert counts(units, root, toolchain) == (1, 1)


def test_a_touched_file_with_the_same_content_compiles_nothing(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    assert counts(units, root, toolchain) == (2, 0)
    rewrite(root / "shape.hpp", FILES["shape.hpp"])
    assert counts(units, root, toolchain) == (0, 2)


def test_a_macro_compiles_the_units_that_spell_it_and_nothing_else(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    other = make_units(toolchain, root, FILES, "-DWITH_MORE")
    assert counts(units, root, toolchain) == (2, 0)
    assert counts(other, root, toolchain) == (1, 1)
    assert counts(units, root, toolchain) == (0, 2)
    assert counts(other, root, toolchain) == (0, 2)
    assert build(other, root, toolchain).program.find("_Z4morev") is None
    (b,) = build(other[1:], root, toolchain).program.exported()
    assert b == "b"


def test_a_flag_that_is_no_macro_compiles_everything(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    assert counts(units, root, toolchain) == (2, 0)
    assert counts(make_units(toolchain, root, FILES, "-fno-exceptions"), root, toolchain) == (2, 0)


def test_a_record_cut_short_is_made_again(
    units: list[Unit], root: Path, toolchain: Toolchain, cache_folder: Path
) -> None:
    assert counts(units, root, toolchain) == (2, 0)
    record = sorted((cache_folder / "ir").rglob("*.ir"))[0]
    record.write_bytes(record.read_bytes()[:40])
    assert counts(units, root, toolchain) == (1, 1)


def test_a_unit_that_failed_is_tried_again(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    rewrite(root / "b.cpp", "nonsense\n")
    built = build(units, root, toolchain)
    assert (built.compiled, set(built.failed)) == (1, {"b.cpp"})
    rewrite(root / "b.cpp", FILES["b.cpp"])
    assert counts(units, root, toolchain) == (1, 1)


def test_device_units_are_not_the_checks_business(
    units: list[Unit], root: Path, toolchain: Toolchain
) -> None:
    device = [Unit(u.path, u.config, "device", u.arguments, u.group) for u in units]
    assert counts(device, root, toolchain) == (0, 0)


def test_a_killed_run_goes_on_where_it_stopped(
    toolchain: Toolchain, cache_folder: Path, root: Path
) -> None:
    files = {f"u{n}.cpp": f'extern "C" int u{n}() {{ return {n}; }}\n' for n in range(6)}
    units = make_units(toolchain, root, files)
    # What the killed run is given, and what it runs.
    handed = pickle.dumps((units, root, toolchain))
    run = "import pickle, sys; from extractor.check.build import build\n"
    run += "build(*pickle.load(sys.stdin.buffer))\n"
    with subprocess.Popen([sys.executable, "-c", run], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(handed)
        process.stdin.close()
        while process.poll() is None and not list((cache_folder / "ir").rglob("*.ir")):
            time.sleep(0.01)
        process.kill()
    resumed = build(units, root, toolchain)
    assert resumed.cached >= 1
    assert resumed.compiled + resumed.cached == len(units)
    shutil.rmtree(cache_folder)
    assert build(units, root, toolchain).program.bound == resumed.program.bound
