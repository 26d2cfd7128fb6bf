"""How device functions are called, and the enumerations and masks that an answer brings along."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.author.calling import brought_types, calling

CALLEE = "__device__ void fold(int tid, int n, float* sval)\n{\n  sval[tid] = n;\n}\n"
CALLER = """__global__ void work(int n)
{
  __shared__ float buffer[256];
  int tx = hipThreadIdx_x;
  fold(tx, n, buffer);
}
"""
CODE = """enum direction { to_buffer, from_buffer };
enum unused { one, two };
struct no_mask { __device__ constexpr bool operator[](int) const { return true; } };
__global__ void copy(direction way, no_mask mask) { if(way == to_buffer && mask[0]) return; }
"""


def function(name: str, text: str) -> Any:
    return SimpleNamespace(id=name, name=name, text=text, span=SimpleNamespace(start_line=1))


def test_lds_and_threads_of_a_call_are_told() -> None:
    callee, caller = function("fold", CALLEE), function("work", CALLER)
    view: Any = SimpleNamespace(functions=[callee, caller], callees={"work": [callee]})
    assert calling(view, callee) == (
        "Calling contract: `work` calls it so that `tid` is `threadIdx.x` and `sval` is "
        "`buffer[256]` in LDS."
    )
    assert calling(view, caller) == ""


def test_enumerations_and_masks_are_told() -> None:
    said = brought_types(CODE, "")
    assert said == (
        "Among its types the enumeration `direction` has `to_buffer` and `from_buffer` and "
        "`no_mask` has `operator[]`, which gives `true`."
    )
    assert brought_types("int x;", "") == ""
    assert "direction" not in brought_types(CODE, "", ["to_buffer", "from_buffer"])
