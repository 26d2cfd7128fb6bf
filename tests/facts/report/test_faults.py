"""What looks like a fault, and what does not."""

from __future__ import annotations

from typing import Any

from extractor.facts.records import Fact
from extractor.facts.report.faults import suspicions
from extractor.facts.report.tables import kernel_rows
from extractor.records import Span


def _fact(name: str, value: Any, line: int = 3, arch: str | None = None) -> Fact:
    return Fact(
        project="brook",
        function="a.hip:1:kernel",
        subject=f"a.hip:{line}",
        fact=name,
        value=value,
        arch=arch,
        span=Span(file="a.hip", start_line=line, end_line=line, sha256=""),
        proved_by="ast",
        reason=None if value is not None else "not followed",
    )


def _skipped(line: int, condition: str = "threadIdx.x < n", at: int = 2) -> Fact:
    value = {"divergent": True, "condition": condition, "line": at}
    return _fact("barrier", value, line)


def _met(line: int) -> Fact:
    return _fact("barrier", {"divergent": False, "condition": None}, line)


def test_each_place_is_named_once_with_what_would_make_it_matter() -> None:
    facts = [
        _skipped(3),
        _skipped(3),
        _met(4),
        _fact("wavefront_assumption", {"width": 32, "how": "__shfl_down"}, 5),
        _fact("wavefront_assumption", {"width": 64, "how": "__shfl_down"}, 6),
        _fact("barrier", None, 7),
    ]
    found = suspicions(facts)
    assert [(one.line, one.kind, one.confidence) for one in found] == [
        (3, "barrier in divergent control flow", "worth a look"),
        (5, "works for wavefronts of 32 threads", "worth a look"),
    ]
    assert "threadIdx.x < n" in found[0].seen
    assert "line 4" in found[0].matters_if
    assert all(one.matters_if for one in found)


def test_a_skipped_barrier_matters_where_another_one_is_to_come() -> None:
    def confidence(*facts: Fact) -> str:
        (found,) = suspicions(facts)
        return found.confidence

    loop = _fact("loop", {}, 1).model_copy(
        update={"span": Span(file="a.hip", start_line=1, end_line=9, sha256="")}
    )
    sure, unlikely = "worth a look", "unlikely but possible"
    # Threads that skip the one barrier end; a wavefront that ended is not waited for.
    assert confidence(_skipped(5, at=4)) == unlikely
    assert confidence(_met(3), _skipped(5, at=4)) == unlikely
    assert confidence(_skipped(5, at=4), _met(8)) == sure
    assert confidence(_met(3), _skipped(5, at=4), loop) == sure
    # What was not proved to be met by all may be met by those.
    assert confidence(_skipped(5, at=4), _fact("barrier", None, 8)) == sure
    # A block of one wavefront waits for nobody, whatever comes.
    assert confidence(_skipped(5, at=4), _met(8), _block(["8", "8", "1"])) == unlikely
    assert confidence(_skipped(5, at=4), _met(8), _block(["n", "8", "1"])) == sure


def test_what_is_seen_in_many_places_of_a_function_is_one_suspicion_the_gravest_kind_first() -> (
    None
):
    counted = {"bound": "(i <= n)", "parameter": "n", "step": "1"}
    overflow = {"bits": 32, "product": "blockIdx.x*incx"}
    facts = [
        _fact("global_access", {"index": "blockIdx.x*incx", "overflow": overflow}, 20),
        _fact("global_access", {"index": "blockIdx.x*incx + 1", "overflow": overflow}, 21),
        _skipped(5),
        _skipped(6),
        _skipped(7, "threadIdx.x < m"),
        _fact("global_access", {"access": "load", "buffer": "x", "one_too_many": counted}, 30),
    ]
    found = suspicions(facts)
    assert [(one.line, [place.rpartition(":")[2] for place in one.places]) for one in found] == [
        (30, ["30"]),
        (5, ["5", "6"]),
        (7, ["7"]),
        (20, ["20", "21"]),
    ]
    assert found[1].seen.startswith("2 barriers stand under 'threadIdx.x < n'")


def test_a_product_in_32_bits_is_no_more_than_possible() -> None:
    overflow = {"bits": 32, "product": "blockIdx.x*incx"}
    facts = [
        _fact("global_access", {"index": "blockIdx.x*incx + 1", "overflow": overflow}),
        _fact("global_access", {"index": "blockIdx.x"}, 4),
    ]
    (found,) = suspicions(facts)
    assert (found.line, found.confidence) == (3, "unlikely but possible")
    assert "blockIdx.x*incx" in found.seen
    assert "admits" in found.matters_if


def test_a_kernel_is_one_row() -> None:
    facts = [
        _fact("lds_bytes", 512),
        _fact("lds_bytes", 1024),
        _fact("occupancy", 8, arch="gfx90a"),
        _fact("occupancy", 4, arch="gfx90a"),
        _fact("global_access", {"class": "coalesced"}, 8),
        _fact("global_access", {"class": "strided"}, 9),
        _fact("barrier", {"divergent": True, "condition": "x"}, 10),
    ]
    (row,) = kernel_rows(facts)
    assert row.as_json() == {
        "function": "a.hip:1:kernel",
        "lds_bytes": 1024,
        "occupancy": {"gfx90a": 4},
        "vgprs": {},
        "classes": {"coalesced": 1, "strided": 1},
        "divergent": 1,
    }


def _past(threads: list[list[int]], instantiation: str | None = None) -> Fact:
    value = {
        "array": "tile",
        "index": "threadIdx.x + 1",
        "passes": {"bytes": 1024, "reaches": 1028, "threads": threads},
    }
    fact = _fact("lds_access", value)
    return fact.model_copy(update={"instantiation": instantiation})


def _block(sizes: list[str], symbol: str | None = None) -> Fact:
    value = {"expressions": sizes, "named": sizes, "kernel": "a.hip:1:kernel", "symbol": symbol}
    return _fact("launch_block", value, 30)


def test_an_array_is_passed_only_by_threads_that_a_launch_has() -> None:
    past = _past([[255, 0, 0], [127, 1, 0]])
    assert suspicions([past]) == []  # nobody knows the block
    assert suspicions([past, _block(["n", "1", "1"])]) == []
    assert suspicions([past, _block(["255", "1", "1"])]) == []
    for sizes in (["256", "1", "1"], ["128", "2", "1"]):
        (found,) = suspicions([past, _block(sizes)])
        assert found.kind == "bound that lets an index pass its buffer"
        assert "1024 bytes" in found.seen
    # Another instantiation may be the one that has the larger block, and a larger array.
    assert suspicions([past, _block(["256", "1", "1"]), _block(["64", "1", "1"])]) == []
    assert suspicions([past, _block(["256", "1", "1"]), _block(["n", "1", "1"])]) == []
    other = _past([[255, 0, 0]], "_Zone")
    named = [_block(["256", "1", "1"], "_Zone"), _block(["64", "1", "1"], "_Zother")]
    assert len(suspicions([other, *named])) == 1


def test_a_count_that_includes_its_bound_is_named_with_the_bound() -> None:
    counted = {"bound": "(i <= n)", "parameter": "n", "step": "incx"}
    access = {"access": "load", "buffer": "x", "index": "i*incx", "one_too_many": counted}
    (found,) = suspicions([_fact("global_access", access)])
    assert found.kind == "bound that lets an index pass its buffer"
    assert "n + 1 elements" in found.seen
