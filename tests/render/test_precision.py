from __future__ import annotations

import pytest

from extractor.render.precision import precision_of, precision_rank


@pytest.mark.parametrize(
    ("entry", "interface", "letters"),
    [
        ("rocblas_sgemv", "gemv", "s"),
        ("rocblas_zgemv_strided_batched_64", "gemv", "z"),
        ("rocblas_hshgemv_batched", "gemv", "hsh"),
        ("rocblas_tstgemv_batched", "gemv", "tst"),
        ("rocblas_gemm_ex", "gemm", ""),
        ("rocblas_hgemm", "gemm", "h"),
        ("rocblas_scasum", "asum", "sc"),
        ("rocblas_dznrm2", "nrm2", "dz"),
        ("rocblas_isamax", "iamax", "s"),
        ("rocblas_zdotc", "dot", "z"),
        ("rocblas_bfdot", "dot", "bf"),
        ("rocsolver_cheevd", "syevd_heevd", "c"),
        ("rocsolver_dsyevd_batched", "syevd_heevd", "d"),
        ("rocsolver_zungqr", "org*_ung*", "z"),
        ("rocblas_csscal", "scal", "cs"),
        ("my_library_run", "run", ""),
        ("lonely", "lonely", ""),
    ],
)
def test_the_name_states_the_precision(entry: str, interface: str, letters: str) -> None:
    assert precision_of(entry, interface) == letters


def test_precisions_stand_in_the_usual_order() -> None:
    assert sorted(["", "z", "hsh", "s", "h", "bf", "d", "c"], key=precision_rank) == [
        "h", "bf", "s", "d", "c", "z", "hsh", "",
    ]  # fmt: skip
