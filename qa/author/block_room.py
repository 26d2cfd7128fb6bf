"""Room for whole blocks on a compute unit: wavefronts come block by block, each with its LDS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qa.author.draft import Draft, code, counted
from qa.author.dynamic_lds import as_written
from qa.author.launch_pairs import Pair
from qa.author.launch_sizes import block_words, claim_block, definition_spans
from qa.author.numbers import equation, put_into
from qa.reading.function import SharedArray, read_function
from qa.scope_view import FunctionView
from qa.text.arithmetic import Unknown, Value, evaluate, names_in

if TYPE_CHECKING:
    from qa.author.residency import Needs
    from qa.ground import Ground

_REGISTERS, _STEP, _MOST_WAVES, _SIMDS, _LDS = 512, 8, 8, 4, 65536
_LARGEST = 100000


def blocks_held(waves_of_block: int, waves_of_simd: int) -> int:
    """Whole blocks that the SIMDs of a compute unit hold."""
    return _SIMDS * waves_of_simd // waves_of_block if waves_of_block else 0


def registers_for(blocks: int, waves_of_block: int) -> int:
    """Most registers of a thread with which so many blocks stay; 0 where they never do."""
    share = -(-blocks * waves_of_block // _SIMDS)
    return _REGISTERS // share // _STEP * _STEP if share <= _MOST_WAVES else 0


def other_blocks(waves_of_block: int, here: int, there: int) -> str:
    """What another number of wavefronts comes to in whole blocks; nothing where it is the same."""
    one, other = blocks_held(waves_of_block, here), blocks_held(waves_of_block, there)
    if waves_of_block < 2 or here == there or not one:
        return ""
    if one == other:
        return f" In whole blocks it comes to the same {counted(one, 'block')} on a compute unit."
    return f" A compute unit holds {counted(other, 'block')} then and not {one}."


def tell_more(draft: Draft, one: Needs, pair: Pair | None) -> None:
    """How many registers less would let more of a kernel run: one block more, not one wavefront."""
    held, registers, waves = int(one.of("occupancy")), one.registers, one.waves_of_block
    if pair is None or waves < 2:
        wanted = held + 1
        most = _REGISTERS // wanted // _STEP * _STEP
        less = registers - most
        alone = (
            "" if waves == 1 else ", as far as single wavefronts go: a block brings all of its own"
        )
        draft.say(
            f"For {wanted} wavefronts a thread could have {most} at most, as {wanted} * {most} = {wanted * most} still fits into {_REGISTERS}, that is {equation(f'{registers} - {most}', less)} fewer than now{alone}.",
            "recompute",
        )
        draft.claim("number", f"{wanted} * {most}", wanted * most, "recompute")
        draft.claim("number", f"{registers} - {most}", less, "recompute")
        _numbers(draft, wanted, most, less)
        return
    fit = blocks_held(waves, held)
    if not fit:
        return
    more = fit + 1
    share = -(-more * waves // _SIMDS)
    most = registers_for(more, waves)
    lead = f"{counted(more, 'block')} of {waves} wavefronts are {more} * {waves} = {more * waves}, {share} on a SIMD"
    draft.claim("number", f"{more} * {waves}", more * waves, "recompute")
    if not most:
        draft.say(
            f"Fewer registers would win no further block either: {lead}, more than the {_MOST_WAVES} that it keeps.",
            "recompute",
        )
        _numbers(draft, more, waves, share, _MOST_WAVES)
        return
    less = registers - most
    draft.say(
        f"One wavefront more is not the next step, since a block comes as a whole: {lead}, for which a thread could have {_REGISTERS} / {share} registers, in steps of {_STEP} that is {most} or {equation(f'{registers} - {most}', less)} fewer than now.",
        "recompute",
    )
    draft.claim("number", f"{registers} - {most}", less, "recompute")
    draft.claim("number", f"{_REGISTERS} / {share}", _REGISTERS // share, "recompute")
    _numbers(draft, more, waves, share, most, less, _STEP, _REGISTERS)


def tell_blocks(draft: Draft, one: Needs, pair: Pair | None) -> None:
    """What the number of wavefronts means for whole blocks."""
    waves, shape = one.waves_of_block, one.shape
    if pair is None or shape is None or waves < 2:
        return
    held = int(one.of("occupancy"))
    total = _SIMDS * held
    fit = blocks_held(waves, held)
    if not fit or (one.limited_by_lds and one.blocks < fit):
        return
    used = fit * waves
    left = (
        "which is all of it" if used == total
        else f"so that {equation(f'{total} - {used}', total - used)} of its places stay empty"
    )  # fmt: skip
    blocks = "block" if fit == 1 else "blocks"
    begin = (
        f"The {waves} wavefronts of a block come together."
        if one.blocks
        else f"{code(pair.launcher.name)} starts {block_words(shape)} a block, and those {waves} wavefronts come together."
    )
    draft.say(
        f"{begin} A compute unit has room for {_SIMDS} * {held} = {total}: {fit} such {blocks} {'takes' if fit == 1 else 'take'} {used if fit == 1 else f'{fit} * {waves} = {used}'} of them, {left}.",
        pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), "fact", "recompute",
    )  # fmt: skip
    for worked, value in ((f"{_SIMDS} * {held}", total), (f"{fit} * {waves}", used)):
        draft.claim("number", worked, value, "recompute")
    if used != total:
        draft.claim("number", f"{total} - {used}", total - used, "recompute")
    _numbers(draft, _SIMDS, held, fit, waves)
    pair.claim_shape(draft, "launch_block")
    claim_block(draft, shape)


def without_extent(function: FunctionView) -> list[SharedArray]:
    """Arrays in LDS whose size the launch gives."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    return [array for array in reading.shared if not any(array.extents)]


