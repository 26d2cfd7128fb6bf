"""Grid, block, dynamic LDS and stream of a launch: as written, and as the macros expand them.

The written form is cut from the launch statement's own text. Where a macro stands in the way the
expanded form is taken from the preprocessor's output for one unit that contains the launch.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from extractor.index.closure import Closures
from extractor.index.store import Store
from extractor.records import Expression
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

Parts = tuple[str, str, str, str]
"""Grid, block, dynamic LDS, stream."""

_MARKER = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"')
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)
_MACRO_WITH_BODY = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(([^)]*)\))?((?:[^\n]*\\\r?\n)*[^\n]*)", re.M
)
_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_MACRO_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_OPEN, _CLOSE = "([{", ")]}"


def split_arguments(text: str) -> list[str]:
    """Splits at top-level commas; template argument lists count as brackets where they close."""
    parts, depth, angle, start = [], 0, 0, 0
    for index, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "<" and depth == 0 and _opens_template(text, index):
            angle += 1
        elif character == ">" and depth == 0 and angle and text[index - 1 : index] != "-":
            angle -= 1
        elif character == "," and depth == 0 and angle == 0:
            parts.append(_folded(text[start:index]))
            start = index + 1
    parts.append(_folded(text[start:]))
    return parts


def _opens_template(text: str, index: int) -> bool:
    before = text[:index].rstrip()
    if not before or not (before[-1].isalnum() or before[-1] == "_"):
        return False
    depth = 0
    for character in text[index:]:
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
            if depth == 0:
                return character == ">"
        elif character in ";{}":
            return False
    return False


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def written(text: str, kernel: str) -> Parts | None:
    """The four parts as a launch statement spells them; ``None`` where a macro hides them.

    Args:
        text: The statement from its first character.
        kernel: Plain name of the kernel.
    """
    text = _COMMENT.sub(" ", text)
    if "<<<" in text:
        return _chevron(text)
    arguments = _macro_arguments(text)
    for index, argument in enumerate(arguments):
        if kernel in _IDENTIFIER.findall(argument):
            parts = arguments[index + 1 : index + 5]
            if len(parts) == 4:
                return (parts[0], parts[1], parts[2], parts[3])
    return None


def _chevron(text: str, start: int = 0) -> Parts | None:
    begin = text.find("<<<", start)
    end = text.find(">>>", begin)
    if begin < 0 or end < 0:
        return None
    parts = [*split_arguments(text[begin + 3 : end]), "0", "0"]
    return (parts[0], parts[1], parts[2], parts[3])


def _macro_arguments(text: str) -> list[str]:
    begin = text.find("(")
    if begin < 0:
        return []
    depth = 0
    for index in range(begin, len(text)):
        if text[index] in _OPEN:
            depth += 1
        elif text[index] in _CLOSE:
            depth -= 1
            if depth == 0:
                return split_arguments(text[begin + 1 : index])
    return []


@dataclass(frozen=True)
class LaunchPlace:
    """Which launch: absolute file, its lines, and its number among those that begin there."""

    file: str
    line: int
    end_line: int
    nth: int


class LaunchText:
    """Finds the text of launches.

    Args:
        toolchain: Runs the preprocessor.
        closures: Says what a unit includes, and so which names are macros there.
        store: Keeps what the preprocessor said.
    """

    def __init__(self, toolchain: Toolchain, closures: Closures, store: Store) -> None:
        self._toolchain = toolchain
        self._closures = closures
        self._store = store
        self._macros: dict[Unit, frozenset[str]] = {}
        self._defined: dict[str, frozenset[str]] = {}
        self._forwarders: dict[Unit, set[str]] = {}
        self._bounded: dict[Unit, dict[str, list[tuple[list[str], str]]]] = {}
        self._expansions: dict[Unit, dict[tuple[str, int], list[Parts]]] = {}

    def parts(
        self, unit: Unit, place: LaunchPlace, text: str, kernel: str
    ) -> tuple[Expression, Expression, Expression, Expression]:
        """The four expressions of one launch."""
        plain = written(text, kernel)
        if plain is not None and "<<<" not in text and not self._forwards(unit, text):
            plain = None  # a macro of the library's own, which may order its arguments as it likes
        hidden = _folded(text)
        shown = plain or (hidden, hidden, hidden, hidden)
        expanded: Parts | None = plain
        if plain is None or self._uses_macro(unit, plain):
            expanded = self._expanded(unit, place) or plain
        final = expanded or shown
        return (
            Expression(written=shown[0], expanded=final[0]),
            Expression(written=shown[1], expanded=final[1]),
            Expression(written=shown[2], expanded=final[2]),
            Expression(written=shown[3], expanded=final[3]),
        )

    def hash_of(self, file: str) -> str:
        """Hash of a file of the tree."""
        return self._closures.hash_of(f"{self._closures.root}{file}")

    def bounds(self, unit: Unit, signature: str) -> str | None:
        """The arguments of ``__launch_bounds__`` in a kernel's head, macros followed."""
        direct = _bounds_in(signature)
        if direct is not None:
            return direct
        for name in dict.fromkeys(_IDENTIFIER.findall(signature)):
            for parameters, body in self._bounded_macros(unit).get(name, ()):
                text = _bounds_in(body)
                if text is None:
                    continue
                start = re.search(rf"\b{name}\s*\(", signature)
                given = _macro_arguments(signature[start.start() :]) if start else []
                for parameter, argument in zip(parameters, given, strict=False):
                    text = re.sub(rf"\b{re.escape(parameter)}\b", _literal(argument), text)
                return _unwrapped(text)
        return None

    def _bounded_macros(self, unit: Unit) -> dict[str, list[tuple[list[str], str]]]:
        known = self._bounded.get(unit)
        if known is None:
            known = self._bounded[unit] = {}
            for file in sorted(self._closures.files_of(unit)):
                data = self._closures.data_of(file)
                if b"__launch_bounds__" not in data:
                    continue
                for match in _MACRO_WITH_BODY.finditer(data.decode("utf-8", errors="replace")):
                    if "__launch_bounds__" in match[3]:
                        parameters = [p.strip() for p in (match[2] or "").split(",")]
                        known.setdefault(match[1], []).append((parameters, match[3]))
        return known

    def _forwards(self, unit: Unit, text: str) -> bool:
        """The statement's macro hands its arguments on to ``hipLaunchKernelGGL`` as they are."""
        match = _MACRO_NAME.match(text)
        known = self._forwarders.get(unit)
        if known is None:
            bodies: dict[str, list[str]] = {}
            for file in sorted(self._closures.files_of(unit)):
                data = self._closures.data_of(file)
                if b"__VA_ARGS__" in data:
                    for found in _MACRO_WITH_BODY.finditer(data.decode("utf-8", errors="replace")):
                        bodies.setdefault(found[1], []).append(found[3])
            known = {"hipLaunchKernelGGL"}
            grown = True
            while grown:
                names = "|".join(map(re.escape, sorted(known)))
                # The kernel may be named apart: `hipLaunchKernelGGL((name), __VA_ARGS__)`.
                shape = re.compile(rf"\b(?:{names})\s*\(\s*(?:\(?\w+\)?\s*,\s*)?__VA_ARGS__\s*\)")
                new = {n for n, all_ in bodies.items() if any(map(shape.search, all_))} - known
                known |= new
                grown = bool(new)
            self._forwarders[unit] = known
        return match is not None and match[1] in known

    def _uses_macro(self, unit: Unit, parts: Iterable[str]) -> bool:
        macros = self._macros.get(unit)
        if macros is None:
            macros = frozenset().union(*map(self._macros_of, self._closures.files_of(unit)))
            self._macros[unit] = macros
        return any(name in macros for part in parts for name in _IDENTIFIER.findall(part))

    def _macros_of(self, file: str) -> frozenset[str]:
        known = self._defined.get(file)
        if known is None:
            data = self._closures.data_of(file)
            known = frozenset(match[1].decode() for match in _DEFINE.finditer(data))
            self._defined[file] = known
        return known

    def _expanded(self, unit: Unit, place: LaunchPlace) -> Parts | None:
        known = self._expansions.get(unit)
        if known is None:
            known = self._expansions[unit] = self._recalled(unit)
        found = [
            parts
            for line in range(place.line, place.end_line + 1)
            for parts in known.get((place.file, line), [])
        ]
        return found[place.nth] if 0 <= place.nth < len(found) else None

    def _recalled(self, unit: Unit) -> dict[tuple[str, int], list[Parts]]:
        key = f"launch-text:{self._closures.key_of(unit)}"
        data = self._store.recall(key)
        root = self._closures.root
        if data is None:
            launches = expand(preprocess(self._toolchain, unit, root + unit.path), root)
            rows = [
                [file, line, list(parts)]
                for (file, line), all_ in launches.items()
                for parts in all_
            ]
            self._store.remember(key, json.dumps(rows).encode())
            return launches
        result: dict[tuple[str, int], list[Parts]] = {}
        for file, line, parts in json.loads(data):
            result.setdefault((file, line), []).append(tuple(parts))
        return result


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\")


