"""Parameters of a slice's kernel that a task can make values for."""

from __future__ import annotations

from pathlib import Path

from kernels.slice.parameters import KernelParameter, read_parameters

_TEXT = """\
#include <hip/hip_runtime.h>
struct flags { bool nan, zero; };
struct narrow { unsigned char data; };
struct pair { int a[2]; double b; };
struct list { int count; const float* first; };
template <typename T> struct complex_number { T x, y; };
template struct complex_number<float>;
enum side { left = 3, right = 7 };
template <typename T>
__global__ void k(side s, flags* f, const narrow* n, pair* p, list* l, pair by_value,
                  T* const* table, complex_number<T>* z) {}
template __global__ void k<float>(side, flags*, const narrow*, pair*, list*, pair, float* const*,
                                  complex_number<float>*);
"""
_SYMBOL = "_Z1kIfEv4sideP5flagsPK6narrowP4pairP4listS6_PKPT_P14complex_numberISA_E"


def test_structures_of_numbers_are_their_bytes(tmp_path: Path) -> None:
    found = {one.declared.name: one for one in read_parameters(_TEXT, tmp_path / "k.hip", _SYMBOL)}

    def form(one: KernelParameter) -> tuple[str, int, int, bool]:
        return one.declared.type, one.declared.components, one.largest, one.declared.written

    assert found["s"].choices == (3, 7)
    # Flags are 0 or 1, an 8-bit float is no NaN.
    assert form(found["f"]) == ("uint8", 2, 1, True)
    assert form(found["n"]) == ("uint8", 1, 63, False)
    assert form(found["p"]) == ("uint8", 16, 9, True)
    assert form(found["z"])[:2] == ("complex64", 1)
    assert "no element type" in found["l"].why
    assert "no element type" in found["by_value"].why
    assert "array of pointers" in found["table"].why
