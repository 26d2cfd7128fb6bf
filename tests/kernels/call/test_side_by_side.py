"""Entry points of an interface are judged in processes of their own, and told in their order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from extractor.project import Project
from kernels.call import CallOptions, CallVerdict, verify_calls
from kernels.cpu.build import build_runtime, compile_unit, link

HERE = Path(__file__).parent
RULE = f"""
name = "tiny"
[source]
folder = "{HERE}"
[[units]]
files = ["*.hip"]
[entry_points]
headers = ["*.h"]
names = ["good_sscal", "dying_sscal", "long_sscal"]
[families]
prefixes = ["good_", "dying_", "long_"]
precisions = ["s"]
stems = ["scal"]
"""
ORDER = ["dying_sscal", "good_sscal", "long_sscal"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    unit = compile_unit(HERE / "tiny.hip", (f"-I{HERE}",), lockstep=True)
    link(unit.objects, folder / "libtiny.so", arguments=["-Wl,-rpath,$ORIGIN"])
    shutil.copy2(build_runtime().library, folder / "libhipcpu.so")
    return folder


def judged(library: Path, folder: Path, jobs: int, told: list[str]) -> CallVerdict:
    (folder / "tiny.toml").write_text(RULE)
    options = CallOptions(budget=30, library=library, jobs=jobs)
    return verify_calls(Project(folder / "tiny.toml"), "scal", options, folder, told.append)


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_entry_point_is_judged_once_and_told_in_order(
    library: Path, tmp_path: Path, jobs: int
) -> None:
    told: list[str] = []
    verdict = judged(library, tmp_path, jobs, told)
    assert [one.entry for one in verdict.entries] == ORDER
    assert sorted(line.partition(":")[0] for line in told) == ORDER
    assert not any(one.skipped for one in verdict.entries)
    # How far each gets in its time depends on the machine; what it says does not.
    wrong = [one.entry for one in verdict.findings]
    assert set(wrong) <= {"dying_sscal", "long_sscal"}
    assert "long_sscal" in wrong
    assert wrong == sorted(wrong)
    assert all("kernels verify tiny --interface scal" in one.reproducer for one in verdict.findings)
