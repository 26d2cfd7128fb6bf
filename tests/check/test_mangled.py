"""One spelling for each function, and plain names."""

from __future__ import annotations

import pytest

from extractor.check.mangled import canonical, kernel_name, kernel_symbol
from extractor.check.names import base_name, qualified_name


@pytest.mark.parametrize(
    ("stub", "kernel", "name"),
    [
        ("_Z20__device_stub__scalePf", "_Z5scalePf", "scale"),
        ("_ZL19__device_stub__fillIfEvT_", "_ZL4fillIfEvT_", "fill"),
        ("_ZN2ns19__device_stub__fillERKNS_1AE", "_ZN2ns4fillERKNS_1AE", "fill"),
        # The name before ends in a digit, which is no part of the length.
        ("_ZN12_GLOBAL__N_119__device_stub__fillEv", "_ZN12_GLOBAL__N_14fillEv", "fill"),
        ("_ZN3ns219__device_stub__fillEv", "_ZN3ns24fillEv", "fill"),
        ("__device_stub__plain", "plain", "plain"),
    ],
)
def test_a_stub_names_its_kernel(stub: str, kernel: str, name: str) -> None:
    assert kernel_symbol(stub) == kernel
    assert kernel_name(stub) == name
    assert canonical(stub) == kernel


@pytest.mark.parametrize("symbol", ["_Z5scalePf", "main", "_ZL4fillIfEvT_"])
def test_what_is_no_stub_has_no_kernel(symbol: str) -> None:
    assert kernel_symbol(symbol) is None
    assert canonical(symbol) == symbol


@pytest.mark.parametrize(
    ("variant", "complete"),
    [
        ("_ZN1AC2Ei", "_ZN1AC1Ei"),
        ("_ZN1AC1Ei", "_ZN1AC1Ei"),
        ("_ZN1AD0Ev", "_ZN1AD1Ev"),
        ("_ZN1AD2Ev", "_ZN1AD1Ev"),
        ("_ZN1BCI21AEi", "_ZN1BCI11AEi"),
        # A class and a function whose names look like variants.
        ("_ZN3xC23fD2Ev", "_ZN3xC23fD2Ev"),
        ("_ZN3xC2C2Ev", "_ZN3xC2C1Ev"),
        ("_Z2D0v", "_Z2D0v"),
    ],
)
def test_variants_fold_and_names_that_look_like_them_do_not(variant: str, complete: str) -> None:
    assert canonical(variant) == complete


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("rocblas_saxpy", "rocblas_saxpy"),
        ("_ZN12_GLOBAL__N_14implILi256EDF16_EEiPKT0_", "(anonymous)::impl"),
        ("_ZNK1A3getEv", "A::get"),
        ("_ZN1AIiED1Ev", "A::~A"),
        ("_ZlsRSoRK1A", "operator<<"),
        ("_ZltIiEbT_S0_", "operator<"),
        ("_ZptR1A", "operator->"),
        ("_ZN1AclEi", "A::operator()"),
        ("_ZN1AixEi", "A::operator[]"),
        ("_ZNK1AcvPFvvEEv", "A::operator cast"),
        ("_Znwm", "operator new"),
        ("_ZdaPv", "operator delete[]"),
        ("_ZZ3runvENKUlvE_clEv", "run::{lambda}"),
        ("_ZZ3runvENUlvE_8__invokeEv", "run::{lambda}"),
        ("_ZZN1A3runEvENKUlvE_cvPFvvEEv", "A::run::{lambda}::operator cast"),
        ("_ZSt3minIiEUa9enable_ifILb1EERKT_S2_S2_", "std::min"),
        ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev",
         "std::__cxx11::basic_string::basic_string"),
        ("_ZN3lib6v328021fEv", "lib::f"),
        ("_Z1fPFPivEPA3_i", "f"),
    ],
)  # fmt: skip
def test_qualified_names_keep_scopes_and_nothing_else(symbol: str, name: str) -> None:
    assert qualified_name(symbol) == name
    assert base_name(symbol) == name.rpartition("::")[2]
