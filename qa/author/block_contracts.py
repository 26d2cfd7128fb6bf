"""Entries on a block's size as a contract: what a kernel takes for granted, and what another breaks."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, counted, listed
from qa.author.kernel_facts import claim_fact
from qa.author.launch_bounds import Bound, Line, bounds_at, line_of
from qa.author.launch_offsets import Offsets, accesses
from qa.author.launch_pairs import Pair, Shape, draft_of, pairs
from qa.author.launch_sizes import situation, tell_grid
from qa.author.launch_values import choose_shape, recorded_shape
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Unknown, evaluate, names_in


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the kernels of an interface, each with a launcher."""
    for pair in pairs(view, ground, functions):
        found = _looked_at(view, ground, pair)
        if found is not None:
            draft = _draft(view, ground, pair, *found)
            if draft is not None:
                yield draft


def _looked_at(
    view: ScopeView, ground: Ground, pair: Pair
) -> tuple[Shape, Offsets, Bound, Line, int] | None:
    """A shape, an access behind a bound along x, and the bound's extent."""
    lines = sorted({row.line for row in pair.facts.of("global_access")})
    wanted = [
        n for line in lines for b in bounds_at(pair, line) or ()
        for n in names_in(pair.arguments.get(b.extent, ""))
    ]  # fmt: skip
    for shape in (recorded_shape(view, ground, pair), choose_shape(pair, *wanted)):
        if shape is None or shape.block[0] < 16 or (shape.grid[0] or 0) < 2:
            continue
        for access in accesses(pair, shape):
            if "threadIdx.x" not in access.index:
                continue
            for bound in bounds_at(pair, access.row.line) or ():
                line, extent = line_of(pair, shape, bound), pair.passed(bound.extent, shape)
                if bound.axis != "x" or line is None or extent is None or not line.per_block:
                    continue
                assert shape.grid[0] is not None
                if 0 <= shape.grid[0] * line.per_block - extent < line.per_block:
                    return shape, access, bound, line, extent
    return None


def _own_constant(pair: Pair, bound: Bound, threads: int) -> str:
    """The template constant that stands for the block's extent in a position; else nothing."""
    return next((n for n in names_in(bound.position) if pair.constants.get(n) == threads), "")


def _draft(
    view: ScopeView, ground: Ground, pair: Pair, shape: Shape, access: Offsets, bound: Bound,
    line: Line, extent: int,
) -> Draft | None:  # fmt: skip
    threads, blocks = shape.block[0], shape.grid[0]
    assert blocks is not None
    constant = _own_constant(pair, bound, threads)
    reads_extent = f"blockDim.{bound.axis}" in bound.position
    if not constant and not reads_extent:
        return None
    half = threads // 2
    draft = draft_of(
        view,
        ground,
        pair,
        shape,
        "launch_configuration",
        f"block of {pair.kernel.id} under {pair.launcher.id}",
    )
    kernel, launcher = code(pair.kernel.name), code(pair.launcher.name)
    buffer = code(access.row.value["buffer"])
    begin = situation(pair, shape)
    draft.question = draft.choose(
        f"{begin}. Somebody changes the block there to {half} threads along x and leaves the grid's formula alone. Which elements behind {buffer} are affected, and how?",
        f"{begin}. Could the launch use {half} threads along x instead, with nothing else changed? Say what becomes of {buffer}.",
        f"{begin}. Which assumption of {kernel} ties the block's extent along x to the grid, and what goes wrong with half as many threads a block?",
    )
    tell_grid(draft, pair, shape, "x")
    guard, head = draft.lines(pair.kernel, bound.row.line), draft.head(pair.kernel)
    here = draft.lines(pair.kernel, access.row.line)
    condition = code(bound.row.value["condition"])
    if constant:
        draft.say(
            draft.choose(
                f"{kernel} does not ask how large its block is: its position {code(bound.position)} has the template argument {code(constant)} = {threads} in it.",
                f"The position {code(bound.position)} counts on blocks of {code(constant)} = {threads} threads along x, a template argument, whatever the launch really gives.",
                salt="constant",
            ),
            guard, head, "fact",
        )  # fmt: skip
        _tell_gaps(draft, pair, line, extent, blocks, half, here)
        _tell_double(draft, pair, access, line, threads, blocks, here)
    else:
        covered = blocks * half * line.per_thread
        draft.say(
            draft.choose(
                f"{kernel} takes its block's extent from `blockDim.x`, position {code(bound.position)}, so smaller blocks simply move closer together.",
                f"Positions are {code(bound.position)}, with the extent that the block really has, so smaller blocks leave no gaps between them.",
                salt="extent",
            ),
            guard, head, "fact",
        )  # fmt: skip
        factor = f" * {line.per_thread}" if line.per_thread > 1 else ""
        draft.say(
            f"But the launcher still divides by {line.per_block}: {blocks} blocks of {half} reach {blocks} * {half}{factor} = {covered} positions"
            + (
                f", and no thread takes the last {extent} - {covered} = {extent - covered} of {extent}, without any error."
                if covered < extent else f", which happens to be enough for {extent}."
            ),
            pair.site.at, here, "recompute",
        )  # fmt: skip
        if covered < extent:
            draft.claim("number", f"{extent} - {covered}", extent - covered, "recompute")
        draft.claim("number", f"{blocks} * {half}{factor}", covered, "recompute")
        double = 2 * threads
        if double <= 1024:
            need = (extent - 1) // (2 * line.per_block) + 1
            spare = blocks - need
            text = f"With {double} threads instead everything would be covered, since {condition} stops what is too much"
            text += (
                f", but {counted(spare, 'block')} of the {blocks} would have no work."
                if spare else "."
            )  # fmt: skip
            draft.say(text, guard, "recompute")
            draft.claim("number", f"2 * {threads}", double, "recompute")
            draft.claim("number", str(spare), spare, "recompute")
    _tell_limits(draft, pair, constant, threads)
    for value in (half, extent, blocks, line.per_block, threads):
        draft.claim("number", str(value), value, "recompute")
    if constant:
        draft.claim("constant", constant, threads, "scope")
    claim_fact(draft, bound.row)
    claim_fact(draft, access.row)
    del launcher
    return draft


