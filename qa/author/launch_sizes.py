"""Sentences on how a launcher sizes a launch, with the numbers put in."""

from __future__ import annotations

import re

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.launch_pairs import Pair, Shape
from qa.author.launch_prose import call_words, claim_launch
from qa.author.numbers import equation, put_into
from qa.reading.function import read_function
from qa.text.arithmetic import names_in

_AXES = "xyz"


def extents(values: tuple[int | None, ...], axes: int) -> str:
    """``32 x 22``, as far as the values are known."""
    return " x ".join(str(v) for v in values[:axes] if v is not None)


def block_words(shape: Shape) -> str:
    """``256 threads``, ``32 x 32 threads``."""
    kept = list(shape.block)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return f"{' x '.join(map(str, kept))} {'thread' if kept == [1] else 'threads'}"


def definition_spans(draft: Draft, pair: Pair) -> list[Span]:
    """The launcher's lines that make the names of the launch's grid and block."""
    assert pair.launcher.span is not None
    reading = read_function(pair.launcher.text, pair.launcher.span.start_line)
    names = set(re.findall(r"[A-Za-z_]\w*", f"{pair.site.grid} {pair.site.block}"))
    rows = [
        d for d in reading.definitions if d.name in names and d.first <= pair.site.at.start_line
    ]
    spans = [draft.lines(pair.launcher, d.first, d.last) for d in rows[-2:]]
    text = pair.launcher.text.split("\n")
    for name in sorted(names):
        for number, row in enumerate(text):
            at = pair.launcher.span.start_line + number
            if at <= pair.site.at.start_line and re.search(rf"\bdim3\s+{re.escape(name)}\b", row):
                spans.append(draft.lines(pair.launcher, at))
    return list(dict.fromkeys(spans))


def setting(pair: Pair, shape: Shape, *also: str) -> str:
    """The values under which a launch is looked at, in words."""
    del pair
    names = [n for n in dict.fromkeys((*shape.values, *also)) if n in shape.values]
    return listed([f"{code(n)} = {shape.values[n]}" for n in names])


def situation(pair: Pair, shape: Shape) -> str:
    """``rocblas_saxpy`` called with ...: the recorded call, or what the launcher is given."""
    launcher, kernel = code(pair.launcher.name), pair.named_kernel()
    if shape.trace is not None:
        entry, mode = shape.trace["entry"], shape.trace["pointer_mode"]
        return (
            f"{code(entry)} is called with {call_words(shape.trace)} in {mode} pointer mode, and "
            f"{launcher} launches {kernel}"
        )
    given = setting(pair, shape)
    return f"{launcher} launches {kernel}{f' for {given}' if given else ''}"


def tell_grid(draft: Draft, pair: Pair, shape: Shape, axes: str) -> None:
    """Says what the launcher's formulas make of the values along some axes."""
    parts = []
    for axis in axes:
        place = _AXES.index(axis)
        value = shape.grid[place]
        if value is None:
            continue
        expression = pair.grid[place]
        if re.fullmatch(r"\d+", expression):
            parts.append((axis, "", str(value), value))
            continue
        worked = put_into(expression, dict(shape.values))
        parts.append((axis, expression, worked, value))
        if worked != str(value):
            draft.claim("number", worked, value, "recompute")
    formulas = [p for p in parts if p[1]]
    where = [pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair)]
    threads = block_words(shape)
    launcher = code(pair.launcher.name)
    if not formulas:
        total = extents(shape.grid, 2 if shape.grid[1] and shape.grid[1] > 1 else 1)
        text = f"{launcher} starts {total} {'block' if total == '1' else 'blocks'} of {threads}, whatever the size of the problem."
    elif len(formulas) == 1 and len(parts) == 1:
        axis, expression, worked, value = formulas[0]
        blocks = "block" if value == 1 else "blocks"
        along = f" along {axis}" if axis != "x" else ""
        step = (
            f", here {equation(worked, value)} {blocks}"
            if worked != str(value)
            else f", here {value} {blocks}"
        )
        text = draft.choose(
            f"{launcher} asks for {code(expression)} blocks{along}{step} of {threads}.",
            f"The grid of {launcher} has {code(expression)} blocks{along}{step} of {threads}.",
            f"With {code(expression)} as the extent of the grid{along} {launcher} starts {worked + ' = ' if worked != str(value) else ''}{value} {blocks} of {threads}.",
            salt="grid",
        )
    else:
        told = listed([
            f"{code(e)}{f' = {w}' if not re.fullmatch(r'[0-9]+', w) and e != w else ''} = {v} along {a}" if e else f"{v} along {a}"
            for a, e, w, v in parts
        ])  # fmt: skip
        text = f"{launcher} makes the grid {told}, of blocks with {threads}."
    draft.say(text, *where, "fact", "recompute")
    pair.claim_shape(draft)
    claim_block(draft, shape)
    if shape.trace is not None:
        claim_launch(draft, shape.trace, shape.launch)
        draft.say(
            draft.choose(
                f"The recorded launch of {code(pair.kernel.name)} has exactly this shape.",
                f"That is also the shape in which {code(pair.kernel.name)} was recorded for this call.",
                salt="recorded",
            ),
            draft.head(pair.kernel), "trace",
        )  # fmt: skip


def claim_block(draft: Draft, shape: Shape) -> None:
    """Claims the extents of a block and its number of threads as numbers."""
    for value in (*shape.block, *(g for g in shape.grid if g is not None)):
        draft.claim("number", str(value), value, "recompute")
    kept = [v for v in shape.block if v > 1]
    if len(kept) > 1:
        draft.claim("number", " * ".join(map(str, kept)), shape.threads, "recompute")


def names_of(text: str) -> list[str]:
    """Names of an expression, built-in indices left out."""
    return [n for n in names_in(text) if not re.match(r"(?:thread|block|grid)(?:Idx|Dim)\b", n)]
