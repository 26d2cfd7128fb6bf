"""Entries on what a public call launches, from traces of the library's own host code."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from qa.author.beyond import handed_on, tell_beyond
from qa.author.draft import Draft, code, listed
from qa.author.given_up import give_up
from qa.author.kernels_apart import tell_apart
from qa.author.launch_lists import singles
from qa.author.launch_prose import (
    Trace,
    build_words,
    call_words,
    claim_launch,
    setting_words,
    size_words,
    tell_formula,
    tell_modes,
)
from qa.author.launch_tests import tell_conditions
from qa.author.leaving import tell_end
from qa.author.parting import tell_parting, tell_turn
from qa.author.passed_values import within
from qa.author.read_back import decided_by_data
from qa.author.recorded_launches import (
    Sites,
    has_aliases,
    has_several_blocks,
    is_told,
    kernels_of,
)
from qa.author.sites import sites_of
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView

_ARCHITECTURE = re.compile(r"gfx|\barch|_arch|getArch|[Ww]arp_?[Ss]ize|wavefront_?size", re.I)
_MOST_PAIRS = 20
_MOST_ARCHITECTURES = 4


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on calls that part ways, and on calls that go a long way."""
    del functions
    open_to_data = decided_by_data(view)
    traces = [
        t for t in ground.traces(view.interface)
        if t["status"] == "success" and is_told(t) and not (open_to_data & set(kernels_of(t)))
        and not has_aliases(t)
    ]  # fmt: skip
    by_call: dict[tuple[str, str], list[Trace]] = defaultdict(list)
    for trace in traces:
        by_call[trace["entry"], trace.get("config", "source")].append(trace)
    for rows in by_call.values():
        # Sizes that need several blocks tell more.
        rows.sort(key=lambda t: -sum(max(x["grid"]) in range(2, 5000) for x in t["launches"][:3]))
    sites = Sites()
    yield from _architectures(view, ground, by_call, sites)
    # What depends on the architecture is asked for by its name, above.
    everywhere = {
        call: [t for t in rows if len(t["arch"]) > 1] for call, rows in by_call.items()
    }  # fmt: skip
    yield from _pairs(view, ground, everywhere, sites)
    yield from singles(view, ground, everywhere, sites)


def _pairs(
    view: ScopeView, ground: Ground, by_call: dict[tuple[str, str], list[Trace]], sites: Sites
) -> Iterator[Draft]:
    """Two calls that differ in one argument and launch other kernels."""
    done: set[tuple[str, ...]] = set()
    count = 0
    for (_entry, config), traces in sorted(
        by_call.items(), key=lambda i: (i[0][0].count("_"), len(i[0][0]), i[0])
    ):
        if count >= _MOST_PAIRS:
            return
        changes = sorted(
            _single_changes(traces),
            key=lambda c: not (has_several_blocks(c[0]) and has_several_blocks(c[1])),
        )
        for one, two, name in changes:
            if kernels_of(one) == kernels_of(two):
                continue
            key = (name, *sorted((*kernels_of(one), "|", *kernels_of(two))))
            if key in done or any(k[0] == name and set(k[1:]) == set(key[1:]) for k in done):
                continue
            draft = _pair_draft(view, ground, sites, one, two, name, config)
            if draft is not None:
                done.add(key)
                count += 1
                yield draft
                break


def _architectures(
    view: ScopeView, ground: Ground, by_call: dict[tuple[str, str], list[Trace]], sites: Sites
) -> Iterator[Draft]:
    """The same call on two architectures."""
    done: set[tuple[str, ...]] = set()
    for (entry, config), traces in sorted(by_call.items()):
        groups: dict[str, list[Trace]] = defaultdict(list)
        for trace in traces:
            key = json.dumps(
                [trace["args"], trace["pointer_mode"], trace.get("atomics")], sort_keys=True
            )
            groups[key].append(trace)
        for rows in groups.values():
            pairs = [(a, b) for i, a in enumerate(rows) for b in rows[i + 1 :]]
            for one, two in pairs:
                ways = (*kernels_of(one), "|", *kernels_of(two))
                if (
                    set(one["arch"]) & set(two["arch"])
                    or kernels_of(one) == kernels_of(two)
                    or ways in done
                ):
                    continue
                if len(done) >= _MOST_ARCHITECTURES:
                    return
                draft = _architecture_draft(view, ground, sites, one, two, entry, config)
                if draft is not None:
                    done.add(ways)
                    yield draft


