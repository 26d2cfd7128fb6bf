"""The doctor names what is there, what comes by itself and what the user must mend."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console
from source.conftest import RuleMaker

from extractor import cache, settings
from extractor.doctor import Report, doctor
from extractor.doctor_view import show_pins, show_report, size
from extractor.pins import PinStatus
from extractor.toolchain import probe


@pytest.fixture(autouse=True)
def no_rocm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROCQUARRY_TOOLCHAIN", raising=False)
    monkeypatch.setattr(settings, "rocm_folders", lambda: (tmp_path / "rocm",))


def states(report: Report) -> dict[str, str]:
    return {finding.topic: finding.state for finding in report.findings}


def text(report: Report) -> str:
    out = io.StringIO()
    show_report(report, Console(file=out, width=200))
    return out.getvalue()


def test_a_fresh_machine_is_healthy_and_says_what_will_be_fetched() -> None:
    report = doctor()
    found = states(report)
    assert report.healthy
    assert found["compiler"] == found["libclang"] == found["standard library"] == "ok"
    assert found["package hip"] == found["source rocblas"] == "later"
    assert "fetched on first use" in text(report)


def test_it_fetches_nothing(cache_folder: Path) -> None:
    doctor()
    assert not (cache_folder / "files").exists()


def test_a_broken_toolchain_is_one_finding_with_its_mending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setattr(probe, "standard_library", lambda: "")
    report = doctor()
    assert not report.healthy
    assert states(report)["compiler"] == states(report)["standard library"] == "missing"
    assert "mend: run: pip install 'ziglang" in text(report)
    assert "mend: apt-get install libstdc++" in text(report)


def test_a_choice_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCQUARRY_TOOLCHAIN", "rcom")
    report = doctor()
    assert not report.healthy
    assert "mend: set it to rocm or wheels" in text(report)


def test_a_rule_file_with_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("name = 1\n")
    report = doctor([path])
    assert states(report)["rule"] == "missing"
    assert "bad.toml:1: " in text(report)


def test_a_plain_folder(make_rule: RuleMaker, tmp_path: Path) -> None:
    rule = make_rule('[source]\nfolder = "lib"\n')
    assert states(doctor([rule.path]))["source tiny"] == "missing"
    (tmp_path / "lib").mkdir()
    assert states(doctor([rule.path]))["source tiny"] == "ok"


def test_a_folder_of_files_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ROCQUARRY_FILES", str(tmp_path / "absent"))
    assert states(doctor())["pinned files"] == "missing"


def test_the_report_as_json() -> None:
    with cache.building("trees", "a") as work:
        (work / "file").write_text("12345")
    data = json.loads(doctor().as_json())
    assert data["healthy"] is True
    usage = {"kind": "trees", "holds": "unpacked sources", "entries": 1, "bytes": 5}
    assert usage in data["usage"]
    assert {"topic", "state", "found", "where", "mend"} == set(data["findings"][0])


def test_pins_are_shown_with_their_replacements() -> None:
    out = io.StringIO()
    pins = [PinStatus("package hip", "p/a_1.deb", "gone", True, "404", ("p/a_2.deb",))]
    show_pins(pins, Console(file=out, width=100))
    assert "now there: p/a_2.deb" in out.getvalue()
    assert "in the cache" in out.getvalue()


def test_sizes_read_well() -> None:
    assert [size(n) for n in (0, 1023, 1024, 5 << 30)] == ["0 B", "1023 B", "1.0 KiB", "5.0 GiB"]
