"""Whole C calls judged by their definition: right ones pass, each kind of fault is found."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from extractor.errors import UserError
from kernels.call.case import (
    WORDS,
    boundary_cases,
    completed,
    describe,
    parse,
    smaller_cases,
    work,
)
from kernels.call.execution import Execution, Handle
from kernels.call.prototype import Headers, read_headers
from kernels.call.record import EntryVerdict
from kernels.call.roles import Signature, read_signature
from kernels.call.search import Judge, Search
from kernels.call.session import Session, WorkerNotStarted
from kernels.cpu.build import build_runtime, compile_unit, link
from kernels.facts_check.observation import Observation, keep
from kernels.facts_check.recording import build_recorder, read_launches
from kernels.isolation.limits import Limits

pytest.importorskip("numpy")
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def headers() -> Headers:
    return read_headers([HERE / "tiny.h"])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    target = folder / "libtiny.so"
    unit = compile_unit(HERE / "tiny.hip", (f"-I{HERE}",), lockstep=True)
    link(unit.objects, target, arguments=["-Wl,-rpath,$ORIGIN"])
    shutil.copy2(build_runtime().library, folder / "libhipcpu.so")
    return target


def _signature(headers: Headers, name: str) -> Signature:
    prototype = headers.prototype(name)
    assert prototype
    found = read_signature(prototype, name.partition("_s")[2], headers)
    assert isinstance(found, Signature), found
    return found


def _search(headers: Headers, library: Path, name: str, seconds: float = 60) -> Search:
    signature = _signature(headers, name)
    record = EntryVerdict(name)
    execution = Execution(signature, signature.flags, Handle(), {})
    judge = Judge(
        library, execution, record, Limits(wall_seconds=30), wavefront=64, lockstep=True,
        command="kernels verify tiny",
    )  # fmt: skip
    return Search(signature, signature.flags, judge, 0, seconds)


def _boundary(headers: Headers, library: Path, name: str, most: int = 70):
    """Boundary cases until the first finding."""
    with _search(headers, library, name) as search:
        for case in boundary_cases(search._signature, search._letters, 0)[:most]:
            search.one(case)
            if search.findings:
                break
        return search.findings, search._judge.record


@pytest.mark.parametrize(
    "name", ["good_sscal", "good_sgemv", "good_ssyr", "good_sasum", "good_sgetrf"]
)
def test_right_code_is_not_accused(headers: Headers, library: Path, name: str) -> None:
    findings, record = _boundary(headers, library, name)
    assert not findings
    assert record.inputs_passed >= 40
    assert not record.unsteady


@pytest.mark.parametrize(
    ("name", "kinds", "sizes"),
    [
        ("long_sscal", {"out_of_bounds_read", "out_of_bounds_write", "memory"}, {"n": 1}),
        ("stiff_sscal", {"untouched", "memory", "result"}, {"n": 8}),
        ("reads_sgemv", {"unreferenced"}, {"m": 1, "n": 1}),
        ("whole_ssyr", {"untouched"}, {"n": 3}),
        ("lazy_sgetrf", {"result"}, {"m": 2, "n": 1}),
        ("dying_sscal", {"crash"}, {"n": 5}),
    ],
)
def test_a_fault_is_found_by_its_smallest_input(
    headers: Headers, library: Path, name: str, kinds: set[str], sizes: dict[str, int]
) -> None:
    findings, _ = _boundary(headers, library, name)
    (finding,) = findings
    assert finding.kind in kinds
    case = parse(finding.input)
    assert {key: case[key] for key in sizes} == sizes
    assert ("any hardware" if kinds == {"unreferenced"} else "gfx942") in finding.hardware
    assert f"--entry {name} --case '{finding.input}'" in finding.reproducer
    assert finding.schedules == finding.tried


def test_a_race_between_wavefronts_names_the_orders_that_show_it(
    headers: Headers, library: Path
) -> None:
    findings, _ = _boundary(headers, library, "racing_sasum")
    (finding,) = findings
    assert finding.kind == "result"
    assert 0 < len(finding.schedules) < len(finding.tried)
    assert "order in which wavefronts run" in finding.error
    assert "drift that far apart" in finding.hardware


def test_what_hangs_on_memory_that_nobody_wrote_is_told_from_a_wrong_result(
    headers: Headers, library: Path
) -> None:
    findings, _ = _boundary(headers, library, "dirty_sasum")
    (finding,) = findings
    assert finding.kind == "uninitialised"
    assert parse(finding.input)["n"] == 5
    assert "nobody wrote" in finding.error
    assert finding.hardware.startswith("any hardware")


def test_a_wrong_info_of_nothing_does_not_hide_wrong_values(
    headers: Headers, library: Path
) -> None:
    with _search(headers, library, "hasty_sgetrf") as search:
        for case in boundary_cases(search._signature, search._letters, 0)[:40]:
            search.one(case)
        empty, wrong = search.findings[:2]
    assert empty.expected.startswith("info")
    assert 0 in (parse(empty.input)["m"], parse(empty.input)["n"])
    assert empty.times > 1
    assert wrong.expected.startswith("A")
    assert min(parse(wrong.input)[size] for size in "mn") > 0


@pytest.mark.parametrize(("lanes", "cards", "other"), [(64, "gfx942", 32), (32, "RDNA", 64)])
def test_a_finding_claims_nothing_for_wavefronts_that_were_not_tried(
    headers: Headers, library: Path, lanes: int, cards: str, other: int
) -> None:
    with _search(headers, library, "good_sscal") as search:
        said = replace(search._judge, wavefront=lanes).hardware("result")
    assert cards in said
    assert f"--wavefront {other} says" in said
    assert "not CDNA" not in said


def test_a_line_of_a_finding_is_the_case_again(headers: Headers) -> None:
    signature = _signature(headers, "good_sgemv")
    flags = {name: tuple(letters) for name, letters in signature.flags.items()}
    for case in boundary_cases(signature, flags, 3)[:40]:
        assert parse(describe(case)) == case


def test_boundary_cases_hold_every_boundary_and_come_cheapest_first(headers: Headers) -> None:
    signature = _signature(headers, "good_sgemv")
    flags = {name: tuple(letters) for name, letters in signature.flags.items()}
    cases = boundary_cases(signature, flags, 0)
    assert {0, 1, 63, 64, 65, 129} <= {case["m"] for case in cases}
    assert {case["trans"] for case in cases} == {"N", "T", "C"}
    assert {case["alpha"] for case in cases} == {"0", "1", "-1", "other"}
    assert {-2, -1, 1, 2, 3} <= {case["inc:x"] for case in cases}
    assert {"nan", "random", "integers"} <= {case["values"] for case in cases}
    costs = [work(signature, case) for case in cases]
    assert costs == sorted(costs)
    assert cases == boundary_cases(signature, flags, 0)


def test_a_smaller_case_is_smaller_or_plainer(headers: Headers) -> None:
    signature = _signature(headers, "good_ssyr")
    flags = {name: tuple(letters) for name, letters in signature.flags.items()}
    case = boundary_cases(signature, flags, 0)[-1]
    for smaller in smaller_cases(signature, case):
        assert smaller != case
        assert smaller["n"] <= case["n"]


def test_random_cases_are_the_same_for_a_seed(headers: Headers, library: Path) -> None:
    with _search(headers, library, "good_sscal", seconds=1.0) as search:
        search.all()
        assert not search.findings
        assert search._judge.record.inputs_passed > 0


def test_a_library_may_be_named_from_where_one_stands(
    headers: Headers, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.parent.parent)
    relative = Path(library.parent.name) / library.name
    findings, record = _boundary(headers, relative, "good_sscal", most=3)
    assert not findings
    assert record.inputs_passed == 3


def test_what_earlier_calls_left_behind_is_no_finding(headers: Headers, library: Path) -> None:
    findings, record = _boundary(headers, library, "tired_sscal")
    assert not findings
    assert record.unsteady
    assert record.inputs_failed == 0


def test_a_worker_that_never_came_up_is_no_fault_of_the_library(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernels.call.session._WORKER", library.parent / "gone.py")
    with Session(library) as session, pytest.raises(WorkerNotStarted, match="no worker"):
        session.call({}, [])


def test_a_typed_case_is_completed_and_its_faults_are_named(headers: Headers) -> None:
    signature = _signature(headers, "good_sscal")
    letters = {name: tuple(known) for name, known in signature.flags.items()}
    pattern = boundary_cases(signature, letters, 0)[0]
    assert completed({"n": 7}, pattern, letters) == {**pattern, "n": 7}
    with pytest.raises(UserError, match="n is a whole number, not 'zzz'"):
        completed(parse("n=zzz"), pattern, letters)
    with pytest.raises(UserError, match="there is no 'm'"):
        completed(parse("m=3"), pattern, letters)
    with pytest.raises(UserError, match="uplo is one of U, L, not 'Q'"):
        completed({"uplo": "Q"}, {"uplo": "U"}, {"uplo": ("U", "L")})
    words = {"values": signature.operation.values, **WORDS}
    with pytest.raises(UserError, match=r"values is one of .*random.*, not 'odd'"):
        completed({"values": "odd"}, pattern, words)
    with pytest.raises(UserError, match="mode is one of host, device, not 'both'"):
        completed({"mode": "both"}, pattern, words)


def test_every_process_of_a_recorded_session_leaves_a_recording(
    headers: Headers, library: Path, tmp_path: Path
) -> None:
    folder, place = tmp_path / "recordings", tmp_path / "recorder"
    folder.mkdir()
    place.mkdir()
    signature = _signature(headers, "good_sscal")
    cases = [case for case in boundary_cases(signature, {}, 0) if case["n"] >= 64][:3]
    execution = Execution(signature, signature.flags, Handle(), {})
    with Session(library, Limits(wall_seconds=30), build_recorder(place), folder) as session:
        for case in cases:
            assert execution.run(session, case) is None
        session.close()
        assert execution.run(session, cases[0]) is None
    recordings = sorted(path for path in folder.glob("accesses-*") if "module" not in path.name)
    assert [len(list(read_launches(path))) for path in recordings] == [3, 1]
    seen = Observation("good_sscal", "")
    for recording in recordings:
        keep(seen, recording)
    assert len(seen.launches) == 4
    assert all(one.accesses and one.kernel for one in seen.launches)
