"""Template arguments as people write them, from mangled symbols."""

from __future__ import annotations

import pytest

from extractor.demangle import demangle, template_arguments


@pytest.mark.parametrize(
    ("symbol", "arguments"),
    [
        ("_Z4kernILi256EfEvPT0_", ("256", "float")),
        ("rocblas_saxpy", ()),
        ("_Z1fi", ()),
        ("_ZN1a1bIiE1cEv", ("int",)),
        ("_ZN1a1bIiE1cIfEEvv", ("float",)),
        ("_ZN12_GLOBAL__N_11kIfEEvPT_", ("float",)),
        ("_ZN12_GLOBAL__N_11kEPi", ()),
        ("_Z5applyIPFviEEvT_", ("void (*)(int)",)),
        ("_Z1kIDF16_EvPT_", ("_Float16",)),
        ("_Z1kILb1ELin3ELc97EEvv", ("true", "-3", "(char)97")),
        ("_Z1kI3BoxfEvPT_IT0_E", None),
        ("_Z24template_template_kernelI3BoxfEvPT_IT0_E", None),
        ("_Z15variadic_kernelIJifdEEvDpPT_", ("int", "float", "double")),
        ("_Z1kISt4pairIiSt6vectorIfSaIfEEEEvT_", None),
        ("_ZNK6NumberclIiEEvT_", ("int",)),
        ("_ZN6NumberlsIiEEvT_", ("int",)),
        ("_ZN6NumberltIiEEbT_", ("int",)),
        ("_ZNK6NumberptEv", ()),
        ("_Z1kILN4Mode1aE1EEvv", None),
    ],
)
def test_template_arguments(symbol: str, arguments: tuple[str, ...] | None) -> None:
    found = template_arguments(symbol)
    if arguments is not None:
        assert found == arguments
    # However it is spelt, it is what the demangled name holds.
    assert ", ".join(found) in demangle(symbol).replace(" >", ">")
