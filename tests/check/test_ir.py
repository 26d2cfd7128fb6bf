"""The reader of IR text, on the shapes that clang prints rarely."""

from __future__ import annotations

import pytest

from extractor.check.ir import read_unit
from extractor.check.symbols import FORMAT, Definition, Mention, UnitSymbols, pack, unpack
from extractor.errors import StoreError

TEXT = """
@plain = global i32 1, align 4
@"quoted name" = internal constant ptr @target, align 8
@text = private unnamed_addr constant [9 x i8] c"@not @any\\00", align 1
@words = private unnamed_addr constant [9 x i8] c" an alias ", align 1
@fixed = constant i32 3, align 4
@__hip_cuid_12ab = addrspace(1) global i8 0
@weak = linkonce_odr global i32 0, comdat, align 4
@outside = external global i32, align 4
@other = alias void (), ptr @target
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } \
{ i32 65535, ptr @__cxx_global_var_init, ptr @weak }]

define internal void @__cxx_global_var_init() #0 comdat($weak) {
  %1 = call i32 @"quoted name"()
  ret void
}

define dso_local void @target(ptr %0) #0 personality ptr @__gxx_personality_v0 !dbg !10 {
  %1 = load i32, ptr @plain, align 4, !dbg !12
  call void asm sideeffect "call @nothing", "~{memory}"(), !dbg !12
  call void @llvm.memcpy.p0.p0.i64(ptr @plain, ptr @text, i64 9, i1 false), !dbg !12
  %2 = invoke i32 %1(ptr @passed)
          to label %3 unwind label %4, !dbg !12

4:
  %5 = landingpad { ptr, i32 }
          catch ptr @typeinfo
  invoke void @again()
          to label %3 unwind label %4, !dbg !13

3:
  call void @far(), !dbg !14
  ret void
}

declare void @again()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!1 = !DIFile(filename: "sub/../unit.cpp", directory: "/tree")
!2 = !DIFile(filename: "/tree/part.inc", directory: "/elsewhere")
!10 = distinct !DISubprogram(name: "target", scope: !1, file: !1, line: 7, flags: DIFlagArtificial)
!11 = !DILexicalBlockFile(scope: !10, file: !2, discriminator: 0)
!12 = !DILocation(line: 8, column: 3, scope: !10)
!13 = !DILocation(line: 9, column: 3, scope: !10)
!14 = !DILocation(line: 2, column: 3, scope: !11)
"""


@pytest.fixture(scope="module")
def unit() -> UnitSymbols:
    return read_unit(TEXT.encode().splitlines(keepends=True))


def definition(unit: UnitSymbols, symbol: str) -> Definition:
    return next(each for each in unit.definitions if each.symbol == symbol)


def test_linkage_and_kind_are_read(unit: UnitSymbols) -> None:
    found = {each.symbol: (each.kind, each.linkage) for each in unit.definitions}
    assert found == {
        "plain": ("variable", "strong"),
        "quoted name": ("variable", "internal"),
        "weak": ("variable", "weak"),
        "other": ("alias", "strong"),
        "__cxx_global_var_init": ("function", "internal"),
        "target": ("function", "strong"),
    }


def test_a_function_has_file_line_and_says_whether_text_spells_it(unit: UnitSymbols) -> None:
    target = definition(unit, "target")
    assert (target.file, target.line, target.artificial) == ("/tree/unit.cpp", 7, True)


def test_mentions_have_use_and_place_and_text_is_no_mention(unit: UnitSymbols) -> None:
    assert definition(unit, "target").mentions == (
        Mention("plain", "address", "/tree/unit.cpp", 8),
        Mention("passed", "address", "/tree/unit.cpp", 8),
        Mention("typeinfo", "address", "", 0),
        Mention("again", "call", "/tree/unit.cpp", 9),
        Mention("far", "call", "/tree/part.inc", 2),
    )
    assert definition(unit, "other").mentions == (Mention("target", "address", "", 0),)


def test_a_quoted_symbol_is_a_symbol(unit: UnitSymbols) -> None:
    assert definition(unit, "quoted name").mentions == (Mention("target", "address", "", 0),)
    (mention,) = definition(unit, "__cxx_global_var_init").mentions
    assert (mention.symbol, mention.use) == ("quoted name", "call")


def test_a_weak_variable_owns_the_initialiser_that_the_constructor_list_names(
    unit: UnitSymbols,
) -> None:
    assert unit.initialisers == (("weak", "__cxx_global_var_init"),)


def test_declared_functions_are_known_and_intrinsics_are_none(unit: UnitSymbols) -> None:
    assert unit.declared == ("again",)


def test_a_record_reads_back_as_it_was(unit: UnitSymbols) -> None:
    assert unpack(pack(unit)) == unit
    assert FORMAT >= 1


@pytest.mark.parametrize("damage", [b"", b"x", b"{}"])
def test_a_damaged_record_is_an_error_and_not_a_unit(unit: UnitSymbols, damage: bytes) -> None:
    with pytest.raises(StoreError, match="damaged"):
        unpack(damage or pack(unit)[:-9])
