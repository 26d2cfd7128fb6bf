"""Compilation databases: what is kept of a command, and projects that live by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.compile_commands import find_database, read_database
from extractor.errors import RuleError, UserError
from extractor.folder_project import open_folder
from extractor.project import Project


def database(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "compile_commands.json"
    file.write_text(json.dumps(list(rows)))
    return file


def row(folder: Path, file: str, command: str) -> dict[str, Any]:
    return {"directory": str(folder), "file": file, "command": command}


def test_only_what_shapes_the_text_is_kept(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "pre.h").touch()
    file = database(
        tmp_path,
        row(
            tmp_path,
            "a.cpp",
            "ccache /opt/rocm/bin/hipcc -DA='x y' -D B=2 -Iinc -isystem /sys/inc -include pre.h "
            "-std=gnu++20 -O3 -g -Wall -fPIC -MD -MT a.o -MF a.d --offload-arch=gfx90a "
            "--gpu-max-threads-per-block=256 -Xclang -x -o a.o -c a.cpp",
        ),
    )
    found = read_database(file, tmp_path)
    (command,) = found.commands
    assert (command.path, command.language, command.standard) == ("a.cpp", "hip", "gnu++20")
    assert command.flags == (
        "-DA=x y", "-DB=2", f"-I{tmp_path}/inc", "-isystem", "/sys/inc",
        "-include", f"{tmp_path}/pre.h", "--gpu-max-threads-per-block=256",
    )  # fmt: skip
    assert {"-o", "-O", "-W", "-g", "-MF", "--offload-arch"} <= found.dropped.keys()


@pytest.mark.parametrize(
    ("command", "language"),
    [
        ("hipcc -c {}", "hip"),
        ("amdclang++ -x hip -c {}", "hip"),
        ("clang++ -xhip -c {}", "hip"),
        ("nvcc -x cu -c {}", "cuda"),
        ("nvcc --define-macro X -c {}", "cuda"),
        ("g++ -c {}", "c++"),
    ],
)
def test_the_language_is_the_compiler_s(tmp_path: Path, command: str, language: str) -> None:
    file = database(tmp_path, row(tmp_path, "a.cpp", command.format("a.cpp")))
    assert read_database(file, tmp_path).commands[0].language == language


def test_response_files_and_argument_lists(tmp_path: Path) -> None:
    (tmp_path / "flags.rsp").write_text("-DFROM_FILE -I sub\n")
    file = database(
        tmp_path,
        {"directory": ".", "file": "a.cu", "arguments": ["nvcc", "@flags.rsp", "-c", "a.cu"]},
    )
    (command,) = read_database(file, tmp_path).commands
    assert command.flags == ("-DFROM_FILE", f"-I{tmp_path}/sub")


def test_files_outside_and_second_commands_are_listed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    file = database(
        tree,
        row(tree, "a.cpp", "hipcc -DFIRST -c a.cpp"),
        row(tree, "../b.cpp", "hipcc -c ../b.cpp"),
        row(tree, "./a.cpp", "hipcc -DSECOND -c a.cpp"),
    )
    found = read_database(file, tree)
    assert [command.flags for command in found.commands] == [("-DFIRST",)]
    assert found.outside == (f"{tmp_path}/b.cpp",)
    assert found.repeated == ("a.cpp",)


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"file": "a.cpp"}]', '[{"command": "x"}]'])
def test_what_is_no_database(tmp_path: Path, text: str) -> None:
    file = tmp_path / "compile_commands.json"
    file.write_text(text)
    with pytest.raises(RuleError, match=str(file)):
        read_database(file, tmp_path)


@pytest.fixture
def built_tree(tmp_path: Path) -> Path:
    """A library whose build, in a folder outside, made a header."""
    tree, build = tmp_path / "tree", tmp_path / "build"
    for folder in (tree / "src", tree / "include", build / "made"):
        folder.mkdir(parents=True)
    (tree / "include" / "one.h").write_text('extern "C" int one_run(float* x);\n')
    (tree / "src" / "one.cpp").write_text(
        '#include <hip/hip_runtime.h>\n#include "one.h"\n#include "size.h"\n'
        "template <int N> __global__ void fill(float* x) { x[threadIdx.x] = N; }\n"
        'extern "C" int one_run(float* x) { fill<SIZE><<<1, SIZE>>>(x); return 0; }\n'
    )
    (tree / "src" / "unbuilt.cpp").write_text("#error not compiled\n")
    (build / "made" / "size.h").write_text("#define SIZE 64\n")
    command = f"hipcc -I{tree}/include -I{build}/made -O2 -o one.o -c {tree}/src/one.cpp"
    database(build, row(build, f"{tree}/src/one.cpp", command))
    return tree


def kernels(project: Project) -> set[str]:
    names = project.resolve("one_run")
    scope = project.builder(("source",), names).build("one_run", names)
    assert scope.failed_units == ()
    return {
        argument
        for function in scope.functions
        if function.kind == "kernel"
        for instantiation in function.instantiations
        for argument in instantiation.template_arguments
    }


def test_a_folder_with_its_build(in_shared_cache: Path, built_tree: Path) -> None:
    build = built_tree.parent / "build"
    opened = open_folder(str(built_tree), database=build / "compile_commands.json")
    project = Project(opened.rule, source=opened.source)
    assert [unit.path for unit in project.units("source", "host")] == ["src/one.cpp"]
    assert kernels(project) == {"64"}
    before = project.state
    # A header that the build writes anew is another index, wherever the build folder is.
    (build / "made" / "size.h").write_text("#define SIZE 32\n")
    again = Project(opened.rule, source=opened.source)
    assert again.state != before
    assert kernels(again) == {"32"}


def test_a_folder_that_nothing_describes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="extract --init"):
        open_folder(str(tmp_path))


def test_the_database_of_a_build_folder_is_found(tmp_path: Path) -> None:
    assert find_database(tmp_path) is None
    (tmp_path / "build").mkdir()
    file = database(tmp_path / "build")
    assert find_database(tmp_path) == file
