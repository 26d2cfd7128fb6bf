"""Entries on loops that threads of a block or grid share: who takes which rounds, and how many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, counted, listed
from qa.author.kernel_facts import Row
from qa.author.launch_pairs import Pair, Shape, draft_of, pairs
from qa.author.launch_sizes import block_words, names_of, situation, tell_grid
from qa.author.launch_values import choose_shape, recorded_shape
from qa.author.numbers import equation, put_into
from qa.ground import Ground
from qa.reading.function import Loop
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Unknown, Value, evaluate, names_in

_MOST = 2
_FEWEST_ROUNDS = 8
_THREAD = re.compile(r"threadIdx\.([xyz])")


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the loops of an interface's kernels, each with a launcher."""
    for pair in pairs(view, ground, functions):
        done: set[str] = set()
        for row in pair.facts.of("loop"):
            head = _head(pair, row)
            start, step = str(row.value.get("start")), str(row.value.get("step"))
            if head is None or not _THREAD.search(start) or head.head in done or len(done) >= _MOST:
                continue
            if len(set(_THREAD.findall(start))) != 1 or not re.search(r"[A-Za-z]", step):
                continue
            wanted = [
                n for name in names_of(f"{start} + ({row.value.get('bound')})".replace("<", "+"))
                for n in names_in(pair.arguments.get(name, ""))
            ]  # fmt: skip
            for shape in (recorded_shape(view, ground, pair), choose_shape(pair, *wanted)):
                draft = None if shape is None else _draft(view, ground, pair, shape, row, head)
                if draft is not None:
                    done.add(head.head)
                    yield draft
                    break


def _head(pair: Pair, row: Row) -> Loop | None:
    return next(
        (one for one in pair.facts.reading.loops if one.first == row.line and one.variable), None
    )


class _Walk:
    """The rounds of one thread."""

    def __init__(self, start: int, bound: int, step: int) -> None:
        self.start, self.step = start, step
        self.places = list(range(start, bound, step))[:5000]

    @property
    def rounds(self) -> int:
        return len(self.places)

    @property
    def beyond(self) -> int:
        return self.start + self.step * self.rounds


