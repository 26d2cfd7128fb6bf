"""Which launch sites of an interface its entry points have still to show, and which none can."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extractor.project import Project
from extractor.trace.guards import guards_of
from extractor.trace.lines import Place, surely_shown
from extractor.trace.sites import live_sites

if TYPE_CHECKING:
    from extractor.facts.host.program import HostProgram

_IMPORTED = re.compile(r"from extractor\.facts\.host\.(\w+) import")
_ATTEMPTS = 3
"""So many entry points look for a site; which none of them finds is not looked for any more."""


class Hunt:
    """Launch sites of one interface.

    Args:
        project: The library.
        config: Configuration.
        scope: ``scope.json`` of the interface.
    """

    def __init__(self, project: Project, config: str, scope: dict[str, Any]) -> None:
        self._project, self._config = project, config
        self._entries: Sequence[str] = scope["entry_points"]
        self.sites = live_sites(scope, config)
        self.guards: Mapping[str, Sequence[str]] = guards_of(scope, self.sites.kernels)
        self._digest = hashlib.sha256(json.dumps(scope, sort_keys=True).encode()).hexdigest()
        self._shown: set[str] = set()
        self._launched: set[str] = set()
        self._by_entry: dict[str, set[str]] = {}
        self._tried: dict[str, int] = {}
        self._closed: dict[str, frozenset[str]] = {}
        self._refuted: set[str] = set()
        self._places: set[Place] = set()
        self._program: HostProgram | None = None

    def goals(self, entry: str) -> dict[str, frozenset[str]]:
        """Sites that an entry point is to show, with its kernels there."""
        return {
            site: kernels
            for site, kernels in self.sites.of_entry(entry).items()
            if site not in self._shown and self._tried.get(site, 0) < _ATTEMPTS
        }

    def ended(
        self, entry: str, goals: Iterable[str], launched: set[str], places: Iterable[Place] = ()
    ) -> None:
        """An entry point was done: what it launched and where, of what it was to show."""
        self._places.update(places)
        self._by_entry[entry] = launched
        self._launched |= launched
        self._shown |= self.sites.shown_by(launched)
        if entry in self._closed:
            self._closed[entry] = self._checked(entry, self._closed[entry])
        for site in goals:
            self._tried[site] = self._tried.get(site, 0) + (not self.is_closed(entry, site))

    def is_closed(self, entry: str, site: str) -> bool:
        """Whether the conditions on all ways from an entry point to a site exclude each other."""
        if entry not in self._closed:
            self._closed[entry] = self._followed(entry)
        return site in self._closed[entry]

    def unreachable(self) -> tuple[str, ...]:
        """Sites that are closed to every entry point.

        Where several sites launch a kernel, a launch of it shows none of them for sure, so that
        the closed ones among them are told as well.
        """
        sure = self.sites.surely_shown_by(self._launched)
        left = [site for site in self.sites.kernels if site not in sure]
        leading = {site: [e for e in self._entries if self.sites.reaches(e, site)] for site in left}
        return tuple(
            site
            for site, entries in leading.items()
            if entries and all(self.is_closed(entry, site) for entry in entries)
        )

    def refuted(self) -> tuple[str, ...]:
        """Sites that were shown although they were closed, as ``entry: site``, or as
        ``function: site`` where more of a function's lines launched than were open."""
        _, wrong = surely_shown(self.sites, self._places, self.unreachable())
        return tuple(sorted(self._refuted.union(wrong)))

    def _followed(self, entry: str) -> frozenset[str]:
        """Sites closed to an entry point; none where not every way could be followed."""
        key = f"closed:{code()}:{self._config}:{entry}:{self._digest}"
        known = self._project.store.recall(key)
        if known is None:
            known = json.dumps(self._reach(entry)).encode()
            self._project.store.remember(key, known)
        return self._checked(entry, frozenset(json.loads(known)))

    def _checked(self, entry: str, closed: frozenset[str]) -> frozenset[str]:
        # What was launched is open; where it does not seem so, the way was not read right, and
        # nothing is said of the others either.
        wrong = closed & self.sites.surely_shown_by(self._by_entry.get(entry, set()))
        self._refuted |= {f"{entry}: {site}" for site in wrong}
        return frozenset() if wrong else closed

    def _reach(self, entry: str) -> list[str]:
        from extractor.facts.host.program import HostProgram
        from extractor.facts.host.reach import reach

        if self._program is None:
            self._program = HostProgram(self._project, self._entries, self._config)
        if entry not in self._program.entries:
            return []
        result = reach(self._program.entry_symbol(entry), self._program.trees)
        if result.problem:
            return []
        # Launches within another library's header are sites of the line that calls it; nothing
        # is known of these.
        portable = self._project.text.portable
        return sorted(
            f"{portable(file)}:{line} {name}" for file, line, name in result.all - result.open
        )


@functools.cache
def code() -> str:
    """Digest of what decides which sites are closed: the modules behind ``reach``, the readers of
    bodies, and the solver's version."""
    folder = Path(__file__).parents[1] / "facts" / "host"
    modules, pending = {"program"}, ["reach", "program"]
    while pending:
        name = pending.pop()
        modules.add(name)
        found = _IMPORTED.findall((folder / f"{name}.py").read_text())
        pending += [other for other in found if other not in modules]
    digest = hashlib.sha256(metadata.version("z3-solver").encode())
    files = [folder / f"{name}.py" for name in modules]
    for path in sorted([*files, *(folder / "native").iterdir()]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:32]
