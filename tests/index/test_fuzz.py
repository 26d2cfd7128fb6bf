"""Random rule files and random source trees: a right answer or one clear error."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractor.commands import listing
from extractor.errors import RocQuarryError
from extractor.index.closure import Closures
from extractor.index.names import definitions, mentions, stems
from extractor.project import Project
from extractor.source.tree import SourceTree
from extractor.source_text import SourceText
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

SLOW = settings(
    deadline=None,
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
QUICK = settings(SLOW, max_examples=150)


# --- rule files ------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["a", "lib", "**/*.cpp", "src/*.hip", "{tree}", "{prefix}/include", "{generated}", "{nope}",
     "-DX=1", "-I.", "pond_*", "*", "", "../up", "/etc", "{a,b}", "[", "é", "c++17", "c++99", "()"]
)  # fmt: skip
LISTS = st.lists(WORDS, max_size=3)
TABLES = {
    "source": {"folder": st.just("."), "leave_out": LISTS, "subfolders": LISTS},
    "compile": {"standard": WORDS, "flags": LISTS, "include": LISTS, "order": LISTS,
                "target": WORDS},
    "entry_points": {"headers": LISTS, "names": LISTS, "exclude": LISTS, "marker": WORDS,
                     "undeclared": st.booleans()},
    "families": {"prefixes": LISTS, "drop": LISTS, "precisions": LISTS, "stems": LISTS},
    "version": {"file": WORDS, "pattern": WORDS, "release": WORDS},
}  # fmt: skip
ARRAYS = {
    "units": {"files": LISTS, "exclude": LISTS, "flags": LISTS, "configurations": LISTS},
    "configurations": {"name": WORDS, "flags": LISTS},
    "disallow": {"name": WORDS, "file": WORDS, "reason": WORDS},
    "boundaries": {"name": WORDS, "library": WORDS},
    "excluded_units": {"files": LISTS, "library": WORDS, "reason": WORDS},
}


@st.composite
def rule_files(draw: st.DrawFn) -> str:
    """Rule files whose keys are known, and whose values are anything of the right kind."""
    lines = ['name = "random"']
    for table, keys in TABLES.items():
        if draw(st.booleans()):
            lines.append(f"[{table}]")
            lines += [
                f"{key} = {json.dumps(draw(values))}"
                for key, values in keys.items()
                if draw(st.booleans())
            ]
    for table, keys in ARRAYS.items():
        for _ in range(draw(st.integers(0, 2))):
            lines.append(f"[[{table}]]")
            lines += [f"{key} = {json.dumps(draw(values))}" for key, values in keys.items()]
    return "\n".join(lines) + "\n"


@QUICK
@given(text=rule_files())
def test_every_rule_file_lists_its_interfaces_or_is_one_error(
    text: str, in_shared_cache: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "ruled"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "src" / "a.cpp").write_text('extern "C" void pond_a() {}\n')
    (folder / "src" / "a.h").write_text('extern "C" void pond_a();\n')
    rules = folder / "rules.toml"
    rules.write_text(text, encoding="utf-8")
    try:
        project = Project(rules)
        rows = listing.rows(project)
        for config in project.configurations():
            project.units(config, "host")
    except RocQuarryError as error:
        said = str(error)
    else:
        said = "-"
        assert {row["interface"] for row in rows} == set(project.families())
    assert said.strip()
    assert "\n" not in said


# --- texts -----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [b"\n", b"\r\n", b"\r", b"\f", b"\x85", b"\x1c", b"\xff\xfe", b"\x00", "é".encode(),
     b"\xe2\x80", b"int f() {}", b"/*", b"*/", b"//", b'"', b"'", b"\\", b"#if 1", b"R\"(",
     b")\"", b"  ", b"f(", b"template <", b"<<<", b">>>", b"\t"]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.binary(max_size=6), max_size=30).map(b"".join)


@QUICK
@given(data=TEXTS, first=st.integers(1, 20), more=st.integers(0, 20))
def test_spans_hash_the_bytes_of_their_lines(
    data: bytes, first: int, more: int, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(data)
    text = SourceText(tmp_path)
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    assert text.lines("f") == lines
    chosen = b"".join(lines[first - 1 : first + more])
    span = text.span("f", first, first + more)
    assert span.sha256 == hashlib.sha256(chosen).hexdigest()
    assert text.text("f", first, first + more) == chosen.decode("utf-8", errors="replace")


@QUICK
@given(data=TEXTS, begin=st.integers(0, 120), length=st.integers(0, 60))
def test_slices_are_the_bytes_between_two_places(
    data: bytes, begin: int, length: int, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(data)
    end = min(begin + length, len(data))
    expected = data[begin:end].decode("utf-8", errors="replace")
    assert SourceText(tmp_path).slice("f", min(begin, len(data)), end) == expected


@QUICK
@given(data=TEXTS)
def test_any_text_is_searched_for_names(data: bytes) -> None:
    for lines in definitions(data).values():
        assert all(1 <= line <= data.count(b"\n") + 1 for line in lines)
    assert not mentions(data, b"a_name_that_is_not_there")
    assert mentions(data + b"\nname\n", b"name")


@QUICK
@given(name=st.from_regex(r"[a-z_][a-z0-9_]{0,30}", fullmatch=True))
def test_stems_are_ever_shorter_beginnings_of_a_name(name: str) -> None:
    found = list(stems(name))
    assert found[0] == name
    assert all(name.startswith(stem) and stem for stem in found)
    assert [len(stem) for stem in found] == sorted({len(stem) for stem in found}, reverse=True)


# --- includes --------------------------------------------------------------------------------

FOLDERS = ("", "a/", "a/b/", "c/")
ENDINGS = ("\n", "\r\n", "")


@st.composite
def include_trees(draw: st.DrawFn) -> dict[str, bytes]:
    """Files that include one another in any spelling, in circles as well."""
    names = [f"{draw(st.sampled_from(FOLDERS))}h{number}.h" for number in range(6)]
    files = {}
    for name in ["main.cpp", *names]:
        lines = ["#pragma once"]
        for other in draw(st.lists(st.sampled_from(names), max_size=3)):
            relative = os.path.relpath(other, Path(name).parent)
            spelled = draw(
                st.sampled_from([other, relative, f"./{relative}", f"a/../{other}", "none.h"])
            )
            mark = draw(st.sampled_from(['#include "{}"', "#include <{}>", '  #  include "{}" //']))
            condition = draw(st.sampled_from(["", "#if 0", "#ifdef X", "#if __has_include(<x>)"]))
            lines += [condition, mark.format(spelled), "#endif" if condition else ""]
        text = draw(st.sampled_from(ENDINGS[:2])).join(lines) + draw(st.sampled_from(ENDINGS))
        files[name] = text.encode()
    return files


@settings(SLOW, max_examples=25)
@given(files=include_trees())
def test_a_closure_holds_whatever_the_compiler_reads(
    files: dict[str, bytes], toolchain_of_the_machine: Toolchain, tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    arguments = (f"-I{root}", f"-I{root}/a")
    unit = Unit("main.cpp", "source", "host", arguments, "g")
    tree = SourceTree(root, "t", "1", "c", "MIT", "folder", "k", tmp_path / "generated")
    closure = Closures(tree, toolchain_of_the_machine).files_of(unit)
    command = [*toolchain_of_the_machine.clang, "-x", "c++", "-nostdinc", "-M", "-MG", *arguments]
    done = subprocess.run(
        [*command, str(root / "main.cpp")], capture_output=True, text=True, check=True
    )
    read = done.stdout.replace("\\\n", " ").partition(":")[2].split()
    inside = {os.path.normpath(name) for name in read if Path(name).is_file()}
    assert inside <= closure
    assert all(name.startswith(f"{root}/") for name in closure)


@pytest.fixture(scope="session")
def toolchain_of_the_machine(product_cache: Path) -> Toolchain:
    from extractor.toolchain.find import find

    return find()


# --- whole programs --------------------------------------------------------------------------


class Program:
    """A random HIP library whose every answer is known from how it was made.

    Functions call functions of lower number; some launch the kernel of their own number. Each
    stands in a unit of its own file, or inline in a header, in text of any layout.
    """

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.end = chance.choice(["\n", "\r\n"])
        self.count = chance.randint(3, 9)
        self.calls: list[list[tuple[int, bool]]] = []
        for number in range(self.count):
            below = chance.sample(range(number), min(number, chance.randint(0, 3)))
            self.calls.append([(other, chance.random() < 0.2) for other in below])
        self.launches = [chance.random() < 0.6 for _ in range(self.count)]
        self.inline = [chance.random() < 0.4 for _ in range(self.count)]
        self.template = [chance.random() < 0.4 and self.inline[n] for n in range(self.count)]
        self.names = [
            chance.choice(["step", "größe", "x_", "Δ"]) + str(n) for n in range(self.count)
        ]
        self.chance = chance

    def files(self) -> dict[str, bytes]:
        everything = "".join(f'#include "h{n}.hpp"\n' for n in range(self.count))
        files = {"all.hpp": "#pragma once\n" + everything, "empty.cpp": "", "empty.hpp": ""}
        for number in range(self.count):
            head = "#pragma once\n#include <hip/hip_runtime.h>\n"
            body = self._function(number)
            if self.inline[number]:
                below = "".join(f'#include "h{o}.hpp"\n' for o, _ in self.calls[number])
                files[f"h{number}.hpp"] = head + below + body
            else:
                files[f"h{number}.hpp"] = head + f"void {self.names[number]}(int* x);\n"
                files[f"u{number}.cpp"] = self._noise() + '#include "all.hpp"\n' + body
        entries = "".join(
            f'extern "C" void e_{n}(int* x) {{ {self._called(n)}(x); }}\n'
            for n in range(self.count)
        )
        files["entries.cpp"] = '#include "all.hpp"\n#include "empty.hpp"\n' + entries
        files["entries.h"] = "".join(f"void e_{n}(int* x);\n" for n in range(self.count))
        encoded = {}
        for name, text in files.items():
            data = text.replace("\n", self.end).encode()
            encoded[name] = data.rstrip() if self.chance.random() < 0.3 else data
        return encoded

    def _called(self, number: int) -> str:
        return self.names[number] + ("<int>" if self.template[number] else "")

    def _noise(self) -> str:
        return self.chance.choice(["", "// \\\n still a remark\n", "/* \f\v * é */\n", "\n\n\n"])

    def _function(self, number: int) -> str:
        lines = []
        if self.template[number]:
            lines.append("template <typename T>")
        elif self.inline[number]:
            lines.append("inline")
        kernel = (
            f"__global__ inline void kernel_{number}(int* x) {{ *x = {number}; }}\n"
            if self.launches[number]
            else ""
        )
        lines.append(f"void {self.names[number]}(int* x) {{")
        for other, dead in self.calls[number]:
            lines.append(f"{'if(false) ' if dead else ''}{self._called(other)}(x);")
        if self.launches[number]:
            lines.append(f"kernel_{number}<<<{number + 1}, 1>>>(x);")
        lines.append("}")
        gap = self.chance.choice([" ", "\n", "\n\t", "/* */"])
        return kernel + gap.join(lines) + "\n"

    def kernels(self, number: int) -> set[str]:
        """Kernels that an entry point can launch."""
        seen: set[int] = set()
        stack = [number]
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                stack += [other for other, dead in self.calls[at] if not dead]
        return {f"kernel_{n}" for n in seen if self.launches[n]}


RULES = """\
name = "random"
precompiled = ["<hip/hip_runtime.h>"]
[source]
folder = "."
[[units]]
files = ["*.cpp"]
[entry_points]
headers = ["entries.h"]
"""


@SLOW
@given(seed=st.integers(0, 2**32 - 1))
def test_random_libraries_have_the_answers_they_were_made_with(
    seed: int, quick_cache: Path, tmp_path: Path
) -> None:
    program = Program(seed)
    folder = tmp_path / "random"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in program.files().items():
        (folder / name).write_bytes(data)
    (folder / "rules.toml").write_text(RULES)
    project = Project(folder / "rules.toml", jobs=1)
    builder = project.builder(("source",), None, device=False)
    assert builder.graphs[0].failed == ()
    for number in range(program.count):
        whole: Any = builder.build(f"e_{number}", [f"e_{number}"])
        names = {i.id: f.name for f in whole.functions for i in f.instantiations}
        reached = {names[one] for one in whole.per_entry[f"e_{number}"]["source"]}
        assert reached == program.kernels(number)
        assert whole.unresolved == ()
        alone = project.builder(("source",), [f"e_{number}"], device=False)
        assert alone.build(f"e_{number}", [f"e_{number}"]) == whole
    project.store.close()
