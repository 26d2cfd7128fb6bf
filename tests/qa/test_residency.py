"""How many wavefronts a SIMD holds by the hardware's arithmetic, and when that is told."""

from __future__ import annotations

from typing import Any

import pytest

from qa.author.kernel_facts import Row
from qa.author.launch_pairs import Shape
from qa.author.residency import Needs, _worth

MIX = {"mfma": 0, "lds": 12, "global": 8, "barrier": 2, "valu": 300}


def needs(threads: int = 64, **values: Any) -> Needs:
    given = {
        "vgprs": 32, "agprs": 0, "vgpr_spills": 0, "scratch_bytes": 0, "code_object_lds_bytes": 0,
        "occupancy": 8, "instruction_mix": MIX, **values,
    }  # fmt: skip
    shape = Shape({}, (1, 1, 1), (threads, 1, 1))
    return Needs("gfx90a", {n: Row(1, 0, {}, {"value": v}) for n, v in given.items()}, shape)


@pytest.mark.parametrize(
    ("vector", "accumulation", "waves"),
    [(0, 0, 8), (64, 0, 8), (65, 0, 7), (88, 0, 5), (156, 0, 3), (256, 256, 1), (30, 34, 7)],
)
def test_registers_are_granted_in_steps_from_one_file(
    vector: int, accumulation: int, waves: int
) -> None:
    one = needs(vgprs=vector, agprs=accumulation)
    assert one.by_registers == waves


@pytest.mark.parametrize(
    ("threads", "lds", "waves"), [(64, 65536, 1), (64, 3072, 6), (1024, 41480, 4), (256, 0, None)]
)
def test_lds_is_shared_by_the_simds_of_a_compute_unit(
    threads: int, lds: int, waves: int | None
) -> None:
    assert needs(threads, code_object_lds_bytes=lds).by_lds == waves


def test_nothing_is_said_where_the_compiler_reports_another_occupancy() -> None:
    right, wrong = needs(vgprs=88, occupancy=5), needs(vgprs=88, occupancy=4)
    assert _worth([right, right])
    assert not _worth([right, wrong])


def test_small_kernels_that_fill_a_simd_are_not_asked_about() -> None:
    assert _worth([needs(256, vgprs=40), needs(256, vgprs=40)])
    assert not _worth([needs(256, vgprs=10), needs(256, vgprs=10)])


def test_what_is_the_same_for_every_kernel_of_one_wavefront_is_not_asked() -> None:
    assert not _worth([needs(vgprs=40), needs(vgprs=40)])
    assert _worth([needs(vgprs=40), needs(vgprs=48)])
