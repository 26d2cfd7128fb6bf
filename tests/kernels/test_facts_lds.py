"""Declared LDS against that of code objects: what padding and the optimiser explain."""

from __future__ import annotations

from typing import Any

from extractor import settings
from extractor.toolchain.find import find
from kernels.facts_check.lds import compared, unoptimised_bytes

SYMBOL = "_Z1kILi4EfEvPT0_"


def row(
    fact: str, value: Any, arch: str | None = None, symbol: str | None = None
) -> dict[str, Any]:
    return {
        "fact": fact, "function": "a.hip:1:k", "subject": "tile", "value": value, "arch": arch,
        "instantiation": symbol,
    }  # fmt: skip


def judged(declared: int, compiled: int, unoptimised: int | None = None) -> dict[str, Any]:
    rows = [
        row("lds_array", {}),
        row("lds_bytes", declared),
        row("code_object_lds_bytes", compiled, "gfx942", SYMBOL),
    ]
    return compared(rows, lambda symbol, arch: unoptimised)


def test_more_is_padding_and_less_is_what_the_optimiser_dropped() -> None:
    assert judged(100, 100)["padded"] == judged(100, 100)["dropped"] == []
    assert [len(judged(100, 104)[kind]) for kind in ("padded", "dropped")] == [1, 0]
    assert [len(judged(100, 96, 100)[kind]) for kind in ("padded", "dropped")] == [0, 1]
    # Neither explains these.
    for one in (judged(100, 120), judged(100, 96, 96), judged(100, 96)):
        assert (one["confirmed"], one["contradicted"]) == (0, 1)
        assert "100 declared" in one["contradictions"][0]


def test_an_architecture_is_held_against_its_own_fact() -> None:
    rows = [
        row("lds_bytes", 3072, "gfx90a", SYMBOL),
        row("lds_bytes", 6144, "gfx90a", "_Z1kILi8EfEvPT0_"),
        row("lds_bytes", 0, "gfx942"),
        row("code_object_lds_bytes", 3072, "gfx90a", SYMBOL),
        row("code_object_lds_bytes", 0, "gfx942", SYMBOL),
        row("code_object_lds_bytes", 0, "gfx950", SYMBOL),
    ]
    found = compared(rows, lambda symbol, arch: None)
    assert (found["confirmed"], found["contradicted"]) == (2, 0)
    assert found["not_judged"] == {"no fact of this instantiation": 1}


def test_a_kernel_compiled_without_optimisation_keeps_what_nothing_needs(tmp_path: Any) -> None:
    tools = find()
    source = tmp_path / "unit.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\n"
        'extern "C" __global__ void k(float* a) {\n'
        "  __shared__ float kept[64]; __shared__ int unread; unread = 1;\n"
        "  kept[threadIdx.x] = a[threadIdx.x]; __syncthreads();\n"
        "  a[threadIdx.x] = kept[63 - threadIdx.x]; }\n"
    )
    flags = [*tools.flags, "-x", "hip", "-w", "--cuda-device-only", "--offload-arch=gfx942"]
    flags += [f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size('gfx942')}"]
    flags += [f for root in tools.prefixes for f in ("-idirafter", f"{root}/include")]
    assert unoptimised_bytes(tools, source, flags, "gfx90a", "k") == 260
    assert unoptimised_bytes(tools, source, flags, "gfx90a", "other") is None
