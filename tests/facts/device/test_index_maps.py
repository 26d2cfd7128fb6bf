"""Index maps of global accesses: the expression, what its names are, and its class."""

from __future__ import annotations

from typing import Any

from .conftest import Read


def accesses(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["value"] for one in found if one["fact"] == "global_access"]


def one_access(read: Read, body: str, parameters: str = "float* a, int n, int s") -> dict[str, Any]:
    text = f'extern "C" __global__ void k({parameters}) {{ {body} }}'
    found = [f for f in read(text, "k")["k"] if f["fact"] == "global_access"]
    assert len(found) == 1, found
    return dict(found[0])


CLASSES = {
    "threadIdx.x": ("threadIdx.x", "coalesced", 1),
    "blockIdx.x * blockDim.x + threadIdx.x": (
        "blockDim.x*blockIdx.x + threadIdx.x",
        "coalesced",
        1,
    ),
    "(n - 1) - threadIdx.x": ("n - threadIdx.x - 1", "coalesced", -1),
    "threadIdx.x * s + 3": ("s*threadIdx.x + 3", "strided", "s"),
    "2 * threadIdx.x - threadIdx.x * 4": ("-2*threadIdx.x", "strided", -2),
    "blockIdx.x": ("blockIdx.x", "broadcast", 0),
    "threadIdx.y * n": ("n*threadIdx.y", "broadcast", 0),
    "threadIdx.x * threadIdx.x": ("threadIdx.x*threadIdx.x", "irregular", None),
}


def test_an_index_is_a_polynomial_with_a_class(read: Read) -> None:
    text = "".join(
        f'extern "C" __global__ void k{number}(float* a, int n, int s) {{ a[{index}] = 1; }}\n'
        for number, index in enumerate(CLASSES)
    )
    found = read(text, *(f"k{number}" for number in range(len(CLASSES))))
    for number, expected in enumerate(CLASSES.values()):
        (value,) = accesses(found[f"k{number}"])
        assert (value["index"], value["class"], value["stride"]) == expected
        assert (value["buffer"], value["access"], value["vector_bytes"]) == ("a", "store", 4)


def test_locals_pointers_and_helpers_are_seen_through(read: Read) -> None:
    text = """
    template <typename T> __device__ T* at(T* p, unsigned block, long offset, long stride)
    { return p + block * stride + offset; }
    template <typename T> __device__ T* at(T* const* p, unsigned block, long offset, long stride)
    { return p[block] + offset; }
    extern "C" __global__ void flat(float* a, long offset, long stride, int inc)
    {
        int i = blockIdx.x * 256 + threadIdx.x;
        auto* x = at(a, blockIdx.z, offset, stride);
        x += 7;
        *(x + i * inc) = 1;
    }
    extern "C" __global__ void batched(float* const* a, long offset, long stride)
    { at(a, blockIdx.z, offset, stride)[threadIdx.x] = 1; }
    """
    found = read(text, "flat", "batched")
    (flat,) = accesses(found["flat"])
    assert flat["index"] == (
        "256*blockIdx.x*inc + blockIdx.z*stride + inc*threadIdx.x + offset + 7"
    )
    pointer, store = accesses(found["batched"])
    assert (pointer["buffer"], pointer["index"], pointer["access"]) == ("a", "blockIdx.z", "load")
    assert pointer["through"] == ["unit.hip:15:7"]
    assert (store["buffer"], store["index"]) == ("a[blockIdx.z]", "offset + threadIdx.x")


def test_variables_of_loops_have_closed_forms(read: Read) -> None:
    body = """
    for(int i = threadIdx.x; i < n; i += 64) { a[i * s] = 1; }
    """
    value = one_access(read, body)["value"]
    assert value["index"] == "i*s"
    assert (value["class"], value["stride"]) == ("strided", "s")
    assert value["symbols"]["i"] == {
        "kind": "loop variable",
        "start": "threadIdx.x",
        "step": "64",
        "bound": "< n",
    }


def test_a_pointer_that_moves_in_a_loop_has_a_closed_form(read: Read) -> None:
    body = "a += threadIdx.x; for(int i = 0; i < n; ++i, a += s) { *a = 1; }"
    assert one_access(read, body)["value"]["index"] == "i*s + threadIdx.x"
    twice = "for(int i = 0; i < n; ++i) { a += s; for(int j = 0; j < 4; ++j) a += 2; *a = 1; }"
    assert one_access(read, twice)["value"]["index"] == "8*i + i*s + s + 8"


def test_what_a_variable_is_after_a_loop(read: Read) -> None:
    body = "int i = 0; for(int j = 0; j < 5; ++j) i += s; a[i] = 1;"
    assert one_access(read, body)["value"]["index"] == "5*s"


def test_a_variable_without_closed_form_keeps_its_name_and_its_dependences(read: Read) -> None:
    body = "int k = 0; while(k < n) { a[k + threadIdx.x] = 1; k = k * 2 + s; }"
    value = one_access(read, body)["value"]
    assert (value["index"], value["class"]) == ("k@2 + threadIdx.x", "coalesced")
    assert value["symbols"]["k@2"]["kind"] == "loop-carried"
    parted = "int k = 0; while(k < n) { a[k] = 1; k = k * 2 + threadIdx.x; }"
    assert one_access(read, parted)["value"]["class"] == "irregular"


