"""What a launch makes of the wavefronts that registers and LDS would allow: whole blocks, few blocks."""

from __future__ import annotations

import math

from qa.author.draft import Draft, code, counted, listed
from qa.author.launch_pairs import Pair
from qa.author.launch_sizes import definition_spans
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView
from qa.text.arithmetic import Unknown, evaluate, names_in

_REGISTERS, _STEP, _MOST_WAVES, _SIMDS = 512, 8, 8, 4
_FEW_BLOCKS = 4


def tell_next(draft: Draft, waves: int) -> None:
    """What one step of registers more would cost: whole blocks, where a block has many wavefronts."""
    if waves < 2:
        return
    most = _REGISTERS // _MOST_WAVES + _STEP
    fit = _REGISTERS // most
    places = _SIMDS * fit
    blocks = places // waves
    held = blocks * waves
    if not blocks or held == places:
        return
    draft.say(
        f"One step more, {most} registers, leaves {_REGISTERS} / {most} = {fit} places on a SIMD and {_SIMDS} * {fit} = {places} on a compute unit; since the {waves} wavefronts of a block come together, only {places} / {waves} = {blocks} {'block' if blocks == 1 else 'blocks'} with {blocks} * {waves} = {held} of them could stay.",
        "recompute",
    )  # fmt: skip
    for worked, value in (
        (f"{_SIMDS} * {fit}", places), (f"{places} / {waves}", blocks),
        (f"{blocks} * {waves}", held),
    ):  # fmt: skip
        draft.claim("number", worked, value, "recompute")
    for value in (most, waves, fit, places, blocks, held):
        draft.claim("number", str(value), value, "recompute")


def tell_grid_limit(draft: Draft, pair: Pair, waves: int) -> None:
    """Says where the grid hangs on no size but the batch, so that one problem cannot fill a device."""
    names = {name for expression in pair.grid for name in names_in(expression)}
    if not names <= {"batch_count"} or not waves:
        return
    try:
        extents = [int(evaluate(expression, {"batch_count": 1})) for expression in pair.grid]
    except Unknown:
        return
    blocks = math.prod(extents)
    if blocks > _FEW_BLOCKS:
        return
    total = blocks * waves
    draft.say(
        f"How many wavefronts run at all is another matter: the grid of {code(pair.kernel.name)} hangs on no size of the problem, and a call for one problem starts {counted(blocks, 'block')} of {counted(waves, 'wavefront')}, {blocks} * {waves} = {total} on the whole device, so there the grid is the limit.",
        pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", f"{blocks} * {waves}", total, "recompute")
    for value in (blocks, waves):
        draft.claim("number", str(value), value, "recompute")
    pair.claim_shape(draft, "launch_grid", "launch_block")


def bound_words(function: FunctionView, number: int) -> str:
    """The template arguments that tell the instantiation from others, in words."""
    names = template_parameters(function)
    rows = [one["template_arguments"] for one in function.instantiations]
    told = [
        f"{code(name)} = {code(rows[number][place])}"
        for place, name in enumerate(names)
        if name and "..." not in name
        and all(place < len(row) for row in rows)
        and len({row[place] for row in rows}) > 1
        and len(rows[number][place]) < 30
    ]  # fmt: skip
    return f"with {listed(told[:5])}" if told else ""
