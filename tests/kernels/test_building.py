"""The cache of builds, and what is read from objects of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpu_program import HIP

from extractor.code_object.elf import Elf
from extractor.errors import UnitError
from kernels.building import cache
from kernels.building.step import BuildError
from kernels.cpu import precompiled
from kernels.cpu.build import compile_unit, link
from kernels.isolation import Limits, run


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _compile(source: Path, header: Path, flag: str = "-O2") -> tuple[str, bool]:
    def make(folder: Path) -> list[Path]:
        (folder / "out").write_text(source.read_text() + header.read_text() + flag)
        return [source, header]

    folder, found = cache.compiled(("test", flag), source, make)
    return (folder / "out").read_text(), found


def test_a_build_is_found_by_content_flags_and_headers(own_cache: Path, tmp_path: Path) -> None:
    source, header = tmp_path / "a.hip", tmp_path / "a.h"
    source.write_text("a")
    header.write_text("1")
    assert _compile(source, header) == ("a1-O2", False)
    assert _compile(source, header) == ("a1-O2", True)
    assert _compile(source, header, "-O3") == ("a1-O3", False)
    header.write_text("22")
    assert _compile(source, header) == ("a22-O2", False)
    header.write_text("1")
    assert _compile(source, header) == ("a1-O2", True)
    source.write_text("b")
    assert _compile(source, header) == ("b1-O2", False)


def test_a_build_is_never_found_by_its_name(own_cache: Path, tmp_path: Path) -> None:
    header = tmp_path / "a.h"
    header.write_text("1")
    for number, text in enumerate(("x", "y")):
        source = tmp_path / str(number) / "candidate.hip"
        source.parent.mkdir()
        source.write_text(text)
        assert _compile(source, header) == (f"{text}1-O2", False)
    elsewhere = tmp_path / "renamed.hip"
    elsewhere.write_text("x")
    assert _compile(elsewhere, header) == ("x1-O2", True)


def test_a_build_that_fails_leaves_nothing(own_cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text("a")

    def fail(folder: Path) -> list[Path]:
        (folder / "half").write_text("made")
        raise UnitError("no")

    for _ in range(2):
        with pytest.raises(UnitError):
            cache.compiled(("test",), source, fail)
    assert not list(own_cache.rglob("half"))


def test_a_missing_symbol_is_a_build_error(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\nvoid elsewhere(int*);\n"
        "__global__ void k(int* x) { *x = 1; }\n"
        "void run(int* x) { k<<<1, 1>>>(x); elsewhere(x); }\n"
    )
    unit = compile_unit(source)
    assert unit.kernels == ("_Z1kPi",)
    with pytest.raises(BuildError, match="elsewhere"):
        link(unit.objects, tmp_path / "a.so")


def test_a_folder_that_is_named_from_here_is_linked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = compile_unit(HIP / "saxpy.hip")
    monkeypatch.chdir(tmp_path)
    output = Path("out/of/it.so")
    output.parent.mkdir(parents=True)
    link(unit.objects, output)
    assert output.is_file()


def test_objects_of_this_machine_are_read() -> None:
    unit = compile_unit(HIP / "saxpy.hip")
    elf = Elf(unit.objects[0].read_bytes())
    names = {symbol.name: symbol for symbol in elf.symbols}
    assert names["_Z5saxpyifPKfPf"].defined
    assert not names["hipLaunchByPtr"].defined
    assert any(symbol.name == "hipLaunchByPtr" for _, symbol in elf.references())


def test_what_is_no_elf_file_is_refused() -> None:
    with pytest.raises(UnitError):
        Elf(b"\x7fELF\x01\x01")


def test_units_of_one_program_keep_their_kernels_apart(tmp_path: Path) -> None:
    units = [compile_unit(HIP / f"{name}_unit.hip") for name in ("first", "second")]
    program = tmp_path / "program"
    link([path for unit in units for path in unit.objects], program, shared=False)
    done = run([str(program)], Limits(wall_seconds=20), folder=tmp_path)
    assert (done.stdout, done.stderr) == ("22\n", "")


def test_precompiled_headers_change_nothing(tmp_path: Path) -> None:
    # A flag of the language, for which they are not used.
    plain = compile_unit(HIP / "saxpy.hip", ("-fno-strict-return",))
    fast = compile_unit(HIP / "saxpy.hip")
    assert not precompiled.suits(("-fno-strict-return",))
    assert precompiled.suits(("-DNAME=1", "-I/x", "-idirafter", "/y", "-O1"))
    kept = [Elf(unit.objects[0].read_bytes()) for unit in (plain, fast)]
    names = [{symbol.name for symbol in elf.symbols if symbol.defined} for elf in kept]
    assert names[0] == names[1]


def test_an_instruction_that_only_amds_gpus_have_is_named(tmp_path: Path) -> None:
    source = tmp_path / "matrix.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\n"
        "typedef float four __attribute__((ext_vector_type(4)));\n"
        "__global__ void k(const float* a, four* c) {\n"
        "  *c = __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], a[1], *c, 0, 0, 0);\n}\n"
    )
    wanted = "matrix.hip:4:8: __builtin_amdgcn_mfma_f32_16x16x4f32 is an instruction of AMD GPUs"
    with pytest.raises(BuildError, match=wanted):
        compile_unit(source)
