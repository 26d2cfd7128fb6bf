"""Barriers, loops, guards, LDS and work across lanes."""

from __future__ import annotations

from typing import Any

from .conftest import Read


def found(read: Read, body: str, fact: str, parameters: str = "float* a, int n") -> list[Any]:
    text = f'extern "C" __global__ void k({parameters}) {{ {body} }}'
    return [one["value"] for one in read(text, "k")["k"] if one["fact"] == fact]


BARRIERS = {
    "__syncthreads();": False,
    "if(n > 3) __syncthreads();": False,
    "if(blockIdx.x > 3) return; __syncthreads();": False,
    "if(threadIdx.x > 3) return; __syncthreads();": True,
    "if(threadIdx.x < n) { a[0] = 1; } __syncthreads();": False,
    "for(int i = 0; i < n; ++i) __syncthreads();": False,
    "for(int i = threadIdx.x; i < n; i += 64) __syncthreads();": True,
    "int k = threadIdx.y; if(k * 2 == n) { __syncthreads(); }": True,
    "if(a[threadIdx.x] > 0) __syncthreads();": True,
    "int k = 0; if(threadIdx.x > 2) k = 1; if(k) __syncthreads();": True,
    "for(int i = 0; i < n; ++i) { if(threadIdx.x == i) return; } __syncthreads();": True,
}


def test_a_barrier_is_divergent_where_threads_can_disagree(read: Read) -> None:
    text = "".join(
        f'extern "C" __global__ void k{number}(float* a, int n) {{ {body} }}\n'
        for number, body in enumerate(BARRIERS)
    )
    found = read(text, *(f"k{number}" for number in range(len(BARRIERS))))
    for number, (body, divergent) in enumerate(BARRIERS.items()):
        (barrier,) = [one for one in found[f"k{number}"] if one["fact"] == "barrier"]
        assert barrier["value"], (body, barrier["reason"])
        assert barrier["value"]["divergent"] is divergent, body


def test_a_barrier_behind_loaded_data_says_what_it_assumes(read: Read) -> None:
    (barrier,) = found(read, "if(a[blockIdx.x] > 0) __syncthreads();", "barrier")
    assert barrier["divergent"] is False
    assert "not written" in barrier["assumes"]


def test_loops_have_start_bound_step_and_count(read: Read) -> None:
    body = "\n#pragma unroll 4\nfor(int i = 2; i < 20; i += 3) a[i] = n;"
    (loop,) = found(read, body, "loop")
    assert (loop["variable"], loop["start"], loop["bound"], loop["step"]) == ("i", "2", "< 20", "3")
    assert (loop["trip_count"], loop["unroll"]) == (6, 4)
    (down,) = found(read, "for(int i = n - 1; i >= 0; --i) a[i] = n;", "loop")
    assert (down["start"], down["step"], down["trip_count"]) == ("n - 1", "-1", "max(0, n)")


def test_guards_skip_or_return(read: Read) -> None:
    body = "if(n <= 0) return; if(threadIdx.x < n) a[threadIdx.x] = 1;"
    first, second = found(read, body, "guard")
    assert (first["condition"], first["effect"]) == ("n <= 0", "return")
    assert (second["condition"], second["effect"]) == ("threadIdx.x < n", "skip")


def test_lds_arrays_and_their_bank_conflicts(read: Read) -> None:
    body = """
    __shared__ float s[32][33]; __shared__ float t[32][32];
    s[threadIdx.x][threadIdx.y] = n; t[threadIdx.x][threadIdx.y] = n;
    __syncthreads(); a[0] = s[0][0] + t[0][0];
    """
    arrays = found(read, body, "lds_array")
    assert [(one["elements"], one["bytes"]) for one in arrays] == [(1056, 4224), (1024, 4096)]
    assert found(read, body, "lds_bytes") == [8320]
    ways = {
        (one["array"], *one["conflict_ways"].values())
        for one in found(read, body, "lds_access")
        if one["access"] == "store"
    }
    assert ways >= {("s", 1, 1, 1), ("t", 32, 32, 32)}


def test_shuffles_and_wavefront_assumptions(read: Read) -> None:
    body = "float v = a[threadIdx.x]; v += __shfl_down(v, 16); if(threadIdx.x % 64 == 0) a[0] = v;"
    (shuffle,) = found(read, body, "shuffle")
    assert (shuffle["function"], shuffle["offset"]) == ("__shfl_down", 16)
    (assumption,) = found(read, body, "wavefront_assumption")
    assert assumption["width"] == 64


