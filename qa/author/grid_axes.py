"""Entries on what each axis of a grid stands for in the kernel, and how many blocks that makes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, counted
from qa.author.kernel_facts import Row, claim_fact, plain_index
from qa.author.launch_bounds import Bound, bounds_at, line_of
from qa.author.launch_pairs import Pair, Shape, draft_of, pairs
from qa.author.launch_prose import claim_launch
from qa.author.launch_sizes import block_words, claim_block, definition_spans, situation
from qa.author.launch_values import choose_shape, recorded_shape
from qa.author.numbers import equation, put_into
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Value, names_in

_CAPPED = re.compile(r"handle->archMajor == 12 \? min\((\w+), 65536\) : \1")
Role = tuple[str, Row]


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels whose grids have several axes, each with a launcher."""
    for pair in pairs(view, ground, functions):
        axes = [a for a, e in zip("xyz", pair.grid, strict=True) if e != "1"]
        if len(axes) < 2 or any("@" in e or "'" in e or len(e) > 120 for e in pair.grid):
            continue
        bounds = [
            bound for row in pair.facts.of("global_access") for bound in bounds_at(pair, row.line) or ()
        ]  # fmt: skip
        wanted = [n for e in pair.grid for n in names_in(e) if re.fullmatch(r"[A-Za-z_]\w*", n)]
        for shape in (
            recorded_shape(view, ground, pair),
            choose_shape(pair, *dict.fromkeys(wanted)),
        ):
            draft = None if shape is None else _draft(view, ground, pair, shape, axes, bounds)
            if draft is not None:
                yield draft
                break


def _role(pair: Pair, shape: Shape, axis: str, bounds: list[Bound]) -> Role | None:
    """What the block's number along an axis is used for, with the fact that shows it."""
    block = f"blockIdx.{axis}"
    for bound in bounds:
        line = line_of(pair, shape, bound)
        if (
            bound.axis == axis
            and block in bound.position
            and line is not None
            and line.per_block > 1
        ):
            per = counted(line.per_block, "position")
            text = f"each block takes {per} by {code(bound.position)}, as far as they lie below {code(bound.extent)}"
            return text, bound.row
    own, plain = (
        pair.kernel.instantiations[pair.number]["symbol"],
        not pair.facts.arrays(pair.number),
    )
    rows = [
        r for r in pair.facts.of("global_access")
        if plain_index(r.value.get("index")) and (
            r.fact.get("instantiation") in (None, own)
            or (plain and "[" not in str(r.value.get("buffer")))
        )
    ]  # fmt: skip
    for row in rows:
        index, buffer = str(row.value["index"]), str(row.value.get("buffer"))
        match = re.search(
            rf"\b{re.escape(block)}\*(\w+)\b|\b(\w+)\*{re.escape(block)}(?!\*)", index
        )
        name = (match[1] or match[2]) if match else ""
        if match is None or not re.fullmatch(r"\w+", buffer) or f"threadIdx.{axis}" in index:
            continue
        if re.match(r"(?i)stri?de?|\w*st_or_of", name):
            return (
                f"a block belongs to one problem of the batch, which it finds {code(name)} elements behind the one before in {code(buffer)}",
                row,
            )
        if re.match(r"(?i)ld", name):
            return (
                f"each block has a column of its own, {code(name)} elements behind the one before in {code(buffer)}",
                row,
            )
        if re.match(r"(?i)inc", name):
            return (
                f"each block has one element of {code(buffer)}, {code(name)} behind the one before",
                row,
            )
    for row in rows:
        buffer = str(row.value.get("buffer"))
        if re.fullmatch(rf"\w+\[{re.escape(block)}\]", buffer):
            return (
                f"a block belongs to one problem of the batch, whose pointer it takes from {code(buffer)}",
                row,
            )
    for row in rows:
        if str(row.value["index"]) == block:
            return (
                f"each block has the element of {code(str(row.value['buffer']))} with its own number",
                row,
            )
    return None


def _draft(
    view: ScopeView, ground: Ground, pair: Pair, shape: Shape, axes: list[str], bounds: list[Bound]
) -> Draft | None:
    roles = {axis: _role(pair, shape, axis, bounds) for axis in axes}
    if any(role is None for role in roles.values()):
        return None
    draft = draft_of(
        view,
        ground,
        pair,
        shape,
        "launch_configuration",
        f"axes of {pair.kernel.id} under {pair.launcher.id}",
    )
    kernel = code(pair.kernel.name)
    draft.question = draft.choose(
        f"{situation(pair, shape)}. What does each axis of the grid stand for, and how many blocks are there along it?",
        f"{situation(pair, shape)}. Why does this grid have {len(axes)} axes: what does {kernel} use the number of its block along each of them for?",
    )
    spans: list[Span] = [pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair)]
    counts: list[int] = []
    for axis in axes:
        text, row = roles[axis] or ("", None)
        assert row is not None
        place = "xyz".index(axis)
        expression, blocks = pair.grid[place], shape.grid[place]
        capped = _CAPPED.fullmatch(expression)
        size = f"{code(expression)}"
        if capped:
            size = f"{code(capped[1])} blocks, at most 65536 of them on architectures with the major version 12"
        elif blocks is not None:
            values: dict[str, Value] = dict(shape.values)
            worked = put_into(expression, values)
            size = counted(blocks, "block")
            if not re.search(r"[A-Za-z]{2}|[a-z]", worked) and worked != expression:
                equals = ", here" if "?" in expression else " ="
                if worked == str(blocks):
                    size = f"{code(expression)}{equals} {size}"
                else:
                    size = f"{code(expression)}{equals} {equation(worked, size)}"
                    draft.claim("number", worked, blocks, "recompute")
            counts.append(blocks)
        here = draft.lines(pair.kernel, row.line)
        draft.say(
            draft.choose(
                f"Along {axis} the grid has {size}, and {text}.",
                f"Its extent along {axis} is {size}: {text}." if not capped
                else f"Along {axis} it has {size}: {text}.",
                salt=f"axis{axis}",
            ),
            *spans, here, draft.head(pair.kernel),
            "fact", "recompute",
        )  # fmt: skip
        claim_fact(draft, row)
    if len(counts) == len(axes) and math.prod(counts) > max(counts):
        product = " * ".join(map(str, counts))
        total = math.prod(counts)
        draft.say(
            f"That makes {product} = {total} blocks of {block_words(shape)}.",
            *spans, draft.head(pair.kernel), "recompute",
        )  # fmt: skip
        draft.claim("number", product, total, "recompute")
    else:
        draft.say(f"A block has {block_words(shape)}.", *spans, "fact")
    if shape.trace is not None:
        claim_launch(draft, shape.trace, shape.launch)
        draft.say(
            f"The recorded launch of {kernel} has this shape.", draft.head(pair.kernel), "trace"
        )
    pair.claim_shape(draft)
    claim_block(draft, shape)
    for name in sorted({n for b in bounds for n in names_in(b.position)}):
        if name in pair.constants:
            draft.claim("constant", name, pair.constants[name], "scope")
    for bound in bounds:
        line = line_of(pair, shape, bound)
        if line is not None:
            draft.claim("number", str(line.per_block), line.per_block, "recompute")
    return draft
