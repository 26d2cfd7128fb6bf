"""Entries on how a wavefront of a launch spreads over memory: runs, gaps and segments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.draft import Draft, code, counted, listed
from qa.author.kernel_facts import claim_fact
from qa.author.lane_spread import Spread, asked_names, lanes_of, spread_of, tellable, written
from qa.author.launch_offsets import accesses, assumed_words, claim_values, element_of
from qa.author.launch_pairs import Pair, Shape, draft_of, pairs
from qa.author.launch_sizes import block_words, claim_block, definition_spans, names_of
from qa.author.launch_values import choose_shape, recorded_shape
from qa.author.numbers import split_terms
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import names_in
from qa.text.brackets import unwrapped

_LANES = 64
_MOST = 3
_FEWEST = 32


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the kernels of an interface, each with a launcher."""
    yield from spread(view, ground, functions).values()


def spread(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> dict[str, Draft]:
    """The entries of an interface by the id of the kernel they are about."""
    return view.once("spread", lambda: _entries(view, ground, functions))


def _entries(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> dict[str, Draft]:
    found: dict[str, Draft] = {}
    for pair in pairs(view, ground, functions):
        asked = [
            n for guard in pair.facts.of("guard")
            for name in names_of(str(guard.value.get("resolved") or ""))
            for n in names_in(pair.arguments.get(name, ""))
        ]  # fmt: skip
        shape = (
            recorded_shape(view, ground, pair)
            or choose_shape(pair, *dict.fromkeys(asked)) or choose_shape(pair)
        )  # fmt: skip
        draft = None
        if shape is not None and shape.threads >= _FEWEST:
            draft = _draft(view, ground, pair, shape)
        if draft is not None:
            found[pair.kernel.id] = draft
    return found


def _draft(view: ScopeView, ground: Ground, pair: Pair, shape: Shape) -> Draft | None:
    chosen: dict[str, Spread] = {}
    number, lanes = lanes_of(shape)
    for access in accesses(pair, shape):
        if "%" in access.index or "/" in access.index or access.row.value["buffer"] in chosen:
            continue
        spread = spread_of(pair, shape, access)
        if spread is not None and tellable(spread) and len(chosen) < _MOST:
            chosen[spread.buffer] = spread
    spreads = list(chosen.values())
    if all(sum(s.runs) == 1 for s in spreads):
        return None  # nothing but one element for all lanes
    rows = len({ty for _tx, ty in lanes})
    plain = rows == 1 and len({s.kind for s in spreads}) == 1 and spreads[0].step_x == 1
    if not spreads or (plain and not any(s.kept_off for s in spreads)):
        return None
    subject = f"wavefront of {pair.launcher.id} in {pair.kernel.id}"
    draft = draft_of(view, ground, pair, None, "memory_access", subject)
    launcher = code(pair.launcher.name)
    at = {s.buffer: written(pair, s.access) for s in spreads}
    buffers = listed([
        code(s.buffer) + (f" (at {code(at[s.buffer])})" if at[s.buffer] else "") for s in spreads
    ])  # fmt: skip
    assumed = assumed_words(*(s.access for s in spreads), first_block=True)
    elements = list(dict.fromkeys(element_of(pair, s.access.row) for s in spreads))
    given = [f"{code(n)} = {v}" for n, v in shape.values.items() if _used(pair, n, spreads)]
    rounds = list(dict.fromkeys(n for s in spreads for n in s.access.rounds))
    takes = listed(
        [*given, assumed] if assumed and given else given or [assumed] if assumed else given
    )
    case = f" with elements of type {listed([code(e) for e in elements])}"
    case += (
        f" ({takes}; {_ROUND}{listed([code(n) for n in rounds])})"
        if takes and rounds
        else f" ({takes})"
        if takes
        else f" ({_ROUND}{listed([code(n) for n in rounds])})"
        if rounds
        else ""
    )
    tile = " x ".join(map(str, shape.block[:2]))
    kernel = pair.named_kernel()
    draft.question = draft.choose(
        f"{launcher} launches {kernel}{case}. Into how many separate runs of addresses does wavefront {number} of block 0 fall when it goes through {buffers}, and how many 64-byte segments does each of these accesses touch?",
        f"Take wavefront {number} of the first block that {launcher} starts of {kernel}{case}. Which threads are its lanes, and how do their addresses in {buffers} lie?",
        f"What does one wavefront of {kernel}, in the block shape that {launcher} gives it, ask of memory when it goes through {buffers}{case}? Count runs of consecutive elements and 64-byte segments for wavefront {number} of block 0.",
    )
    first, last = number * _LANES, number * _LANES + len(lanes) - 1
    where = [pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair)]
    if shape.block[1] > 1:
        low, high = lanes[0][1], lanes[-1][1]
        part = f"the {'row' if low == high else 'rows'} `threadIdx.y` = {low}{'' if low == high else f' to {high}'}"
        part += (
            " as a whole"
            if low != high and shape.block[0] <= _LANES
            else ""
            if shape.block[0] <= _LANES
            else f", from `threadIdx.x` = {lanes[0][0]} on"
        )
        text = f"{launcher} starts blocks of {block_words(shape)}, and threads are numbered along x first, so wavefront {number}, threads {first} to {last}, is {part}."
        for value in (low, high):
            draft.claim("number", str(value), value, "recompute")
    else:
        text = f"{launcher} starts blocks of {block_words(shape)} along x, so the lanes of wavefront {number} are the threads {first} to {last}."
    draft.say(text, *where, "fact", "recompute")
    pair.claim_shape(draft, "launch_block")
    claim_block(draft, shape)
    for value in (first, last, number, _LANES, lanes[0][0]):
        draft.claim("number", str(value), value, "recompute")
    for name, value in list(pair.varying.items())[:5]:
        draft.claim("constant", name, value, "scope")
    for spread in spreads:
        _tell_spread(draft, pair, spread, len(lanes))
    _tell_comparison(draft, pair, spreads)
    del tile
    return draft


_ROUND = "first round of the loop over "


def _used(pair: Pair, name: str, spreads: list[Spread]) -> bool:
    """A value of the launcher that an offset was worked out with, or a bound held against."""
    text = " ".join(
        pair.arguments.get(word, "")
        for s in spreads
        for term in split_terms(s.access.index)
        if "blockIdx" not in term
        for word in re.findall(r"[A-Za-z_]\w*", term)
    )
    tests = {word for s in spreads for word in asked_names(pair, s.access)}
    text += " ".join([*pair.block, *(pair.arguments.get(word, "") for word in sorted(tests))])
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _tell_spread(draft: Draft, pair: Pair, spread: Spread, all_lanes: int) -> None:
    access, buffer = spread.access, code(spread.buffer)
    here, head = draft.lines(pair.kernel, access.row.line), draft.head(pair.kernel)
    does = "is written" if access.row.value["access"] == "store" else "is read"
    run, count = spread.runs[0], len(spread.runs)
    total = run * count
    gap = spread.starts[1] - spread.starts[0] if count > 1 else 0
    even = all(b - a == gap for a, b in zip(spread.starts, spread.starts[1:], strict=False))
    index, lanes = code(access.index), spread.active
    if lanes < all_lanes:
        _tell_kept_off(draft, pair, spread, all_lanes)
    if total == 1:
        text = f"{buffer} {does} at {index}, the same element for all {lanes} {'lanes' if lanes == all_lanes else 'of them'} and so a single segment."
    elif count == 1:
        share = (
            "" if total == lanes else f", each shared by {lanes} / {total} = {lanes // total} lanes"
        )
        size = f"{run} * {spread.size} = {run * spread.size} bytes"
        text = f"{buffer} {does} at {index}, where the lanes make one run of {run} elements{share}, {size} in {counted(spread.segments, 'segment')}."
        draft.claim("number", f"{run} * {spread.size}", run * spread.size, "recompute")
        if total != lanes:
            if lanes % total:
                return
            draft.claim("number", f"{lanes} / {total}", lanes // total, "recompute")
    elif run == 1 and even:
        far = abs(gap) * spread.size
        text = f"{buffer} {does} at {index}, which puts the {'lanes' if total == lanes else f'{total} different elements'} {gap} elements or {gap} * {spread.size} = {far} bytes apart, so that {'no two share a segment and ' if spread.segments == total else ''}{counted(spread.segments, 'segment')} {'is' if spread.segments == 1 else 'are'} touched."
        draft.claim("number", f"{gap} * {spread.size}", far, "recompute")
    elif even:
        text = f"{buffer} {does} at {index}: {count} runs of {run} consecutive elements, {run} * {spread.size} = {run * spread.size} bytes each, begin {gap} elements apart and touch {counted(spread.segments, 'segment')}."
        draft.claim("number", f"{run} * {spread.size}", run * spread.size, "recompute")
    else:
        return
    draft.say(text, here, head, "fact", "recompute")
    draft.claim("size", element_of(pair, access.row), spread.size, "recompute")
    for value in (run, count, gap, spread.segments, total, lanes):
        draft.claim("number", str(value), value, "recompute")
    claim_fact(draft, access.row)
    claim_values(draft, pair, access)


def _tell_kept_off(draft: Draft, pair: Pair, spread: Spread, lanes: int) -> None:
    """Which lanes do not make an access, and the tests that see to it."""
    tests = listed([code(unwrapped(one.condition)) for one in spread.kept_off])
    fails = "holds" if spread.kept_off[0].negated else "fails"
    where = [draft.lines(pair.kernel, one.line) for one in spread.kept_off]
    left = lanes - spread.active
    draft.say(
        f"For {left} of the {lanes} lanes {tests} {fails}, and they leave {code(spread.buffer)} alone; the other {spread.active} go there.",
        *where, draft.head(pair.kernel), "recompute",
    )  # fmt: skip
    for value in (left, lanes, spread.active):
        draft.claim("number", str(value), value, "recompute")


def _tell_comparison(draft: Draft, pair: Pair, spreads: list[Spread]) -> None:
    """Why the accesses differ, or what a factor of ``threadIdx.x`` has to do with it."""
    near = [s for s in spreads if s.step_x == 1]
    far = [s for s in spreads if s.step_x not in (0, 1)]
    head = draft.head(pair.kernel)
    if near and far:
        strides = list(dict.fromkeys(str(s.access.row.value.get("stride")) for s in far))
        named = [code(t) for t in strides if re.search(r"[A-Za-z]", t)]
        by = f" by {listed(named)}" if len(named) == len(strides) else ""
        draft.say(
            f"What separates {listed([code(s.buffer) for s in near])} from {listed([code(s.buffer) for s in far])} is the factor of `threadIdx.x`, "
            f"1 in the one case, while in the other it is multiplied{by}.",
            *[draft.lines(pair.kernel, s.access.row.line) for s in (near[0], far[0])], head, "fact",
        )  # fmt: skip
    elif len(spreads) == 1 and far:
        stride = str(far[0].access.row.value.get("stride"))
        if re.fullmatch(r"inc\w*", stride):
            draft.say(
                f"Only {code(stride)} = 1 would bring the lanes together, and that is the caller's choice.",
                draft.lines(pair.kernel, far[0].access.row.line), head, "fact",
            )  # fmt: skip