def test_scalars_equal_to_zero_or_one(read: Read) -> None:
    body = "if(beta == 0) a[threadIdx.x] = 1; else a[threadIdx.x] = beta * a[threadIdx.x];"
    (handling,) = found(read, body, "scalar_handling", "float* a, float beta")
    assert handling["equals"] == 0
    assert handling["then"]["reads"] == []
    assert handling["else"]["reads"] == ["a"]


def test_a_test_of_two_scalars_is_told_as_one(read: Read) -> None:
    body = "if(!alpha && beta == 1) return; if(!(beta == 0)) a[threadIdx.x] = 1;"
    handled = found(read, body, "scalar_handling", "float* a, float alpha, float beta")
    assert [one.get("together") for one in handled] == ["!alpha && beta == 1"] * 2 + [None]


def test_a_single_value_in_lds_is_a_value(read: Read) -> None:
    body = "__shared__ int k; if(threadIdx.x == 0) k = n; __syncthreads(); a[k + threadIdx.x] = 1;"
    (access,) = found(read, body, "global_access")
    assert (access["index"], access["class"]) == ("k[0] + threadIdx.x", "coalesced")


def test_a_helper_that_some_threads_leave_early_ends_no_loop_of_its_caller(read: Read) -> None:
    text = """
    __device__ void put(float* a, int i) { if(threadIdx.x > 3) return; a[i] = 1; }
    extern "C" __global__ void k(float* a, int n)
    {
        int j = 1;
        while(j < n) { put(a, j); j = 3 * j; }
        while(j > 0) { __syncthreads(); j = j / 2; }
    }
    """
    (barrier,) = [one["value"] for one in read(text, "k")["k"] if one["fact"] == "barrier"]
    assert barrier["divergent"] is False


_ARRAYS = """
#define ROWS 8
template <int N> __device__ void below(float* a) { __shared__ float deep[4]; deep[0] = a[N]; }
template <int N, bool UP, typename T> __global__ void k(T* a)
{
    constexpr bool down = !UP;
    constexpr int many = 2 * N;
    __shared__ int rows[ROWS];
    __shared__ float both[many];
    if(down) { __shared__ T own[N]; own[0] = a[0]; a[1] = own[0]; }
    else { __shared__ double other[3]; below<N>(a); other[0] = 1; a[2] = other[0]; }
    rows[0] = 1; both[0] = rows[0]; a[0] = both[0];
}
template __global__ void k<16, true, float>(float*);
template __global__ void k<16, false, float>(float*);
"""


def test_arrays_of_branches_that_an_instantiation_does_not_have_are_none_of_it(read: Read) -> None:
    symbols = {"up": "_Z1kILi16ELb1EfEvPT1_", "down": "_Z1kILi16ELb0EfEvPT1_"}
    rows = read(_ARRAYS, *symbols.values())
    stated = {
        name: {
            one["subject"]: (one["value"]["bytes"], one.get("limited", False))
            for one in rows[symbol]
            if one["fact"] == "lds_array"
        }
        for name, symbol in symbols.items()
    }
    # Only what every instantiation has alike is said of those that were not read.
    common = {"rows": (32, False), "both": (128, True)}
    assert stated["up"] == {**common, "other": (24, False), "deep": (16, False)}
    assert stated["down"] == {**common, "own": (64, True)}
    totals = [one for name in symbols.values() for one in rows[name] if one["fact"] == "lds_bytes"]
    assert [(one["value"], one["limited"]) for one in totals] == [(200, True), (224, True)]


def test_bank_conflicts_name_the_numbers_of_the_instantiation_they_are_of(read: Read) -> None:
    text = """
    template <int N, typename T> __global__ void k(T* a)
    {
        __shared__ T s[N * 64];
        s[N * threadIdx.x] = a[0]; __syncthreads(); a[1] = s[threadIdx.x / 2];
    }
    template __global__ void k<16, double>(double*);
    """
    symbol = "_Z1kILi16EdEvPT0_"
    rows = [one["value"] for one in read(text, symbol)[symbol] if one["fact"] == "lds_access"]
    stored = next(one for one in rows if one["access"] == "store")
    assert stored["conflicts_if"] == {"element_bytes": 8, "N": 16}
    assert stored["conflict_ways"]["gfx942"] == 16
    assert all("conflicts_if" in one or not any(one["conflict_ways"].values()) for one in rows)
