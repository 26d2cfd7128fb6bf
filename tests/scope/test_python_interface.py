"""The documented Python interface gives what the command writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Extract

import extractor
from extractor.errors import RuleError, UnknownName, UserError


def test_what_the_package_offers() -> None:
    assert sorted(extractor.__all__) == ["Scope", "__version__", "extract"]
    assert callable(extractor.extract)
    assert extractor.Scope.__name__ == "Scope"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = extractor.nothing


def test_a_scope_is_what_the_command_writes(
    in_shared_cache: Path, extract: Extract, tmp_path: Path
) -> None:
    scope = extractor.extract(SMALL_LIBRARY, "reduce")
    assert isinstance(scope, extractor.Scope)
    done = extract(SMALL_LIBRARY, "-i", "reduce", "--out", tmp_path / "out", "--quiet")
    assert done.returncode == 0
    written = (tmp_path / "out" / "pond" / "reduce" / "scope.json").read_text()
    assert scope.model_dump_json(by_alias=True) + "\n" == written


def test_one_configuration(in_shared_cache: Path) -> None:
    scope = extractor.extract(SMALL_LIBRARY, "pond_sreduce", config="fast")
    assert scope.configs == ("fast",)
    assert scope.interface == "pond_sreduce"
    assert scope.entry_points == ("pond_sreduce",)
    assert set(scope.per_entry["pond_sreduce"]) == {"fast"}


def test_another_folder_as_the_source(in_shared_cache: Path, library_copy: Path) -> None:
    unit = library_copy.parent / "src" / "map.hip"
    unit.write_text(unit.read_text().replace("dim3(32)", "dim3(48)"))
    scope = extractor.extract(SMALL_LIBRARY, "map", source=str(library_copy.parent))
    assert {launch.block.written for launch in scope.launches} == {"dim3(48)"}
    mine = extractor.extract(SMALL_LIBRARY, "map")
    assert {launch.block.written for launch in mine.launches} == {"dim3(32)"}


def test_records_are_frozen(in_shared_cache: Path) -> None:
    scope = extractor.extract(SMALL_LIBRARY, "sort")
    with pytest.raises(ValueError, match="frozen"):
        scope.project = "other"  # type: ignore[misc]


def test_errors_are_of_one_tree(in_shared_cache: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown interface 'scal'; nearest: scale"):
        extractor.extract(SMALL_LIBRARY, "scal")
    with pytest.raises(UnknownName, match="unknown project 'pond'"):
        extractor.extract("pond", "scale")
    with pytest.raises(RuleError, match=r"none\.toml: No such file"):
        extractor.extract(tmp_path / "none.toml", "scale")
    assert issubclass(RuleError, UserError)


def test_nothing_is_printed(in_shared_cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    extractor.extract(SMALL_LIBRARY, "scale")
    assert capfd.readouterr() == ("", "")


def test_the_json_of_a_scope_has_its_schema(in_shared_cache: Path) -> None:
    data = json.loads(extractor.extract(SMALL_LIBRARY, "fill").model_dump_json(by_alias=True))
    assert data["schema"] == "rocquarry.scope/1"
