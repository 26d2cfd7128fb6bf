"""What changed between two revisions of a small library, and between scopes on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from extractor.commands import difference as command
from extractor.difference import Difference, compare, take_inventory
from extractor.difference.page import to_html
from extractor.difference.sides import Request, open_side
from extractor.errors import UserError
from extractor.project import Project
from extractor.rule_schema import GitPin

RULE = """
name = "pair"
[source]
folder = "old"
[compile]
include = ["{tree}"]
[[units]]
files = ["*.cpp"]
[entry_points]
headers = ["pair.h"]
names = ["pair_*"]
[families]
prefixes = ["pair_"]
"""
OLD = """
#include <hip/hip_runtime.h>
#include "pair.h"
template <class T, int N> __global__ void fill(T* x) { x[threadIdx.x] = N; } // one
__global__ void gone(float* x) { x[0] = 0; }
int pair_fill(float* x) { fill<float, 1><<<4, 64>>>(x);
  fill<float, 2><<<4, 64>>>(x); return 0; }
int pair_drop(float* x) { gone<<<1, 1>>>(x); return 0; }
int pair_same(float* x) { fill<float, 1><<<1, 32>>>(x); return 0; }
int pair_when(float* x, int n) { if (n > 0) fill<float, 1><<<1, 8>>>(x); return 0; }
"""
NEW = """
#include <hip/hip_runtime.h>
#include "pair.h"
/* moved down, and said otherwise */
template <class T, int N> __global__ void fill(T* x) { x[threadIdx.x] = N; }
__global__ void come(float* x) { x[0] = 1; }
int pair_fill(float* x) { fill<float, 1><<<4, 128>>>(x);
  fill<float, 3><<<4, 64>>>(x); return 0; }