def test_what_cannot_be_proved_is_null_with_its_reason(read: Read) -> None:
    found = one_access(read, "a[int(sqrtf(threadIdx.x))] = 1;")
    assert found["value"] is None
    assert "floating point" in found["reason"]


def test_paths_that_differ_are_kept_apart(read: Read) -> None:
    body = "int i; if(n > 4) i = threadIdx.x; else i = threadIdx.x + s; a[i] = 1;"
    value = one_access(read, body)["value"]
    assert value["index"] == "select((4 < n), threadIdx.x, s + threadIdx.x)"
    assert (value["class"], value["stride"]) == ("coalesced", 1)


def test_a_run_of_threads_is_no_coalesced_wavefront(read: Read) -> None:
    body = "a[threadIdx.x % 4 + (threadIdx.x / 4) * n] = 1;"
    value = one_access(read, body)["value"]
    assert (value["class"], value["stride"], value["run"]) == ("irregular", 1, 4)


def test_template_constants_stay_symbols(read: Read) -> None:
    text = """
    template <int DIM, typename T> __device__ void put(T* p, int i) { p[i * DIM] = 1; }
    template <int NB, typename T> __global__ void k(T* a)
    { put<NB>(a, threadIdx.x + NB * blockIdx.x); }
    template __global__ void k<32, float>(float*);
    """
    (value,) = accesses(read(text, "_Z1kILi32EfEvPT0_")["_Z1kILi32EfEvPT0_"])
    assert value["index"] == "NB*NB*blockIdx.x + NB*threadIdx.x"
    assert value["symbols"] == {"NB": {"kind": "template constant"}}
    assert (value["stride"], value["element"], value["vector_bytes"]) == ("NB", "T", "sizeof(T)")


def test_wide_accesses_keep_the_unit_of_their_index(read: Read) -> None:
    value = one_access(read, "((float4*)(a + s))[threadIdx.x].x = 1;")["value"]
    assert value["index"] == "s + 4*threadIdx.x"


def test_loads_of_indices_are_named(read: Read) -> None:
    body = "a[p[blockIdx.x] + threadIdx.x] = 1;"
    text = f'extern "C" __global__ void k(float* a, const int* p) {{ {body} }}'
    load, store = accesses(read(text, "k")["k"])
    assert load["class"] == "broadcast"
    assert (store["index"], store["class"]) == ("p[blockIdx.x] + threadIdx.x", "coalesced")


def test_atomics_are_accesses(read: Read) -> None:
    value = one_access(read, "atomicAdd(a + threadIdx.x, 1.0f);")["value"]
    assert (value["access"], value["index"]) == ("atomic", "threadIdx.x")


def test_a_path_that_sets_nothing_does_not_count(read: Read) -> None:
    body = "int i; if(n == 1) i = threadIdx.x; else if(n == 2) i = s; a[i] = 1;"
    value = one_access(read, body)["value"]
    assert value["index"] == "select((n == 1), threadIdx.x, s)"


CONSTANTS_OF_CALLS = {
    # How a helper's constants are written where it is called, and what comes of it.
    "pick<true, FLIP>": "n",
    "pick<FLIP, true>": "select(FLIP, n, 2*n)",
    "pick<!FLIP, FLIP>": "select(!FLIP, n, 2*n)",
    "pick<(N > 32), FLIP>": "select((32 < N), n, 2*n)",
    "pick<(N / 2 == 8) && FLIP, FLIP>": "select((((N / 2) == 8) && FLIP), n, 2*n)",
}


def test_constants_of_a_helper_are_those_that_its_call_writes(read: Read) -> None:
    calls = "".join(f"a[{call}(n)] = 1; " for call in CONSTANTS_OF_CALLS)
    text = f"""
    template <bool DOWN, bool OTHER> __device__ int pick(int n) {{ return DOWN ? n : 2 * n; }}
    template <bool FLIP, int N> __global__ void k(float* a, int n) {{ {calls} }}
    template __global__ void k<true, 64>(float*, int);
    """
    values = accesses(read(text, "_Z1kILb1ELi64EEvPfi")["_Z1kILb1ELi64EEvPfi"])
    assert [value["index"] for value in values] == list(CONSTANTS_OF_CALLS.values())
    assert [value["symbols"]["n"] for value in values] == [{"kind": "parameter"}] * len(values)


def test_constants_of_one_name_with_other_values_are_told_apart(read: Read) -> None:
    text = """
    template <bool DOWN> struct Way {};
    template <bool DOWN> __device__ int pick(int n, Way<DOWN>) { return DOWN ? n : 2 * n; }
    extern "C" __global__ void k(float* a, int n)
    { a[pick(n, Way<true>())] = 1; a[pick(n, Way<false>())] = 1; }
    """
    values = accesses(read(text, "k")["k"])
    for value, down in zip(values, (1, 0), strict=True):
        (name,) = {*value["symbols"]} - {"n"}
        assert value["symbols"][name]["value"] == down
        assert value["index"] == f"select({name}, n, 2*n)"