def _architecture_draft(
    view: ScopeView, ground: Ground, sites: Sites, one: Trace, two: Trace, entry: str, config: str
) -> Draft | None:
    first, second = one["arch"][0], two["arch"][0]
    draft = Draft(
        view, ground, "dispatch", f"{entry} {config} on {first} and {second} {json.dumps(one['args'], sort_keys=True)}",
        [entry], configs=[config], archs=[first, second],
    )  # fmt: skip
    where = build_words(view, config)
    setting = setting_words(one)
    draft.question = draft.choose(
        f"{code(entry)}{where} is called with {setting}, once on {first} and once on {second}. Do the same kernels run, and what in the host code tells the two apart?",
        f"Why does {code(entry)}{where} launch something else on {second} than on {first}, for {setting}?",
        f"A port from {first} to {second} shows other kernels under {code(entry)}{where}, with {setting}. Which ones, and by which test?",
    )
    ok = False
    told: set[str] = set()
    for arch, trace, other in ((first, one, two), (second, two, one)):
        rows = [x for x in trace["launches"] if x["kernel"] not in kernels_of(other)] or trace[
            "launches"
        ][:1]
        named: set[str] = set()
        for launch in rows[:2]:
            places = sites.of(launch, view, ground, trace)
            if not places or size_words(launch) + launch["kernel"] in named:
                continue
            again = any(words.endswith(launch["kernel"]) for words in named)
            named.add(size_words(launch) + launch["kernel"])
            site, ok = places[0], True
            draft.say(
                f"A further launch of {code(launch['kernel'])} on {arch} has {size_words(launch)}."
                if again else draft.choose(
                    f"On {arch} {code(site.caller.name)} launches {code(launch['kernel'])} with {size_words(launch)}.",
                    f"{code(launch['kernel'])} is what {arch} gets from {code(site.caller.name)}, {size_words(launch)}.",
                    f"For {arch} {code(site.caller.name)} chooses {code(launch['kernel'])}, {size_words(launch)}.",
                    salt=f"{arch}{launch['kernel']}",
                ),
                site.at, draft.head(site.callee), draft.head(site.caller), "trace",
            )  # fmt: skip
            here = {**trace, "arch": [arch]}
            tell_conditions(draft, places, told, here, launch, _ARCHITECTURE)
            claim_launch(draft, here, launch)
    tell_modes(draft, one)
    decided = any(_ARCHITECTURE.search(words) for words in told)
    return draft if ok and decided else None  # else what tells them apart is not told


def _single_changes(traces: list[Trace]) -> Iterator[tuple[Trace, Trace, str]]:
    """Pairs that differ in one argument; the nearest values first."""
    groups: dict[str, list[Trace]] = defaultdict(list)
    for trace in traces[:120]:
        for name, value in trace["args"].items():
            rest = {k: v for k, v in trace["args"].items() if k != name}
            key = json.dumps(
                [name, rest, trace["pointer_mode"], trace.get("atomics"), trace["arch"]],
                sort_keys=True,
            )
            if isinstance(value, int | str):
                groups[key].append(trace)
    for key in sorted(groups):
        name = json.loads(key)[0]
        rows = sorted(
            groups[key],
            key=lambda t: (
                str(t["args"][name])
                if isinstance(t["args"][name], str)
                else f"{t['args'][name] + 10**12:020d}"
            ),
        )
        for one, two in pairwise(rows):
            if one["args"][name] != two["args"][name]:
                yield one, two, name