int pair_same(float* x) { fill<float, 1><<<1, 32>>>(x); return 0; }
int pair_more(float* x) { come<<<1, 1>>>(x); return 0; }
int pair_when(float* x, int n) { if (n > 8) fill<float, 1><<<1, 8>>>(x); return 0; }
"""


def header(*names: str) -> str:
    rows = "".join(f"int pair_{name}(float* x);\n" for name in names)
    rows += "int pair_when(float* x, int n);\n"
    return f'extern "C" {{\n{rows}}}\n'


@pytest.fixture
def request_(in_shared_cache: Path, tmp_path: Path) -> Request:
    for folder, source, names in (
        ("old", OLD, ("fill", "drop", "same")),
        ("new", NEW, ("fill", "same", "more")),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pair.cpp").write_text(source)
        (tmp_path / folder / "pair.h").write_text(header(*names))
    rule = tmp_path / "pair.toml"
    rule.write_text(RULE)
    return Request(
        Project(rule).rule, (), "all", None, tmp_path / "sides",
        lambda source: Project(rule, source=source, precompiled=False),
    )  # fmt: skip


def names(found: Difference, kind: str) -> dict[str, str]:
    return {c.name: c.change for c in found.changes if c.kind == kind}


def test_everything_that_differs_is_listed_once(request_: Request, tmp_path: Path) -> None:
    sides = (str(tmp_path / "old"), str(tmp_path / "new"))
    found, files, notes = command.run(sides, request_, "pair", tmp_path / "out")
    assert notes == []
    assert names(found, "entry_point") == {
        "pair_drop": "vanished",
        "pair_fill": "changed",
        "pair_more": "appeared",
        "pair_when": "changed",
    }
    # `fill` itself is the same but for a comment and its place.
    assert names(found, "kernel") == {"come": "appeared", "gone": "vanished"}
    rows = [(c.change, c.fields[0].old, c.fields[0].new)
            for c in found.changes if c.kind == "instantiation"]  # fmt: skip
    assert rows == [("appeared", "", "<float, 3>"), ("vanished", "<float, 2>", "")]
    changed = [c for c in found.changes if c.kind == "launch" and c.change == "changed"]
    assert [(c.name, [(f.name, f.old, f.new) for f in c.fields]) for c in changed] == [
        ("pair_fill -> fill", [("block", "64", "128")])
    ]
    both = next(c for c in found.changes if c.name == "pair_fill")
    assert both.old is not None
    assert both.new is not None
    assert "fill<float, 2>" in both.old.text
    assert "fill<float, 3>" in both.new.text
    assert command.complete(found)
    assert json.loads(files[0].read_bytes())["schema"] == "rocquarry.difference/1"
    page = files[1].read_text()
    assert "http" not in page.replace("http-equiv", "")
    assert to_html(found) == page

    # The scopes that were written are a side of their own, and equal sides do not differ.
    kept = open_side(str(next((tmp_path / "sides").iterdir()) / "pair"), request_)
    one, two = take_inventory(kept.files), take_inventory(kept.files)
    assert compare("pair", one, two, ("a", "b")).changes == ()


def test_conditions_come_from_the_facts_beside_both_scopes(
    request_: Request, tmp_path: Path
) -> None:
    side = open_side(str(tmp_path / "old"), request_)
    file = next(path for path in side.files if path.parent.name == "same")
    inventories = []
    for text in ("n > 0", "n > 8"):
        subject = "pair.cpp:9"
        row = {"fact": "launch_condition", "subject": subject, "value": {"text": text}}
        file.with_name("facts.jsonl").write_text(json.dumps(row) + "\n")
        inventories.append(take_inventory([file]))
    found = compare("pair", *inventories, ("a", "b"))
    assert found.conditions_compared
    assert [(c.kind, c.fields[0].old, c.fields[0].new) for c in found.changes] == [
        ("dispatch", "n > 0", "n > 8")
    ]


def test_conditions_that_were_asked_for_are_found_on_both_sides(
    request_: Request, tmp_path: Path
) -> None:
    sides = (str(tmp_path / "old"), str(tmp_path / "new"))
    asked = replace(request_, interfaces=("when",), conditions=True)
    found, _, notes = command.run(sides, asked, "pair", tmp_path / "out")
    assert notes == []
    dispatch = [c for c in found.changes if c.kind == "dispatch"]
    assert [(c.name, c.fields[0].old, c.fields[0].new) for c in dispatch] == [
        ("pair_when -> fill", "n > 0", "n > 8")
    ]


def test_equal_launches_are_paired_with_each_other(request_: Request, tmp_path: Path) -> None:
    """However many launches of one kernel a function has, only the one that differs is a change."""
    launches = [f"  fill<float, 1><<<{n}, 64>>>(x);" for n in range(1, 40)]
    text = OLD.replace(
        "  fill<float, 2><<<4, 64>>>(x); return 0; }", "\n".join(launches) + " return 0; }"
    )
    (tmp_path / "old" / "pair.cpp").write_text(text)
    (tmp_path / "new" / "pair.cpp").write_text(text.replace("<<<17, 64>>>", "<<<170, 64>>>"))
    (tmp_path / "new" / "pair.h").write_text((tmp_path / "old" / "pair.h").read_text())
    sides = (str(tmp_path / "old"), str(tmp_path / "new"))
    asked = replace(request_, interfaces=("fill",))
    found, _, _ = command.run(sides, asked, "pair", tmp_path / "out")
    launched = [c for c in found.changes if c.kind == "launch"]
    assert [[(f.name, f.old, f.new) for f in c.fields] for c in launched] == [
        [("grid", "17", "170")]
    ]


def test_what_no_side_has_is_told_in_one_line(request_: Request, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"'no such' is no side: no file or folder .*/no such, no c"
    ):
        open_side("no such", request_)
    sides = (str(tmp_path / "old"), str(tmp_path / "new"))
    with pytest.raises(UserError, match=r"neither side has it: .*unknown interface 'fil'.*fill"):
        command.run(sides, replace(request_, interfaces=("fil",)), "pair", tmp_path / "out")


def test_a_tag_that_cannot_be_had_names_what_was_tried(request_: Request, tmp_path: Path) -> None:
    nowhere = GitPin(url=(tmp_path / "nowhere").as_uri(), ref="v1")
    source = request_.rule.source.model_copy(update={"git": (nowhere,), "folder": None})
    rule = request_.rule.model_copy(update={"source": source})
    asked = replace(request_, rule=rule)
    with pytest.raises(UserError, match=r"'v7' is no side: .*; as a tag: ") as told:
        open_side("v7", asked)
    assert "\n" not in str(told.value)
