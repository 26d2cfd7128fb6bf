"""One call with a trace's arguments on the CPU runtime: its input, its launches, its outcome."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import UserError
from extractor.project import Project
from kernels.call.entry import callable_entry
from kernels.call.executed import case_of, execute_call
from kernels.call.execution import Execution, Handle

pytest.importorskip("numpy")
HERE = Path(__file__).parent
RULE = f"""
name = "tiny"
[source]
folder = "{HERE}"
[[units]]
files = ["*.hip"]
[entry_points]
headers = ["*.h"]
names = ["good_*", "long_*"]
[families]
prefixes = ["good_", "long_"]
precisions = ["s"]
stems = ["scal", "gemv", "syr", "asum", "getrf"]
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.toml"
    file.write_text(RULE)
    return file


def case(rules: Path, entry: str, **args: Any) -> dict[str, Any]:
    found = callable_entry(str(rules), None, entry)
    assert not isinstance(found, str)
    return case_of(found, args, "device")


def test_arguments_of_a_trace_are_those_of_the_input(rules: Path) -> None:
    made = case(
        rules, "good_sgemv", trans="t", m=30, n=20, alpha=0, lda=33, incx=-2, beta=2.5, incy=3
    )
    assert (made["trans"], made["m"], made["n"]) == ("T", 30, 20)
    assert (made["alpha"], made["beta"], made["mode"]) == ("0", "other", "device")
    # Three rows more than there are; what is not said is the plainest.
    assert (made["ld:A"], made["inc:x"], made["inc:y"]) == (3, -2, 3)
    assert (made["schedule"], made["guard"], made["seed"]) == ("together", "end", 0)


def test_a_flag_is_a_letter_or_the_word_of_the_header(rules: Path) -> None:
    upper = [case(rules, "good_ssyr", n=3, uplo=word)["uplo"] for word in ("u", "tiny_fill_upper")]
    assert upper == ["U", "U"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"m": 30, "n": 20, "lda": 29}, "lda=29 is smaller"),
        ({"m": 3, "n": 2, "trans": "X"}, "trans is one of"),
        ({"m": "x", "n": 2}, "m is a whole number, not 'x'"),
        ({"m": 3, "n": 2, "lda": "x"}, "lda is a whole number, not 'x'"),
        ({"m": 3, "n": 2, "incx": 1.5}, "incx is a whole number, not '1.5'"),
        ({"m": 3, "n": 2, "alpha": "x"}, "alpha is a number, not 'x'"),
    ],
)
def test_arguments_that_no_input_has_are_one_line(
    rules: Path, args: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        case(rules, "good_sgemv", **args)


def test_a_call_is_made_and_its_launches_are_told(rules: Path, tmp_path: Path) -> None:
    project = Project(rules)
    right = execute_call(project, "good_sscal", {"n": 700, "incx": 2}, tmp_path / "out")
    assert right.outcome == "as defined"
    assert len(right.launches) == 1
    assert right.launches[0].kernel in right.launches[0].demangled
    assert right.launches[0].grid[0] * right.launches[0].block[0] >= 700
    wrong = execute_call(project, "long_sscal", {"n": 700}, tmp_path / "out")
    assert wrong.outcome.startswith(("memory: ", "result: ", "untouched: "))
    with pytest.raises(UserError, match="too long"):
        execute_call(project, "good_sscal", {"n": 10**9}, tmp_path / "out")
    with pytest.raises(UserError, match="unknown entry point 'good_scal'; nearest: good_sscal"):
        execute_call(project, "good_scal", {}, tmp_path / "out")
    with pytest.raises(UserError, match="unknown parameter 'nn'; nearest: n"):
        execute_call(project, "good_sscal", {"nn": 1}, tmp_path / "out")


def test_the_command_prints_it(rules: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kernels.cli", "call", str(rules), "good_sscal", "n=9"]
    done = subprocess.run(
        [*command, "--json", "--out", str(tmp_path / "out")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (answer["entry"], answer["arch"], answer["outcome"]) == (
        "good_sscal", "gfx942", "as defined",
    )  # fmt: skip
    assert [launch["repeat"] for launch in answer["launches"]] == [1]


def test_what_no_input_says_is_that_of_the_trace(rules: Path) -> None:
    found = callable_entry(str(rules), None, "good_sscal")
    assert not isinstance(found, str)
    signature = replace(found.signature, fixed={"max_sweeps": 100, "abstol": 0})
    execution = Execution(signature, {}, Handle(), {}).fixing({"max_sweeps": 4, "n": 3})
    assert vars(execution)["_signature"].fixed == {"max_sweeps": 4, "abstol": 0}
