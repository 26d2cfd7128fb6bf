"""Entries that list what one public call launches, every launch of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from extractor.records import Span
from qa.author.beyond import handed_on, tell_beyond
from qa.author.draft import Draft, code, listed
from qa.author.given_up import give_up
from qa.author.launch_places import tell_shape
from qa.author.launch_prose import (
    Trace,
    build_words,
    claim_launch,
    setting_words,
    size_words,
    tell_formula,
    tell_modes,
)
from qa.author.launch_shapes import shapes_of
from qa.author.launch_tests import tell_conditions
from qa.author.leaving import tell_end
from qa.author.passed_values import way_of
from qa.author.recorded_launches import (
    MOST_LAUNCHES,
    Sites,
    has_several_blocks,
    kernels_of,
    shape_of,
)
from qa.author.recursion import tell_recursion
from qa.author.repeats import tell_repeats
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView, Site

_MOST = 20
_LONGEST = MOST_LAUNCHES
_EXPLAINED = 2


def singles(
    view: ScopeView, ground: Ground, by_call: dict[tuple[str, str], list[Trace]], sites: Sites
) -> Iterator[Draft]:
    """Calls with the longest or the largest launches, worked through from entry to kernel."""
    seen: set[tuple[str, ...]] = set()
    count = 0
    for (entry, config), traces in sorted(by_call.items()):
        if count >= _MOST:
            return
        ranked = sorted(
            (t for t in traces if t["launches"] and len(t["launches"]) <= _LONGEST),
            key=lambda t: (
                -len(set(kernels_of(t))),
                not has_several_blocks(t),
                -max(max(x["grid"]) for x in t["launches"]) % 997,
                shape_of(t),
            ),
        )
        for trace in ranked[:8]:
            key = tuple(dict.fromkeys(kernels_of(trace)))
            if key in seen:
                continue
            draft = _single_draft(view, ground, sites, trace, entry, config)
            if draft is not None:
                seen.add(key)
                count += 1
                yield draft
                break


def _tell_way(draft: Draft, trace: Trace, symbol: str) -> None:
    """Says through which functions a call comes to its first launch."""
    view, entry = draft.view, trace["entry"]
    way = way_of(view, draft.ground, trace, symbol)
    steps = [view.owner[one] for one, _at in way][1:-1]
    names = list(dict.fromkeys(code(f.name) for f in steps))
    if not names:
        return
    draft.say(
        draft.choose(
            f"{code(entry)} gets there by {listed(names)}.",
            f"Between {code(entry)} and the launch stand {listed(names)}." if len(names) > 1
            else f"Between {code(entry)} and the launch stands {names[0]}.",
            f"To get there {code(entry)} goes by {listed(names)}.",
            salt="way",
        ),
        *[draft.head(f) for f in steps if f.span is not None], "scope",
    )  # fmt: skip
    draft.claim("path", entry, [entry, *(f.name for f in steps)], "scope")


def _single_draft(
    view: ScopeView, ground: Ground, sites: Sites, trace: Trace, entry: str, config: str
) -> Draft | None:
    launches = trace["launches"]
    draft = Draft(
        view,
        ground,
        "launch_configuration",
        f"{entry} {config} {json.dumps(trace['args'], sort_keys=True)}",
        [entry],
        configs=[config],
    )
    where = build_words(view, config)
    setting = setting_words(trace)
    told: set[str] = set()
    beyond = bool(handed_on(trace))
    found, all_known, derived, sized = False, True, False, True
    explained: set[str] = set()
    repeated: set[str] = set()
    for number, launch in enumerate(launches):
        places = sites.of(launch, view, ground, trace)
        kernel = view.owner.get(launch["symbol"])
        if not places and (kernel is None or kernel.span is None):
            return None
        draft.say(
            _launch_words(draft, launch, number, len(launches), places, beyond=beyond),
            *_shown(draft, kernel, places),
            "trace",
        )
        claim_launch(draft, trace, launch)
        if number == 0 and len(launches) <= 3 and places:
            _tell_way(draft, trace, launch["symbol"])
        if launch["repeat"] > 1 and launch["kernel"] not in repeated:
            repeated.add(launch["kernel"])
            tell_repeats(draft, trace, launch)
        if not places:
            # Several functions launch it, and the trace does not say which one did.
            all_known = sized = False
        else:
            found = True
            if launch["kernel"] not in explained:
                formula = tell_formula(draft, view, ground, places[0], launch, trace)
                derived = derived or (formula and number == 0)
                # A size that no number of the call goes into has a rule all the same.
                ruled = formula or _tell_rule(draft, ground, places)
                sized &= ruled
                tested = len(explained) < _EXPLAINED and tell_conditions(
                    draft, places, told, trace, launch
                )
                if not explained and not ruled and not tested:
                    give_up(view, "one call: neither size nor choice has a reason")
                    return None
                explained.add(launch["kernel"])
        if number == len(launches) - 1 and not beyond:
            tell_end(draft, trace, launch, places, told)
    if not found or not (derived or told):
        return None
    tell_recursion(draft, trace)
    tell_beyond(draft, trace, f"{code(entry)}")
    what = "kernels of the library itself" if beyond else "kernels"
    forms = [
        f"How much parallelism does {code(entry)}{where} ask for with {setting}? Go launch by launch{', through the kernels of the library itself' if beyond else ''}.",
        f"{code(entry)}{where} receives {setting}. Which {what} follow, in which order, {'and how is each one sized' if sized else 'and with how many blocks and threads'}?",
    ]
    if derived:
        forms.append(
            f"List {f'which {what} {code(entry)}{where} launches' if beyond else f'what {code(entry)}{where} launches'} for {setting}, with grids and blocks, and derive the first grid."
        )
    if all_known:
        forms.append(
            f"Predict the launches {f'of {what} by' if beyond else 'of'} {code(entry)}{where} for {setting} and say which function makes each."
        )
    draft.question = draft.choose(*forms)
    tell_modes(draft, trace)
    if not beyond:
        _tell_total(draft, launches)
    return draft


def _tell_rule(draft: Draft, ground: Ground, places: list[Site]) -> bool:
    """Says by which expressions a launch is sized; bare numbers are told with the launch."""
    if "`" not in shapes_of(places):
        return bool(shapes_of(places))
    return tell_shape(draft, ground, places[0].caller, places)


def _launch_words(
    draft: Draft,
    launch: dict[str, Any],
    number: int,
    count: int,
    places: list[Site],
    *,
    beyond: bool = False,
) -> str:
    """How a launch is told; first and last only where the record shows all of the call."""
    kernel, size = code(launch["kernel"]), size_words(launch)
    if launch["repeat"] > 1:
        size += f", {launch['repeat']} times in a row"
    by = code(places[0].caller.name) if places else ""
    if beyond:
        also = (
            "Another launch of the library itself is" if number else "The library itself launches"
        )
        by_whom = f" from {by}" if by else ""
        return f"{also} {kernel}{by_whom}, {size}."
    if count == 1 and launch["repeat"] > 1:
        return (
            f"One kernel is launched: {by} starts {kernel} with {size}."
            if by
            else f"One kernel is launched, {kernel} with {size}."
        )
    if count == 1:
        return draft.choose(
            f"There is one launch: {by} starts {kernel} with {size}." if by else f"There is one launch, {kernel} with {size}.",
            f"{by} makes a single launch, {kernel} with {size}." if by else f"A single launch is made, {kernel} with {size}.",
        )  # fmt: skip
    order = (
        "First" if number == 0 else "Last" if number == count - 1
        else ("Then", "After that", "Next")[(number - 1) % 3]
    )  # fmt: skip
    if not by:
        return f"{order} comes {kernel}, {size}."
    return draft.choose(
        f"{order} {by} starts {kernel} with {size}.",
        f"{order} comes {kernel} from {by}, {size}.",
        salt=f"{number}{launch['kernel']}",
    )


def _shown(draft: Draft, kernel: FunctionView | None, places: list[Site]) -> list[Span]:
    if places:
        return [places[0].at, draft.head(places[0].callee)]
    return [draft.head(kernel)] if kernel is not None and kernel.span is not None else []


def _tell_total(draft: Draft, launches: list[dict[str, Any]]) -> None:
    """How many launches there are, repeats counted, where that is more than the list shows."""
    repeats = [launch["repeat"] for launch in launches]
    if len(launches) > 2 and max(repeats) > 1:
        worked = " + ".join(map(str, repeats))
        draft.say(f"That makes {worked} = {sum(repeats)} launches in all.", "recompute", "trace")
        draft.claim("number", worked, sum(repeats), "recompute")
