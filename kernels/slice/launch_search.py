"""Finds what says how a kernel is launched: calls of the interface at hand, checks, other calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from extractor.api import scope_bytes
from extractor.errors import RuleError
from extractor.project import Project
from extractor.records import Scope
from kernels.launches.capture import Captures
from kernels.launches.reaching import ReachingEntries
from kernels.slice.choice import Launchable, choose, simplicity
from kernels.slice.launch_facts import LaunchFacts, TracedLaunches
from kernels.slice.tasks import LaunchSources


class LaunchSearch:
    """What is known of launches, by kernel.

    Args:
        project: The library, opened.
        configs: Configurations.
        interface: Family or entry point; every family, one after the other, when empty.
        traces: Traced launches.
        folder: Output folder of the project.
    """

    def __init__(
        self,
        project: Project,
        configs: Sequence[str],
        interface: str,
        traces: TracedLaunches,
        folder: Path,
    ) -> None:
        self._project, self._configs, self._traces = project, configs, traces
        self._folder = folder
        self._left = [interface] if interface else sorted(project.families())
        self._known: dict[str, tuple[str, Scope, LaunchFacts]] = {}
        self._captures: dict[tuple[str, str, bool], Captures | str] = {}
        self._infrastructure: set[str] = set()
        self._elsewhere: dict[str, tuple[str, Captures]] = {}

    def heard(self, interface: str, kernels: Sequence[Launchable]) -> set[str]:
        """Instantiations of an interface's kernels that calls launch.

        Calls of the interface come first, more and more of them until every kernel was heard; then
        those under which the library checks numbers, for kernels that do nothing else; then calls
        of other entry points that lead to what is left.

        Args:
            interface: Family or entry point.
            kernels: Its kernels.
        """
        heard: set[str] = set()
        for config in self._configs:
            for symbols in self._launched(interface, config, checking=False):
                heard |= symbols
                if not self._missing(kernels, config, heard, infrastructure=False):
                    break
            for symbols in (
                self._launched(interface, config, checking=True)
                if self._missing(kernels, config, heard, infrastructure=True) and self._checks
                else ()
            ):
                heard |= symbols
                if not self._missing(kernels, config, heard, infrastructure=True):
                    break
        for config in self._configs:
            heard |= self._others(
                config, self._missing(kernels, config, heard, infrastructure=False)
            )
        return heard

    def of(self, symbol: str, function: str, config: str) -> LaunchSources:
        """What is known about a kernel's launches.

        Args:
            symbol: Mangled symbol of its instantiation.
            function: Id of its definition.
            config: Configuration that it is taken from.
        """
        self._find(symbol)
        if symbol not in self._known:
            return LaunchSources(None, None, None, self._traces)
        family, scope, facts = self._known[symbol]
        if symbol in self._elsewhere:
            entry, other = self._elsewhere[symbol]
            told = f"no call of {family} that was tried launches it: cases are calls of {entry}"
            return LaunchSources(scope, facts, other, self._traces, told)
        checking = function in self._infrastructure
        if checking and not self._checks:
            return LaunchSources(scope, None, None, self._traces)
        captures = self._capture(family, config, checking)
        if isinstance(captures, str):
            return LaunchSources(scope, facts, None, self._traces, captures)
        return LaunchSources(scope, facts, captures, self._traces)

    @property
    def _checks(self) -> bool:
        rule = self._project.rule.trace
        return rule is not None and bool(rule.checking)

    def _missing(
        self, kernels: Sequence[Launchable], config: str, heard: set[str], *, infrastructure: bool
    ) -> list[Launchable]:
        """Kernels of a configuration none of whose instantiations was heard."""
        rows = zip(kernels, choose(kernels, heard), strict=True)
        return [
            kernel
            for kernel, one in rows
            if config in one.configs
            and not one.traced
            and self._is_infrastructure(one.function, one.symbol) == infrastructure
        ]

    def _others(self, config: str, kernels: Sequence[Launchable]) -> set[str]:
        """Instantiations of kernels that calls of other interfaces launch."""
        heard: set[str] = set()
        if not kernels:
            return heard
        reaching = ReachingEntries(self._project, config, self._folder)
        with self._project.reporter.work("calls of other interfaces") as advance:
            for done, kernel in enumerate(kernels, start=1):
                own = {s for s, (where, _) in kernel.symbols.items() if where == config}
                for entry in reaching.of(sorted(own, key=simplicity)) if not own & heard else ():
                    captures = self._capture(entry, config, False)
                    if isinstance(captures, str):
                        continue
                    found = next((own & one for one in captures.symbols() if own & one), set())
                    self._elsewhere.update(
                        {one: (entry, captures) for one in found if one not in self._elsewhere}
                    )
                    heard |= found
                    if found:
                        break
                advance(done, len(kernels), kernel.name)
        return heard

    def _launched(self, interface: str, config: str, *, checking: bool) -> Iterator[set[str]]:
        captures = self._capture(interface, config, checking)
        return captures.symbols() if isinstance(captures, Captures) else iter(())

    def _is_infrastructure(self, function: str, symbol: str) -> bool:
        """Whether a kernel only checks or prepares, and no ordinary call launches it."""
        self._find(symbol)
        return function in self._infrastructure

    def _find(self, symbol: str) -> None:
        """Reads scopes until one reaches a kernel."""
        while symbol not in self._known and self._left:
            family = self._left.pop(0)
            data = scope_bytes(self._project, family, self._configs)
            scope = Scope.model_validate_json(data)
            facts = LaunchFacts(self._project, family, self._configs)
            for function in scope.functions:
                if function.kind == "kernel":
                    if function.infrastructure:
                        self._infrastructure.add(function.id)
                    for one in function.instantiations:
                        self._known.setdefault(one.symbol, (family, scope, facts))

    def _capture(self, interface: str, config: str, checking: bool) -> Captures | str:
        """What captures launches, or why nothing can be called."""
        key = (interface, config, checking)
        if key not in self._captures:
            try:
                self._captures[key] = Captures(self._project, interface, config, checking=checking)
            except RuleError as error:
                self._captures[key] = f"no launch was captured: {error}"
        return self._captures[key]
