"""Faults that hardware often hides and the CPU runtime must show."""

from __future__ import annotations

import pytest
from cpu_program import CpuProgram

SCHEDULES = ("ascending", "descending", "random:1", "random:2", "ahead", "behind")
RIGHT = " ".join(str((i + 1) % 256) for i in range(256))


def test_a_kernel_with_its_barrier_is_right_in_every_order(cpu: CpuProgram) -> None:
    for schedule in SCHEDULES:
        assert cpu("faults", "neighbour", schedule=schedule).outcome.stdout.strip() == RIGHT


@pytest.mark.parametrize("kernel", ["neighbour_without_barrier", "across_waves_without_barrier"])
def test_a_missing_barrier_shows_in_some_order(cpu: CpuProgram, kernel: str) -> None:
    right = cpu("faults", kernel.replace("_without_barrier", "")).outcome.stdout
    results = {s: cpu("faults", kernel, schedule=s).outcome.stdout for s in SCHEDULES}
    wrong = {schedule for schedule, result in results.items() if result != right}
    assert wrong
    assert "nan" in results[wrong.pop()]  # what was not written yet is poison


@pytest.mark.parametrize("guard", ["end", "start"])
@pytest.mark.parametrize("offset", [256, -1, 300, -300])
def test_a_write_outside_a_buffer_is_reported(cpu: CpuProgram, guard: str, offset: int) -> None:
    done = cpu("faults", "write", str(offset), guard=guard)
    assert done.outcome.exit_code == 5
    finding = done.findings[0]
    assert finding["kind"] == "out_of_bounds_write"
    assert finding["kernel"] == "write_at(float*, int)"
    assert (finding["buffer"], finding["buffer_bytes"]) == (1, 1024)
    assert finding["offset"] == 4 * offset


@pytest.mark.parametrize(("guard", "offset"), [("end", 256), ("start", -1), ("end", 1 << 20)])
def test_a_read_outside_a_buffer_names_block_and_thread(
    cpu: CpuProgram, guard: str, offset: int
) -> None:
    finding = cpu("faults", "read", str(offset), guard=guard).findings[0]
    assert finding["kind"] == "out_of_bounds_read"
    assert (finding["block"], finding["thread"]) == ([0, 0, 0], [0, 0, 0])


def test_a_buffer_holds_no_number_before_it_is_written(cpu: CpuProgram) -> None:
    assert "nan" in cpu("faults", "read", "5").outcome.stdout
    assert "nan" not in cpu("faults", "read", "5", poison="0").outcome.stdout


def test_lds_that_was_not_written_is_poison(cpu: CpuProgram) -> None:
    values = cpu("faults", "uninitialised").outcome.stdout.split()
    assert values[:200] == ["1"] * 200
    assert set(values[200:]) <= {"nan", "-nan"}


def test_a_kernel_for_32_lanes_shows_on_64(cpu: CpuProgram) -> None:
    on_32 = cpu("faults", "sum_of_32", wavefront=32).outcome.stdout.split()
    on_64 = cpu("faults", "sum_of_32", wavefront=64).outcome.stdout.split()
    assert on_32 == ["32"] * 8 + ["0"]
    assert on_64 != on_32


@pytest.mark.parametrize("kernel", ["divergent_branch", "divergent_pair"])
def test_a_divergent_barrier_names_kernel_block_and_thread(cpu: CpuProgram, kernel: str) -> None:
    done = cpu("faults", kernel)
    assert done.outcome.exit_code == 5
    finding = done.findings[0]
    assert finding["kind"] == "barrier_divergence"
    assert finding["kernel"] == f"{kernel}(float*)"
    assert finding["block"] == [0, 0, 0]
    waiting = finding["waiting_thread_x"]
    assert waiting // 64 == finding["thread"][0] // 64
    assert waiting != finding["thread"][0]


def test_a_barrier_that_returned_threads_left_out_can_be_allowed(cpu: CpuProgram) -> None:
    done = cpu("faults", "divergent_branch", exited="allow")
    assert done.outcome.ok
    assert not done.findings


