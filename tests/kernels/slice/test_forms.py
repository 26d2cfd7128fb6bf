"""One form for a kernel, whatever else its unit holds."""

from __future__ import annotations

from kernels.slice.ir import Module

_LEFT = """\
target triple = "amdgcn"
%struct.pair = type { float, float }
@table.3 = internal constant [2 x i32] [i32 1, i32 2]
define void @other(ptr %0) #1 {
  ret void
}
define internal float @help.7(ptr %0) #0 {
  %2 = load float, ptr @table.3, !tbaa !5
  ret float %2
}
define amdgpu_kernel void @kernel(ptr %0) #0 {
  %2 = call float @help.7(ptr %0)
  %3 = call float @llvm.sqrt.f32(float %2)
  %4 = alloca %struct.pair
  ret void
}
declare float @llvm.sqrt.f32(float)
attributes #0 = { nounwind "a"="1" }
attributes #1 = { noinline }
!5 = !{!6, i64 0}
!6 = !{!"float"}
"""
_RIGHT = """\
target triple = "amdgcn"
%struct.pair.9 = type { float, float }
@table = internal constant [2 x i32] [i32 1, i32 2]
define amdgpu_kernel void @kernel(ptr %0) #4 {
  %2 = call float @help(ptr %0)
  %3 = call float @llvm.sqrt.f32(float %2)
  %4 = alloca %struct.pair.9
  ret void
}
declare float @llvm.sqrt.f32(float)
define internal float @help(ptr %0) #4 {
  %2 = load float, ptr @table, !tbaa !1
  ret float %2
}
attributes #4 = { "a"="1" nounwind }
!1 = !{!2, i64 0}
!2 = !{!"float"}
"""


def test_numbering_and_order_do_not_matter() -> None:
    assert Module(_LEFT).form("kernel") == Module(_RIGHT).form("kernel")


def test_what_matters_does() -> None:
    form = Module(_LEFT).form("kernel")
    for old, new in (
        ("i32 1, i32 2", "i32 1, i32 3"),  # a constant behind a helper
        ("llvm.sqrt", "llvm.rsq"),  # an intrinsic is its name
        ('"a"="1"', '"a"="2"'),
        ('!"float"', '!"double"'),
        ("{ float, float }", "{ float, double }"),
    ):
        assert Module(_RIGHT.replace(old, new)).form("kernel") != form


def test_a_cut_module_holds_the_kernel_and_what_it_needs() -> None:
    cut = Module(_LEFT).cut("kernel")
    assert cut is not None
    assert "@help.7" in cut
    assert "@table.3" in cut
    assert "@other" not in cut
    assert Module(cut).form("kernel") == Module(_LEFT).form("kernel")


def test_a_kernel_that_is_not_there() -> None:
    assert Module(_LEFT).form("missing") is None
    assert Module(_LEFT).cut("missing") is None
