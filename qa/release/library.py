"""The libraries that entries are about, opened: source text, definitions, licence files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from extractor.api import scope_bytes
from extractor.errors import UnknownName, UserError
from extractor.progress import Reporter
from extractor.project import Project
from extractor.records import Source, Span

_NOTICES = ("license*", "licence*", "copying*", "notice*", "copyright*")
_GENERATED = "generated/"
_OUTSIDE = "EXT:"
_HEAD = 120
_COMMENT = re.compile(r"\s*(?:/\*.*?\*/|(?:[ \t]*//[^\n]*\n)+)", re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """One function of a library.

    Attributes:
        name: Qualified name.
        plain: Plain name.
        kind: As in a scope.
        file: File relative to the library's root.
        start_line: First line.
        end_line: Last line, inclusive.
        infrastructure: The rule file calls it infrastructure: it ties no families together.
        live: Some entry point can run it.
        launches: Plain names of the kernels it launches.
    """

    name: str
    plain: str
    kind: str
    file: str
    start_line: int
    end_line: int
    infrastructure: bool
    live: bool
    launches: tuple[str, ...]

    def overlaps(self, span: Span) -> bool:
        """Whether a span has lines of it."""
        return (
            span.file == self.file
            and span.start_line <= self.end_line
            and self.start_line <= span.end_line
        )


class Library:
    """One revision of one library.

    Args:
        project: The library, opened.
        scopes: Folder in which ``extract`` or ``qa build`` wrote scopes: one of this very source is
            taken as it is.
    """

    def __init__(self, project: Project, scopes: Path | None = None) -> None:
        self._project = project
        self._scopes = scopes
        self._definitions: dict[str, tuple[Definition, ...]] = {}

    @property
    def name(self) -> str:
        """Name of the rule file."""
        return self._project.rule.name

    @property
    def title(self) -> str:
        """Name as its makers write it."""
        return self._project.rule.title

    @property
    def source(self) -> Source:
        """Which source."""
        return self._project.source

    @cached_property
    def interfaces(self) -> tuple[str, ...]:
        """All interfaces of the library."""
        return tuple(sorted(self._project.families()))

    def definitions(self, interface: str) -> tuple[Definition, ...]:
        """What an interface reaches; nothing where the library has no such interface."""
        if interface not in self._definitions:
            self._definitions[interface] = _definitions(self._scope(interface))
        return self._definitions[interface]

    def state(self, span: Span) -> str | None:
        """Why a span is not what the source says, or ``None`` where it is.

        Spans in headers of other packages are not looked at.
        """
        if self.is_foreign(span):
            return None
        lines = self._lines(span.file)
        if not lines:
            return f"{span.file} is not in {self.source.name} {self.source.version}"
        if not 1 <= span.start_line <= span.end_line <= len(lines):
            return f"{span.file} has {len(lines)} lines, not {span.start_line}-{span.end_line}"
        raw = b"".join(lines[span.start_line - 1 : span.end_line])
        if hashlib.sha256(raw).hexdigest() != span.sha256:
            return f"{span.file}:{span.start_line}-{span.end_line} is another text now"
        return None

    def text(self, file: str, start_line: int, end_line: int) -> str:
        """Lines of a file; empty where the library has no such file."""
        raw = b"".join(self._lines(file)[max(0, start_line - 1) : end_line])
        return raw.decode("utf-8", errors="replace")

    def quoted(self, spans: Sequence[Span]) -> tuple[str, ...]:
        """Text of each span; empty for text of other packages."""
        return tuple(
            "" if self.is_foreign(s) else self.text(s.file, s.start_line, s.end_line) for s in spans
        )

    @staticmethod
    def is_foreign(span: Span) -> bool:
        """Whether a span's text belongs to another package, with a licence of its own."""
        return span.file.startswith(_OUTSIDE) or Path(span.file).is_absolute()

    @cached_property
    def licence_files(self) -> dict[str, bytes]:
        """Licence and notice files at the root of the source, whole."""
        found: dict[str, bytes] = {}
        for path in sorted(self._project.tree.root.iterdir()):
            if path.is_file() and any(_matches(path.name, pattern) for pattern in _NOTICES):
                found[path.name] = path.read_bytes()
        return found

    def notice(self, file: str) -> str:
        """The comment at the head of a file where it speaks of copyright, else nothing."""
        text = b"".join(self._lines(file)[:_HEAD]).decode("utf-8", errors="replace")
        found = _COMMENT.match(text)
        notice = found.group().strip() if found else ""
        return notice if "copyright" in notice.lower() else ""

    def _scope(self, interface: str) -> dict[str, Any]:
        if self._scopes is not None:
            path = self._scopes / self.name / interface / "scope.json"
            if path.is_file():
                written: dict[str, Any] = orjson.loads(path.read_bytes())
                if written.get("source") == self.source.model_dump():
                    return written
        try:
            configs = self._project.configurations()
            made: dict[str, Any] = orjson.loads(scope_bytes(self._project, interface, configs))
        except UnknownName:
            return {"functions": [], "launches": [], "per_entry": {}}
        return made

    def _lines(self, file: str) -> list[bytes]:
        tree = self._project.tree
        root = tree.root
        name = file
        if file.startswith(_GENERATED):
            root, name = tree.generated, file.removeprefix(_GENERATED)
        path = (root / name).resolve()
        if not path.is_relative_to(root.resolve()):
            return []
        return self._project.text.lines(str(path))