def test_a_wavefront_that_returned_as_a_whole_is_no_divergence(cpu: CpuProgram) -> None:
    done = cpu("faults", "waves_apart")
    assert done.outcome.ok
    assert not done.findings


def test_a_write_past_dynamic_lds_is_reported(cpu: CpuProgram) -> None:
    assert cpu("faults", "dynamic_lds", "15").outcome.ok
    finding = cpu("faults", "dynamic_lds", "16").findings[0]
    assert finding["kind"] == "lds_out_of_bounds_write"
    assert (finding["dynamic_lds_bytes"], finding["offset"]) == (64, 64)


def test_threads_that_wait_for_nobody_end_as_a_finding(cpu: CpuProgram) -> None:
    done = cpu("faults", "spin", stall="0.3", seconds=20)
    assert done.kinds == {"stall"}


def test_a_loop_the_runtime_cannot_leave_ends_at_the_time_limit(cpu: CpuProgram) -> None:
    done = cpu("faults", "spin_silently", seconds=1)
    assert done.outcome.describe().startswith("killed after")


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        (["divide"], "integer_division"),
        (["recurse", "1000"], "private_memory"),
        (["give_up"], "assertion"),
        (["after_free"], "use_after_free"),
        (["null"], "out_of_bounds_write"),
    ],
)
def test_a_fault_ends_the_launch_and_not_the_program(
    cpu: CpuProgram, kernel: list[str], kind: str
) -> None:
    done = cpu("faults", *kernel)
    assert done.kinds == {kind}
    assert done.outcome.exit_code == 5
    assert done.outcome.stdout.startswith("error hipError")


def test_freed_memory_does_not_use_up_the_addresses(cpu: CpuProgram) -> None:
    done = cpu("faults", "many_frees")
    assert done.outcome.stdout.strip() == "0"
    assert not done.findings


def test_deep_calls_fit_once_threads_get_more_memory(cpu: CpuProgram) -> None:
    assert cpu("faults", "recurse", "100", stack="1048576").outcome.ok


def test_lanes_in_lockstep_need_no_barrier_and_others_do(cpu: CpuProgram) -> None:
    for schedule in (*SCHEDULES, "together"):
        right = cpu("faults", "lockstep_sum", lockstep=True, schedule=schedule)
        assert right.outcome.stdout.strip() == "2016"
        wrong = cpu("faults", "lockstep_sum", schedule=schedule)
        assert wrong.outcome.stdout.strip() != "2016"


def test_a_barrier_between_wavefronts_is_needed_in_lockstep_too(cpu: CpuProgram) -> None:
    right = cpu("faults", "across_waves").outcome.stdout
    results = {
        cpu("faults", "across_waves_without_barrier", lockstep=True, schedule=s).outcome.stdout
        for s in SCHEDULES
    }
    assert results - {right}


def test_wavefronts_in_step_hide_what_one_that_falls_behind_shows(cpu: CpuProgram) -> None:
    def winners(threads: int, **settings: str) -> set[str]:
        done = cpu("faults", "winner", str(threads), lockstep=True, **settings)
        return set(done.outcome.stdout.split())

    # One wavefront in lockstep is right whatever the order, several are as long as they take turns.
    for schedule in (*SCHEDULES, "together"):
        assert len(winners(64, schedule=schedule)) == 1
    assert len(winners(256, schedule="together")) == 1
    assert any(len(winners(256, schedule=schedule)) > 1 for schedule in SCHEDULES)
    assert len(set(cpu("faults", "winner", "64").outcome.stdout.split())) > 1


@pytest.mark.parametrize("schedule", ["random:1", "random:2", "random:3", "together", "behind"])
def test_a_wavefront_passes_fences_and_atomics_together(cpu: CpuProgram, schedule: str) -> None:
    right = {"2016"}
    fenced = cpu("faults", "fenced_sum", lockstep=True, schedule=schedule)
    assert set(fenced.outcome.stdout.split()) == right
    for lockstep in (True, False):
        mixed = cpu("faults", "shuffle_after_atomic", lockstep=lockstep, schedule=schedule)
        assert set(mixed.outcome.stdout.split()) == right
