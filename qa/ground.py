"""What entries are held against: a library's source, scopes, facts and traces."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from extractor.api import scope_bytes
from extractor.errors import RocQuarryError, UnknownName
from extractor.project import Project, output_folder
from extractor.records import Source, Span
from qa.executed import Run
from qa.fact_rows import distinct, read_rows
from qa.reading.documentation import Documentation, read_header
from qa.scope_view import ScopeView
from qa.slices import KernelSlice, read_slices

_WORD = re.compile(r"[A-Za-z_]\w*")
_CONSTANT = re.compile(
    r"^\s*(?:#\s*define\s+([A-Za-z_]\w*)\s+\(?(\d+|0x[0-9a-fA-F]+)\)?\s*(?://.*|/\*.*)?$"
    r"|(?:static\s+|inline\s+)*constexpr\s+[\w:]+\s+([A-Za-z_]\w*)\s*=\s*(\d+|0x[0-9a-fA-F]+)\s*;)"
)
_OPEN_SCOPES = 3
LONGEST_ROW = 120_000
"""Bytes of the longest row of a file of traces or facts that is read."""
FACT_FILES = ("facts.jsonl", "host_facts.jsonl", "device_facts.jsonl", "resource_facts.jsonl")
"""Names of files with facts; where there is the first, which ``extract --facts`` writes, those of
host and device count for nothing."""
WHOLE_LIBRARY = "."
"""Folder with facts about a whole library, below ``OUT/PROJECT``."""


class Ground:
    """One library, asked for everything an entry may speak of.

    Args:
        project: The library.
        folder: Folder of earlier outputs (``OUT`` of ``extract`` and ``qa build``), where scopes,
            facts and traces are looked for before they are made; ``None`` to make them.
    """

    def __init__(self, project: Project, folder: Path | None = None) -> None:
        self.project = project
        self.folder = folder
        self._views: OrderedDict[str, ScopeView] = OrderedDict()
        self._facts: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._made: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self.make_facts = False
        self._traces: dict[str, list[dict[str, Any]]] = {}
        self.untold: set[str] = set()  # entry points some of whose traces nobody reads
        self._tokens: dict[str, frozenset[str]] = {}
        self._entries: dict[str, frozenset[str]] = {}
        self._constants_in: dict[str, dict[str, int]] = {}
        self.extra_traces: list[dict[str, Any]] = []

    @property
    def source(self) -> Source:
        """Provenance of the tree."""
        return self.project.source

    @functools.cache  # noqa: B019 - lives as long as one run
    def reach(self, interface: str) -> frozenset[str]:
        """Ids of the functions in the scope of an interface."""
        return frozenset(one["id"] for one in orjson.loads(self._scope(interface))["functions"])

    def view(self, interface: str) -> ScopeView:
        """The scope of an interface.

        Raises:
            UnknownName: The library has no such interface.
        """
        known = self._views.get(interface)
        if known is None:
            known = ScopeView(orjson.loads(self._scope(interface)))
            self._views[interface] = known
            while len(self._views) > _OPEN_SCOPES:
                self._views.popitem(last=False)
        self._views.move_to_end(interface)
        return known

    def _scope(self, interface: str) -> bytes:
        if self.folder is not None and re.fullmatch(r"\w+", interface):
            file = output_folder(self.folder, self.project.rule.name, interface) / "scope.json"
            if file.is_file():
                data = file.read_bytes()
                # A scope of another revision says nothing about this tree.
                if self.source.model_dump_json().encode() in data:
                    return data
        return scope_bytes(self.project, interface, self.project.configurations())

    def knows(self, interface: str) -> bool:
        """The library has this interface."""
        return bool(self.entries_of(interface))

    def entries_of(self, interface: str) -> frozenset[str]:
        """Entry points of an interface; none where the library has no such interface."""
        if interface not in self._entries:
            try:
                self._entries[interface] = frozenset(self.project.resolve(interface))
            except UnknownName:
                self._entries[interface] = frozenset()
        return self._entries[interface]

    def span(self, file: str, start: int, end: int) -> Span:
        """A span of the tree with the hash of what stands there now."""
        if file.startswith("EXT:"):
            path = self.locate(file)
            there = self.project.text.span(path, start, end) if path != file else None
            return Span(
                file=file,
                start_line=start,
                end_line=end,
                sha256=there.sha256 if there else "0" * 64,
            )
        return self.project.text.span(file, start, end)

    def text(self, span: Span) -> str:
        """The lines of a span as they stand now."""
        return self.project.text.text(self.locate(span.file), span.start_line, span.end_line)

    def lines(self, file: str) -> int:
        """How many lines a file has; 0 where there is none."""
        return len(self.project.text.lines(self.locate(file)))

    def hash(self, span: Span) -> str:
        """SHA-256 of the lines of a span as they stand now."""
        rows = self.project.text.lines(self.locate(span.file))[span.start_line - 1 : span.end_line]
        return hashlib.sha256(b"".join(rows)).hexdigest()

    def locate(self, file: str) -> str:
        """Path of a file of a record; files of another package are found by their mark."""
        if file.startswith("generated/"):
            return f"{self.project.tree.generated}/{file.removeprefix('generated/')}"
        if file.startswith("EXT:"):
            for prefix in self.project.toolchain.prefixes:
                for base in (prefix / "include", prefix):
                    if (base / file.removeprefix("EXT:")).is_file():
                        return f"{base / file.removeprefix('EXT:')}"
        if ".." in Path(file).parts or Path(file).is_absolute():
            return ""  # a record never leads out of the tree
        return file

    def tokens(self, file: str) -> frozenset[str]:
        """Every name in a file."""
        known = self._tokens.get(file)
        if known is None:
            lines = self.project.text.lines(self.locate(file))
            known = frozenset(_WORD.findall(b"".join(lines).decode(errors="replace")))
            self._tokens[file] = known
        return known

    @functools.cached_property
    def runtime_names(self) -> frozenset[str]:
        """Names of the HIP headers and of the compiler's own headers for the device."""
        found: set[str] = set()
        for prefix in self.project.toolchain.prefixes:
            for path in sorted((prefix / "include").glob("hip/**/*.h*")):
                found.update(_WORD.findall(path.read_text(errors="replace")))
        return frozenset(found)

    @functools.cached_property
    def public_names(self) -> frozenset[str]:
        """Names of the library's public headers, entry points and configurations."""
        rule = self.project.rule
        found = set(self.project.exported) | {rule.name, *self.project.configurations()}
        for file in sorted({entry.file for entry in self.project.entry_points.values()}):
            folder = (self.project.tree.root / file).parent
            for header in sorted(folder.glob("*.h")):
                found.update(_WORD.findall(header.read_text(errors="replace")))
        return frozenset(found)

    @functools.cached_property
    def _headers(self) -> list[str]:
        """Text of the library's public headers, and of those of the libraries it is built on."""
        folders = {
            (self.project.tree.root / entry.file).parent
            for entry in self.project.entry_points.values()
        }
        texts = [
            path.read_text(errors="replace")
            for folder in sorted(folders)
            for path in sorted(folder.glob("*.h"))
        ]
        for prefix in self.project.toolchain.prefixes:
            for path in sorted((prefix / "include").glob("rocblas/**/*.h")):
                texts.append(path.read_text(errors="replace"))
        return texts

    @functools.cached_property
    def enumerators(self) -> frozenset[str]:
        """Enumerators of public headers."""
        found: set[str] = set()
        for text in self._headers:
            for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", text):
                bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", body, flags=re.S)
                found.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", bare))
        return frozenset(found)

    @functools.cached_property
    def documentation(self) -> dict[str, Documentation]:
        """What public headers say about entry points."""
        found: dict[str, Documentation] = {}
        for text in self._headers:
            for name, read in read_header(text).items():
                found.setdefault(name, read)
        return found

    @functools.cached_property
    def slices(self) -> dict[str, KernelSlice]:
        """Kernels that were cut out of the library, by the id of their definition."""
        if self.folder is None:
            return {}
        read = read_slices(self.folder / self.project.rule.name, self.source)
        if read.other or read.unreadable:
            self.project.reporter.note(
                f"{self.project.rule.name}: {read.other} slices of another revision and "
                f"{read.unreadable} unreadable ones are not used; kernels seed makes them again"
            )
        return read.found

    @functools.cached_property
    def constants(self) -> dict[str, tuple[int, str, int]]:
        """Whole-number constants of the tree that have one value: value, file and line."""
        found: dict[str, tuple[int, str, int]] = {}
        several: set[str] = set()
        root = self.project.tree.root
        for path in sorted(root.rglob("*")):
            if path.suffix not in (".h", ".hpp", ".cpp", ".hip", ".cuh") or not path.is_file():
                continue
            file = path.relative_to(root).as_posix()
            for number, row in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = _CONSTANT.match(row)
                if match is None:
                    continue
                name, value = match[1] or match[3], int(match[2] or match[4], 0)
                if name in found and found[name][0] != value:
                    several.add(name)
                found.setdefault(name, (value, file, number))
        return {name: row for name, row in found.items() if name not in several}

    def constants_in(self, text: str) -> dict[str, int]:
        """Constants of the tree that a text names, with their values."""
        known = self._constants_in.get(text)
        if known is None:
            names = dict.fromkeys(_WORD.findall(text))  # in their order, run after run
            known = {n: self.constants[n][0] for n in names if n in self.constants}
            self._constants_in[text] = known
        return known

    def facts_of(self, interface: str, function: str) -> list[dict[str, Any]]:
        """Facts about one definition, by its id.

        Files of the interface's own folder count first; of a kind of fact that they say nothing
        about, those of a whole library's folder.
        """
        own = self._own_facts(interface).get(function, [])
        kinds = {row["fact"] for row in own}
        others = self._library_facts.get(function, ())
        found = [*own, *(row for row in others if row["fact"] not in kinds)]
        if not found and self.make_facts:
            return self._made_facts(interface).get(function, [])
        return found

    def _made_facts(self, interface: str) -> dict[str, list[dict[str, Any]]]:
        """Facts of an interface, made now; none where this machine cannot."""
        if interface not in self._made:
            from extractor.facts.device.library import facts_of as device
            from extractor.facts.host.production import facts_of as host

            config = self.project.configurations()[0]
            rows: list[dict[str, Any]] = []
            for kind in ("device", "host"):
                try:
                    made = (
                        device(self.project, interface) if kind == "device"
                        else host(self.project, interface, config)
                    )  # fmt: skip
                    rows += [fact.model_dump(mode="json", by_alias=True) for fact in made]
                except RocQuarryError as error:
                    self.project.reporter.note(f"no {kind} facts for {interface}: {error}")
            found: dict[str, list[dict[str, Any]]] = {}
            for row in distinct(rows):
                found.setdefault(row["function"], []).append(row)
            self._made[interface] = found
            if len(self._made) > _OPEN_SCOPES:
                self._made.pop(next(iter(self._made)))
        return self._made[interface]

    def _own_facts(self, interface: str) -> dict[str, list[dict[str, Any]]]:
        if interface not in self._facts:
            own: dict[str, list[dict[str, Any]]] = {}
            for row in self._fact_rows(interface):
                own.setdefault(row["function"], []).append(row)
            self._facts[interface] = own
            if len(self._facts) > _OPEN_SCOPES:
                self._facts.pop(next(iter(self._facts)))
        return self._facts[interface]

    @functools.cached_property
    def _library_facts(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self._fact_rows(WHOLE_LIBRARY):
            found.setdefault(row["function"], []).append(row)
        return found

    def _fact_rows(self, interface: str) -> Iterator[dict[str, Any]]:
        whole, *parts, resources = FACT_FILES
        rows = self._rows(interface, whole)
        for name in (resources,) if rows else (*parts, resources):
            yield from self._rows(interface, name)
        yield from rows

    @functools.cached_property
    def launchers(self) -> dict[str, list[str]]:
        """Functions that launch a kernel somewhere in the library, by the kernel's id, in order."""
        found: dict[str, set[str]] = {}
        for function, rows in self._library_facts.items():
            for row in rows:
                if row["fact"] == "launch_grid" and isinstance(row["value"], dict):
                    found.setdefault(str(row["value"].get("kernel")), set()).add(function)
        return {kernel: sorted(all_) for kernel, all_ in found.items()}

    def architectures_with_facts(self, interface: str) -> set[str]:
        """Architectures that some fact is about."""
        return {
            row["arch"]
            for rows in (*self._own_facts(interface).values(), *self._library_facts.values())
            for row in rows
            if row.get("arch")
        }

    def traces(self, interface: str) -> list[dict[str, Any]]:
        """Launch traces of an interface, but for those that hang on what only a real run writes."""
        if interface not in self._traces:
            rows = self._rows(interface, "traces.jsonl")
            self._traces[interface] = [row for row in rows if not row.get("depends")]
            self.untold |= {row["entry"] for row in rows if row.get("depends")}
            if len(self._traces) > _OPEN_SCOPES:
                self._traces.pop(next(iter(self._traces)))
        entries = self.entries_of(interface)
        return self._traces[interface] + [t for t in self.extra_traces if t["entry"] in entries]

    def record(self, call: dict[str, Any]) -> dict[str, Any] | None:
        """The trace of one call, recorded now; ``None`` where it cannot be recorded.

        Args:
            call: ``config``, ``entry``, ``args``, ``arch``, ``pointer_mode`` and ``atomics`` as in
                a trace.
        """
        from qa.recording import record

        return record(self.project, call)

    def runs(self, view: ScopeView, trace: Mapping[str, Any]) -> dict[str, Run]:
        """A recorded call as it ran, by architecture; empty where it cannot be made again.

        Args:
            view: Scope of the entry point.
            trace: As in ``traces.jsonl``.
        """
        from qa.recording import made_again

        return made_again(self.project, view, trace) if self.folder is not None else {}

    def _rows(self, interface: str, name: str) -> list[dict[str, Any]]:
        if self.folder is None or not re.fullmatch(r"\w+|\.", interface):
            return []
        file = output_folder(self.folder, self.project.rule.name, interface) / name
        if not file.is_file():
            return []
        with file.open("rb") as lines:
            # A trace of hundreds of launches tells nobody anything; where an entry is about one,
            # its call is made again.
            return distinct(read_rows(row for row in lines if self._is_read(row)))

    def _is_read(self, row: bytes) -> bool:
        if len(row) > LONGEST_ROW and (entry := re.search(rb'"entry":"(\w+)"', row[:4000])):
            self.untold.add(entry[1].decode())
        return len(row) <= LONGEST_ROW
