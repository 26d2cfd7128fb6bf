"""The text of a slice: licence and provenance, includes, macros, declarations, instantiation."""

from __future__ import annotations

import bisect
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from extractor import __version__
from extractor.project import Project
from extractor.records import Span
from kernels.slice.choice import Chosen
from kernels.slice.closure import Closure
from kernels.slice.fragment import Fragment, comment_start, fragment_of
from kernels.slice.includes import needed_includes
from kernels.slice.instantiation import spelling_of
from kernels.slice.macros import NeededMacros, needed_macros
from kernels.slice.parsed import Declaration, Macro, ParsedUnit

_FUNCTIONS = ("FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR",
              "CONVERSION_FUNCTION")  # fmt: skip
_COPYRIGHT = re.compile(r"[Cc]opyright\b|SPDX-")
_FRAME = " \t*/#"


@dataclass(frozen=True)
class Slice:
    """A slice, not yet compiled.

    Attributes:
        text: The file.
        placed: The same with a ``#line`` before every declaration, which says where it stands in
            the library: what ``assert`` makes of file and line is then what it is there.
        spans: Every range of source lines it holds, in its order.
        functions: Ids of the functions among them, the kernel's last.
        declarations: How many declarations it holds.
    """

    text: str
    placed: str
    spans: tuple[Span, ...]
    functions: tuple[str, ...]
    declarations: int


@dataclass
class _Writer:
    """Lines with the namespaces that are open."""

    parts: list[str] = field(default_factory=list)
    scope: tuple[str, ...] = ()
    places: dict[int, str] = field(default_factory=dict)

    def enter(self, scope: tuple[str, ...]) -> None:
        shared = 0
        for one, other in zip(self.scope, scope, strict=False):
            if one != other:
                break
            shared += 1
        if self.scope != scope:
            closing = [f"}} // {name}\n" for name in reversed(self.scope[shared:])]
            opening = [f"{name}\n{{\n" for name in scope[shared:]]
            self.parts += [*closing, *(["\n"] if opening else []), *opening]
            self.scope = scope

    def write(self, text: str, file: str = "", line: int = 0) -> None:
        if file:
            # In place of the empty line before it.
            self.places[len(self.parts)] = f'#line {line} "{file}"\n'
        self.parts.append("\n")
        self.parts.append(f"{text.rstrip()}\n")

    def placed(self) -> str:
        return "".join(self.places.get(n, text) for n, text in enumerate(self.parts))


def emit(project: Project, parsed: ParsedUnit, closure: Closure, chosen: Chosen) -> Slice:
    """Writes the slice of a kernel.

    Args:
        project: The library.
        parsed: The unit that owns it.
        closure: What the kernel needs.
        chosen: The kernel.
    """
    rows = [parsed.declarations[number] for number in sorted(closure.taken)]
    fragments = [fragment_of(parsed, one) for one in rows]
    macros = needed_macros(parsed, fragments, parsed.unit.arguments)
    lines = _Lines(project, parsed)
    spans = [lines.span(macro.file, macro.begin, macro.end) for macro in macros.own]
    spans += [lines.span(one.file, one.begin, one.end) for one in fragments]
    writer = _Writer()
    writer.parts.append(_head(project, parsed, chosen, [one.file for one in fragments]))
    files = closure.system | macros.system
    writer.write("".join(f"#include <{name}>\n" for name in needed_includes(parsed, files)))
    definitions = _definitions(parsed, macros)
    if definitions:
        writer.write(definitions)
    for one, fragment in zip(rows, fragments, strict=True):
        writer.enter(one.scope)
        for line in closure.before.get(one.number, ()):
            writer.write(f"{line};")
        row = parsed.text(fragment.file).count(b"\n", 0, fragment.begin) + 1
        writer.write(fragment.text, fragment.file, row)
    spelling = spelling_of(chosen.symbol)
    if spelling.template:
        # A member of an unnamed namespace is instantiated inside it, others anywhere outside.
        unnamed = _kernel_scope(rows, chosen)
        writer.enter(unnamed)
        writer.write(spelling.instantiate(qualified=not unnamed))
    writer.enter(())
    functions = [
        lines.identity(cursor)
        for one in rows
        for cursor in one.cursors
        if cursor.kind.name in _FUNCTIONS and cursor.is_definition()
    ]
    functions = [one for one in functions if one != chosen.function]
    return Slice(
        "".join(writer.parts).lstrip("\n"),
        writer.placed().lstrip("\n"),
        tuple(dict.fromkeys(spans)),
        (*dict.fromkeys(functions), chosen.function),
        len(rows),
    )


def _kernel_scope(rows: Sequence[Declaration], chosen: Chosen) -> tuple[str, ...]:
    """The scope of a kernel, where part of it has no name; else none."""
    for one in reversed(rows):
        if chosen.name in one.names:
            return one.scope if "namespace" in one.scope else ()
    return ()


