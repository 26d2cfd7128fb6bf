"""Entries on barriers: what they order, and what a thread could see without one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import (
    KernelFacts,
    Row,
    claim_fact,
    kernel_facts,
    plain_index,
)
from qa.author.launch_pairs import pairs
from qa.author.launch_sizes import block_words, claim_block, definition_spans
from qa.author.launch_values import choose_shape, recorded_shape
from qa.author.phases import tell_phase
from qa.author.races import Launched, clash_of
from qa.author.subjects import entries_through
from qa.ground import Ground
from qa.reading.function import read_function
from qa.reading.function_text import under_directive, without_comments
from qa.scope_view import FunctionView, ScopeView

_MOST_PHASES = 6


def with_barriers(view: ScopeView, function: FunctionView) -> list[FunctionView]:
    """Functions that a kernel calls, directly or not, which have barriers of their own."""
    found: dict[str, FunctionView] = {}
    seen, queue = {function.id}, [function]
    while queue:
        for callee in view.callees.get(queue.pop(0).id, ()):
            if callee.id in seen or callee.span is None or callee.kind != "device":
                continue
            seen.add(callee.id)
            queue.append(callee)
            if read_function(callee.text, callee.span.start_line).barriers:
                found[callee.id] = callee
    return list(found.values())


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels and device functions with barriers and LDS."""
    launches: dict[str, Launched] = {}
    for pair in pairs(view, ground, functions):
        shape = recorded_shape(view, ground, pair) or choose_shape(pair)
        if shape is not None:
            launches[pair.kernel.id] = (pair, shape)
    for function in functions:
        if function.kind not in ("kernel", "device") or function.span is None:
            continue
        facts = kernel_facts(view, ground, function)
        if facts.of("barrier"):
            yield from _removed(view, ground, facts, launches.get(function.id))
            yield from _placed(view, ground, facts, launches.get(function.id))


