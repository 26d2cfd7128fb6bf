"""Shows the compiler a few declarations of a library as the CPU runtime needs them.

An array in LDS that was declared ``extern __shared__`` may be declared again without the word; the
GPU's compiler takes it over. Here LDS is thread-local, which must be said each time. The library's
files stay as they are: the compiler sees the changed text through an overlay of its file system.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType

from kernels.building import cache
from kernels.building.constants import Constants, with_constants

_SUFFIXES = (".hpp", ".h", ".cpp", ".cuh", ".inl")
_PLAIN = re.compile(
    r"^(?P<indent>[ \t]*)extern(?P<type>[ \t]+(?:\w+[ \t]+)+)(?P<name>\w+)[ \t]*\[\][ \t]*;", re.M
)


def changed_text(text: str) -> str:
    """A file's text with such declarations completed; the text itself where there are none."""

    def completed(match: re.Match[str]) -> str:
        name = match["name"]
        if "__shared__" in match["type"]:
            return match[0]
        if not re.search(rf"__shared__[^;\n]*\b{re.escape(name)}\s*\[\]", text):
            return match[0]
        return f"{match['indent']}extern __shared__{match['type']}{name}[];"

    return _PLAIN.sub(completed, text)


def make_overlay(
    root: Path, files: Iterable[str], constants: Constants = MappingProxyType({})
) -> tuple[Path | None, set[str]]:
    """The overlay of a library's tree, or ``None`` where nothing needs one; constants it changes.

    Args:
        root: The tree.
        files: Its files, relative to it.
        constants: Compile-time constants that get another value.
    """
    defined: set[str] = set()
    changed = {}
    for name in files:
        if not name.endswith(_SUFFIXES):
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        new = changed_text(text) if "__shared__" in text and "extern" in text else text
        if any(constant in new for constant in constants):
            new, found = with_constants(new, constants)
            defined |= found
        if new != text:
            changed[name] = new
    if not changed:
        return None, defined

    def make(folder: Path) -> None:
        for number, text in enumerate(changed.values()):
            (folder / f"{number}.txt").write_text(text, encoding="utf-8")

    parts = ["library-overlay", str(root), *(part for item in changed.items() for part in item)]
    place, _ = cache.made(parts, make)
    roots = [
        {"type": "file", "name": str(root / name), "external-contents": f"{place}/{number}.txt"}
        for number, name in enumerate(changed)
    ]
    overlay = place / "overlay.json"
    if not overlay.is_file():
        text = json.dumps({"version": 0, "use-external-names": False, "roots": roots}, indent=1)
        overlay.write_text(text, encoding="utf-8")
    return overlay, defined
