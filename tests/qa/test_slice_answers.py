"""Which slices of an output folder entries may answer with, and how many they may not."""

from __future__ import annotations

from pathlib import Path

from extractor.records import Source
from extractor.slice_record import SliceRecord
from qa.slices import read_slices

SOURCE = Source(name="pond", version="1", commit="a", license="MIT")


def put(folder: Path, name: str, source: Source, *, sliced: bool = True) -> None:
    record = SliceRecord(
        tool_version="0", project="pond", source=source, function=f"a.hip:1:{name}", name=name,
        instantiation=f"_Z{name}", demangled=f"void {name}()", traced=False, config="source",
        configs=("source",), unit="a.hip", flags=(), sliced=sliced, compiled={"gfx942": True},
        equal={}, spans=(), functions=(), lines=3, sha256="",
    )  # fmt: skip
    place = folder / "slices" / name
    place.mkdir(parents=True)
    (place / "slice.json").write_text(record.model_dump_json(by_alias=True))
    if sliced:
        (place / "baseline.hip").write_text("/* licence */\n#include <hip/hip_runtime.h>\ncode;\n")


def test_what_is_not_used_is_counted(tmp_path: Path) -> None:
    put(tmp_path, "own", SOURCE)
    put(tmp_path, "older", SOURCE.model_copy(update={"commit": "b"}))
    put(tmp_path, "uncut", SOURCE, sliced=False)
    put(tmp_path, "half", SOURCE)
    (tmp_path / "slices" / "half" / "slice.json").write_text("{")
    read = read_slices(tmp_path, SOURCE)
    assert (list(read.found), read.other, read.unreadable) == (["a.hip:1:own"], 1, 1)
    assert read.found["a.hip:1:own"].code == "#include <hip/hip_runtime.h>\ncode;"
    assert read.found["a.hip:1:own"].architectures == ("gfx942",)
