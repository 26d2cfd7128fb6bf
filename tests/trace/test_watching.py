"""Calls that are looked at again: streams, scalar arguments, and what launches hang on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from opened_libraries import Extract

from extractor.trace.tracer import Tracer
from extractor.trace.watching import Watch

BROOK = Path(__file__).parent / "brook" / "rules.toml"
READ = "4 bytes read back after launch 1, and 2 times more"


@pytest.fixture
def watch(tracer: Tracer) -> Iterator[Watch]:
    with Watch(tracer) as made:
        yield made


def test_launches_have_the_stream_and_the_scalars_that_they_were_given(
    tracer: Tracer, watch: Watch
) -> None:
    (trace,) = tracer.call("brook_smix", {"n": 65, "side": "R"}, archs=("gfx942",))
    _, given = watch.look(trace)
    assert [(launch.kernel, launch.repeat) for launch in trace.launches] == [
        ("mix", 2),
        ("step", 1),
    ]
    right = tracer.prototypes.enumerations["brook_side"]["brook_side_right"]
    # Of two that are one line the first is told; of a structure nothing is known.
    assert given[0].stream == "0x20"
    assert given[0].scalars == (right, 200, 1 << 40, 0.5, None, None)
    assert (given[1].stream, given[1].scalars) == ("default", (7,))


def test_what_only_a_real_run_writes_is_told_where_launches_hang_on_it(
    tracer: Tracer, watch: Watch
) -> None:
    (trace,) = tracer.call("brook_ssettle", {"n": 6}, archs=("gfx942",))
    assert len(trace.launches) == 1
    assert trace.launches[0].repeat == 6
    found, _ = watch.look(trace)
    assert found.depends == ("4 bytes read back after launch 1, and 5 times more",)
    assert found.model_copy(update={"depends": ()}) == trace


@pytest.mark.parametrize(
    ("entry", "args"),
    [
        # The caller gets what a kernel wrote; launches come after it, the same ones.
        ("brook_smix", {"n": 65}),
        # A kernel wrote it whose effect follows from its arguments.
        ("brook_spick", {"n": 2}),
        # Nothing was launched before: it is the caller's own.
        ("brook_sread", {"n": 2}),
        ("brook_sbatch", {"n": 2, "batch_count": 3}),
    ],
)
def test_other_reads_are_nothing_to_tell(
    tracer: Tracer, watch: Watch, entry: str, args: dict[str, int]
) -> None:
    for trace in tracer.call(entry, args):
        assert watch.look(trace)[0] == trace


def test_the_command_says_so(tracer: Tracer, extract: Extract) -> None:
    call = (BROOK, "--trace", "brook_ssettle", "n=3")
    done = extract(*call)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "  step grid 1 x 1 x 1 block 64 x 1 x 1 LDS 0 (brook, 3 times)",
        "    stream default, given (0)",
        f"  hangs on what only a real run writes: {READ}",
    ]
    answer = json.loads(extract(*call, "--json").stdout)
    assert answer["depends"] == [READ]
    assert answer["launches"][0]["scalar_arguments"] == [0]
    assert answer["launches"][0]["stream"] == "default"


def test_traces_of_an_interface_are_marked(
    tracer: Tracer, extract: Extract, tmp_path: Path
) -> None:
    done = extract(BROOK, "--interface", "settle", "--trace", "--cases", "6", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)[0]["written"]
    lines = (tmp_path / "work" / written).read_text(encoding="utf-8").splitlines()
    traces = [json.loads(line) for line in lines]
    # Without a turn, or with a single one, nothing is decided by what was read.
    assert {len(t["depends"]) for t in traces if t["args"]["n"] > 1} == {1}
    assert {len(t["depends"]) for t in traces if t["args"]["n"] <= 1} == {0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--trace", "brook_ssettle", "n=3", "--execute"), "--execute: .*brook_ssettle cannot be"),
        (("--trace", "brook_ssettle", "arch=gfx90a", "--execute"), "as gfx942 alone"),
        (("--trace", "-i", "settle", "--execute"), "--execute goes with a call"),
    ],
)
def test_what_cannot_be_executed_is_one_line(
    tracer: Tracer, extract: Extract, arguments: tuple[str, ...], said: str
) -> None:
    pytest.importorskip("numpy")
    done = extract(BROOK, *arguments, "--quiet")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert re.search(said, done.stderr)