def tell_dynamic(
    draft: Draft, ground: Ground, function: FunctionView, one: Needs, pair: Pair | None
) -> None:
    """What the launch adds to the LDS of a block; the compiler's figure knows none of it."""
    arrays = without_extent(function)
    static = int(one.of("code_object_lds_bytes"))
    if not arrays:
        if not static:
            draft.say(
                draft.choose(
                    "LDS sets no limit here: the kernel declares none.",
                    f"{code(function.name)} declares nothing in LDS, which therefore limits nothing.",
                    salt="no LDS",
                ),
                draft.head(function), "fact",
            )  # fmt: skip
            _claim(draft, one)
        return
    array = arrays[0]
    row = _row(draft, ground, pair) if pair is not None else None
    declared = draft.lines(function, array.first, array.last)
    if row is None or pair is None or not one.waves_of_block:
        draft.say(
            f"The size of {code(array.name)} in LDS comes from the launch, and neither this nor the compiler's figure counts it: a launch that asks for much may be stopped by LDS first.",
            declared, draft.head(function),
        )  # fmt: skip
        return
    _tell_room(draft, function, one, pair, row, declared)


def _claim(draft: Draft, one: Needs) -> None:
    from qa.author.kernel_facts import claim_fact

    claim_fact(draft, one.rows["code_object_lds_bytes"])


def _row(draft: Draft, ground: Ground, pair: Pair) -> dict[str, Any] | None:
    """The fact of the launch's dynamic LDS, of the instantiation where there is one of it."""
    rows = [
        row for row in ground.facts_of(draft.view.interface, pair.launcher.id)
        if row["fact"] == "launch_shared_bytes" and isinstance(row["value"], dict)
        and row["value"].get("kernel") == pair.kernel.id
        and row["span"]["start_line"] == pair.site.at.start_line
    ]  # fmt: skip
    symbol = pair.kernel.instantiations[pair.number]["symbol"]
    exact = [row for row in rows if row["value"].get("symbol") == symbol]
    return next(iter(exact or [r for r in rows if not r["value"].get("symbol")]), None)