def _pair_draft(
    view: ScopeView, ground: Ground, sites: Sites, one: Trace, two: Trace, name: str, config: str
) -> Draft | None:
    entry = one["entry"]
    if not one["launches"] or not two["launches"]:
        return None
    only_one = [x for x in one["launches"] if x["kernel"] not in kernels_of(two)]
    only_two = [x for x in two["launches"] if x["kernel"] not in kernels_of(one)]
    if not only_one and not only_two:
        return None
    draft = Draft(
        view,
        ground,
        "dispatch",
        f"{entry} {config} {name} {json.dumps(one['args'], sort_keys=True)}",
        [entry],
        configs=[config],
    )
    first, second = one["args"][name], two["args"][name]
    mode = f"{one['pointer_mode']} pointer mode"
    setting = call_words(one, without=name)
    q1, q2 = (f"'{first}'", f"'{second}'") if isinstance(first, str) else (str(first), str(second))
    where = build_words(view, config)
    told: set[str] = set()
    ok = explained = False
    if only_one and only_two:
        tell_parting(draft, (one, only_one[0]), (two, only_two[0]), told)
        explained = bool(told)
    decided = bool(told)
    for label, trace, rows in ((q1, one, only_one), (q2, two, only_two)):
        named: set[str] = set()
        for launch in rows[:2]:
            places = sites.of(launch, view, ground, trace)
            if size_words(launch) + launch["kernel"] in named:
                continue
            again = any(words.endswith(launch["kernel"]) for words in named)
            named.add(size_words(launch) + launch["kernel"])
            if not places:
                if _tell_unplaced(draft, view, f"{code(name)} = {label}", launch):
                    claim_launch(draft, trace, launch)
                continue
            site, ok = places[0], True
            draft.say(
                f"A further launch of {code(launch['kernel'])} has {size_words(launch)}."
                if again else draft.choose(
                    f"With {code(name)} = {label} {code(site.caller.name)} launches {code(launch['kernel'])}, {size_words(launch)}.",
                    f"{code(name)} = {label} leads to {code(launch['kernel'])}: {code(site.caller.name)} gives it {size_words(launch)}.",
                    f"For {code(name)} = {label} it is {code(launch['kernel'])} that {code(site.caller.name)} starts, with {size_words(launch)}.",
                    salt=f"launch{label}{launch['kernel']}",
                ),
                site.at, draft.head(site.callee), draft.head(site.caller), "trace",
            )  # fmt: skip
            changed = re.compile(rf"\b{re.escape(name)}\b")
            explained |= tell_conditions(draft, places, told, trace, launch, changed)
            explained |= tell_formula(draft, view, ground, site, launch, trace)
            claim_launch(draft, trace, launch)
            decided |= tell_turn(draft, (trace, launch), two if trace is one else one, told)
        if not rows:
            _tell_nothing_else(draft, view, name, label, trace)
        last = trace["launches"][-1]
        if not rows or last["kernel"] == rows[-1]["kernel"]:
            tell_end(draft, trace, last, sites.of(last, view, ground, trace), told)
        if len(rows) > 2:
            others = list(
                dict.fromkeys(
                    x["kernel"]
                    for x in rows[2:]
                    if x["kernel"] not in {r["kernel"] for r in rows[:2]}
                )
            )
            if others:
                sized = [
                    f"{code(k)} ({size_words(next(x for x in rows[2:] if x['kernel'] == k))})"
                    for k in others[:4]
                ]
                draft.say(
                    f"{listed(sized)} {'comes' if len(others) == 1 else 'come'} with {'it' if len(others) == len(sized) else 'it, among others'}.",
                    "trace",
                )
                for launch in rows[2:]:
                    if launch["kernel"] in others[:4]:
                        claim_launch(draft, trace, launch)
    if only_one and only_two:
        ends = [
            sites.of(rows[0], view, ground, trace)
            for trace, rows in ((one, only_one), (two, only_two))
        ]
        if all(ends):
            tell_apart(draft, ends[0][0].callee, ends[1][0].callee)
    if handed_on(one) == handed_on(two):
        tell_beyond(draft, one, "either call")
    else:
        for label, trace in ((q1, one), (q2, two)):
            tell_beyond(draft, trace, f"the call with {code(name)} = {label}")
    common = [k for k in dict.fromkeys(kernels_of(one)) if k in kernels_of(two)]
    if common and only_one and only_two:
        draft.say(
            f"{listed([code(k) for k in common[:4]])} {'is' if len(common) == 1 else 'are'} launched in both calls.",
            "trace",
        )
        for kernel in common[:4]:
            for trace in (one, two):
                claim_launch(
                    draft, trace, next(x for x in trace["launches"] if x["kernel"] == kernel)
                )
    if not ok or not explained:
        give_up(view, "two calls: where or why they launch is not told")
        return None
    if not decided and not _separates(view, ground, sites, (one, only_one), (two, only_two), told):
        give_up(view, "two calls: the test that tells them apart is not told")
        return None
    draft.question = draft.choose(
        f"{code(entry)} is called with {setting} in {mode}{where}. Which kernels run for {code(name)} = {q1}, which for {code(name)} = {q2}, and where is that decided?",
        f"Two calls of {code(entry)}{where} agree in {setting} ({mode}) but one has {code(name)} = {q1}, the other {code(name)} = {q2}. Compare their launches and give the test that separates them.",
        f"Why does {code(entry)}{where} launch something else for {code(name)} = {q2} than for {code(name)} = {q1}, given {setting} in {mode}?",
        f"In {mode}, with {setting}, what does moving {code(name)} from {q1} to {q2} do to the launches of {code(entry)}{where}?",
    )
    tell_modes(draft, one)
    return draft


