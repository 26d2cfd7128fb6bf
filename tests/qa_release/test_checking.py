"""A received release: every way of damaging it is found, and named by its check."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest

from extractor.errors import UserError
from qa.release.build import Release
from qa.release.checking import check
from qa.release.manifest import MANIFEST, listing
from qa_release.entries import Rows, write

_KEPT: dict[str, Path] = {}


@pytest.fixture
def received(
    release: Callable[..., Release],
    rows: Rows,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A sound release, to be damaged."""
    if "release" not in _KEPT:
        made = release(write(tmp_path / "e.jsonl", rows))
        _KEPT["release"] = tmp_path_factory.mktemp("sound") / "release"
        shutil.copytree(made.out, _KEPT["release"])
        shutil.rmtree(made.out)
    shutil.copytree(_KEPT["release"], tmp_path / "received")
    return tmp_path / "received"


def failed(folder: Path, *, signed: bool = True) -> set[str]:
    """Checks that fail; ``signed`` writes a manifest that fits the damage first."""
    if signed:
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != MANIFEST
        }
        (folder / MANIFEST).write_bytes(listing(files))
    return {answer.check for answer in check(folder) if not answer.passed}


def lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def change(path: Path, edit: Callable[[Rows], object]) -> None:
    rows = lines(path)
    edit(rows)
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def table(path: Path, edit: Callable[[Rows], object]) -> None:
    found = pq.read_table(path)
    rows = found.to_pylist()
    edit(rows)
    pq.write_table(type(found).from_pylist(rows, schema=found.schema), path)


def test_a_sound_release_passes(received: Path) -> None:
    assert failed(received, signed=False) == set()


def _damages() -> Iterator[tuple[str, Callable[[Path], object], set[str]]]:
    train = "jsonl/train.jsonl"
    yield "a line less", lambda d: change(d / train, lambda r: r.pop()), {"views", "counts"}
    yield (
        "another answer",
        lambda d: change(d / train, lambda r: r[0].update(answer="?")),
        {"views"},
    )
    yield "a schema fault", lambda d: change(d / train, lambda r: r[0].update(level=9)), {"entries"}
    yield (
        "a failed gate",
        lambda d: change(d / train, lambda r: r[0].update(gates={"spans": False})),
        {"gates"},
    )
    yield (
        "an undecided claim",
        lambda d: change(d / train, lambda r: r[0]["claims"][0].update(passed=None)),
        {"gates"},
    )
    yield (
        "a row of training in test",
        lambda d: change(d / "jsonl/test.jsonl", lambda r: r.append(lines(d / train)[0])),
        {"ids"},
    )
    yield (
        "a family on both sides",
        lambda d: table(d / "data/test.parquet", lambda r: r[0].update(
            family=pq.read_table(d / "data/train.parquet")["family"][0].as_py())),
        {"leakage"},
    )  # fmt: skip
    yield (
        "a kernel on both sides",
        lambda d: [
            table(d / f"data/{split}.parquet", lambda r: r[0].update(kernels=["shared_kernel"]))
            for split in ("train", "test")
        ],
        {"leakage"},
    )
    yield (
        "the same code on both sides",
        lambda d: [
            table(
                d / f"data/{split}.parquet",
                lambda r: r[0].update(kind="kernel_implementation", answer="int f();"),
            )
            for split in ("train", "test")
        ],
        {"leakage", "views"},
    )
    yield (
        "another view",
        lambda d: table(d / "chat/train.parquet", lambda r: r[0]["messages"][1].update(content="")),
        {"views"},
    )
    yield "a column less", _drop_column, {"columns"}
    yield "a table that is none", lambda d: (d / "data/train.parquet").write_bytes(b"PAR1"), {
        "columns", "views", "leakage"
    }  # fmt: skip
    yield "no licence", lambda d: shutil.rmtree(d / "licenses/pond-1.2.3"), {"licences"}
    yield "another context", _other_context, {"texts", "views"}
    yield (
        "another evidence",
        lambda d: table(d / "data/test.parquet", _other_text),
        {"texts"},
    )
    yield (
        "a phase with a test row",
        lambda d: _phase(d, lines(d / "jsonl/test.jsonl")[0]["id"]),
        {"curriculum"},
    )
    yield (
        "another number",
        lambda d: (d / "audit.json").write_bytes(
            orjson.dumps({**json.loads((d / "audit.json").read_bytes()), "released": 3})
        ),
        {"counts"},
    )
    yield "no provenance", lambda d: (d / "provenance.json").unlink(), {"licences", "counts"}
    yield (
        "a rejected row that is there",
        lambda d: (d / "left_out.jsonl").write_bytes(
            orjson.dumps({"id": lines(d / train)[0]["id"], "fault": "gate"}) + b"\n"
        ),
        {"counts"},
    )


def _drop_column(folder: Path) -> None:
    path = folder / "instruction/train.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["license"]), path)


def _other_context(folder: Path) -> None:
    def edit(rows: Rows) -> None:
        row = next(row for row in rows if row["context"])
        row["context"][0]["text"] += " "

    table(folder / "data/train.parquet", edit)


def _other_text(rows: Rows) -> None:
    rows[0]["evidence_text"][0] += " "


def _phase(folder: Path, identifier: str) -> None:
    path = folder / "curriculum/phases.json"
    data = json.loads(path.read_bytes())
    data["phases"][0]["ids"].append(identifier)
    path.write_bytes(orjson.dumps(data))


DAMAGES = {name: (damage, checks) for name, damage, checks in _damages()}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_even_under_a_manifest_that_fits(name: str, received: Path) -> None:
    damage, checks = DAMAGES[name]
    damage(received)
    assert checks <= failed(received)


def test_the_manifest_finds_any_other_byte_and_any_other_file(received: Path) -> None:
    with (received / "README.md").open("ab") as file:
        file.write(b" ")
    (received / "data/extra.parquet").write_bytes(b"")
    (received / "plots/levels.svg").unlink()
    (received / "plots/lengths.svg").unlink()
    (received / "plots/lengths.svg").symlink_to("/etc/passwd")
    with (received / MANIFEST).open("a") as file:
        file.write(f"{'0' * 64}  ../../etc/passwd\nrubbish\n")
    [answer] = [answer for answer in check(received) if answer.check == "manifest"]
    said = "\n".join(answer.faults)
    for text in (
        "README.md: its content is not", "data/extra.parquet: not in", "plots/levels.svg: missing",
        "plots/lengths.svg: not a regular file", "not a line of a manifest: 0000",
        "not a line of a manifest: rubbish",
    ):  # fmt: skip
        assert text in said
    assert answer.number == 6


def test_a_folder_that_is_no_release_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is no release: it has no MANIFEST\.sha256"):
        check(tmp_path)