def _tell_room(
    draft: Draft, function: FunctionView, one: Needs, pair: Pair, row: dict[str, Any], declared: Any
) -> None:
    expression, named = str(row["value"]["expression"]), str(row["value"]["named"])
    names = names_in(expression)
    static, waves = int(one.of("code_object_lds_bytes")), one.waves_of_block
    fit = blocks_held(waves, int(one.of("occupancy")))
    if one.blocks:
        fit = min(fit, one.blocks)
    if not fit or expression in ("0", "None"):
        return
    shown = as_written(pair, names) or named
    each = _LDS // fit - static
    where = (pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), declared)
    said = {k: row.get(k) for k in ("fact", "function", "subject", "arch", "instantiation")}
    value = {k: row["value"][k] for k in ("expression", "named")}
    draft.claim("fact", pair.launcher.name, {**said, "value": value}, "fact")
    draft.say(
        f"None of this counts what the launch adds to the LDS of a block, {code(shown)} bytes.",
        *where, "fact",
    )  # fmt: skip
    such = "such block has" if fit == 1 else f"{fit} blocks have"
    room = f"{_LDS} / {fit} = {_LDS // fit}" if fit > 1 else str(_LDS)
    own = f", {static} of them taken by the kernel itself" if static else ""
    most = _largest(expression, names[0], each) if len(names) == 1 else None
    fixed = _bytes(expression) if not names else None
    if fixed is not None:
        worked = put_into(expression, {})
        draft.say(
            f"That is {equation(worked, fixed) if worked != str(fixed) else fixed} in this instantiation, {'no more' if fixed <= each else 'more'} than the {room} bytes that {'it has' if fit == 1 else f'each of {fit} blocks has'} of the {_LDS}{own}, so that {'registers keep the say' if fixed <= each else 'LDS is the tighter limit'}.",
            *where, "recompute",
        )  # fmt: skip
        draft.claim("number", worked, fixed, "recompute")
        _numbers(draft, fixed)
    elif most is None:
        draft.say(
            f"{'The' if fit == 1 else 'These'} {such} {room} bytes {'' if fit == 1 else 'each '}of the {_LDS} of a compute unit{own}; a launch that asks for more is limited by LDS before it is by registers.",
            *where, "recompute",
        )  # fmt: skip
    else:
        name = code(names[0])
        if most < 1:
            return
        now: dict[str, Value] = {names[0]: most}
        bytes_ = int(evaluate(expression, now))
        worked = put_into(expression, now)
        draft.say(
            f"{'The' if fit == 1 else 'These'} {such} {room} bytes {'' if fit == 1 else 'each '}of the {_LDS} of a compute unit{own}, enough up to {name} = {most}, where it is {equation(worked, bytes_)}; from {name} = {most + 1} on LDS is the tighter limit.",
            *where, "recompute",
        )  # fmt: skip
        draft.claim("number", worked, bytes_, "recompute")
        _numbers(draft, most, most + 1, bytes_)
    if fit > 1:
        draft.claim("number", f"{_LDS} / {fit}", _LDS // fit, "recompute")
    _numbers(draft, _LDS, fit, static)


def _bytes(expression: str) -> int | None:
    try:
        return int(evaluate(expression, {}))
    except Unknown:
        return None


def _largest(expression: str, name: str, room: int) -> int | None:
    """Largest value for which an expression that grows stays within a room."""
    try:
        first, last = (int(evaluate(expression, {name: v})) for v in (1, _LARGEST))
        if first > room or last <= room:
            return 0 if first > room else None
        low, high = 1, _LARGEST
        while high - low > 1:
            middle = (low + high) // 2
            if int(evaluate(expression, {name: middle})) <= room:
                low = middle
            else:
                high = middle
        near = [int(evaluate(expression, {name: v})) for v in range(max(low - 3, 1), low + 4)]
    except Unknown:
        return None
    return low if near == sorted(near) else None


def _numbers(draft: Draft, *values: int) -> None:
    for value in values:
        draft.claim("number", str(value), value, "recompute")