def _draft(
    view: ScopeView, ground: Ground, pair: Pair, shape: Shape, row: Row, head: Loop
) -> Draft | None:
    start, step = str(row.value["start"]), str(row.value["step"])
    match = re.fullmatch(r"<\s*(.+)", str(row.value.get("bound")))
    if match is None:
        return None
    bound = match[1]
    thread = _THREAD.search(start)
    if thread is None:
        return None
    axis = thread[1]
    threads = shape.block["xyz".index(axis)]
    known: dict[str, Value] = {**pair.constants, **shape.spot()}
    outer, open_names = [], {}
    symbols = row.value.get("symbols") or {}
    for name in names_of(f"({start}) + ({step}) + ({bound})"):
        if name in known:
            continue
        kind = (symbols.get(name) or {}).get("kind", "")
        if kind == "loop variable":
            begins = str((symbols.get(name) or {}).get("start", ""))
            if not begins.isdigit():
                return None
            known[name] = int(begins)
            outer.append(name)
            continue
        value = pair.passed(name, shape)
        if value is None:
            if (
                not any(p.name == name for p in pair.facts.reading.parameters)
                or name in pair.arguments
            ):
                return None
            return None
        known[name] = value
        open_names[name] = value

    def walk(thread: int) -> _Walk | None:
        spots = {f"{k}.{a}": 0 for k in ("threadIdx", "blockIdx") for a in "xyz"}
        spots[f"threadIdx.{axis}"] = thread
        try:
            begin, width, end = (int(evaluate(e, {**known, **spots})) for e in (start, step, bound))
        except Unknown:
            return None
        return _Walk(begin, end, width) if width > 0 and end < 10**7 else None

    walks = [walk(thread) for thread in range(threads)]
    if threads < 4 or any(w is None for w in walks):
        return None
    rounds = [w.rounds for w in walks if w is not None]
    most, least = max(rounds), min(rounds)
    if most < 1 or most > 400 or (most < 2 and (least > 0 or sum(rounds) < _FEWEST_ROUNDS)):
        return None
    draft = draft_of(
        view,
        ground,
        pair,
        shape,
        "index_mapping",
        f"rounds of {head.head} in {pair.kernel.id} under {pair.launcher.id}",
    )
    variable, kernel = code(head.variable), code(pair.kernel.name)
    busy = sum(r == most for r in rounds)
    one = 5 if threads > 16 else 1
    first, last = walks[one], walks[-1]
    assert first is not None
    assert last is not None
    thread_name = f"`threadIdx.{axis}`"
    block_spread = "blockIdx" in start
    inner = (
        f", in the first round of the loop over {listed([code(n) for n in outer])}" if outer else ""
    )
    begin = situation(pair, shape)
    if least == most:
        ask = f"How many rounds of {code(head.head)} does a thread of it make{inner}, and which values of {variable} does the one with {thread_name} = {one} take?"
    elif least == 0:
        ask = f"Which of its threads enter {code(head.head)} at all{inner}, and which values of {variable} does the one with {thread_name} = {one} take?"
    else:
        ask = f"How is {code(head.head)} shared out among its threads{inner}: which values of {variable} does the one with {thread_name} = {one} take, and who makes a round more than others?"
    draft.question = f"{begin}. {ask}"
    if "gridDim" in step:
        tell_grid(draft, pair, shape, axis)
    else:
        from qa.author.launch_sizes import claim_block, definition_spans

        draft.say(
            f"{code(pair.launcher.name)} starts {kernel} with blocks of {block_words(shape)}.",
            pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), draft.head(pair.kernel), "fact",
        )  # fmt: skip
        pair.claim_shape(draft, "launch_block")
        claim_block(draft, shape)
        if shape.trace is not None:
            from qa.author.launch_prose import claim_launch

            claim_launch(draft, shape.trace, shape.launch)
    for name, value in open_names.items():
        expression = pair.arguments.get(name, name)
        if expression != name and len(expression) < 60:
            worked = put_into(expression, shape.values)
            draft.say(
                f"The launch passes {code(expression)} for the kernel's {code(name)}{f', here {worked} = {value}' if worked != str(value) else f', here {value}'}.",
                pair.site.at, draft.head(pair.launcher), draft.head(pair.kernel), "fact", "recompute",
            )  # fmt: skip
            draft.claim("number", worked, value, "recompute")
            draft.claim("number", str(value), value, "recompute")
    here = draft.lines(pair.kernel, head.first, min(head.last, head.first))
    width = first.step
    spelled = f"{code(step)} = {width}" if not step.isdigit() else str(width)
    from_ = (
        f" from {code(start)}" if start != f"threadIdx.{axis}" else f" from its own {thread_name}"
    )
    draft.say(
        f"A thread begins the loop{from_} and moves on by {spelled}, as long as it stays below {code(bound)}{'' if bound.isdigit() else f' = {int(evaluate(bound, known))}' if bound in open_names or re.search('[A-Za-z]', bound) else ''}.",
        here, draft.head(pair.kernel), "fact", "recompute",
    )  # fmt: skip
    _tell_walk(draft, here, thread_name, one, first, variable)
    if least == most:
        draft.say(
            f"Every thread makes {counted(most, 'round')}, since the extent is a multiple of the step.",
            here, "recompute",
        )  # fmt: skip
    elif least == 0:
        draft.say(
            f"From {thread_name} = {busy if most == 1 else sum(r > 0 for r in rounds)} on a thread's first value is out of range already, so {threads} - {sum(r > 0 for r in rounds)} = {sum(r == 0 for r in rounds)} of the {threads} have no round at all.",
            here, "recompute",
        )  # fmt: skip
        active = sum(r > 0 for r in rounds)
        draft.claim("number", f"{threads} - {active}", threads - active, "recompute")
        draft.claim("number", str(active), active, "recompute")
    else:
        draft.say(
            f"The threads with {thread_name} below {busy} make {counted(most, 'round')}, the other {threads} - {busy} = {threads - busy} only {least}: that of {threads - 1} stops behind {last.places[-1]}.",
            here, "recompute",
        )  # fmt: skip
        draft.claim("number", f"{threads} - {busy}", threads - busy, "recompute")
        draft.claim("number", f"{threads} - 1", threads - 1, "recompute")
        draft.claim("number", str(last.places[-1]), last.places[-1], "recompute")
    if not block_spread:
        _tell_step(draft, pair, step, axis, threads, here)
    said = {k: row.fact.get(k) for k in ("fact", "function", "subject", "arch", "instantiation")}
    keys = ("variable", "start", "bound", "step")
    draft.claim(
        "fact", pair.kernel.name, {**said, "value": {k: row.value[k] for k in keys}}, "fact"
    )
    for value in (busy, most, least, threads, width, int(evaluate(bound, known))):
        draft.claim("number", str(value), value, "recompute")
    for name in names_of(f"{start} + {step}"):
        if name in pair.constants:
            draft.claim("constant", name, pair.constants[name], "scope")
    return draft


def _tell_walk(
    draft: Draft, here: Span, thread_name: str, thread: int, walk: _Walk, variable: str
) -> None:
    places = walk.places
    if not places:
        draft.say(
            f"The one with {thread_name} = {thread} would begin at {walk.start} and never enters.",
            here,
            "recompute",
        )
        draft.claim("number", str(walk.start), walk.start, "recompute")
        return
    shown = (
        listed([str(p) for p in places])
        if len(places) <= 4
        else f"{places[0]}, {places[1]}, {places[2]} and so on up to {places[-1]}"
    )
    for place in (*places[:4], places[-1]):
        draft.claim("number", str(place), place, "recompute")
    worked = f"{places[-1]} + {walk.step}"
    draft.say(
        f"For {thread_name} = {thread} that makes {variable} = {shown}, {counted(len(places), 'round')} in all, because the next value, {equation(worked, walk.beyond)}, is out of range.",
        here, "recompute",
    )  # fmt: skip
    draft.claim("number", worked, walk.beyond, "recompute")
    draft.claim("number", str(len(places)), len(places), "recompute")


def _tell_step(draft: Draft, pair: Pair, step: str, axis: str, threads: int, here: Span) -> None:
    """Why the step fits the launch."""
    head = draft.head(pair.kernel)
    if step == f"blockDim.{axis}":
        draft.say(
            draft.choose(
                "The step is the extent of the block itself, so the loop covers everything once for any block size that a launcher may choose.",
                "Because the kernel asks `blockDim` for its step, another block size would only change the number of rounds.",
                salt="step",
            ),
            head, here, "fact",
        )  # fmt: skip
    elif step in pair.constants and pair.constants[step] == threads:
        draft.say(
            f"{code(step)} is a template argument and not what the block really has; only because the launch uses the same {threads} for both is nothing skipped and nothing done twice.",
            head, here, pair.site.at, "fact",
        )  # fmt: skip