def _tell_gaps(
    draft: Draft, pair: Pair, line: Line, extent: int, blocks: int, half: int, here: Span
) -> None:
    """Which positions nobody takes when a block has half its threads."""
    share = half * line.per_thread
    missing = sum(
        max(0, min(extent, (b + 1) * line.per_block) - (b * line.per_block + share))
        for b in range(blocks)
    )
    low = share
    high = min(extent, line.per_block) - 1
    draft.say(
        f"A block of {half} threads would therefore still be followed by the next one {line.per_block} positions later, and {low} to {high}, "
        f"the second half of block 0's share, as well as its like in every other block would be nobody's: {missing} of {extent} positions have no thread.",
        here, draft.head(pair.kernel), "recompute",
    )  # fmt: skip
    for value in (low, high, missing):
        draft.claim("number", str(value), value, "recompute")


def _tell_double(
    draft: Draft, pair: Pair, access: Offsets, line: Line, threads: int, blocks: int, here: Span
) -> None:
    """What a block of twice the threads would do twice."""
    if 2 * threads > 1024:
        return
    same = [
        row for row in pair.facts.of("global_access")
        if row.value.get("buffer") == access.row.value["buffer"] and row.value["access"] == "load"
        and row.value.get("index") == access.index
    ]  # fmt: skip
    store = access.row.value["access"] == "store"
    if store and same:
        effect = "the element is read, changed and stored by both, so its update may happen twice or once, as the two fall"
    elif store:
        effect = "both store the same value to it, which costs time and nothing else"
    else:
        effect = "both of them load the element"
    draft.say(
        f"With {2 * threads} threads it is the other way round: thread {threads} of block 0 would have position {line.per_block}, that of thread 0 of block 1, and {effect}.",
        here, draft.head(pair.kernel), "recompute",
    )  # fmt: skip
    draft.claim("number", f"2 * {threads}", 2 * threads, "recompute")
    del blocks


def _tell_limits(draft: Draft, pair: Pair, constant: str, threads: int) -> None:
    """Other places in the kernel that count on the block: launch bounds and LDS arrays."""
    bounds = pair.kernel.launch_bounds
    arrays = [
        array for array in pair.facts.reading.shared
        if constant and any(constant in extent for extent in array.extents)
    ]  # fmt: skip
    said = []
    spans = [draft.head(pair.kernel)]
    most = _value(pair, bounds)
    if most is not None:
        spelled = code(bounds) if bounds == str(most) else f"{code(str(bounds))} = {most}"
        said.append(f"the kernel is compiled for at most {spelled} threads a block")
        draft.claim("number", str(most), most, "recompute")
    if arrays:
        names = listed([code(a.name) for a in arrays])
        said.append(
            f"the LDS {'array' if len(arrays) == 1 else 'arrays'} {names} {'is' if len(arrays) == 1 else 'are'} sized by {code(constant)}"
        )
        spans += [draft.lines(pair.kernel, a.first, a.last) for a in arrays]
    if said:
        text = listed(said)
        draft.say(f"Besides, {text}.", *spans)


def _value(pair: Pair, bounds: str | None) -> int | None:
    """What a kernel's launch bounds come to in the instantiation."""
    try:
        value = evaluate(bounds or "", dict(pair.constants))
    except Unknown:
        return None
    return int(value)
