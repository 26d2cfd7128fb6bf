"""What stands around and beside a launch: its grid, the loop that repeats it, what is launched else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qa.author.decisions import Decision
from qa.author.draft import Draft, code, listed
from qa.author.launch_shapes import bare, explained, shapes_of
from qa.author.outline import loop_heads
from qa.author.sites import launching, shared_tests, sites_of, tests_around
from qa.ground import Ground
from qa.reading.function import read_function
from qa.scope_view import FunctionView, ScopeView, Site

_LONGEST_HEAD, _MOST_NAMES, _MOST_KERNELS = 110, 3, 3
_LONGEST_SHAPE, _LONGEST_TEST = 150, 90
_MOST_BRANCHES = 3


def tell_place(
    draft: Draft,
    launcher: FunctionView,
    kernel: FunctionView,
    decisions: Sequence[Decision],
    instantiation: str,
) -> bool:
    """Says how large the launch is, how often it is made, and what its tests lead to when they fail.

    Returns:
        Whether there was anything to be said.
    """
    view, ground = draft.view, draft.ground
    sites = [s for s in sites_of(view, instantiation.split("@")[0]) if s.caller.id == launcher.id]
    if not sites or launcher.span is None:
        return False
    if not _alike(view, launcher, kernel):  # one instantiation's shape is not another's
        sites = _places(view, launcher, kernel)
    told = _tell_branches(draft, ground, launcher, kernel, sites)
    told |= tell_shape(draft, ground, launcher, sites)
    told |= _tell_loop(draft, launcher, sites)
    return tell_other_side(draft, launcher, kernel, decisions) or told


def tell_other_side(
    draft: Draft, launcher: FunctionView, kernel: FunctionView, decisions: Sequence[Decision]
) -> bool:
    """Says what a launcher launches in a kernel's place where a test comes out the other way.

    Returns:
        Whether recorded calls of the entry point show such a launch.
    """
    view, ground = draft.view, draft.ground
    own = [d for d in decisions if d.function.id == launcher.id and not d.instead]
    for decision in reversed(own):
        others = _on_side(view, launcher, decision, same=False)
        here = {s.callee.name for s in _on_side(view, launcher, decision, same=True)}
        if any(site.callee.name in here | {kernel.name} for site in others):
            continue  # another instantiation of the same kernels: nothing is in its place
        made = launched_by(view, ground, draft.entry_points, launcher)
        if any(site.callee.name not in made for site in others):
            continue  # no recorded call shows that this way is open to the entry point
        names = list(dict.fromkeys(s.callee.name for s in others))
        if not names or len(names) > _MOST_KERNELS:
            continue
        where = "fails" if decision.holds else "holds"
        draft.say(
            f"Where {code(decision.condition)} {where}, {code(launcher.name)} has "
            f"{'a launch' if len(names) == 1 else 'launches'} of {listed([code(n) for n in names])} in its place.",
            decision.span, *[next(s.at for s in others if s.callee.name == n) for n in names],
            draft.head(launcher),
        )  # fmt: skip
        return True
    return False


def _places(view: ScopeView, launcher: FunctionView, kernel: FunctionView) -> list[Site]:
    return [
        s for s in view.launches
        if not s.dead and s.caller.id == launcher.id and s.callee.id == kernel.id
    ]  # fmt: skip


def _alike(view: ScopeView, launcher: FunctionView, kernel: FunctionView) -> bool:
    """Every live launch of the kernel in the function has the same grid and block."""
    return len({(s.grid, s.block) for s in _places(view, launcher, kernel)}) <= 1


def launched_by(
    view: ScopeView, ground: Ground, entries: Sequence[str], launcher: FunctionView
) -> set[str]:
    """Kernels that a function is sure to have launched in recorded calls of some entry points."""

    def made() -> dict[str, dict[str, set[tuple[str, str]]]]:
        found: dict[str, dict[str, set[tuple[str, str]]]] = {}
        for trace in ground.traces(view.interface):
            own = found.setdefault(trace["entry"], {})
            for launch in trace["launches"]:
                way = (trace.get("config", "source"), launch["symbol"])
                own.setdefault(launch["kernel"], set()).add(way)
        return found

    recorded = view.once("launches of recorded calls", made)
    return {
        kernel for entry in entries for kernel, ways in recorded.get(entry, {}).items()
        if any(
            site.caller.id == launcher.id
            for config, symbol in ways for site in launching(view, entry, config, symbol)
        )
    }  # fmt: skip


def _tell_branches(
    draft: Draft, ground: Ground, launcher: FunctionView, kernel: FunctionView, sites: list[Site]
) -> bool:
    """Says under which tests the places of a launch stand that they do not share."""
    around = [
        [t for t in tests_around(ground, site, _LONGEST_TEST) if not t.negated] for site in sites
    ]
    shared = {t.condition for t in shared_tests(ground, sites)}
    own = [next((t for t in tests if t.condition not in shared), None) for tests in around]
    tests = {test.condition: test for test in own if test is not None}
    if None in own or not 2 <= len(tests) <= _MOST_BRANCHES:
        return False
    count = {2: "two", 3: "three"}[len(tests)]
    draft.say(
        f"{code(launcher.name)} launches {code(kernel.name)} in {count} branches, under "
        f"{listed([code(condition) for condition in tests])}.",
        *[test.span for test in tests.values()], *[site.at for site in sites[:4]],
        draft.head(launcher),
    )  # fmt: skip
    return True


def tell_shape(draft: Draft, ground: Ground, launcher: FunctionView, sites: Sequence[Site]) -> bool:
    """Says by which expressions a launch gets its grid and its block, local names followed."""
    words = shapes_of(sites)
    names = explained(sites, ground, words.replace("`", " ")) if words else None
    if not words or names is None or len(words) > _LONGEST_SHAPE or len(names) > _MOST_NAMES:
        return False
    assert launcher.span is not None
    reading = read_function(launcher.text, launcher.span.start_line)
    made = [d for d in reading.definitions if d.name in names]
    handed = {bare(one) for site in sites for one in (site.grid, site.block)}
    dims = [d for d in reading.definitions if re.fullmatch(r"\w+", d.name) and d.name in handed]
    shapes = [
        draft.lines(launcher, launcher.span.start_line + row)
        for row, line in enumerate(launcher.text.split("\n"))
        if (match := re.match(r"\s*dim3\s+(\w+)", line)) and match[1] in handed
    ]
    meant = (
        f", where {listed([f'{code(n)} is {code(v)}' for n, v in names.items()])}" if names else ""
    )
    fixed = [n for n in names if n in ground.constants and not any(d.name == n for d in made)]
    for name in fixed:
        draft.claim("constant", name, ground.constants[name][0], "source")
    constants = [ground.constants[name] for name in fixed]
    words += "," * words.endswith("as the case may be")
    draft.say(
        f"There {code(launcher.name)} sets {words} for it{meant}.",
        *[s.at for s in sites[:3]],
        *[draft.lines(launcher, d.first, d.last) for d in (*made, *dims)],
        *[ground.span(file, line, line) for _value, file, line in constants],
        *shapes, draft.head(launcher),
    )  # fmt: skip
    return True


def _tell_loop(draft: Draft, launcher: FunctionView, sites: Sequence[Site]) -> bool:
    assert launcher.span is not None
    reading = read_function(launcher.text, launcher.span.start_line)
    heads = loop_heads(launcher, reading)
    around = [
        [loop.first for loop in reading.loops if loop.first <= s.at.start_line <= loop.last]
        for s in sites
    ]
    if not around[0] or any(loops != around[0] for loops in around):
        return False
    head = heads.get(around[0][-1], "")
    if not head or len(head) > _LONGEST_HEAD:
        return False
    line = around[0][-1]
    draft.say(
        f"The launch stands in the loop {code(head)} and is made once in each of its rounds.",
        draft.lines(launcher, line, line + 1), sites[0].at, draft.head(launcher),
    )  # fmt: skip
    return True


def _on_side(
    view: ScopeView, launcher: FunctionView, decision: Decision, *, same: bool
) -> list[Site]:
    """Launches that a function makes where a test comes out as it did, or the other way."""
    assert launcher.span is not None
    reading = read_function(launcher.text, launcher.span.start_line)
    found = []
    for site in view.launches:
        if site.dead or site.caller.id != launcher.id:
            continue
        calls = [
            c for c in reading.calls
            if c.first <= site.at.start_line <= c.last and len(c.text) > 20
        ]  # fmt: skip
        guards = calls[0].guards if calls else ()
        if any(
            g.line == decision.span.start_line and g.condition == decision.condition
            and (g.negated is decision.holds) is not same for g in guards[-1:]
        ):  # fmt: skip
            found.append(site)
    return found
