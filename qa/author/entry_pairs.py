"""Entries on what two entry points, or two builds, have in common and what not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.passed_values import within
from qa.author.pieces import tell_limits, tell_piece, tell_sides
from qa.author.sites import shared_tests
from qa.author.subjects import entries_through
from qa.author.ways import calls_at, tell_ways
from qa.ground import Ground
from qa.reading.function import read_function
from qa.scope_view import FunctionView, ScopeView

_MOST_COMPARISONS = 5


def twins(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    """The 32 bit entry and its ``_64`` twin."""
    config = view.configs[0]
    done: set[tuple[str, ...]] = set()
    for entry in sorted(view.per_entry, key=lambda e: (e.count("_"), e)):
        wide = f"{entry}_64"
        if wide not in view.per_entry or len(done) >= 3:
            continue
        one, two = plain_kernels(view, entry, config), plain_kernels(view, wide, config)
        if not one or not two:
            continue
        key = (*one, "|", *two)
        if key in done:
            continue
        done.add(key)
        draft = _twin_draft(view, ground, entry, wide, config, one, two)
        if draft is not None:
            yield draft


def _twin_draft(
    view: ScopeView,
    ground: Ground,
    entry: str,
    wide: str,
    config: str,
    one: list[str],
    two: list[str],
) -> Draft | None:
    draft = Draft(
        view, ground, "dispatch", f"twins {entry} {config}", [entry, wide], configs=[config]
    )
    where = f" (configuration `{config}`)" if len(view.configs) > 1 else ""
    draft.question = draft.choose(
        f"What does {code(wide)} do that {code(entry)} does not{where}? Compare the kernels they can reach and the functions on the way.",
        f"Sizes beyond 32 bits need {code(wide)}{where}. Does it have kernels of its own, or does it get back to those of {code(entry)}?",
        f"Are {code(entry)} and {code(wide)} the same below the C interface{where}? Go down both.",
    )
    narrow_seen, wide_seen = (seen(view, ground, e, config) for e in (entry, wide))
    common = [k for k in one if k in two and k in narrow_seen and k in wide_seen]
    only_wide = [k for k in two if k not in one and k in wide_seen]
    only_narrow = [k for k in one if k not in two and k in narrow_seen]
    if not common and not only_wide:
        return None
    target = (common or only_wide)[0]
    first = way_to(view, entry, config, (common or only_narrow or one)[0])
    second = way_to(view, wide, config, (only_wide or [target])[0])
    if not first or not second:
        return None
    heads = [draft.head(f) for f in (first[-1], second[-1])]
    if common:
        more = ", among others" if len(common) > 4 else ""
        draft.say(
            f"Both can end in {listed([code(k) for k in common[:4]])}{more}.",
            *heads_of(draft, view, common[:4]),
            "scope",
        )
    if only_wide:
        draft.say(
            f"Only {code(wide)} can launch {listed([code(k) for k in only_wide[:4]])}.",
            *heads_of(draft, view, only_wide[:4]), "scope",
        )  # fmt: skip
    if only_narrow:
        draft.say(
            f"{listed([code(k) for k in only_narrow[:4]])} {'is' if len(only_narrow) == 1 else 'are'} reached by {code(entry)} alone.",
            *heads_of(draft, view, only_narrow[:4]), "scope",
        )  # fmt: skip
    extra = [f for f in second[1:-1] if f.name not in {g.name for g in first}]
    if extra:
        draft.say(
            draft.choose(
                f"On its way {code(wide)} passes {listed([code(f.name) for f in extra[:3]])}, which {code(entry)} does not.",
                f"{listed([code(f.name) for f in extra[:3]])} {'lies' if len(extra) == 1 else 'lie'} on the way of {code(wide)} only.",
                salt="extra",
            ),
            *[draft.head(f) for f in extra[:3]], "scope",
        )  # fmt: skip
    if extra:
        _tell_meeting(draft, entry, wide, first, second)
    told = False
    for function in second:
        if function.span is None or function.name in {f.name for f in first}:
            continue
        reading = read_function(function.text, function.span.start_line)
        for loop in reading.loops:
            if "batch" in loop.head and "batch" not in wide:
                continue  # a single problem is not cut along the batch
            if "64" in loop.head or "chunk" in loop.head.lower():
                draft.say(
                    draft.choose(
                        f"{code(function.name)} cuts the work into pieces with {code(loop.head)}, so that each launch stays within 32 bit indices or grid limits.",
                        f"The loop {code(loop.head)} in {code(function.name)} serves one piece at a time, each small enough for the narrow launcher.",
                        f"Large extents are taken apart by {code(loop.head)} in {code(function.name)}.",
                        salt="pieces",
                    ),
                    draft.lines(function, loop.first, loop.first + loop.head.count("\n")), draft.head(function),
                )  # fmt: skip
                tell_limits(draft, function, reading, loop)
                tell_piece(draft, view, function, reading, loop)
                told = True
                break
        else:
            told = tell_limits(draft, function, reading)
        for branch in reading.branches:
            if (
                re.search(r"c_\w*(?:max|chunk)|i32_max", branch.condition)
                and len(branch.condition) < 160
            ):
                told |= tell_sides(draft, view, function, reading, branch)
                break
        if told:
            break
    if not told and not extra and not only_wide and not only_narrow:
        types = [_integer(view, e, config, target) for e in (entry, wide)]
        if None in types or types[0] == types[1]:
            return None
        draft.say(
            f"What differs is the instantiation: {code(target)} is compiled with {code(str(types[0]))} for {code(entry)} and with {code(str(types[1]))} for {code(wide)}.",
            *heads_of(draft, view, [target]), "scope",
        )  # fmt: skip
        draft.claim("identifier", target, str(types), "scope")
        same = [f for f in second[1:-1] if f.name.isidentifier()]
        if same and [f.name for f in second[1:-1]] == [f.name for f in first[1:-1]]:
            names = list(dict.fromkeys(code(f.name) for f in same))
            draft.say(
                f"{listed(names)} {'lies' if len(names) == 1 else 'lie'} on both ways, templates that are compiled a second time with the wider type for sizes and increments, and so the kernel's own index arithmetic becomes that of {code(str(types[1]))}.",
                *[draft.head(f) for f in same], *heads_of(draft, view, [target]), "scope",
            )  # fmt: skip
    claim_reach(draft, view, entry, config)
    claim_reach(draft, view, wide, config)
    del heads
    return draft


def _tell_meeting(
    draft: Draft, entry: str, wide: str, first: list[FunctionView], second: list[FunctionView]
) -> None:
    """Says where the two ways come together again."""
    names = {f.name for f in first[1:]}
    place = len(second)
    while place > 1 and second[place - 1].name in names:
        place -= 1
    if place in (1, len(second)):
        return
    before, meeting = second[place - 1], second[place]
    what = "the kernel itself" if meeting.kind == "kernel" else code(meeting.name)
    draft.say(
        draft.choose(
            f"The two ways come together in {what}, to which {code(before.name)} hands the work of {code(wide)}.",
            f"{code(before.name)} hands the work on to {what}, and from there on {code(wide)} goes the way of {code(entry)}.",
            salt="meeting",
        ),
        draft.head(before), draft.head(meeting), "scope",
    )  # fmt: skip


def seen(view: ScopeView, ground: Ground, entry: str, config: str) -> set[str]:
    """Kernels that recorded calls of an entry point launched; all it can reach without any."""
    launched = {
        launch["kernel"]
        for trace in ground.traces(view.interface)
        if trace["entry"] == entry and trace.get("config", "source") == config
        for launch in trace["launches"]
    }
    return launched or set(plain_kernels(view, entry, config))


def _integer(view: ScopeView, entry: str, config: str, kernel: str) -> str | None:
    for one in view.per_entry.get(entry, {}).get(config, ()):
        function = view.owner.get(one)
        if function is not None and function.name == kernel:
            made = next((i for i in function.instantiations if i["id"] == one), None)
            for argument in made["template_arguments"] if made else ():
                if argument in ("int", "long", "unsigned int", "unsigned long"):
                    return str(argument)
    return None


def way_to(view: ScopeView, entry: str, config: str, kernel: str) -> list[FunctionView]:
    """Functions from an entry point down to a kernel; empty where it does not reach it."""
    for one in view.per_entry.get(entry, {}).get(config, ()):
        function = view.owner.get(one)
        if function is not None and function.name == kernel:
            return [view.owner[i] for i, _at in view.path(entry, config, one)]
    return []


def heads_of(draft: Draft, view: ScopeView, kernels: list[str]) -> list[Span]:
    """Lines of the signatures of kernels."""
    return [draft.head(f) for k in kernels for f in view.by_name[k][:1] if f.span is not None]


def _stem(entry: str) -> tuple[str, str, str]:
    match = re.match(r"(\w+?_)(i?[shdczb]{1,3})(\w+)$", entry)
    return (match[1], match[2], match[3]) if match else ("", "", entry)


def precisions(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    """Two precisions of one operation whose kernels differ."""
    config = view.configs[0]
    groups: dict[str, list[str]] = {}
    for entry in view.per_entry:
        prefix, letter, rest = _stem(entry)
        if letter and len(letter) == 1:
            groups.setdefault(prefix + "?" + rest, []).append(entry)
    done: set[tuple[str, ...]] = set()
    for name in sorted(groups, key=lambda n: (n.endswith("_64"), n.count("_"), n)):
        entries = sorted(groups[name], key=lambda e: "sdczh".find(_stem(e)[1]))
        for one, two in ((a, b) for i, a in enumerate(entries) for b in entries[i + 1 :]):
            first, second = plain_kernels(view, one, config), plain_kernels(view, two, config)
            if first == second or not first or not second or len(done) >= _MOST_COMPARISONS:
                continue
            key = (*sorted(set(first) - set(second)), "|", *sorted(set(second) - set(first)))
            if key in done:
                continue
            draft = _precision_draft(view, ground, one, two, config, first, second)
            if draft is not None:
                done.add(key)
                yield draft


def _precision_draft(
    view: ScopeView,
    ground: Ground,
    one: str,
    two: str,
    config: str,
    first: list[str],
    second: list[str],
) -> Draft | None:
    draft = Draft(
        view, ground, "dispatch", f"precisions {one} {two} {config}", [one, two], configs=[config]
    )
    where = f" (configuration `{config}`)" if len(view.configs) > 1 else ""
    draft.question = draft.choose(
        f"Do {code(one)} and {code(two)} run the same kernels{where}? Where they do not, say what in the launcher depends on the type.",
        f"Which kernels are open to {code(one)} but closed to {code(two)}, or the other way round{where}, and which compile-time test is behind it?",
        f"Moving a program from {code(one)} to {code(two)}{where}: which kernels will no longer show up in its profile, which new ones may, and why?",
    )
    seen_one, seen_two = (seen(view, ground, e, config) for e in (one, two))
    only_one = [k for k in first if k not in second and k in seen_one]
    only_two = [k for k in second if k not in first and k in seen_two]
    if not only_one and not only_two:
        return None
    for entry, kernels in ((one, only_one), (two, only_two)):
        if kernels:
            draft.say(
                draft.choose(
                    f"{listed([code(k) for k in kernels[:4]])} can be launched for {code(entry)} only.",
                    f"Of the two, {code(entry)} alone reaches {listed([code(k) for k in kernels[:4]])}.",
                    salt=entry,
                ),
                *heads_of(draft, view, kernels[:4]), "scope",
            )  # fmt: skip
    common = [k for k in first if k in second and k in seen_one and k in seen_two]
    if common:
        draft.say(
            f"They share {listed([code(k) for k in common[:4]])}" + (" among others." if len(common) > 4 else "."),
            *heads_of(draft, view, common[:4]), "scope",
        )  # fmt: skip
    alone = [(kernel, one) for kernel in only_one] + [(kernel, two) for kernel in only_two]
    told = [_tell_type_test(draft, view, kernel, e, config) for kernel, e in alone[:3]]
    reason = any(told)
    if not reason:
        paths = [
            way_to(view, e, config, k[0])
            for e, k in ((one, only_one or common), (two, only_two or common))
            if k
        ]
        launchers = [p[-2] for p in paths if len(p) > 1]
        if len(launchers) < 2 or launchers[0].id == launchers[1].id:
            return None
        if two in entries_through(view, launchers[0]) or one in entries_through(view, launchers[1]):
            return None  # both come through it, so that it tells nothing apart
        draft.question = f"Moving a program from {code(one)} to {code(two)}{where}: which kernels will no longer show up in its profile, which new ones may, and in which functions do the ways part?"
        draft.say(
            f"The ways part on the host: {code(one)} gets to its kernel through {code(launchers[0].name)}, {code(two)} through {code(launchers[1].name)}.",
            *[draft.head(f) for f in launchers[:2]], "scope",
        )  # fmt: skip
    for entry in (one, two):
        claim_reach(draft, view, entry, config)
    return draft


_TYPE_TEST = re.compile(r"is_same|is_complex|sizeof\(")


def _tell_type_test(draft: Draft, view: ScopeView, kernel: str, entry: str, config: str) -> bool:
    """Says which compile-time test on the type all launches of a kernel stand under."""
    sites = [s for s in view.launches if s.callee.name == kernel and not s.dead]
    if not sites or len({s.caller.id for s in sites}) > 1 or sites[0].caller.span is None:
        return False
    caller = sites[0].caller
    assert caller.span is not None
    reading = read_function(caller.text, caller.span.start_line)
    symbol = next(
        (i for i in view.per_entry.get(entry, {}).get(config, ())
         if i in view.owner and view.owner[i].name == kernel), "",
    )  # fmt: skip
    call = {"entry": entry, "config": config, "args": {}}
    inside = within(view, draft.ground, call, symbol, caller)
    # What holds around a launch says more of the type than what has failed before it.
    for test in sorted(shared_tests(draft.ground, sites), key=lambda one: one.negated):
        for name in re.findall(r"[A-Za-z_]\w*", test.condition):
            definition = reading.definition(name)
            if (
                definition is None
                or len(definition.value) > 120
                or not _TYPE_TEST.search(definition.value)
            ):
                continue
            truth = inside.truth(definition.value, draft.ground)
            settled = (
                "settled by the type" if truth is None
                else f"settled by the type: {str(truth).lower()} for {code(entry)}"
            )  # fmt: skip
            draft.say(
                f"{code(caller.name)} launches {code(kernel)} {'under' if not test.negated else 'past'} {code(test.condition)}, and {code(name)} is {settled}.",
                sites[0].at, test.span, draft.lines(caller, definition.first, definition.last), draft.head(caller),
            )  # fmt: skip
            tell_ways(
                draft, caller, code(kernel), calls_at(caller, sites),
                {(test.condition, test.negated)}, "launched",
            )  # fmt: skip
            return True
        if _TYPE_TEST.search(test.condition):
            draft.say(
                f"{code(caller.name)} launches {code(kernel)} {'under' if not test.negated else 'in the alternative to'} {code(test.condition)}, which the compiler decides for each type.",
                sites[0].at, test.span, draft.head(caller),
            )  # fmt: skip
            return True
    return False


def plain_kernels(view: ScopeView, entry: str, config: str) -> list[str]:
    """Names of kernels an entry can launch, infrastructure left out."""
    return sorted(
        k for k in view.kernels(entry, config)
        if not any(f.infrastructure for f in view.by_name[k])
    )  # fmt: skip


def claim_reach(draft: Draft, view: ScopeView, entry: str, config: str) -> None:
    """Claims which kernels an entry point can launch."""
    draft.claim(
        "reach", entry,
        {"config": config, "kernels": list(plain_kernels(view, entry, config)), "only_plain": True},
        "scope",
    )  # fmt: skip
