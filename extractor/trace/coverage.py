"""Holds traces against the scope: what one of the two has and the other lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

from extractor.records import Record
from extractor.trace.guards import guards_of
from extractor.trace.lines import Place, surely_shown
from extractor.trace.past_boundary import PastBoundary
from extractor.trace.records import Trace
from extractor.trace.sites import Sites, live_sites


class Coverage(Record):
    """Traces of one interface against its scope.

    Attributes:
        calls: How many calls the traces stand for; one for each architecture.
        kernels_traced: Pairs of entry point and kernel instantiation that some trace launched.
        kernels_in_scope: How many of them the scope says the entry point can launch.
        outside: The others, as ``entry: kernel``.
        beyond: Pairs whose kernel belongs to a library at which the scope ends. Those that this
            library's own graph does not lead to are ``outside``.
        kernels_live: Pairs that the scope has.
            Kernels that the rule file calls infrastructure count only where one was launched.
        kernels_called: How many of those some call launched, whether its trace was kept or not.
        launches_live: Launches of the scope that can run: a place and the kernel launched there.
        launches_seen: How many of them launch a kernel that some call launched.
        sites_live: The same without instantiations: a line and the kernel launched there by name.
        sites_seen: How many of those launched something, in some instantiation.
        sites_alike: How many of those seen were shown only by kernels that the same function
            launches at other lines too, fewer of which launched than can.
        sites_unseen: The others, as ``file:line kernel``.
        sites_unreachable: Sites that no call can show, since on every way from an entry point to
            them the conditions exclude each other; they do not count as live.
        sites_refuted: Sites that an entry point showed although no call was to show them, as
            ``entry: site``; none where the conditions were read right.
        guards: By such a site, the conditions around it in the source, outermost first.
        unseen: Kernels of the scope that no call launched, by plain name, with instantiations.
    """

    calls: int
    kernels_traced: int
    kernels_in_scope: int
    outside: tuple[str, ...]
    beyond: int
    kernels_live: int
    kernels_called: int
    launches_live: int
    launches_seen: int
    sites_live: int = 0
    sites_seen: int = 0
    sites_alike: int = 0
    sites_unseen: tuple[str, ...] = ()
    sites_unreachable: tuple[str, ...] = ()
    sites_refuted: tuple[str, ...] = ()
    guards: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    unseen: dict[str, int] = Field(default_factory=dict)


def _reached(sites: Sites) -> Sites:
    """Sites with a kernel that some entry point can launch: a launch may stand in a function that
    is called from dead code alone."""
    reached = frozenset[str]().union(*sites.reached_from.values())
    kernels = {site: own for site, all_ in sites.kernels.items() if (own := all_ & reached)}
    return replace(sites, kernels=kernels)


def cover(
    scope: dict[str, Any],
    config: str,
    traces: Iterable[Trace],
    launched_by: Mapping[str, Iterable[str]] | None = None,
    *,
    past: PastBoundary | None = None,
    unreachable: Iterable[str] = (),
    refuted: Iterable[str] = (),
    places: Iterable[Place] = (),
) -> Coverage:
    """Compares.

    Args:
        scope: ``scope.json`` of the interface.
        config: Configuration of the traces.
        traces: They.
        launched_by: By entry point, kernels that calls launched whose traces were not kept too.
        past: What the libraries launch that this one stands on, as rocSOLVER stands on rocBLAS:
            a trace has their kernels and the scope, which ends at the boundary, has not.
        unreachable: Sites that no arguments lead to; they count as no live ones.
        refuted: Sites that were launched from although they were told to be such.
        places: Where the calls launched.
    """
    symbols, names, checks = {}, {}, set()
    for function in scope["functions"]:
        for instantiation in function["instantiations"]:
            symbols[instantiation["id"]] = instantiation["symbol"]
            if function["kind"] == "kernel":
                names[instantiation["symbol"]] = function["name"]
                if function["infrastructure"] is not None:
                    checks.add(instantiation["symbol"])
    live = {
        (entry, symbols[kernel])
        for entry, rows in scope["per_entry"].items()
        for kernel in rows.get(config, ())
        if symbols[kernel] not in checks
    }
    traced: set[tuple[str, str]] = set()
    calls = 0
    for trace in traces:
        calls += len(trace.arch)
        traced |= {(trace.entry, launch.symbol) for launch in trace.launches}
    traced_only = set(traced)
    traced |= {(e, symbol) for e, symbols_ in (launched_by or {}).items() for symbol in symbols_}
    beyond = {
        (entry, symbol)
        for entry, symbol in traced
        if past is not None and symbol not in names and symbol in past.kernels(entry)
    }
    own = traced - beyond
    live |= {pair for pair in own if pair[1] in checks}
    launched = {symbol for _, symbol in traced}
    reached = {symbol for _, symbol in live}
    launches = {
        (launch["caller"], launch["at"]["file"], launch["at"]["start_line"], launch["kernel"])
        for launch in scope["launches"]
        if config in launch["configs"]
        and not launch["dead"]
        and symbols.get(launch["kernel"]) in reached
    }
    sites = _reached(live_sites(scope, config))
    never = tuple(sorted(set(unreachable) - sites.surely_shown_by(launched)))
    shown = sites.shown_by(launched) - set(never)
    sure = surely_shown(sites, places, never)[0] | sites.surely_shown_by(launched)
    sites_unseen = tuple(site for site in sites.kernels if site not in shown and site not in never)
    unseen: dict[str, int] = {}
    for symbol in sorted({kernel for _, kernel in live} - launched):
        unseen[names.get(symbol, symbol)] = unseen.get(names.get(symbol, symbol), 0) + 1
    return Coverage(
        calls=calls,
        kernels_traced=len(own & traced_only),
        kernels_in_scope=len(own & traced_only & live),
        outside=tuple(sorted(f"{entry}: {kernel}" for entry, kernel in own - live)),
        beyond=len(beyond),
        kernels_live=len(live),
        kernels_called=len(own & live),
        launches_live=len(launches),
        launches_seen=sum(symbols.get(kernel) in launched for *_, kernel in launches),
        sites_live=len(sites.kernels) - len(never),
        sites_seen=len(shown),
        sites_alike=len(shown - sure),
        sites_unseen=sites_unseen,
        sites_unreachable=never,
        sites_refuted=tuple(refuted),
        guards=guards_of(scope, (*sites_unseen, *never)),
        unseen=dict(sorted(unseen.items())),
    )
