"""Products of sizes in an index: which were computed in 32 bits and may be large."""

from __future__ import annotations

from .conftest import Read

NARROW = {
    "blockIdx.x * s": "blockIdx.x*s",
    "threadIdx.x + blockIdx.y * (s + 1) + n * s": "blockIdx.y + blockIdx.y*s",
}
FINE = (
    "threadIdx.x * s",  # the threads of a block are few
    "blockIdx.x * 256 + threadIdx.x",
    "blockIdx.x * (long)s",
    "blockIdx.x * wide",
)


def test_only_products_of_sizes_in_32_bits_are_named(read: Read) -> None:
    bodies = [*NARROW, *FINE]
    text = "".join(
        f'extern "C" __global__ void k{number}(float* a, int n, int s, long wide) '
        f"{{ a[{index}] = 1; }}\n"
        for number, index in enumerate(bodies)
    )
    text += """
    extern "C" __global__ void rows(float* a, int n, int s)
    { for (int i = 0; i < n; i++) a[i * s] = 1; }
    extern "C" __global__ void few(float* a, int n, int s)
    { for (int i = 0; i < 8; i++) a[i * s] = 1; }
    """
    names = [f"k{number}" for number in range(len(bodies))]
    found = read(text, *names, "rows", "few")

    def product(name: str) -> str | None:
        (value,) = (f["value"] for f in found[name] if f["fact"] == "global_access")
        overflow = value.get("overflow")
        return overflow["product"] if overflow else None

    assert [product(name) for name in names] == [*NARROW.values(), *(None for _ in FINE)]
    rows = product("rows")
    assert rows is not None
    assert "s" in rows
    assert product("few") is None