def _separates(
    view: ScopeView,
    ground: Ground,
    sites: Sites,
    one: tuple[Trace, list[dict[str, Any]]],
    two: tuple[Trace, list[dict[str, Any]]],
    told: set[str],
) -> bool:
    """A test that is told comes out one way for one call and the other way for the other."""
    tests = {key.split(": ", 1)[1] for key in told if key.startswith(("is: ", "not: "))}
    for (trace, rows), (other, _rows) in ((one, two), (two, one)):
        for launch in rows[:2]:
            places = sites.of(launch, view, ground, trace)
            for site in places[:1]:
                here, there = (
                    within(view, ground, t, launch["symbol"], site.caller) for t in (trace, other)
                )
                for test in tests:
                    truths = {here.truth(test, ground), there.truth(test, ground)}
                    if truths == {True, False}:
                        return True
    return False


def _tell_unplaced(draft: Draft, view: ScopeView, case: str, launch: dict[str, Any]) -> bool:
    """Says a launch of one of two calls that several functions on the way could have made."""
    if len({site.caller.id for site in sites_of(view, launch["symbol"])}) < 2:
        return False  # its launch is not in this library
    heads = [draft.head(f) for f in view.by_name[launch["kernel"]][:1] if f.span is not None]
    draft.say(
        f"With {case} {code(launch['kernel'])} runs, {size_words(launch)}; the library launches it from several functions, and the record does not say from which.",
        *heads, "trace",
    )  # fmt: skip
    return True


def _tell_nothing_else(draft: Draft, view: ScopeView, name: str, label: str, trace: Trace) -> None:
    """Says that one of two calls launches nothing of its own, and what it does launch."""
    made = list({x["kernel"]: x for x in trace["launches"]}.values())[:4]
    more = len(set(kernels_of(trace))) > len(made)
    sizes = [f"{code(x['kernel'])}{f' ({size_words(x)})' if len(made) < 3 else ''}" for x in made]
    heads = [
        draft.head(f) for x in made for f in view.by_name[x["kernel"]][:1] if f.span is not None
    ]
    draft.say(
        f"With {code(name)} = {label} the call makes do with {listed(sizes)}{' among others' if more else ''}, which the other call launches as well.",
        *heads, "trace",
    )  # fmt: skip
    for launch in made:
        claim_launch(draft, trace, launch)