def _tell_block(draft: Draft, launched: Launched | None) -> None:
    """Says how many threads and wavefronts the launch gives a block."""
    if launched is None:
        return
    pair, shape = launched
    threads = shape.threads
    kernel, launcher = pair.named_kernel(), code(pair.launcher.name)
    for name, value in list(pair.varying.items())[:5]:
        draft.claim("constant", name, value, "scope")
    where = (
        pair.site.at,
        draft.head(pair.launcher),
        *definition_spans(draft, pair),
        draft.head(pair.kernel),
    )
    if threads % 64 == 0 and threads > 64:
        worked = f"{threads} / 64"
        extents = " * ".join(str(v) for v in shape.block if v > 1)
        size = (
            f"{threads} threads" if shape.block[0] == threads else f"{extents} = {threads} threads"
        )
        draft.say(
            draft.choose(
                f"{launcher} starts {kernel} in blocks of {size}, so {worked} = {threads // 64} wavefronts of 64 lanes meet at a barrier.",
                f"A block of {kernel} has {size}, as {launcher} starts it, which is {worked} = {threads // 64} wavefronts of 64 lanes.",
                salt="block",
            ),
            *where, "fact", "recompute",
        )  # fmt: skip
        draft.claim("number", worked, threads // 64, "recompute")
    elif threads <= 64:
        draft.say(
            f"{launcher} starts {kernel} in blocks of {block_words(shape)}, no more than one wavefront of 64 lanes, so the barrier has no other wavefront to wait for and orders the block's own LDS accesses.",
            *where, "fact",
        )  # fmt: skip
    else:
        draft.say(f"{launcher} starts {kernel} in blocks of {block_words(shape)}.", *where, "fact")
    pair.claim_shape(draft, "launch_block")
    claim_block(draft, shape)


def _between(facts: KernelFacts) -> list[tuple[Row, list[Row], list[Row]]]:
    """Each barrier with the LDS stores before it and the loads behind it, up to the next one."""
    barriers = facts.of("barrier")
    accesses = [r for r in facts.of("lds_access") if plain_index(r.value.get("index"))]
    found = []
    for number, barrier in enumerate(barriers):
        before = barriers[number - 1].line if number else 0
        after = barriers[number + 1].line if number + 1 < len(barriers) else 10**9
        stores = [
            a for a in accesses if a.value["access"] == "store" and before < a.line <= barrier.line
        ]
        loads = [
            a for a in accesses if a.value["access"] == "load" and barrier.line < a.line <= after
        ]
        found.append((barrier, stores, loads))
    return found


def _named_there(facts: KernelFacts, row: Row) -> bool:
    """The array has its own name on the line, not that of a parameter it was passed for."""
    assert facts.function.span is not None
    line = facts.function.text.split("\n")[row.line - facts.function.span.start_line]
    return re.search(rf"\b{re.escape(row.value['array'])}\b", line) is not None


def _removed(
    view: ScopeView, ground: Ground, facts: KernelFacts, launched: Launched | None
) -> Iterator[Draft]:
    """What a thread could read were the barrier not there."""
    done: set[str] = set()
    for barrier, stores, loads in _between(facts):
        for store in stores:
            load = next(
                (one for one in loads if one.value["array"] == store.value["array"]
                 and one.value["index"] != store.value["index"]), None,
            )  # fmt: skip
            if load is None or not _named_there(facts, store) or not _named_there(facts, load):
                continue
            clash = clash_of(facts, store, load, launched)
            if clash is None:
                continue
            if store.value["array"] in done or len(done) >= 2:
                continue
            done.add(store.value["array"])
            yield _removed_draft(view, ground, facts, barrier, store, load, clash, launched)


def _removed_draft(
    view: ScopeView,
    ground: Ground,
    facts: KernelFacts,
    barrier: Row,
    store: Row,
    load: Row,
    clash: tuple[int, int, int, dict[str, object]],
    launched: Launched | None,
) -> Draft:
    function = facts.function
    writer, reader, place, more = clash
    number, types = facts.types()
    entries = entries_through(view, function, number if function.kind == "kernel" else None)
    draft = Draft(
        view,
        ground,
        "synchronization",
        f"barrier over {store.value['array']} in {function.id}",
        entries,
    )
    array = store.value["array"]
    values = more["values"]
    assert isinstance(values, dict)
    used = {
        n: v
        for n, v in values.items()
        if re.search(rf"\b{re.escape(n)}\b", store.value["index"] + load.value["index"])
    }
    given = [f"{code(n)} = {v}" for n, v in used.items()]
    apart = bool(more["apart"])
    if apart or "warpSize" in function.text:
        given.append("wavefronts of 64 lanes")
    cond = f" (take {listed(given)})" if given else ""
    draft.question = draft.choose(
        f"What does the barrier between the store to {code(array)} and the load from it protect in {code(function.name)}? Name two threads that would race without it{cond}.",
        f"Suppose the `__syncthreads` after {code(array)} has been filled were deleted from {code(function.name)}{cond}. Which thread could then read a value that is not there yet, and whose value is it?",
        f"Threads of {code(function.name)}, which {code(entries[0])} reaches, hand values to each other through {code(array)}. Show on one element who writes it, who reads it, and what keeps the two in order{cond}.",
        f"Why may {code(function.name)} not go straight from writing {code(array)} to reading it{cond}?",
    )
    here, there = draft.lines(function, store.line), draft.lines(function, load.line)
    head = draft.head(function)
    _tell_block(draft, launched)
    draft.say(
        draft.choose(
            f"Before the barrier a thread stores its value at {code(store.value['index'])} in {code(array)}.",
            f"{code(array)} is filled at {code(store.value['index'])} by the threads that come to the store.",
            f"The store goes to element {code(store.value['index'])} of {code(array)}.",
            salt="store",
        ),
        here, head, "fact",
    )  # fmt: skip
    draft.say(
        draft.choose(
            f"Behind it the load asks for {code(load.value['index'])}, which another thread has written.",
            f"What is read afterwards is {code(load.value['index'])}, not the reader's own element.",
            f"The load that follows takes element {code(load.value['index'])} instead.",
            salt="load",
        ),
        there, head, "fact",
    )  # fmt: skip
    both = ", both in the row `threadIdx.y` = 0" if launched and launched[1].block[1] > 1 else ""
    draft.say(
        draft.choose(
            f"Element {place}, for instance, is written by the thread with `threadIdx.x` = {writer} and read by the one with `threadIdx.x` = {reader}{both}.",
            f"The thread with `threadIdx.x` = {reader} reads element {place}, and that one comes from the thread with `threadIdx.x` = {writer}{both}.",
            salt="pair",
        ),
        here, there, "recompute",
    )  # fmt: skip
    fence = draft.lines(function, barrier.line)
    if apart:
        draft.say(
            f"The two sit in different wavefronts ({writer} / 64 = {writer // 64} and {reader} / 64 = {reader // 64}), which run at their own pace, so only `__syncthreads` makes the value be there.",
            fence, "recompute",
        )  # fmt: skip
        draft.claim("number", f"{writer} / 64", writer // 64, "recompute")
        draft.claim("number", f"{reader} / 64", reader // 64, "recompute")
    else:
        draft.say(
            "Only `__syncthreads` orders the two for threads of different wavefronts.",
            fence,
        )  # fmt: skip
    divergent = barrier.value.get("divergent")
    if divergent is False:
        draft.say(
            draft.choose(
                "Every thread of the block comes to this barrier, no branch leads around it.",
                "The barrier stands where all threads of the block pass, so nobody waits for a thread that has left.",
                "It is safe there because no thread of the block can be elsewhere.",
                salt="uniform",
            ),
            "fact",
        )  # fmt: skip
    elif barrier.value.get("condition"):
        draft.say(f"It stands under {code(str(barrier.value['condition']))}.", fence, "fact")
    for row in (store, load, barrier):
        claim_fact(draft, row)
    for value in (place, writer, reader):
        draft.claim("number", str(value), value, "recompute")
    for name, value in used.items():
        if name in types:
            draft.claim("constant", name, int(value), "scope")
        else:
            draft.claim("number", str(value), int(value), "recompute")
    return draft


def _placed(
    view: ScopeView, ground: Ground, facts: KernelFacts, launched: Launched | None
) -> Iterator[Draft]:
    """How many barriers there are, and what each one separates."""
    parts = [
        part for part in _between(facts)
        if (part[1] or part[2]) and all(_named_there(facts, r) for r in (*part[1], *part[2]))
    ]  # fmt: skip
    function = facts.function
    barriers = facts.of("barrier")
    if len(parts) < 2 or len(barriers) < 2 or len(barriers) > 12:
        return
    if 2 * len(parts) < len(barriers):
        return  # of most of them there is nothing to say
    entries = entries_through(view, function)
    draft = Draft(view, ground, "synchronization", f"phases of {function.id}", entries)
    arrays = sorted({r.value["array"] for part in parts for r in (*part[1], *part[2])})
    inner = with_barriers(view, function)
    if len(parts) == len(barriers) <= _MOST_PHASES and not inner:
        draft.question = draft.choose(
            f"Into which phases do the barriers divide {code(function.name)}, and which LDS array changes hands at each of them?",
            f"Walk through {code(function.name)}, as {code(entries[0])} runs it, from barrier to barrier: what is written to {listed([code(a) for a in arrays])} before each and read after it?",
            f"Between which stores and which loads of {listed([code(a) for a in arrays])} does each barrier of {code(function.name)} stand?",
        )
    else:
        draft.question = draft.choose(
            f"Which barriers in the text of {code(function.name)} stand next to its own accesses to {listed([code(a) for a in arrays])}, and what do they part?",
            f"At which of its own barriers do {listed([code(a) for a in arrays])} change hands in {code(function.name)}, as {code(entries[0])} runs it?",
        )
    head = draft.head(function)
    count = len(re.findall(r"\b__syncthreads\b", without_comments(function.text)))
    if count != len(barriers):
        return
    draft.claim("count", function.name, {"name": "__syncthreads", "count": count}, "source")
    _tell_block(draft, launched)
    draft.say(
        f"There are {count} barriers in {code(function.name)}.",
        head,
        *[draft.lines(function, b.line) for b in barriers],
    )
    start = function.span.start_line if function.span is not None else 1
    loops = [x for x in facts.reading.loops if not under_directive(function.text, x.first - start)]
    around = [[x for x in loops if x.first < b.line <= x.last] for b, _s, _l in parts]
    shared = next((x for x in around[0] if all(x in row for row in around[1:])), None)
    if shared is not None and len(shared.head) < 90:
        draft.say(
            f"Those that have to do with LDS stand in {code(shared.head)} and are met in every round of it.",
            draft.lines(function, shared.first), *[draft.lines(function, b.line) for b, _s, _l in parts],
            head,
        )  # fmt: skip
    told = [
        tell_phase(draft, facts, launched, parts, n) for n in range(min(_MOST_PHASES, len(parts)))
    ]
    if not all(told):
        return
    for callee in inner[:2]:
        draft.say(
            f"{code(callee.name)}, which it calls, has barriers of its own, and those are not among the {count}.",
            draft.head(callee), head,
        )  # fmt: skip
    looped = next(
        (
            part
            for part in parts
            if part[1] and any(x.first < part[0].line <= x.last for x in loops)
        ),
        None,
    )
    if looped is not None:
        names = listed(list(dict.fromkeys(code(r.value["array"]) for r in looped[1])))
        draft.say(
            draft.choose(
                f"Since the loop comes round again, a barrier is also what keeps the next store to {names} from overtaking a slow reader of the last round.",
                f"In a loop the same fence works in the other direction as well: nobody refills {names} while others still read.",
                salt="loop",
            ),
            draft.lines(function, looped[1][0].line),
        )  # fmt: skip
    for barrier, _s, _l in parts[:4]:
        claim_fact(draft, barrier)
    yield draft