def _definitions(parsed: ParsedUnit, macros: NeededMacros) -> str:
    parts = []
    for given in macros.command_line:
        name, _, value = given.partition("=")
        parts.append(f"#define {name} {value if '=' in given else '1'}\n")
    seen: dict[str, Macro] = {}
    for macro in macros.own:
        data = parsed.text(macro.file)
        line = data.rfind(b"\n", 0, macro.begin) + 1
        start = comment_start(data, line)
        above = data[start:line].decode("utf-8", errors="replace")
        text = data[macro.begin : macro.end].decode("utf-8", errors="replace")
        undone = f"#undef {macro.name}\n" if macro.name in seen else ""
        seen[macro.name] = macro
        parts.append(f"{above}{undone}#define {text}\n")
    return "".join(parts)


def _head(project: Project, parsed: ParsedUnit, chosen: Chosen, files: Sequence[str]) -> str:
    source = project.source
    own = files[-1] if files else parsed.path
    notices = [_notice(parsed.text(own))]
    others = []
    for file in dict.fromkeys(files):
        if file == own:
            continue
        others += [
            line.strip(_FRAME)
            for line in _notice(parsed.text(file)).splitlines()
            if _COPYRIGHT.search(line) and "above copyright" not in line
        ]
    known = {line.strip(_FRAME) for line in notices[0].splitlines()}
    others = [line for line in dict.fromkeys(others) if line not in known]
    flags = " ".join(own_flags(project, parsed))
    lines = [
        f"SPDX-License-Identifier: {source.license}",
        *(f"Parts: {line}" for line in others),
        "",
        f"Kernel         {chosen.qualified_name}",
        f"Source         {source.name} {source.version}, {source.commit}",
        f"Definition     {chosen.function.rsplit(':', chosen.qualified_name.count(':') + 1)[0]}",
        f"Instantiation  {chosen.demangled}",
        f"Configuration  {chosen.config}, unit {chosen.unit}",
        f"Flags          {flags or 'none beyond the macros below'}",
        f"Cut out by     rocQuarry {__version__}",
    ]
    return f"{notices[0]}\n\n" + "".join(f"// {line}".rstrip() + "\n" for line in lines)


def own_flags(project: Project, parsed: ParsedUnit) -> tuple[str, ...]:
    """Flags of a unit that change its code and are no macro, folder, architecture or language."""
    skipped = ("-D", "-U", "-I", "-x", "-std=", "-w", "--cuda-", "--offload-arch", "-idirafter",
               "-isystem", "-include", "-iquote", "-nogpulib")  # fmt: skip
    common = set(project.toolchain.flags)
    kept: list[str] = []
    words = iter(parsed.unit.arguments)
    for word in words:
        if word in ("-x", "-idirafter", "-isystem", "-include", "-iquote", "-I", "-D", "-U"):
            next(words, None)
        elif word not in common and not word.startswith(skipped):
            kept.append(word)
    return tuple(kept)


def _notice(data: bytes) -> str:
    """The comment at the top of a file."""
    text = data.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("/*"):
        return text[: text.find("*/") + 2]
    rows = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        rows.append(line)
    return "\n".join(rows)


class _Lines:
    """Line numbers and ids of places in a unit's files."""

    def __init__(self, project: Project, parsed: ParsedUnit) -> None:
        self._project, self._parsed = project, parsed
        self._starts: dict[str, list[int]] = {}

    def span(self, file: str, begin: int, end: int) -> Span:
        """The whole lines around a range of bytes."""
        data = self._parsed.text(file)
        while begin < end and data[begin : begin + 1].isspace():
            begin += 1
        return self._project.text.span(
            self._relative(file), self._line(file, begin), self._line(file, max(begin, end - 1))
        )

    def identity(self, cursor: Any) -> str:
        """Id of a function as ``scope.json`` has it."""
        start = cursor.extent.start
        file = self._project.text.portable(self._relative(start.file.name))
        return f"{file}:{start.line}:{_qualified(cursor)}"

    def _relative(self, file: str) -> str:
        # An include such as "../a/b.h" leaves its detour in the name.
        return posixpath.normpath(file).removeprefix(f"{self._project.tree.root}/")

    def _line(self, file: str, offset: int) -> int:
        starts = self._starts.get(file)
        if starts is None:
            data = self._parsed.text(file)
            starts = [0, *(match.end() for match in re.finditer(rb"\n", data))]
            self._starts[file] = starts
        return bisect.bisect_right(starts, offset)


def _qualified(cursor: Any) -> str:
    own = cursor.spelling
    names = [own if own.startswith("operator") else own.split("<")[0]]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name != "LINKAGE_SPEC":
            plain = parent.spelling.split("<")[0]
            names.append("(anonymous)" if not plain or "(" in plain else plain)
        parent = parent.semantic_parent
    return "::".join(reversed(names))


def relevant_fragments(parsed: ParsedUnit, closure: Closure) -> list[Fragment]:
    """The fragments of everything that a closure took, in the unit's order."""
    return [fragment_of(parsed, parsed.declarations[n]) for n in sorted(closure.taken)]