class Shelf:
    """Opens libraries by the source that entries name.

    Args:
        rules: Rule files of libraries that are not shipped.
        sources: ``NAME=FOLDER`` or ``NAME=URL@REF``: a source instead of the pinned one; a library
            may be named more than once, for entries of several versions.
        reporter: Told about progress.
        scopes: Folder with scopes that are there already.
    """

    def __init__(
        self,
        rules: Sequence[Path] = (),
        sources: Sequence[str] = (),
        reporter: Reporter | None = None,
        scopes: Path | None = None,
    ) -> None:
        self._reporter, self._scopes = reporter, scopes
        self._named = {Project(path).rule.name: path for path in rules}
        self._overrides: dict[str, list[str]] = {}
        for text in sources:
            name, sign, value = text.partition("=")
            if not sign or not name or not value:
                raise UserError(f"--source '{text}': write NAME=FOLDER or NAME=URL@REF")
            self._overrides.setdefault(name, []).append(value)
        self._open: dict[tuple[str, str], Library | str] = {}

    def find(self, project: str, source: Source) -> Library | str:
        """The library in exactly this revision; else why there is none, in one line."""
        key = (project, source.model_dump_json())
        if key not in self._open:
            self._open[key] = self._find(project, source)
        return self._open[key]

    def _find(self, project: str, source: Source) -> Library | str:
        seen: list[str] = []
        overrides: list[str | None] = [*self._overrides.get(project, [])]
        for override in overrides or [None]:
            name = self._named.get(project, project)
            try:
                library = Library(
                    Project(name, source=override, reporter=self._reporter), self._scopes
                )
                found = library.source
            except UnknownName:
                return f"no rule file is called '{project}'; name it with --rules FILE"
            if found == source:
                return library
            seen.append(f"{found.version} {found.commit[:12]} {found.license}")
        wanted = f"{source.version} {source.commit[:12]} {source.license}"
        return f"made from {project} {wanted}, opened is {'; '.join(seen)}"


def _definitions(scope: dict[str, Any]) -> tuple[Definition, ...]:
    owner: dict[str, int] = {}
    for index, function in enumerate(scope["functions"]):
        for instantiation in function["instantiations"]:
            owner[instantiation["id"]] = index
    launches: dict[int, set[str]] = {}
    for launch in scope["launches"]:
        caller, kernel = owner.get(launch["caller"]), owner.get(launch["kernel"])
        if caller is not None and kernel is not None and not launch["dead"]:
            launches.setdefault(caller, set()).add(scope["functions"][kernel]["name"])
    live = {
        owner.get(kernel)
        for configs in scope["per_entry"].values()
        for kernels in configs.values()
        for kernel in kernels
    }
    return tuple(
        Definition(
            function["qualified_name"],
            function["name"],
            function["kind"],
            function["span"]["file"],
            function["span"]["start_line"],
            function["span"]["end_line"],
            function["infrastructure"] is not None,
            function["kind"] != "kernel" or index in live,
            tuple(sorted(launches.get(index, ()))),
        )
        for index, function in enumerate(scope["functions"])
        if function["span"] is not None
    )


def _matches(name: str, pattern: str) -> bool:
    return Path(name.lower()).match(pattern)
