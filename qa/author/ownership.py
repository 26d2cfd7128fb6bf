"""Entries on which thread of a launch owns an element, and what becomes of the threads left over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import claim_fact
from qa.author.launch_bounds import Bound, bounds_at, line_of
from qa.author.launch_offsets import Offsets, accesses, assumed_words, claim_values
from qa.author.launch_pairs import Pair, Shape, draft_of, pairs
from qa.author.launch_sizes import situation, tell_grid
from qa.author.launch_values import choose_shape, recorded_shape
from qa.author.leftovers import Axis, tell_edges, tell_problem, tell_rest
from qa.author.numbers import equation, put_into
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import names_in


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the kernels of an interface, each with a launcher."""
    yield from owned(view, ground, functions).values()


def owned(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> dict[str, Draft]:
    """The entries of an interface by the id of the kernel they are about."""

    def make() -> dict[str, Draft]:
        drafts = {p.kernel.id: _draft(view, ground, p) for p in pairs(view, ground, functions)}
        return {kernel: draft for kernel, draft in drafts.items() if draft is not None}

    return view.once("entries on ownership", make)


def _draft(view: ScopeView, ground: Ground, pair: Pair) -> Draft | None:
    wanted = [
        name
        for bound in _bounds_of(pair)
        for name in names_in(pair.arguments.get(bound.extent, ""))
    ]
    for shape in (recorded_shape(view, ground, pair), choose_shape(pair, *wanted)):
        if shape is None:
            continue
        for access in accesses(pair, shape):
            if not any(f"threadIdx.{axis}" in access.index for axis in "xy"):
                continue  # the same element for the whole block
            if access.rounds:
                continue  # a thread comes to several elements
            bounds = bounds_at(pair, access.row.line)
            if bounds is None or any(bound.axis == "z" for bound in bounds):
                continue
            found = [_axis(pair, shape, bound) for bound in bounds]
            axes = [axis for axis in found if axis is not None]
            names = {axis.name for axis in axes}
            if not axes or len(names) != len(axes) or len(axes) != len(found):
                continue
            if shape.trace is not None and not any(axis.idle and axis.blocks > 1 for axis in axes):
                continue  # too small a call to show anything
            if len(axes) == 1:
                draft = _row_draft(view, ground, pair, shape, access, axes[0])
            else:
                draft = _tile_draft(
                    view, ground, pair, shape, access, sorted(axes, key=lambda a: a.name)
                )
            if draft is not None:
                return draft
    return None


def _bounds_of(pair: Pair) -> list[Bound]:
    lines = {row.line for row in pair.facts.of("global_access")}
    return [bound for line in sorted(lines) for bound in bounds_at(pair, line) or ()]


def _axis(pair: Pair, shape: Shape, bound: Bound) -> Axis | None:
    line = line_of(pair, shape, bound)
    extent = pair.passed(bound.extent, shape)
    place = "xyz".index(bound.axis)
    blocks = shape.grid[place]
    if not re.search(r"[A-Za-z]", pair.arguments.get(bound.extent, "")):
        return None  # an extent that is written down has nothing to work out
    if line is None or extent is None or extent < 2 or blocks is None:
        return None
    if line.per_block == 0 or blocks * line.per_block < extent:
        return None
    if blocks * line.per_block - extent >= 2 * line.per_block:
        return None  # the grid is not made for this extent
    return Axis(bound, line, extent, blocks, shape.block[place])


def _row_draft(
    view: ScopeView, ground: Ground, pair: Pair, shape: Shape, access: Offsets, axis: Axis
) -> Draft | None:
    """One axis: the last element, its thread, the rest of the last block."""
    place = {f"b{axis.name}": axis.last()[0], f"t{axis.name}": axis.last()[1]}
    offset = access.at(**place)
    if offset is None:
        return None
    draft = draft_of(
        view,
        ground,
        pair,
        shape,
        "index_mapping",
        f"owner under {pair.launcher.id} in {pair.kernel.id}",
    )
    kernel, launcher, buffer = (
        code(pair.kernel.name),
        code(pair.launcher.name),
        code(access.row.value["buffer"]),
    )
    extent, bound = axis.extent, axis.bound
    condition = code(bound.row.value["condition"])
    last = extent - 1
    assumed = assumed_words(access)
    more = f" (take {assumed})" if assumed else ""
    verb = "writes" if access.row.value["access"] == "store" else "reads"
    alone = shape.threads == axis.threads
    draft.question = _row_question(draft, pair, shape, access, axis, offset, more)
    tell_grid(draft, pair, shape, axis.name)
    _tell_passed(draft, pair, bound)
    block, thread = axis.last()
    line = axis.line
    guard = draft.lines(pair.kernel, bound.row.line)
    here = draft.lines(pair.kernel, access.row.line)
    head = draft.head(pair.kernel)
    worked = put_into(
        bound.position,
        {
            **pair.constants,
            **shape.spot(),
            f"blockIdx.{axis.name}": block,
            f"threadIdx.{axis.name}": thread,
        },
    )
    position = block * line.per_block + thread * line.per_thread
    each = (
        ""
        if line.per_thread == 1
        else f" and the {line.per_thread - 1} behind it"
        if line.per_thread > 2
        else " and the one behind it"
    )
    if worked == str(position):
        text = f"{kernel} numbers positions by {code(bound.position)} alone, so the last one, {last}, is thread {thread} itself."
    else:
        text = f"Inside {kernel} a thread stands for position {code(bound.position)}{each}, so number {last} belongs to thread {thread} of block {block}: {equation(worked, position)}."
    draft.say(text, guard, head, "fact", "recompute")
    draft.claim("number", worked, position, "recompute")
    draft.claim("number", f"{extent} - 1", last, "recompute")
    draft.claim("number", str(block), block, "recompute")
    draft.claim("number", str(thread), thread, "recompute")
    if offset != position:
        draft.say(
            f"There it {verb} {buffer} at {code(access.index)}, that is {access.worked(**place)} = {offset}.",
            here, head, "fact", "recompute",
        )  # fmt: skip
        draft.claim("number", access.worked(**place), offset, "recompute")
    else:
        draft.say(f"The same number is the offset at which it {verb} {buffer}.", here, head, "fact")
    tell_rest(draft, pair, shape, access, axis, condition, alone)
    tell_problem(draft, pair, access)
    claim_fact(draft, bound.row)
    claim_fact(draft, access.row)
    claim_values(draft, pair, access)
    for name in names_in(bound.position):
        if name in pair.constants:
            draft.claim("constant", name, pair.constants[name], "scope")
    del launcher
    return draft


def _row_question(
    draft: Draft, pair: Pair, shape: Shape, access: Offsets, axis: Axis, offset: int, more: str
) -> str:
    buffer = code(access.row.value["buffer"])
    kernel = code(pair.kernel.name)
    begin = situation(pair, shape)
    store = access.row.value["access"] == "store"
    if axis.idle and offset != axis.extent - 1 and store:
        return f"{begin}{more}. A wrong value is found at offset {offset} of {buffer}: which thread of which block put it there, and what do the threads after it do?"
    if axis.idle and axis.blocks == 1:
        return f"{begin}{more}. How many of the threads that are started have a position below {code(axis.bound.extent)}, what does the last of them {'write' if store else 'read'} through {buffer}, and what holds the others back?"
    if axis.idle:
        return draft.choose(
            f"{begin}{more}. Which thread is the last to {'write' if store else 'read'} through {buffer}, how many threads of the grid come after it, and what would the next one touch if nothing stopped it?",
            f"{begin}{more}. How many threads does the grid have too many, where do they sit, and how does {kernel} keep them away from {buffer}?",
        )
    return f"{begin}{more}. Does any thread of the grid go without an element of {buffer}, and would {kernel} still need its test for one element more?"


def _tell_passed(draft: Draft, pair: Pair, bound: Bound) -> None:
    expression = pair.arguments.get(bound.extent, "")
    if expression and expression != bound.extent:
        draft.say(
            f"The launch passes {code(expression)} for the kernel's {code(bound.extent)}.",
            pair.site.at, *_argument_spans(draft, pair, expression), draft.head(pair.kernel),
        )  # fmt: skip


def _argument_spans(draft: Draft, pair: Pair, expression: str) -> list[Span]:
    """Lines of the launcher that spell an argument which a macro brings to the launch."""
    if expression in draft.ground.text(pair.site.at):
        return []
    assert pair.launcher.span is not None
    rows = pair.launcher.text.split("\n")
    for number, row in enumerate(rows):
        if expression in row and row.lstrip().startswith("#"):
            return [draft.lines(pair.launcher, pair.launcher.span.start_line + number)]
    return []


def _tile_draft(
    view: ScopeView, ground: Ground, pair: Pair, shape: Shape, access: Offsets, axes: list[Axis]
) -> Draft | None:
    """Two axes: one element of a matrix, its thread, and the blocks at the edges."""
    x, y = axes
    if not (x.idle or y.idle):
        return None
    spot = {x.name: x.extent - 1, y.name: y.extent - 1 if y.extent < 40 else y.extent // 2}
    place: dict[str, int] = {}
    for axis in axes:
        block, thread = axis.line.owner(spot[axis.name])
        place |= {f"b{axis.name}": block, f"t{axis.name}": thread}
    offset = access.at(**place)
    if offset is None:
        return None
    draft = draft_of(
        view,
        ground,
        pair,
        shape,
        "index_mapping",
        f"owner under {pair.launcher.id} in {pair.kernel.id}",
    )
    kernel, buffer = code(pair.kernel.name), code(access.row.value["buffer"])
    assumed = assumed_words(access)
    more = f" (take {assumed})" if assumed else ""
    store = access.row.value["access"] == "store"
    begin = situation(pair, shape)
    i, j = spot["x"], spot["y"]
    matrix = access.row.value.get("matrix") or {}
    where = f"position {i} along x and {j} along y"
    if matrix.get("row") == x.bound.position and matrix.get("column") == y.bound.position:
        where = f"row {i} and column {j}"
    draft.question = draft.choose(
        f"{begin}{more}. Which thread of which block {'writes' if store else 'reads'} {buffer} for {where}, and how many threads of the whole grid find nothing to do?",
        f"{begin}{more}. Find the thread that is responsible for offset {offset} of {buffer}, and work out how the grid's rounding up shows at its edges.",
    )
    tell_grid(draft, pair, shape, "xy")
    for axis in axes:
        _tell_passed(draft, pair, axis.bound)
    here, head = draft.lines(pair.kernel, access.row.line), draft.head(pair.kernel)
    guards = [draft.lines(pair.kernel, a.bound.row.line) for a in axes]
    told = []
    for axis in axes:
        block, thread = place[f"b{axis.name}"], place[f"t{axis.name}"]
        known = {
            **pair.constants,
            **shape.spot(),
            f"blockIdx.{axis.name}": block,
            f"threadIdx.{axis.name}": thread,
        }
        worked = put_into(axis.bound.position, known)
        value = block * axis.line.per_block + thread * axis.line.per_thread
        told.append(f"{equation(worked, value)} along {axis.name}")
        draft.claim("number", worked, value, "recompute")
        draft.claim("number", str(block), block, "recompute")
        draft.claim("number", str(thread), thread, "recompute")
        for name in names_in(axis.bound.position):
            if name in pair.constants:
                draft.claim("constant", name, pair.constants[name], "scope")
    draft.say(
        f"Its threads take {code(x.bound.position)} along x and {code(y.bound.position)} along y, so {where} falls to "
        f"the thread ({place['tx']}, {place['ty']}) of the block ({place['bx']}, {place['by']}): {listed(told)}.",
        *guards, head, "fact", "recompute",
    )  # fmt: skip
    draft.say(
        f"Its {'store goes' if store else 'load goes'} to {code(access.index)} of {buffer}, with these numbers {access.worked(**place)} = {offset}.",
        here, head, "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", access.worked(**place), offset, "recompute")
    tell_edges(draft, pair, shape, axes, guards)
    tell_problem(draft, pair, access)
    for axis in axes:
        claim_fact(draft, axis.bound.row)
    claim_fact(draft, access.row)
    claim_values(draft, pair, access)
    del kernel
    return draft
