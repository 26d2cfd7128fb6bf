"""Generated headers come from the tree and the rule, and from nothing that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.rule_schema import Configured, Copied, Export, Forwarding, Literally, Prototypes
from extractor.source.generated import (
    configure,
    export_header,
    make_headers,
    missing_inputs,
    version_parts,
)


def make(root: Path, *specs: object, version: str = "4.5.6", key: str = "k") -> Path:
    files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
    return make_headers(root, files, specs, version, key)  # type: ignore[arg-type]


def test_a_version_header(tmp_path: Path) -> None:
    (tmp_path / "version.h.in").write_text(
        '#define MAJOR @lib_MAJOR@\n#define TWEAK @lib_TWEAK@\n#define V "${lib_ALL}"\n'
    )
    values = {"lib_MAJOR": "{major}", "lib_ALL": "{major}.{minor}.{patch}"}
    spec = Configured(
        kind="configured", template="version.h.in", output="lib/version.h", values=values
    )
    made = make(tmp_path, spec)
    text = (made / "lib" / "version.h").read_text()
    assert text == '#define MAJOR 4\n#define TWEAK \n#define V "4.5.6"\n'
    assert missing_inputs(made) == []


def test_cmakedefine() -> None:
    text = "#cmakedefine A 1\n  #cmakedefine B\n#cmakedefine01 A\n#cmakedefine01 B\n"
    assert configure(text, {"A": "ON", "B": "OFF"}, "1") == (
        "#define A 1\n  /* #undef B */\n#define A 1\n#define B 0\n"
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("4.5.6", ("4", "5", "6", "")),
        ("4.5", ("4", "5", "0", "")),
        ("1.2.3.4", ("1", "2", "3", "4")),
        ("", ("0", "0", "0", "")),
    ],
)
def test_version_parts(version: str, expected: tuple[str, ...]) -> None:
    parts = version_parts(version)
    assert tuple(parts[name] for name in ("major", "minor", "patch", "tweak")) == expected


def test_an_export_header_can_be_overridden() -> None:
    text = export_header("LIB")
    assert "#ifndef LIB_EXPORT\n#define LIB_EXPORT __attribute__" in text
    for name in ("NO_EXPORT", "DEPRECATED", "DEPRECATED_EXPORT", "DEPRECATED_NO_EXPORT"):
        assert f"#define LIB_{name} " in text


def test_copied_forwarding_and_literal_headers(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "a.h").write_text("int a;")
    made = make(
        tmp_path,
        Copied(kind="copied", files=("include/*.h",), output="copied"),
        Forwarding(kind="forwarding", files=("include/*.h",), output="lib"),
        Literally(kind="text", output="config.h", text="#define X 1\n"),
    )
    assert (made / "copied" / "a.h").read_text() == "int a;"
    assert (made / "lib" / "a.h").read_text() == "#pragma once\n#include <a.h>\n"
    assert (made / "config.h").read_text() == "#define X 1\n"


def test_what_a_revision_does_not_have_is_listed(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("")
    made = make(
        tmp_path,
        Configured(kind="configured", template="version.h.in", output="version.h"),
        Prototypes(kind="prototypes", output="proto.hpp", headers=("src/*.hpp",), marker="M"),
        Export(kind="export", output="export.h", macro="LIB"),
        Copied(kind="copied", files=("gone/*.h",), output="lib"),
    )
    assert (made / "export.h").is_file()
    assert not (made / "version.h").exists()
    assert missing_inputs(made) == [
        "version.h: version.h.in is not in this tree",
        "proto.hpp: src/*.hpp is not in this tree",
        "lib: gone/*.h is not in this tree",
    ]


def test_headers_are_made_once_for_the_same_content(tmp_path: Path) -> None:
    spec = Export(kind="export", output="export.h", macro="LIB")
    first = make(tmp_path, spec)
    assert make(tmp_path, spec) == first
    assert make(tmp_path, spec, key="other") != first
    assert make(tmp_path, spec, version="9") != first
