"""Interface families come out of the rule files' data as the libraries' users name them."""

from __future__ import annotations

import pytest

from extractor.errors import UnknownName
from extractor.families import group, read_name
from extractor.rule_schema import Families
from extractor.rules import Rule, load_rule


@pytest.fixture(scope="module")
def blas() -> Rule:
    return load_rule("rocblas")


@pytest.fixture(scope="module")
def solver() -> Rule:
    return load_rule("rocsolver")


@pytest.mark.parametrize(
    ("entry", "family"),
    [
        ("rocblas_saxpy", "axpy"),
        ("rocblas_axpy_strided_batched_ex_64", "axpy"),
        ("rocblas_hgemm_strided_batched_64", "gemm"),
        ("rocblas_gemm_batched_ex3", "gemm"),
        ("rocblas_sgemmt", "gemmt"),
        ("rocblas_hshgemv_batched", "gemv"),
        ("rocblas_tssgemv_strided_batched_64", "gemv"),
        ("rocblas_csscal", "scal"),
        ("rocblas_sscal", "scal"),
        ("rocblas_zdrot", "rot"),
        ("rocblas_srotmg", "rotmg"),
        ("rocblas_scasum", "asum"),
        ("rocblas_dznrm2_64", "nrm2"),
        ("rocblas_isamax", "iamax"),
        ("rocblas_izamin_batched_64", "iamin"),
        ("rocblas_bfdot", "dot"),
        ("rocblas_zdotc_strided_batched", "dot"),
        ("rocblas_dotc_ex", "dot"),
        ("rocblas_cgeru", "ger"),
        ("rocblas_cher", "her"),
        ("rocblas_cher2k", "her2k"),
        ("rocblas_ddgmm", "dgmm"),
        ("rocblas_zherkx", "herkx"),
        ("rocblas_cspr2", "spr2"),
        ("rocblas_ssyr", "syr"),
    ],
)
def test_blas_families(blas: Rule, entry: str, family: str) -> None:
    assert blas.family_of(entry) == family
    assert not blas.is_auxiliary(entry)


@pytest.mark.parametrize(
    ("entry", "family"),
    [
        ("rocsolver_sgetrf_64", "getrf"),
        ("rocsolver_zgetrf_npvt_info32", "getrf_npvt"),
        ("rocsolver_cgetri_npvt_outofplace_strided_batched", "getri_npvt_outofplace"),
        ("rocsolver_dgeqrf_ptr_batched", "geqrf"),
        ("rocsolver_sgeblttrf_npvt_interleaved_batched", "geblttrf_npvt"),
        ("rocsolver_cheevdx_inplace", "syevdx_heevdx_inplace"),
        ("rocsolver_ssyevj", "syevj_heevj"),
        ("rocsolver_csytrf", "sytrf"),
        ("rocsolver_ssytrd", "sytrd_hetrd"),
        ("rocsolver_zhegs2_batched", "sygs2_hegs2"),
        ("rocsolver_cunm2r", "orm2r_unm2r"),
        ("rocsolver_sorgbr", "orgbr_ungbr"),
        ("rocsolver_clacgv_64", "lacgv"),
        ("rocsolver_slasyf", "lasyf"),
        ("rocsolver_scsrrf_refactlu", "csrrf_refactlu"),
        ("rocsolver_zgesvdx_notransv_strided_batched", "gesvdx_notransv"),
        ("rocblas_sgetf2", "getf2"),
    ],
)
def test_lapack_families(solver: Rule, entry: str, family: str) -> None:
    assert solver.family_of(entry) == family
    assert not solver.is_auxiliary(entry)


@pytest.mark.parametrize(
    ("entry", "family"),
    [
        ("rocblas_set_vector_async_64", "set_vector_async"),
        ("rocblas_get_stream", "get_stream"),
        ("rocblas_gemm_batched_ex_get_solutions_by_type", "gemm_get_solutions"),
        ("rocblas_sgemm_strided_batched_kernel_name", "gemm_kernel_name"),
        ("rocblas_set_optimal_device_memory_size_impl", "set_optimal_device_memory_size_impl"),
    ],
)
def test_auxiliary_entries_keep_their_names(blas: Rule, entry: str, family: str) -> None:
    assert blas.family_of(entry) == family
    assert blas.is_auxiliary(entry)


ENTRIES = [
    "rocsolver_ssyevd",
    "rocsolver_cheevd_batched",
    "rocsolver_ssyevdx",
    "rocsolver_sormqr",
    "rocsolver_sgetrf",
    "rocsolver_create_handle",
]


@pytest.mark.parametrize("name", ["syevd_heevd", "syevd", "heevd"])
def test_an_interface_is_found_by_either_half_of_a_twin(solver: Rule, name: str) -> None:
    found = solver.resolve_interface(name, ENTRIES)
    assert found == ["rocsolver_cheevd_batched", "rocsolver_ssyevd"]


def test_half_of_a_twin_that_has_only_the_other_half(solver: Rule) -> None:
    with pytest.raises(UnknownName):
        solver.resolve_interface("unmqr", ENTRIES)
    assert solver.resolve_interface("unmqr", [*ENTRIES, "rocsolver_cunmqr"]) == [
        "rocsolver_cunmqr",
        "rocsolver_sormqr",
    ]


def test_an_interface_is_found_by_one_entry_point(solver: Rule) -> None:
    assert solver.resolve_interface("rocsolver_sgetrf", ENTRIES) == ["rocsolver_sgetrf"]


def test_a_merged_stem_finds_its_family(blas: Rule) -> None:
    entries = ["rocblas_sger", "rocblas_cgerc", "rocblas_cgeru"]
    assert blas.resolve_interface("gerc", entries) == sorted(entries)


def test_unknown_interface_names_the_nearest(solver: Rule) -> None:
    with pytest.raises(UnknownName, match="unknown interface 'getrff'; nearest: getrf"):
        solver.resolve_interface("getrff", ENTRIES)


def test_wrong_case_is_recognised(solver: Rule) -> None:
    with pytest.raises(UnknownName, match="did you mean 'getrf'"):
        solver.resolve_interface("GETRF", ENTRIES)


def test_without_rules_every_name_is_its_own_family() -> None:
    assert read_name(Families(), "scan_float").family == "scan_float"
    assert not read_name(Families(), "scan_float").auxiliary


def test_a_rule_without_stems_still_drops_prefix_and_suffixes() -> None:
    families = Families(prefixes=("my_",), drop=("batched", "64"))
    assert group(families, ["my_scan_batched_64", "my_scan", "my_sort_64"]) == {
        "scan": ["my_scan", "my_scan_batched_64"],
        "sort": ["my_sort_64"],
    }
