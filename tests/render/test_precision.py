from __future__ import annotations

import pytest

from extractor.render.precision import precision_rank, precisions_of


@pytest.mark.parametrize(
    ("interface", "letters"),
    [
        (
            "gemv",
            {
                "rocblas_sgemv": "s",
                "rocblas_zgemv_strided_batched_64": "z",
                "rocblas_hshgemv_batched": "hsh",
                "rocblas_tstgemv_batched": "tst",
            },
        ),
        ("gemm", {"rocblas_gemm_ex": "", "rocblas_hgemm": "h", "rocblas_sgemm": "s"}),
        ("asum", {"rocblas_sasum": "s", "rocblas_scasum": "sc", "rocblas_dzasum": "dz"}),
        ("nrm2", {"rocblas_dznrm2": "dz"}),
        ("iamax", {"rocblas_isamax": "s", "rocblas_izamax_64": "z"}),
        ("dot", {"rocblas_zdotc": "z", "rocblas_cdotc": "c", "rocblas_bfdot": "bf"}),
        ("syevd_heevd", {"rocsolver_cheevd": "c", "rocsolver_dsyevd_batched": "d"}),
        (
            "syevd",
            {
                "rocsolver_ssyevd": "s",
                "rocsolver_dsyevd": "d",
                "rocsolver_cheevd_strided_batched": "c",
                "rocsolver_zheevd": "z",
            },
        ),
        ("org*_ung*", {"rocsolver_zungqr": "z", "rocsolver_dorgqr": "d"}),
        ("scal", {"rocblas_csscal": "cs", "rocblas_sscal": "s", "rocblas_zdscal": "zd"}),
        ("run", {"my_library_run": "", "lonely": ""}),
        ("rocblas_saxpy", {"rocblas_saxpy": ""}),
    ],
)
def test_the_name_states_the_precision(interface: str, letters: dict[str, str]) -> None:
    assert precisions_of(letters, interface) == letters


def test_precisions_stand_in_the_usual_order() -> None:
    assert sorted(["", "z", "hsh", "s", "h", "bf", "d", "c"], key=precision_rank) == [
        "h", "bf", "s", "d", "c", "z", "hsh", "",
    ]  # fmt: skip
