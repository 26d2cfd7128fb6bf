"""Prototypes are understood by their types and names, whatever the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.call.prototype import Headers, read_headers
from kernels.call.roles import Signature, read_signature, real_letters

pytest.importorskip("numpy")
TEXT = """
typedef struct _handle* lib_handle;
typedef int32_t lib_int; typedef int64_t lib_stride;
typedef struct { float x, y; } lib_float_complex;
typedef enum lib_side_ { lib_side_left = 141, lib_side_right = 142, lib_side_both = 143 } lib_side;
typedef enum { lib_fill_upper = 121, lib_fill_lower, lib_fill_full } lib_fill;
typedef enum lib_op_ { lib_op_none = 1, lib_op_transpose, lib_op_conjugate_transpose } lib_op;
typedef enum lib_diag_ { lib_diag_non_unit = 131, lib_diag_unit = 132 } lib_diag;
/* lib_status not_this(lib_int n); */
#define SOMETHING lib_strsm(
LIB_EXPORT lib_status lib_strsm(lib_handle handle, lib_side side, lib_fill uplo, lib_op transA,
    lib_diag diag, lib_int m, lib_int n, const float* alpha, const float* A, lib_int lda,
    float* B, lib_int ldb);
lib_status lib_cgetrf_batched(lib_handle handle, const lib_int m, const lib_int n,
    lib_float_complex* const A[], const lib_int lda, lib_int* ipiv, const lib_stride strideP,
    lib_int* info, const lib_int batch_count);
lib_status lib_sdot_strided_batched(lib_handle handle, int64_t n, const float* x, int64_t incx,
    lib_stride stridex, const float* y, int64_t incy, lib_stride stridey, int64_t batch_count,
    float* result);
lib_status lib_axpy_ex(lib_handle handle, lib_int n, const void* alpha, lib_type alpha_type,
    const void* x, lib_int incx, void* y, lib_int incy);
lib_status lib_sfoo(lib_handle handle, lib_int n, float* q);
lib_status lib_sgels(lib_handle handle, lib_op trans, lib_int m, lib_int n, lib_int nrhs, float* A,
    lib_int lda, float* B, lib_int ldb, lib_int* info);
lib_status lib_cgels(lib_handle handle, lib_op trans, lib_int m, lib_int n, lib_int nrhs,
    lib_float_complex* A, lib_int lda, lib_float_complex* B, lib_int ldb, lib_int* info);
typedef enum { lib_pivot_variable = 281, lib_pivot_top, lib_pivot_bottom } lib_pivot;
typedef enum { lib_forward_direction = 171, lib_backward_direction } lib_direct;
lib_status lib_slasr(lib_handle handle, lib_side side, lib_pivot pivot, lib_direct direct,
    lib_int m, lib_int n, float* C, float* S, float* A, lib_int lda);
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Headers:
    file = tmp_path_factory.mktemp("headers") / "lib.h"
    file.write_text(TEXT)
    return read_headers([file, Path("/nowhere.h")])


def _read(headers: Headers, name: str, operation: str) -> Signature | str:
    prototype = headers.prototype(name)
    assert prototype
    return read_signature(prototype, operation, headers)


def test_flags_arrays_and_what_describes_them(headers: Headers) -> None:
    found = _read(headers, "lib_strsm", "trsm")
    assert isinstance(found, Signature)
    assert found.sizes == ("m", "n")
    assert found.flags["side"] == {"L": 141, "R": 142}
    assert found.flags["uplo"] == {"U": 121, "L": 122}
    assert found.flags["transA"] == {"N": 1, "T": 2, "C": 3}
    assert found.scalars == {"alpha": "float32"}
    assert [(a.name, a.leading, a.pointers) for a in found.arrays] == [
        ("A", "lda", 1), ("B", "ldb", 1),
    ]  # fmt: skip
    assert not found.complex


def test_batches_by_pointers_and_by_strides(headers: Headers) -> None:
    found = _read(headers, "lib_cgetrf_batched", "getrf")
    assert isinstance(found, Signature)
    assert found.batch == "batch_count"
    assert [(a.name, a.element, a.pointers, a.stride) for a in found.arrays] == [
        ("A", "complex64", 2, ""), ("ipiv", "int32", 1, "strideP"), ("info", "int32", 1, ""),
    ]  # fmt: skip
    assert found.complex
    found = _read(headers, "lib_sdot_strided_batched", "dot")
    assert isinstance(found, Signature)
    assert [(a.name, a.increment, a.stride) for a in found.arrays] == [
        ("x", "incx", "stridex"), ("y", "incy", "stridey"), ("result", "", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "operation", "why"),
    [
        ("lib_axpy_ex", "axpy", "types of alpha, x, y are chosen by other parameters"),
        ("lib_sfoo", "foo", "no reference for foo"),
        ("lib_sfoo", "scal", "no reference for scal"),
    ],
)
def test_what_has_no_reference_says_why(
    headers: Headers, name: str, operation: str, why: str
) -> None:
    assert _read(headers, name, operation) == why


def test_flags_take_the_letters_that_lapack_has_for_the_type(headers: Headers) -> None:
    for name, letters in (("lib_sgels", {"N": 1, "T": 2}), ("lib_cgels", {"N": 1, "C": 3})):
        found = _read(headers, name, "gels")
        assert isinstance(found, Signature)
        assert real_letters(found, "trans", headers) == letters
    found = _read(headers, "lib_slasr", "lasr")
    assert isinstance(found, Signature)
    assert found.flags == {
        "side": {"L": 141, "R": 142}, "pivot": {"V": 281, "T": 282, "B": 283},
        "direct": {"F": 171, "B": 172},
    }  # fmt: skip


def test_comments_and_directives_declare_nothing(headers: Headers) -> None:
    assert headers.prototype("not_this") is None
    assert headers.constants("lib_fill") == {
        "lib_fill_upper": 121, "lib_fill_lower": 122, "lib_fill_full": 123,
    }  # fmt: skip
