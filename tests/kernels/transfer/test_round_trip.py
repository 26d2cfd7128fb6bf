"""Tasks that travel to another machine, and what comes back: right, wrong, damaged, of another."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tarfile
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import UserError
from kernels.profile.report import report_page
from kernels.task.seed import SeedOptions, seed_task
from kernels.transfer.archive import Exported, expected_beside, export_tasks, packed
from kernels.transfer.results import Imported, import_results

np = pytest.importorskip("numpy")
HIP = Path(__file__).parents[1] / "hip"
CARD = "NVIDIA H200"


def _files(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    folder = tmp_path_factory.mktemp("transfer")
    options = SeedOptions(
        extents={"x": "n", "y": "n"}, outputs=("y",), cases=({"n": 65}, {"n": 300}, {"n": 0})
    )
    seed_task(HIP / "scale.hip", folder / "tasks" / "scale", options)
    with pytest.MonkeyPatch.context() as patch:
        # What is timed is run here once; a test need not wait for a large one.
        patch.setattr("kernels.profile.request._LARGEST_BYTES", 1 << 16)
        return export_tasks([folder / "tasks"], folder / "out.tar.gz")


def _came_back(
    exported: Exported, folder: Path, change: dict[str, Any] | None = None, milliseconds: Any = ()
) -> Path:
    """What a worker packs whose card gives the values of the cpu backend."""
    kept = _files(exported.stays)
    label = json.loads(kept["archive.json"])["archive"]
    files: dict[str, bytes] = {}
    sizes = {0: (65, 65), 1: (300, 300), 2: (0, 0)}
    for number, counts in sizes.items():
        expected = kept.get(f"scale/{number}.expected")
        if expected is None:
            continue
        out, at = struct.pack("<Qq", 0x31305455 ^ 0x5152000000000000, 0), 0
        for count in counts:
            out += struct.pack("<Q", 8 * count) + expected[at : at + 8 * count]
            at += 8 * count
        files[f"scale/{number}.out"] = out
    files.update((change or {}).get("files", {}))
    record = {
        "archive": label, "hardware": CARD, "machine": "Linux", "compiler": "nvcc 13",
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "tasks": {"scale": {"error": "", "milliseconds": list(milliseconds)}},
        **(change or {}).get("record", {}),
    }  # fmt: skip
    files.update((change or {}).get("damage", {}))
    path = folder / "results.tar.gz"
    path.write_bytes(packed({**files, "results.json": json.dumps(record).encode()}))
    return path


def _one(found: Imported) -> Any:
    (task,) = found.tasks
    return task


def test_an_archive_has_all_that_a_worker_needs_and_no_expected_values(exported: Exported) -> None:
    files = _files(exported.archive)
    manifest = json.loads(files["manifest.json"])
    assert manifest["tasks"] == ["scale"]
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    for name, wanted in manifest["files"].items():
        assert hashlib.sha256(files[name]).hexdigest() == wanted
    for name in ("worker.py", "tasks/scale/runner.hip", "tasks/scale/profiler.hip",
                 "tasks/scale/0.in", "tasks/scale/profile.request"):  # fmt: skip
        assert name in files
    assert not any("expected" in name for name in files)
    assert expected_beside(exported.archive) == exported.stays
    compile(files["worker.py"], "worker.py", "exec")


def test_the_same_tasks_give_the_same_bytes(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernels.profile.request._LARGEST_BYTES", 1 << 16)
    again = export_tasks([exported.archive.parent / "tasks"], tmp_path / "b.tar.gz", expect=False)
    assert _files(again.archive) == _files(exported.archive)
    assert again.archive.read_bytes() == exported.archive.read_bytes()


def test_values_of_the_cpu_backend_are_right(exported: Exported, tmp_path: Path) -> None:
    times = [0.010 + 0.0001 * (k % 7) for k in range(60)]
    path = _came_back(exported, tmp_path, milliseconds=times)
    found = import_results(path, exported.archive)
    assert found.hardware == CARD
    task = _one(found)
    assert task.correct is True
    assert task.inputs_passed >= 2
    assert task.timing.low_ms <= task.timing.median_ms <= task.timing.high_ms
    assert task.roofline.share is not None
    page = report_page(found)
    assert CARD in page
    assert "scale" in page
    assert "of this card and of no other" in page
    assert "wavefronts of 32 lanes" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_a_wrong_value_of_the_card_is_found(exported: Exported, tmp_path: Path) -> None:
    good = _files(_came_back(exported, tmp_path))["scale/0.out"]
    wrong = good[:-8] + struct.pack("<d", 17.0)
    path = _came_back(exported, tmp_path, {"files": {"scale/0.out": wrong}})
    task = _one(import_results(path, exported.archive))
    assert task.correct is False
    assert "differs at 1 of 65 elements" in task.failures[0]
    assert "n=65" in task.failures[0]


def test_an_input_that_the_card_changed_is_found(exported: Exported, tmp_path: Path) -> None:
    good = _files(_came_back(exported, tmp_path))["scale/0.out"]
    wrong = good[:24] + struct.pack("<d", 17.0) + good[32:]
    path = _came_back(exported, tmp_path, {"files": {"scale/0.out": wrong}})
    assert _one(import_results(path, exported.archive)).correct is False


def test_a_task_that_did_not_run_is_neither_right_nor_wrong(
    exported: Exported, tmp_path: Path
) -> None:
    tasks = {"tasks": {"scale": {"error": "does not build: no such function"}}}
    task = _one(import_results(_came_back(exported, tmp_path, {"record": tasks}), exported.archive))
    assert task.correct is None
    assert "does not build" in task.error


def test_what_is_damaged_or_of_another_export_is_refused(
    exported: Exported, tmp_path: Path
) -> None:
    path = _came_back(exported, tmp_path, {"damage": {"scale/0.out": b"QR"}})
    with pytest.raises(UserError, match="missing or damaged"):
        import_results(path, exported.archive)
    path = _came_back(exported, tmp_path, {"record": {"archive": "0" * 64}})
    with pytest.raises(UserError, match="another export"):
        import_results(path, exported.archive)
    path.write_bytes(b"no archive")
    with pytest.raises(UserError, match="cannot be read"):
        import_results(path, exported.archive)
    path.write_bytes(packed({"other": b""}))
    with pytest.raises(UserError, match="not the results of a worker"):
        import_results(path, exported.archive)
    assert io.BytesIO(path.read_bytes()).read()


def test_nothing_to_export_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no task"):
        export_tasks([tmp_path], tmp_path / "a.tar.gz")
    with pytest.raises(UserError, match="no such folder"):
        export_tasks([tmp_path / "none"], tmp_path / "a.tar.gz")
