"""Barriers told with the accesses they part, and occupancy with the blocks that it comes to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from extractor.records import Span
from qa.author.block_room import tell_blocks
from qa.author.kernel_facts import KernelFacts, Row, one_lane
from qa.author.launch_pairs import Shape
from qa.author.phases import tell_phase
from qa.author.residency import Needs
from qa.reading.function import read_function

KERNEL = """__device__ float reduce(float val, float* out)
{
    __shared__ float sums[64];
    int wave = threadIdx.x / 64;
    int lane = threadIdx.x % 64;
    if(wave == 0)
        sums[lane] = 0;
    __syncthreads();
    if(lane == 0)
        sums[wave] = val;
    else
        sums[wave] = val;
    __syncthreads();
    val = sums[lane];
    __syncthreads();
    return val;
}
"""
SPAN = Span(file="k.hpp", start_line=1, end_line=17, sha256="0" * 64)


class Heard:
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str, *cites: Any) -> None:
        self.said.append(text)

    def choose(self, *forms: str, salt: str = "") -> str:
        return forms[0]

    def claim(self, *rest: Any) -> None:
        pass

    def lines(self, function: Any, first: int, last: int | None = None) -> int:
        return first

    def head(self, function: Any) -> int:
        return 1


def row(line: int, **value: Any) -> Row:
    span = {"file": "k.hpp", "start_line": line, "end_line": line, "sha256": "0" * 64}
    fact = {"span": span, "instantiation": None, "value": value, "fact": "", "function": "k"}
    return Row(line, 9, value, {**fact, "subject": "", "arch": None})


def access(line: int, kind: str, index: str) -> Row:
    return row(line, array="sums", access=kind, index=index, symbols={})


def guard(line: int, condition: str, resolved: str) -> Row:
    return row(line, condition=condition, resolved=resolved)


@pytest.fixture
def facts() -> KernelFacts:
    function: Any = SimpleNamespace(
        id="k", name="reduce", text=KERNEL, span=SPAN, file="k.hpp",
        instantiations=({"symbol": "k0", "template_arguments": ["256"]},),
    )  # fmt: skip
    rows = {
        "barrier": [row(8), row(13), row(15)],
        "guard": [guard(7, "wave == 0", "threadIdx.x / 64 == 0")],
    }
    ground: Any = SimpleNamespace()
    return KernelFacts(function, ground, read_function(KERNEL, 1), rows)


def test_a_barrier_is_told_with_its_own_number_and_what_it_parts(facts: KernelFacts) -> None:
    barriers = facts.of("barrier")
    lane, wave = "(threadIdx.x % 64)", "(threadIdx.x / 64)"
    first = [access(7, "store", lane)]
    second = [access(10, "store", wave), access(12, "store", wave)]
    loads = [access(14, "load", lane)]
    launched: Any = (SimpleNamespace(), Shape({}, (1, 1, 1), (256, 1, 1)))
    draft: Any = Heard()
    parts = [(barriers[0], first, []), (barriers[1], second, loads)]
    assert tell_phase(draft, facts, launched, parts, 0)
    assert draft.said[-1] == (
        "The first one follows the store to `sums[lane]` (where `wave == 0` holds) and keeps the "
        "later store to `sums[wave]` behind it: element 1 gets its first value from the thread "
        "with `threadIdx.x` = 1 and its second from the one with `threadIdx.x` = 64."
    )
    assert tell_phase(draft, facts, launched, parts, 1)
    assert draft.said[-1] == (
        "Up to the second one `sums[wave]` is stored, and from there on `sums[lane]` is read: "
        "element 1 of `sums`, for instance, goes from the thread with `threadIdx.x` = 64 "
        "to the one with `threadIdx.x` = 1."
    ), "what both branches of a test do does not hang on it"
    assert tell_phase(draft, facts, None, [(barriers[2], [], loads)], 0)
    assert draft.said[-1].startswith("The third one"), "the barrier's own place, not the part's"


def needs(occupancy: int, threads: int, lds: int = 0) -> Needs:
    given = {"occupancy": occupancy, "code_object_lds_bytes": lds, "vgprs": 32, "agprs": 0}
    rows = {name: Row(1, 0, {}, {"value": value}) for name, value in given.items()}
    return Needs("gfx90a", rows, Shape({}, (1, 1, 1), (threads, 1, 1)))


@pytest.mark.parametrize(
    ("occupancy", "threads", "lds", "said"),
    [
        (5, 1024, 0, "4 * 5 = 20: 1 such block takes 16 of them, so that 20 - 16 = 4 of"),
        (8, 256, 0, "4 * 8 = 32: 8 such blocks take 8 * 4 = 32 of them, which is all of it."),
        (8, 64, 0, ""),
        (8, 256, 1024, "The 4 wavefronts of a block come together. A compute unit has room for"),
    ],
)  # fmt: skip
def test_wavefronts_come_in_whole_blocks(
    occupancy: int, threads: int, lds: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qa.author.block_room.definition_spans", lambda *_a: [])
    monkeypatch.setattr("qa.author.block_room.claim_block", lambda *_a: None)
    pair: Any = SimpleNamespace(
        launcher=SimpleNamespace(name="l"), site=SimpleNamespace(at=1),
        claim_shape=lambda *_a: None,
    )  # fmt: skip
    draft: Any = Heard()
    tell_blocks(draft, needs(occupancy, threads, lds), pair)
    assert said in " ".join(draft.said)
    assert bool(draft.said) is bool(said)


@pytest.mark.parametrize(
    ("resolved", "alone"),
    [
        ("(threadIdx.x == k)", True),
        ("y < ny && k == threadIdx.x", True),
        ("threadIdx.x < k", False),
        ("threadIdx.x % 64 == 0", False),
        ("threadIdx.y == 0", False),
    ],
)
def test_an_access_under_an_equality_of_the_lane_has_no_neighbour(
    facts: KernelFacts, resolved: str, alone: bool
) -> None:
    span = {"file": "k.hpp", "start_line": 6, "end_line": 7, "sha256": "0" * 64}
    value = {"condition": "c", "resolved": resolved}
    facts.rows["guard"] = [Row(6, 1, value, {"span": span})]
    assert one_lane(facts, access(7, "store", "0")) is alone
    assert not one_lane(facts, access(9, "store", "0"))
