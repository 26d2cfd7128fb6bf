"""Makes the headers that the library's build would generate, from the tree and the rule file.

No CMake runs and nothing of the tree is executed. What a revision does not have, such as a
template that came later, is left out and listed; units that need it fail to parse and are named.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import assert_never

from extractor import cache
from extractor.glob import match_path
from extractor.rule_schema import (
    Configured,
    Copied,
    Export,
    Forwarding,
    Generated,
    Literally,
    Prototypes,
)
from extractor.source.prototypes import prototype_header

_FORMAT = 1
"""Raise it when the same rule and tree would give other headers."""

_HEADERS, _REPORT = "include", "missing.json"


def make_headers(
    root: Path,
    files: list[str],
    specs: tuple[Generated, ...],
    version: str,
    content_key: str,
) -> Path:
    """Makes all generated headers of a tree, or finds them in the cache.

    Args:
        root: The tree.
        files: All files of the tree that are not left out, relative.
        specs: What the rule file wants generated.
        version: Version of the library, for the version header.
        content_key: Key of the tree's content.

    Returns:
        Folder to search for headers.

    Raises:
        StoreError: The disk is full, or the cache cannot be written.
    """
    wanted = json.dumps([_FORMAT, version, [spec.model_dump() for spec in specs]])
    key = hashlib.sha256(f"{content_key}\n{wanted}".encode()).hexdigest()[:32]
    place = cache.entry("generated", key)
    if not (place / _REPORT).is_file():
        with cache.locked("generated", key):
            if not (place / _REPORT).is_file():
                with cache.building("generated", key) as folder:
                    _make_all(root, files, specs, version, folder)
    return place / _HEADERS


def missing_inputs(generated: Path) -> list[str]:
    """What the tree did not have, one phrase for each header that could not be made.

    Args:
        generated: Folder that ``make_headers`` returned.
    """
    try:
        listed = json.loads((generated.parent / _REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [str(item) for item in listed]


def version_parts(version: str) -> dict[str, str]:
    """Splits a version into what a version header asks for: major, minor, patch, tweak."""
    numbers = (*re.findall(r"\d+", version), "0", "0", "0")[:3]
    rest = re.findall(r"\d+", version)[3:4]
    return {
        "version": version,
        "major": numbers[0],
        "minor": numbers[1],
        "patch": numbers[2],
        "tweak": rest[0] if rest else "",
    }


def _make_all(
    root: Path, files: list[str], specs: tuple[Generated, ...], version: str, folder: Path
) -> None:
    headers = folder / _HEADERS
    headers.mkdir()
    missing: list[str] = []
    for spec in specs:
        made = _make(root, files, spec, version)
        if not made:
            missing.append(f"{spec.output}: {_wanted(spec)} is not in this tree")
        for name, content in made.items():
            target = headers / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    (folder / _REPORT).write_text(json.dumps(missing), encoding="utf-8")


def _make(root: Path, files: list[str], spec: Generated, version: str) -> dict[str, bytes]:
    if isinstance(spec, Configured):
        template = root / spec.template
        if spec.template not in files:
            return {}
        text = template.read_text(encoding="utf-8", errors="replace")
        return {spec.output: configure(text, spec.values, version).encode()}
    if isinstance(spec, Export):
        return {spec.output: export_header(spec.macro).encode()}
    if isinstance(spec, Prototypes):
        if not any(match_path(file, spec.headers) for file in files):
            return {}
        return {spec.output: prototype_header(root, files, spec).encode()}
    if isinstance(spec, Literally):
        return {spec.output: spec.text.encode()}
    made: dict[str, bytes] = {}
    for file in files:
        if match_path(file, spec.files):
            name = PurePosixPath(file).name
            output = str(PurePosixPath(spec.output) / name)
            if isinstance(spec, Forwarding):
                made[output] = f"#pragma once\n#include <{name}>\n".encode()
            elif isinstance(spec, Copied):
                made[output] = (root / file).read_bytes()
            else:
                assert_never(spec)
    return made


def configure(text: str, values: dict[str, str], version: str) -> str:
    """Fills a ``configure_file`` template as CMake does: an unknown variable becomes empty.

    Args:
        text: The template, with ``@NAME@``, ``${NAME}`` and ``#cmakedefine NAME``.
        values: Variables; ``{major}`` and the like in them come from the version.
        version: Version of the library.
    """
    parts = version_parts(version)
    known = {name: _filled(value, parts) for name, value in values.items()}
    text = re.sub(
        r"^([ \t]*)#cmakedefine(01)?[ \t]+(\w+)(.*)$",
        lambda match: _cmakedefine(match, known),
        text,
        flags=re.MULTILINE,
    )
    return re.sub(r"@(\w+)@|\$\{(\w+)\}", lambda match: known.get(match[1] or match[2], ""), text)


def export_header(macro: str) -> str:
    """A header of the export macros that CMake's ``generate_export_header`` defines."""
    define = {
        f"{macro}_EXPORT": '__attribute__((visibility("default")))',
        f"{macro}_NO_EXPORT": '__attribute__((visibility("hidden")))',
        f"{macro}_DEPRECATED": "__attribute__((__deprecated__))",
        f"{macro}_DEPRECATED_EXPORT": f"{macro}_EXPORT {macro}_DEPRECATED",
        f"{macro}_DEPRECATED_NO_EXPORT": f"{macro}_NO_EXPORT {macro}_DEPRECATED",
    }
    lines = [f"#ifndef {macro}_EXPORT_H", f"#define {macro}_EXPORT_H"]
    for name, value in define.items():
        lines += [f"#ifndef {name}", f"#define {name} {value}", "#endif"]
    return "\n".join([*lines, "#endif", ""])


def _cmakedefine(match: re.Match[str], known: dict[str, str]) -> str:
    indent, as_number, name, rest = match[1], match[2], match[3], match[4]
    truthy = known.get(name, "").upper() not in ("", "0", "OFF", "NO", "FALSE", "N")
    if as_number:
        return f"{indent}#define {name} {int(truthy)}"
    return f"{indent}#define {name}{rest}" if truthy else f"{indent}/* #undef {name} */"


def _filled(value: str, parts: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: parts.get(match[1], match[0]), value)


def _wanted(spec: Generated) -> str:
    if isinstance(spec, Configured):
        return spec.template
    if isinstance(spec, Prototypes):
        return " ".join(spec.headers)
    return " ".join(spec.files) if isinstance(spec, Copied | Forwarding) else spec.kind
