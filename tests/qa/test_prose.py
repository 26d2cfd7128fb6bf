from __future__ import annotations

from qa.text.prose import architectures, identifiers, numbers, sentences
from qa.text.skeleton import NearDuplicates, code_skeleton, shared_share, skeleton


def test_a_full_stop_within_code_ends_no_sentence() -> None:
    text = "`threadIdx.x` is small. `a.b` follows. E.g. this one goes on."
    assert sentences(text) == [
        "`threadIdx.x` is small.",
        "`a.b` follows.",
        "E.g. this one goes on.",
    ]


def test_names_are_what_stands_in_backticks_or_looks_like_code() -> None:
    text = "`Ty = float*` and rocblas_saxpy on rocBLAS with hipLaunchKernel, gfx942 and LDS"
    assert identifiers(text) == {"Ty", "float", "rocblas_saxpy", "hipLaunchKernel"}
    assert architectures(text) == {"gfx942"}


def test_numbers_in_names_are_none() -> None:
    assert [n.value for n in numbers("rocblas_saxpy_2_kernel<256> has 65,535 of 0x10 and 1.5")] == [
        256, 65535, 16, 1.5,
    ]  # fmt: skip


def test_texts_that_differ_in_names_and_numbers_only_share_a_skeleton() -> None:
    one = "`rocblas_axpy_kernel` is launched with 256 threads."
    two = "`rocblas_scal_kernel` is launched with 128 threads."
    assert skeleton(one) == skeleton(two)
    assert shared_share([skeleton(one), skeleton(two), skeleton("It is not launched.")]) == 2 / 3
    assert code_skeleton("if(a < b) return c; // x") == code_skeleton("if(m < n) return k;")


def test_near_duplicates_are_found_and_others_are_not() -> None:
    texts = NearDuplicates()
    base = " ".join(f"word{i} stands here" for i in range(40))
    assert texts.seen("one", base, "s1") is None
    assert texts.seen("two", base + " and more", "s2") is not None
    assert texts.seen("three", " ".join(f"other{i} text" for i in range(60)), "s3") is None
    assert texts.seen("four", "entirely new", "s3") == (
        "three",
        "same text but for names and numbers",
    )
