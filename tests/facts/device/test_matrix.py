"""Indices in the terms of a matrix: right, or not said."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Read

ELEMENTS: dict[str, dict[str, str] | None] = {
    "i + j * lda": {"row": "i", "column": "j"},
    "i + j * lda + blockIdx.z * strideA": {"row": "i", "column": "j", "batch": "blockIdx.z"},
    # What a block's number is multiplied with leads to another matrix, whatever it is called.
    "i + j * lda + blockIdx.z * st_or_of": {"row": "i", "column": "j", "batch": "blockIdx.z"},
    "i + j * lda + st_or_of": {"row": "i", "column": "j", "shift": "st_or_of"},
    "i + j * lda + shift": {"row": "i", "column": "j", "shift": "shift"},
    # Sizes turn rows round; they shift nothing.
    "n - 1 - i + j * lda": {"row": "n - threadIdx.x - 1", "column": "j"},
    "i * (lda + 1)": {"row": "i", "column": "i"},
    "i * n + j * lda": None,
    "i + blockIdx.y * n + blockIdx.z * strideA + j * lda": None,
    "moved + j * lda": None,
    "(j * lda) / 2 + i * lda": None,
}


@pytest.fixture(scope="module")
def matrices(read: Read) -> list[Any]:
    """What is said of each index."""
    text = "".join(
        f"""extern "C" __global__ void k{number}(
            float* a, int n, long lda, long strideA, long st_or_of, long shift, const int* p)
        {{
            int i = threadIdx.x, j = threadIdx.y; long moved = i;
            for(int t = 0; t < p[0]; t++) moved = moved * 2 + lda;
            a[{index}] = 1;
        }}
        """
        for number, index in enumerate(ELEMENTS)
    )
    found = read(text, *(f"k{number}" for number in range(len(ELEMENTS))))
    return [
        next(
            one["value"].get("matrix") if one["value"] else None
            for one in found[f"k{number}"]
            if one["fact"] == "global_access" and (one["value"] or {}).get("access") != "load"
        )
        for number in range(len(ELEMENTS))
    ]


@pytest.mark.parametrize("number", range(len(ELEMENTS)), ids=list(ELEMENTS))
def test_an_element_is_told_right_or_not_at_all(matrices: list[Any], number: int) -> None:
    wanted = list(ELEMENTS.values())[number]
    if wanted is None:
        assert matrices[number] is None
        return
    named = {"i": "threadIdx.x", "j": "threadIdx.y"}
    expected = {key: named.get(text, text) for key, text in wanted.items()}
    assert matrices[number] == {"leading_dimension": "lda", **expected}
