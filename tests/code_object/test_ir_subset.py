"""IR cut down to some kernels and what they refer to."""

from __future__ import annotations

from extractor.code_object.ir_subset import subset

UNIT = b"""\
target triple = "amdgcn-amd-amdhsa"
%struct.s = type { i32 }
$helper = comdat any
@table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2]
@other = internal addrspace(1) global i32 0
@llvm.used = appending global [1 x ptr] [ptr @"odd name"], section "llvm.metadata"

define amdgpu_kernel void @one(ptr %a) #0 {
  call void @helper(ptr %a)
  ret void
}

define internal void @helper(ptr %a) {
  %v = load i32, ptr addrspace(4) @table
  call void @llvm.trap()
  ret void
}

define amdgpu_kernel void @"odd name"(ptr %a) {
  store i32 0, ptr addrspace(1) @other
  ret void
}

declare void @llvm.trap()
declare void @nobody()
attributes #0 = { nounwind }
!0 = !{i32 1}
"""


def test_what_a_kernel_refers_to_is_kept_and_the_rest_is_not() -> None:
    text, defined = subset(UNIT, ["one", "missing"])
    assert defined == {"one"}
    for kept in (b"@one(", b"@helper(", b"@table =", b"declare void @llvm.trap", b"!0 =", b"#0 ="):
        assert kept in text
    for dropped in (b"odd name", b"@other", b"nobody", b"llvm.used"):
        assert dropped not in text


def test_quoted_names_are_found() -> None:
    text, defined = subset(UNIT, ["odd name"])
    assert defined == {"odd name"}
    assert b"@other" in text
    assert b"@one" not in text


def test_nothing_wanted_leaves_no_definition() -> None:
    text, defined = subset(UNIT, [])
    assert not defined
    assert b"define" not in text