def _bounds_in(text: str) -> str | None:
    position = text.find("__launch_bounds__")
    if position < 0:
        return None
    return _unwrapped(", ".join(_macro_arguments(text[position:])))


def _unwrapped(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and len(_macro_arguments(text)) == 1:
        text = text[1:-1].strip()
    return text


def preprocess(toolchain: Toolchain, unit: Unit, path: str) -> str:
    """The preprocessor's output for a unit; empty when it fails."""
    command = [*toolchain.clang, *unit.arguments, "-E", path, "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout.decode("utf-8", errors="replace") if done.returncode == 0 else ""


def expand(text: str, root: str) -> dict[tuple[str, int], list[Parts]]:
    """Every launch of a preprocessed text below ``root``, by file (relative to it) and line."""
    from os.path import normpath

    found: dict[tuple[str, int], list[Parts]] = {}
    names: dict[str, str | None] = {}
    file: str | None = None
    line = 0
    lines = text.split("\n")
    for number, row in enumerate(lines):
        if row.startswith("# "):
            match = _MARKER.match(row)
            if match:
                raw = match[2]
                if raw not in names:
                    path = normpath(raw)
                    names[raw] = path[len(root) :] if path.startswith(root) else None
                file, line = names[raw], int(match[1])
                continue
        if file is not None and "<<<" in row:
            position = row.find("<<<")
            while position >= 0:
                if ">>>" in row[position:]:
                    parts = _chevron(row, position)
                else:
                    parts = _chevron("\n".join(lines[number : number + 40]), position)
                if parts:
                    found.setdefault((file, line), []).append(parts)
                position = row.find("<<<", position + 3)
        line += 1
    return found
