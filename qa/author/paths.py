"""Entries on the way from a public call to a kernel, and on what several entry points share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.entry_pairs import configurations, precisions, twins
from qa.author.sites import shared_tests
from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import Branch, Definition, FunctionReading, read_function
from qa.scope_view import FunctionView, ScopeView

_MOST_PATHS = 4


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on paths, on 32 and 64 bit twins, on precisions and on configurations."""
    del functions
    yield from _paths(view, ground)
    yield from twins(view, ground)
    yield from precisions(view, ground)
    yield from configurations(view, ground)


def _paths(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    config = view.configs[0]
    seen: set[str] = set()
    for entry in sorted(view.per_entry, key=lambda e: (e.endswith("_64"), e.count("_"), e)):
        for kernel_id in view.per_entry[entry].get(config, ()):
            kernel = view.owner.get(kernel_id)
            if (
                kernel is None
                or kernel.infrastructure
                or kernel.name in seen
                or len(seen) >= _MOST_PATHS
            ):
                continue
            path = view.path(entry, config, kernel_id)
            steps = [(view.owner[i], at) for i, at in path]
            if len({f.id for f, _at in steps}) < 3:
                continue
            seen.add(kernel.name)
            draft = _path_draft(view, ground, entry, config, steps, kernel_id)
            if draft is not None:
                yield draft


def _path_draft(
    view: ScopeView,
    ground: Ground,
    entry: str,
    config: str,
    steps: list[tuple[FunctionView, Span | None]],
    symbol: str,
) -> Draft | None:
    names = [f.name for f, _at in steps]
    kernel = steps[-1][0]
    draft = Draft(
        view, ground, "dispatch", f"path {entry} {config} {kernel.id}", [entry], configs=[config]
    )
    where = f" in configuration `{config}`" if len(view.configs) > 1 else ""
    draft.question = draft.choose(
        f"By which functions does {code(entry)} get to {code(kernel.name)}{where}, and what does each of them settle before it passes the call on?",
        f"A debugger stops in {code(kernel.name)} during {code(entry)}{where}. Which host functions are behind it, and where could the call have ended earlier?",
        f"Trace {code(entry)} down to {code(kernel.name)}{where}: which stage checks, which one prepares, and which one launches?",
        f"What stands between {code(entry)} and the launch of {code(kernel.name)}{where}?",
    )
    told = 0
    for number, (function, _at) in enumerate(steps[:-1]):
        following, at = steps[number + 1]
        if function.span is None or at is None or at.file != function.file:
            continue
        if function.name == following.name:
            continue  # an overload that hands its arguments to another
        launches = number == len(steps) - 2
        does = _contribution(draft, function, at)
        verb = (
            "launches"
            if launches
            else draft.choose("calls", "hands over to", "goes on to", salt=str(number))
        )
        link = f"{code(function.name)} {verb} {code(following.name)}"
        if does is None:
            alone = draft.choose(
                f"{link} and adds nothing.", f"{link} with the arguments as they are.",
                f"{code(function.name)} only forwards to {code(following.name)}.",
                f"{code(function.name)} is a mere wrapper around {code(following.name)}.",
                f"{code(function.name)} calls {code(following.name)} and decides nothing itself.",
                f"The first thing {code(function.name)} does is to call {code(following.name)}." if number == 0
                else f"From {code(function.name)} it is one plain call to {code(following.name)}.",
                f"{code(function.name)} passes its arguments to {code(following.name)} unchanged.",
                salt=f"alone{number}",
            )  # fmt: skip
            draft.say(f"{link}." if launches else alone, at, draft.head(function), "scope")
        else:
            text, spans = does
            told += 1
            draft.say(
                draft.choose(
                    f"In {code(function.name)} {text}; then it {verb} {code(following.name)}.",
                    f"{link}, but first {text}.",
                    f"{code(function.name)} comes next: {text}, after which it {verb} {code(following.name)}." if number else f"{code(function.name)} is where it begins: {text}, after which it {verb} {code(following.name)}.",
                    salt=f"stage{number}",
                ),
                at, draft.head(function), *spans, "scope",
            )  # fmt: skip
    if told == 0 or len(names) < 3 or _needs_a_batch(view, ground, steps):
        return None
    _tell_launch(draft, view, steps, symbol)
    draft.claim("path", entry, list(names), "scope")
    return draft


def _needs_a_batch(
    view: ScopeView, ground: Ground, steps: list[tuple[FunctionView, Span | None]]
) -> bool:
    """Whether the launch at the end asks for several problems, and the entry point has but one."""
    launcher, kernel = steps[-2][0], steps[-1][0]
    sites = [
        site for site in view.launches
        if not site.dead and site.caller.id == launcher.id and site.callee.name == kernel.name
    ]  # fmt: skip
    return "batch_count" not in steps[0][0].signature and any(
        asks_for_a_batch(test.condition)
        for test in shared_tests(ground, sites) if not test.negated
    )  # fmt: skip


def asks_for_a_batch(condition: str) -> bool:
    """The condition is false for a single problem."""
    asked = re.search(r"\bbatch_count\s*(>=?)\s*(\d+)", condition)
    return asked is not None and "||" not in condition and int(asked[2]) + (asked[1] == ">") > 1


def _tell_launch(
    draft: Draft, view: ScopeView, steps: list[tuple[FunctionView, Span | None]], symbol: str
) -> None:
    """Says under which tests the launch at the end of a path stands."""
    launcher, (kernel, _at) = steps[-2][0], steps[-1]
    del symbol
    # All launches of the kernel in that function: what one instantiation stands under is no
    # condition for the kernel.
    sites = [
        site for site in view.launches
        if not site.dead and site.caller.id == launcher.id and site.callee.name == kernel.name
    ]  # fmt: skip
    for test in shared_tests(draft.ground, sites)[-2:]:
        if test.negated:
            text = draft.choose(
                f"The launch of {code(kernel.name)} is the alternative to {code(test.condition)}.",
                f"{code(kernel.name)} is what is left when {code(test.condition)} fails.",
                salt=f"neg{test.condition}",
            )
        else:
            text = draft.choose(
                f"The launch of {code(kernel.name)} itself stands under {code(test.condition)}.",
                f"Without {code(test.condition)} {code(kernel.name)} is not launched there.",
                f"What selects {code(kernel.name)} in the end is {code(test.condition)}.",
                f"{code(launcher.name)} reserves {code(kernel.name)} for {code(test.condition)}.",
                salt=f"pos{test.condition}",
            )
        draft.say(text, test.span, sites[0].at)


def _contribution(draft: Draft, function: FunctionView, at: Span) -> tuple[str, list[Span]] | None:
    """What a host function does above a call: its returns, and what it makes for the call."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    above = [b for b in reading.branches if b.first < at.start_line and b.returns is not None]
    exits = [
        b for b in above
        if not b.guards and len(b.condition) < 100 and b.last < at.start_line and not b.loops
        and not re.search(r"\w*st\w*\s*!=|layer_mode|check_numerics", b.condition)
    ]  # fmt: skip
    made = [
        d for d in reading.definitions
        if d.first < at.start_line and not d.guards and not d.loops and len(d.value) < 90
        and re.search(r"\?|std::(?:min|max)|\*|<|/", d.value) and re.search(r"shift|offset|size|stride|block|grid|use|is_|mode", d.name)
    ]  # fmt: skip
    made = [d for d in made if _goes_into(draft, function, reading, d, at)]
    spans: list[Span] = []
    ends: list[tuple[int, str]] = []
    for branch in exits[:3]:
        last = branch.last if branch.last - branch.first < 6 else branch.consequence[0]
        ends.append((branch.first, _exit_words(draft, branch)))
        spans.append(draft.lines(function, branch.first, last))
    checked = next(
        (b for b in above if not b.guards and not b.loops and checking(reading, b)), None
    )
    if checked is not None:
        callee, test = code(checking(reading, checked)), code(checked.condition)
        words = draft.choose(
            f"{callee} looks at the arguments and its verdict is returned under {test}",
            f"what {callee} says against the arguments ends the call ({test})",
            f"a status of {callee} that meets {test} is handed straight back",
            salt=f"checked{checked.first}",
        )
        ends.append((checked.first, words))
        spans.append(draft.lines(function, checked.first, checked.last))
        definition = reading.definition(checked.condition.split(" ")[0])
        if definition is not None:
            spans.append(draft.lines(function, definition.first, definition.last))
    parts = [words for _line, words in sorted(ends)]
    for definition in made[:2]:
        parts.append(_made_words(draft, definition))
        spans.append(draft.lines(function, definition.first, definition.last))
    return (listed(parts), spans) if parts else None


def checking(reading: FunctionReading, branch: Branch) -> str:
    """The function whose status a branch hands back; nothing where it is no such branch."""
    match = re.fullmatch(r"(\w+)\s*!=\s*\w*status_\w+", branch.condition)
    if match is None or branch.returns != match[1]:
        return ""
    definition = reading.definition(match[1])
    callee = (
        re.match(r"(\w+)\s*(?:<[^;]*>)?\(", definition.value) if definition is not None else None
    )
    return callee[1] if callee is not None else ""


def _goes_into(
    draft: Draft, function: FunctionView, reading: FunctionReading, definition: Definition, at: Span
) -> bool:
    """The value is still that of its definition, and the call takes it, if by another name."""
    if times_set(function.text, definition.name) > 1:
        return False
    call = next((c for c in reading.calls if c.first <= at.start_line <= c.last), None)
    words = set(re.findall(r"\w+", draft.ground.text(at) + (call.text if call else "")))
    for other in reading.definitions:
        if other.name in words and other.first < at.start_line:
            words |= set(re.findall(r"\w+", other.value))
    made_of = re.findall(r"\bdim3\s+(\w+)\s*[({]([^;]*)[)}]\s*;", function.text)
    for name, value in made_of:
        if name in words:
            words |= set(re.findall(r"\w+", value))
    return definition.name in words


def _exit_words(draft: Draft, branch: Branch) -> str:
    """What an early return is about, by its condition and its status."""
    test, returned = code(branch.condition), branch.returns or ""
    status = code(returned) if re.fullmatch(r"\w+", returned) else ""
    instead = re.match(r"(\w+)\s*(?:<[^()]*>)?\(", returned)
    salt = f"{branch.condition}{branch.first}"
    if instead:
        return draft.choose(
            f"{test} sends the call to {code(instead[1])} instead",
            f"{code(instead[1])} takes over for {test}",
            f"the case {test} is left to {code(instead[1])}", salt=salt,
        )  # fmt: skip
    if "handle" in branch.condition and "invalid_handle" in returned:
        return draft.choose(
            f"a missing handle is refused ({test}, {status})", f"{test} is answered with {status}",
            f"nobody gets past {test} without a handle ({status})",
            f"a call without a handle ends at {test} with {status}", salt=salt,
        )  # fmt: skip
    if "memory_size_query" in branch.condition:
        return draft.choose(
            f"a query for workspace is served and goes no further ({test})",
            f"{test} turns a mere question about memory back",
            f"a caller who only asks for the workspace leaves at {test}", salt=salt,
        )  # fmt: skip
    if "success" in returned:
        return draft.choose(
            f"an empty problem is done at {test} ({status})",
            f"{test} means that there is nothing to compute, hence {status}",
            f"a call without work leaves at {test} with {status}",
            f"{status} is the answer where {test} holds", salt=salt,
        )  # fmt: skip
    if "invalid" in returned or "not_implemented" in returned:
        return draft.choose(
            f"{test} is refused with {status}", f"{status} meets arguments with {test}",
            f"arguments for which {test} holds are turned away ({status})", salt=salt,
        )  # fmt: skip
    with_status = f" with {status}" if status else ""
    return draft.choose(
        f"{test} ends the call{with_status}", f"the call can end at {test}{with_status}",
        f"there is a way out at {test}{with_status}", salt=salt,
    )  # fmt: skip


def _made_words(draft: Draft, definition: Definition) -> str:
    """What a local variable is for, by its name."""
    name, value = code(definition.name), code(definition.value)
    if re.search(r"shift|offset", definition.name):
        return draft.choose(
            f"the origin is moved: {name} becomes {value}", f"{name} takes {value} as the starting point",
            f"{value} gives the shifted start {name}", salt=definition.name,
        )  # fmt: skip
    if re.search(r"block|grid|size", definition.name):
        return draft.choose(
            f"{name} is worked out as {value}", f"{value} fixes {name}",
            f"{name} is prepared from {value}", salt=definition.name,
        )  # fmt: skip
    if re.search(r"^is_|^use|mode", definition.name):
        return draft.choose(
            f"{name} records {value}", f"the case is noted in {name} ({value})",
            f"{value} is looked up once, in {name}", salt=definition.name,
        )  # fmt: skip
    return f"{name} is set to {value}"
