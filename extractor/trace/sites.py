"""Launch sites of a scope: a line and the kernel that is launched there, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Sites:
    """Live launch sites of an interface under one configuration.

    Attributes:
        kernels: By site, as ``file:line kernel``, symbols of the kernels launched there.
        callers: By site, names of the functions that launch.
        reached_from: By entry point, symbols of the kernels that it can launch.
        lines: By symbols of a function and of a kernel, the sites at which it launches that.
    """

    kernels: Mapping[str, frozenset[str]]
    callers: Mapping[str, frozenset[str]]
    reached_from: Mapping[str, frozenset[str]]
    lines: Mapping[tuple[str, str], frozenset[str]]

    @cached_property
    def places(self) -> dict[str, set[str]]:
        """By kernel, the sites that launch it."""
        found: dict[str, set[str]] = {}
        for site, kernels in self.kernels.items():
            for kernel in kernels:
                found.setdefault(kernel, set()).add(site)
        return found

    def reaches(self, entry: str, site: str) -> bool:
        """Whether the scope has a way from an entry point to a kernel of a site."""
        return not self.kernels[site].isdisjoint(self.reached_from.get(entry, ()))

    def of_entry(self, entry: str) -> dict[str, frozenset[str]]:
        """Sites that an entry point can reach, with those of their kernels that it launches."""
        own = self.reached_from.get(entry, frozenset())
        return {site: some for site, all_ in self.kernels.items() if (some := all_ & own)}

    def surely_shown_by(self, symbols: set[str]) -> set[str]:
        """Sites of which some kernel is among those launched and has no other site."""
        return {
            site
            for site, kernels in self.kernels.items()
            if any(k in symbols and len(self.places[k]) == 1 for k in kernels)
        }

    def shown_by(self, symbols: set[str]) -> set[str]:
        """Sites of which some kernel is among those launched."""
        return {site for site, kernels in self.kernels.items() if not kernels.isdisjoint(symbols)}


def live_sites(scope: dict[str, Any], config: str) -> Sites:
    """Launch sites that can run; kernels of the infrastructure are left out.

    Args:
        scope: ``scope.json`` of the interface.
        config: Configuration.
    """
    symbols: dict[str, str] = {}
    names: dict[str, str] = {}
    checks: set[str] = set()
    callers_names: dict[str, str] = {}
    for function in scope["functions"]:
        for instantiation in function["instantiations"]:
            symbols[instantiation["id"]] = instantiation["symbol"]
            callers_names[instantiation["id"]] = function["name"]
            if function["kind"] == "kernel":
                names[instantiation["symbol"]] = function["name"]
                if function["infrastructure"] is not None:
                    checks.add(instantiation["symbol"])
    kernels: dict[str, set[str]] = {}
    callers: dict[str, set[str]] = {}
    lines: dict[tuple[str, str], set[str]] = {}
    for launch in scope["launches"]:
        symbol = symbols.get(launch["kernel"], "")
        if config not in launch["configs"] or launch["dead"] or symbol in checks:
            continue
        at, name = launch["at"], names.get(symbol, launch["kernel"])
        site = f"{at['file']}:{at['start_line']} {name}"
        kernels.setdefault(site, set()).add(symbol)
        caller = launch["caller"]
        callers.setdefault(site, set()).add(callers_names.get(caller, caller))
        lines.setdefault((symbols.get(caller, caller), symbol), set()).add(site)
    return Sites(
        {site: frozenset(found) for site, found in sorted(kernels.items())},
        {site: frozenset(found) for site, found in sorted(callers.items())},
        {
            entry: frozenset(symbols[kernel] for kernel in rows.get(config, ()))
            for entry, rows in scope["per_entry"].items()
        },
        {pair: frozenset(found) for pair, found in lines.items()},
    )
