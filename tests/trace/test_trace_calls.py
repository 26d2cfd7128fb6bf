"""What one call shows: launches, modes, memory, boundaries, and what goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.errors import UserError
from extractor.trace.records import Trace
from extractor.trace.tracer import Tracer


def one(tracer: Tracer, entry: str, arch: str = "gfx90a", **options: Any) -> Trace:
    modes = {name: options.pop(name) for name in ("pointer_mode", "atomics") if name in options}
    (trace,) = tracer.call(entry, options, archs=(arch,), **modes)
    return trace


def kernels(trace: Trace) -> list[str]:
    return [launch.kernel for launch in trace.launches]


def test_a_launch_has_its_kernel_grid_block_and_dynamic_lds(tracer: Tracer) -> None:
    trace = one(tracer, "brook_sfill", side="R", n=7)
    (launch,) = trace.launches
    assert (launch.kernel, launch.grid, launch.block) == ("fill_right", (7, 2, 1), (32, 2, 1))
    assert (launch.shared_bytes, launch.repeat) == (64, 1)
    assert launch.demangled == "brook::fill_right(int, float*)"
    assert launch.symbol == "_ZN5brook10fill_rightEiPf"
    assert trace.status == "success"


def test_sizes_choose_instantiations(tracer: Tracer) -> None:
    small, large = (one(tracer, "brook_sfill", n=n).launches[0] for n in (64, 65))
    assert "fill<64>" in small.demangled
    assert "fill<256>" in large.demangled


def test_what_is_not_given_has_its_default_and_stands_in_the_trace(tracer: Tracer) -> None:
    assert one(tracer, "brook_sfill", n=3).args == {"side": "L", "n": 3, "incx": 1}
    assert one(tracer, "brook_sbatch", n=3).args == {"n": 3, "lda": 3, "batch_count": 2}


def test_architectures_with_the_same_launches_are_one_trace(tracer: Tracer) -> None:
    archs = ("gfx90a", "gfx942")
    assert [t.arch for t in tracer.call("brook_sfill", {"n": 1}, archs=archs)] == [archs]
    wide = tracer.call("brook_sfill", {"n": 6000}, archs=archs)
    assert {t.arch: kernels(t) for t in wide} == {
        ("gfx90a",): ["fill"], ("gfx942",): ["fill_wide"],
    }  # fmt: skip


def test_scalars_live_where_the_pointer_mode_says(tracer: Tracer) -> None:
    host = one(tracer, "brook_sscale", n=5, alpha=2)
    device = one(tracer, "brook_sscale", n=5, alpha=2, pointer_mode="device")
    assert "scale<float>" in host.launches[0].demangled
    assert "scale<float const*>" in device.launches[0].demangled
    assert kernels(one(tracer, "brook_sscale", n=5, alpha=0)) == []


def test_atomics_are_a_mode_of_the_handle(tracer: Tracer) -> None:
    assert kernels(one(tracer, "brook_sscale", n=5, atomics=1)) == ["scale", "scale_atomic"]
    assert kernels(one(tracer, "brook_sscale", n=5, atomics=0)) == ["scale"]


def test_equal_launches_in_a_row_are_one_with_a_count(tracer: Tracer) -> None:
    trace = one(tracer, "brook_sbatch", n=5, batch_count=3500)
    assert [(x.grid[2], x.repeat) for x in trace.launches] == [(1000, 3), (500, 1)]


def test_two_arrays_can_be_the_same_memory(tracer: Tracer) -> None:
    apart, same = (one(tracer, "brook_smove", n=5, **more) for more in ({}, {"y": "x"}))
    assert (kernels(apart), kernels(same)) == (["move"], ["move_in_place"])
    assert same.args == {"n": 5, "y": "x"}


def test_a_status_is_told_by_its_name(tracer: Tracer) -> None:
    assert one(tracer, "brook_sbatch", n=5, lda=4).status == "invalid_size"


def test_kernels_whose_result_the_host_reads_are_carried_out_and_named(tracer: Tracer) -> None:
    traces = [one(tracer, "brook_spick", n=n) for n in (0, 1, 2)]
    assert [kernels(t)[1:] for t in traces] == [["negative"], [], ["positive"]]
    assert traces[0].executed == ("count_from",)


def test_memory_that_nothing_wrote_reads_as_zero(tracer: Tracer) -> None:
    one(tracer, "brook_spick", n=2)  # leaves -1, 0, 1 behind
    assert one(tracer, "brook_sread", n=1).status == "success"
    assert one(tracer, "brook_sread", n=10**6).status == "success"


def test_an_opaque_object_is_zeroed_memory_of_the_host_where_the_rule_says_so(
    tracer: Tracer,
) -> None:
    trace = one(tracer, "brook_sbed", n=3)
    assert (trace.status, [x.grid for x in trace.launches]) == ("success", [(3, 1, 1)])
    assert "bed" not in trace.args


def test_memory_ends_where_the_device_has_no_more(tracer: Tracer) -> None:
    assert one(tracer, "brook_swork", n=50 << 30).status == "success"
    assert one(tracer, "brook_swork", n=70 << 30).status == "memory_error"
    assert one(tracer, "brook_swork", "gfx942", n=70 << 30).status == "success"


def test_a_function_that_nothing_defines_is_a_boundary_and_returns_zero(tracer: Tracer) -> None:
    trace = one(tracer, "brook_svendor", n=5)
    assert trace.boundaries == ("_ZN6vendor4sortEi",)
    assert trace.status == "success"


def test_exceptions_find_their_handler(tracer: Tracer) -> None:
    assert one(tracer, "brook_sthrow", n=5).status == "internal_error"


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ("brook_scrash", "crash SIGSEGV"),
        ("brook_shang", "timeout"),
        ("brook_sendless", "stopped"),
    ],
)
def test_a_call_that_does_not_return_is_a_result_with_its_launches(
    tracer: Tracer, entry: str, status: str
) -> None:
    trace = one(tracer, entry, n=1)
    assert trace.status == status
    assert kernels(trace)[:1] == ["step"]
    # The next call has another worker.
    assert one(tracer, "brook_sfill", n=1).status == "success"


def test_calls_after_one_that_crashed_are_made_all_the_same(tracer: Tracer) -> None:
    from extractor.trace.case import Case

    cases = [Case({"n": n}) for n in (0, 1, 0, 1, 0)]
    found = tracer.call_all("brook_scrash", cases, ("gfx90a",))
    assert [group[0].status for group in found] == [
        "success", "crash SIGSEGV", "success", "crash SIGSEGV", "success",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "args", "text"),
    [
        ("brook_sfil", {}, "brook_sfill"),
        ("brook_sfill", {"m": 1}, "no argument 'm'"),
        ("brook_sfill", {"side": "X"}, "known: .*brook_side_right"),
        ("brook_sfill", {"n": "many"}, "n is a number"),
        ("brook_destroy", {}, "ends the handle"),
        ("brook_version", {}, "takes no brook_handle"),
    ],
)
def test_what_cannot_be_called_is_said_in_one_line(
    tracer: Tracer, entry: str, args: dict[str, Any], text: str
) -> None:
    with pytest.raises(UserError, match=text):
        tracer.call(entry, args)
