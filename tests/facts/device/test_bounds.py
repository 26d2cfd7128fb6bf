"""Bounds that let an index pass its buffer: planted faults are found, right code is left alone."""

from __future__ import annotations

from typing import Any

from .conftest import Read

LDS = {
    "for (int i = threadIdx.x; i <= 256; i += 256) s[i] = 1;": [[0, 0, 0]],
    "s[threadIdx.x + 1] = 1;": [[255, 0, 0]],
    "if (threadIdx.x <= 200 && n > 3) s[threadIdx.x + 60] = 1;": [[196, 0, 0]],
    "s[threadIdx.y * 128 + threadIdx.x] = 1;": [[256, 0, 0], [128, 1, 0], [0, 2, 0]],
    "for (int k = 0; k < n; k++) s[threadIdx.x * 2] = x[k];": [[128, 0, 0]],
}
LDS_RIGHT = (
    "for (int i = threadIdx.x; i < 256; i += 256) s[i] = 1;",
    "if (threadIdx.x < 255) s[threadIdx.x + 1] = 1;",
    "if (threadIdx.x < n) s[threadIdx.x] = 1;",  # the host may keep n small
    "if (threadIdx.x > 255) return; s[threadIdx.x] = 1;",
    "s[threadIdx.x % 256] = 1;",
    "for (int k = 0; k < n; k++) { if (threadIdx.x > 255) return; } s[threadIdx.x] = 1;",
    "for (int j = 0; j < 300; j++) { if (j == 256) break; s[j] = 1; }",
    "if (threadIdx.x < blockDim.x / 4) s[threadIdx.x] = 1;",
    "if (x[threadIdx.x] > 0) s[threadIdx.x] = 1;",
    "if (threadIdx.x < 256u - threadIdx.y) s[threadIdx.x + threadIdx.y] = 1;",
)
GLOBAL = {
    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) x[i * s_] = 1;": ("n", "s_"),
    "int i = blockIdx.x * 256 + threadIdx.x; if (i > n) return; x[i] = 1;": ("n", "1"),
    "for (int j = 0; j <= n; j++) x[threadIdx.x + j * (long)s_] = 1;": ("n", "s_"),
}
GLOBAL_RIGHT = (
    "int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = 1;",
    "int i = blockIdx.x * 256 + threadIdx.x; if (i >= n) return; x[i] = 1;",
    "for (int j = 1; j <= n; j++) x[j - 1] = 1;",
    "for (int j = 1; j <= n; j++) x[j] = 1;",  # may count from 1
    "for (int j = 0; j <= n; j++) if (j != n) x[j] = 1;",
    "for (int j = 0; j <= n; j++) x[n - j] = 1;",
    "for (int j = 0; j <= n; j += 2) x[j] = 1;",
    "for (int j = 0; j <= n - 1; j++) x[j] = 1;",
)


def _values(read: Read, bodies: list[str], fact: str) -> list[list[Any]]:
    text = "".join(
        f'extern "C" __global__ void k{number}(float* x, int n, int s_) '
        f"{{ __shared__ float s[256]; {body} }}\n"
        for number, body in enumerate(bodies)
    )
    found = read(text, *(f"k{number}" for number in range(len(bodies))))
    return [
        [
            f["value"]
            for f in found[f"k{number}"]
            if f["fact"] == fact and f["arch"] in (None, "gfx90a")
        ]
        for number in range(len(bodies))
    ]


def test_threads_that_pass_an_array_are_named(read: Read) -> None:
    values = _values(read, list(LDS), "lds_access")
    assert [one["passes"]["threads"] for (one,) in values] == list(LDS.values())


def test_arrays_that_hold_are_left_alone(read: Read) -> None:
    values = _values(read, list(LDS_RIGHT), "lds_access")
    assert all(values)
    assert [one for row in values for one in row if "passes" in one] == []


def test_a_count_up_to_and_including_a_size_is_named(read: Read) -> None:
    values = _values(read, list(GLOBAL), "global_access")
    found = [one["one_too_many"] for (one,) in values]
    assert [(one["parameter"], one["step"]) for one in found] == list(GLOBAL.values())


def test_counts_that_end_before_a_size_are_left_alone(read: Read) -> None:
    values = _values(read, list(GLOBAL_RIGHT), "global_access")
    assert [one for row in values for one in row if "one_too_many" in one] == []
