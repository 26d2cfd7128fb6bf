"""A class with pure virtual functions brings in no unit that nothing else asks for."""

from __future__ import annotations

from pathlib import Path

from extractor.project import Project

RULE = """
name = "shapes"
[source]
folder = "src"
[[units]]
files = ["*.cpp"]
[entry_points]
headers = ["shapes.h"]
names = ["shapes_*"]
"""
HEADER = """
#pragma once
extern "C" int shapes_area(int side);
extern "C" int shapes_name(int side);
struct shape {
  shape() {}
  virtual int area() const = 0;
  virtual int name(int length) const noexcept = 0 ;
};
"""
USED = """
#include "shapes.h"
struct square : shape {
  square(int side) : side_(side) {}
  int area() const override { return side_ * side_; }
  int name(int length) const noexcept override { return length; }
  int side_;
};
extern "C" int shapes_area(int side) { return square(side).area(); }
"""
OTHER = """
#include "shapes.h"
extern "C" int shapes_name(int side) { return side; }
"""


def test_pure_functions_are_not_looked_for(in_shared_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name, text in (("shapes.h", HEADER), ("square.cpp", USED), ("other.cpp", OTHER)):
        (tmp_path / "src" / name).write_text(text)
    (tmp_path / "shapes.toml").write_text(RULE)
    project = Project(tmp_path / "shapes.toml", precompiled=False)
    graph = project.graph("source", ["shapes_area"], device=False)
    assert [unit.path for unit in graph.units] == ["square.cpp"]
    whole = project.builder(("source",), None).build("area", ["shapes_area"])
    assert project.builder(("source",), ["shapes_area"]).build("area", ["shapes_area"]) == whole
    assert whole.unresolved == ()
