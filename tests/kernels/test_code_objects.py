"""Code objects of AMD GPUs: that they build, and what is read from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpu_program import HIP

from extractor.code_object.message_pack import unpack
from extractor.code_object.resources import parse_remarks
from extractor.errors import UnitError
from kernels.backends import get_backend
from kernels.building.fat_binary import pack_fat_binary, unpack_fat_binary


@pytest.fixture(scope="module")
def resources():
    backend = get_backend("compile")
    made = backend.compile(HIP / "gemm.hip")
    assert made.built, made.diagnostics
    again = backend.compile(HIP / "gemm.hip")
    assert again.from_cache
    assert again.resources == made.resources
    return made.resources


def test_every_architecture_has_every_kernel(resources) -> None:
    assert [one.architecture for one in resources] == ["gfx90a", "gfx942", "gfx950"]
    assert {one.kernel for one in resources} == {"_Z11gemm_kernelILi16EEviiiPKfS1_Pf"}


def test_registers_memory_and_occupancy_are_read(resources) -> None:
    for one in resources:
        assert one.lds_bytes == 2 * 16 * 17 * 4
        assert one.max_block_threads == 256
        assert 8 <= one.vgprs <= 128
        assert one.sgprs > 0
        assert (one.vgpr_spills, one.sgpr_spills, one.scratch_bytes) == (0, 0, 0)
        assert 1 <= (one.occupancy or 0) <= 8
        assert one.code_bytes > 100


def test_a_unit_that_does_not_compile_is_a_record(tmp_path: Path) -> None:
    backend = get_backend("compile")
    source = tmp_path / "broken.hip"
    source.write_text("__global__ void k() { undeclared(); }\n")
    made = backend.compile(source)
    assert not made.built
    assert "undeclared" in made.diagnostics


def test_remarks_are_read_by_kernel_and_key() -> None:
    said = ("Function Name: k", "    VGPRs: 12", "    Occupancy [waves/SIMD]: 8", "    AGPRs: 0")
    text = "\n".join(f"a.hip:1:1: remark: {one} [-Rpass-analysis=kernel]" for one in said)
    assert parse_remarks(text) == {"k": {"VGPRs": "12", "Occupancy": "8", "AGPRs": "0"}}


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x07", 7), (b"\xff", -1), (b"\xc3", True), (b"\xc0", None), (b"\xcd\x01\x00", 256),
        (b"\xd1\xff\x00", -256), (b"\xa2ab", "ab"), (b"\xd9\x01z", "z"), (b"\x92\x01\x02", [1, 2]),
        (b"\x81\xa1k\x90", {"k": []}), (b"\xdc\x00\x01\x05", [5]), (b"\xca\x3f\x80\x00\x00", 1.0),
    ],
)  # fmt: skip
def test_message_pack_values(data: bytes, value: object) -> None:
    assert unpack(data) == value


@pytest.mark.parametrize("data", [b"", b"\xd9", b"\x92\x01", b"\xc1", b"\xcd\x01", b"\xa2\xff\xfe"])
def test_broken_message_pack_is_one_error(data: bytes) -> None:
    with pytest.raises(UnitError):
        unpack(data)


def test_a_fat_binary_holds_what_was_packed() -> None:
    packed = pack_fat_binary(
        {"gfx90a": b"one", "gfx942": b"two" * 2000}, "x86_64-unknown-linux-gnu"
    )
    assert unpack_fat_binary(packed) == {
        "host-x86_64-unknown-linux-gnu-": b"",
        "hipv4-amdgcn-amd-amdhsa--gfx90a": b"one",
        "hipv4-amdgcn-amd-amdhsa--gfx942": b"two" * 2000,
    }
    with pytest.raises(ValueError, match="not a fat binary"):
        unpack_fat_binary(b"something else")


def test_the_amd_backend_compiles_and_links_what_it_would_run(resources, tmp_path: Path) -> None:
    made = get_backend("amd").compile(HIP / "sum.hip", ("-Wno-everything",))
    assert made.built, made.diagnostics
    source = tmp_path / "wants.hip"
    source.write_text(
        (HIP / "saxpy.hip").read_text() + "\nint other(); int more() { return other(); }\n"
    )
    made = get_backend("amd").compile(source)
    assert not made.built
    assert "other" in made.diagnostics
