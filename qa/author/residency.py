"""Entries on how many wavefronts of a kernel a SIMD holds, and which of its needs decides that.

The arithmetic is that of the CDNA instruction set guides: a SIMD has 512 vector registers for each
lane, vector and accumulation registers taken from the same file in steps of 8; a compute unit has
4 SIMDs and 65,536 bytes of LDS; 8 wavefronts are the most a SIMD keeps. An entry is written only
where this comes to the occupancy that the compiler reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from qa.author.block_room import other_blocks, tell_blocks, tell_dynamic, tell_more
from qa.author.draft import Draft, code, counted
from qa.author.kernel_facts import Row, claim_fact
from qa.author.launch_limits import bound_words, tell_grid_limit, tell_next
from qa.author.launch_pairs import Pair, Shape, pairs
from qa.author.launch_sizes import block_words, claim_block, definition_spans
from qa.author.launch_values import choose_shape
from qa.author.numbers import equation
from qa.author.subjects import entries_through
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView

_ARCHITECTURES = ("gfx90a", "gfx942")
_REGISTERS, _STEP, _MOST_WAVES, _SIMDS, _LANES, _LDS = 512, 8, 8, 4, 64, 65536
_FEWEST_REGISTERS = 24
_MANY_INSTRUCTIONS = 150
_FACTS = frozenset(
    ("vgprs", "agprs", "vgpr_spills", "scratch_bytes", "code_object_lds_bytes", "occupancy",
     "instruction_mix")
)  # fmt: skip


@dataclass(frozen=True)
class Needs:
    """What one instantiation takes on one architecture.

    Attributes:
        architecture: Which.
        rows: The facts by name.
        shape: Of the launch; ``None`` where no launch tells.
    """

    architecture: str
    rows: dict[str, Row]
    shape: Shape | None

    def of(self, name: str) -> Any:
        """A fact's value."""
        return self.rows[name].fact["value"]

    @property
    def registers(self) -> int:
        """Registers of the common file that a lane takes, before rounding."""
        vector, accumulation = int(self.of("vgprs")), int(self.of("agprs"))
        return _up(vector, 4) + accumulation if accumulation else vector

    @property
    def granted(self) -> int:
        """The same in whole steps."""
        return _up(max(self.registers, 1), _STEP)

    @property
    def by_registers(self) -> int:
        """Wavefronts that the registers of a SIMD allow."""
        return min(_MOST_WAVES, _REGISTERS // self.granted)

    @property
    def blocks(self) -> int:
        """Blocks that the LDS of a compute unit allows; 0 where they take none."""
        lds = int(self.of("code_object_lds_bytes"))
        return _LDS // lds if lds else 0

    @property
    def waves_of_block(self) -> int:
        """Wavefronts of a block."""
        return -(-self.shape.threads // _LANES) if self.shape is not None else 0

    @property
    def by_lds(self) -> int | None:
        """Wavefronts of a SIMD that LDS allows; ``None`` where it is not known or takes none."""
        if not self.blocks or self.shape is None:
            return None
        return -(-self.blocks * self.waves_of_block // _SIMDS)

    @property
    def limited_by_lds(self) -> bool:
        """LDS is what keeps more from running."""
        return self.by_lds is not None and self.by_lds < self.by_registers

    @property
    def explained(self) -> bool:
        """The arithmetic comes to what the compiler reports."""
        least = self.by_registers if self.by_lds is None else min(self.by_registers, self.by_lds)
        return bool(least == self.of("occupancy"))


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels whose registers or LDS are worth a question."""
    by_kernel = {pair.kernel.id: pair for pair in pairs(view, ground, functions)}
    for function in functions:
        if function.kind != "kernel" or not function.instantiations:
            continue
        needs = _needs(view, ground, function, by_kernel.get(function.id))
        if needs:
            yield _draft(view, ground, function, needs, by_kernel.get(function.id))


def _needs(
    view: ScopeView, ground: Ground, function: FunctionView, pair: Pair | None
) -> list[Needs]:
    """Needs on the architectures, of one instantiation; empty where nothing is worth telling."""
    found: dict[str, dict[str, dict[str, Row]]] = {}
    for fact in ground.facts_of(view.interface, function.id):
        if fact["fact"] in _FACTS and fact["arch"] and fact["value"] is not None and fact["span"]:
            rows = found.setdefault(str(fact["instantiation"]), {})
            line = fact["span"]["start_line"]
            rows.setdefault(fact["arch"], {}).setdefault(fact["fact"], Row(line, 0, {}, fact))
    # Of the instantiation whose launch is known the blocks are known as well.
    own = function.instantiations[pair.number]["symbol"] if pair is not None else None
    for symbol, by_architecture in sorted(found.items(), key=lambda item: (item[0] != own, item)):
        number = _number(function, symbol)
        shape = choose_shape(pair) if pair is not None and pair.number == number else None
        needs = [
            Needs(one, by_architecture[one], shape)
            for one in _ARCHITECTURES
            if set(by_architecture.get(one, ())) >= _FACTS
        ]
        if number is not None and len(needs) == len(_ARCHITECTURES) and _worth(needs):
            return needs
    return []


def _worth(needs: list[Needs]) -> bool:
    """All is explained, and the kernel is large enough to ask."""
    first = needs[0]
    if not all(one.explained for one in needs):
        return False
    if any(one.of("occupancy") < _MOST_WAVES for one in needs):
        return True
    mix = first.of("instruction_mix")
    large = bool(first.of("code_object_lds_bytes")) or sum(mix.values()) >= _MANY_INSTRUCTIONS
    # Where nothing limits it, only the launch makes the arithmetic another one than its neighbours'.
    peculiar = first.shape is not None and (
        bool(first.blocks) or first.waves_of_block > 1 or needs[0].granted != needs[1].granted
    )
    return first.registers >= _FEWEST_REGISTERS and large and peculiar


def _number(function: FunctionView, symbol: str) -> int | None:
    return next(
        (i for i, one in enumerate(function.instantiations) if one["symbol"] == symbol), None
    )


def _draft(
    view: ScopeView, ground: Ground, function: FunctionView, needs: list[Needs], pair: Pair | None
) -> Draft:
    first, second = needs
    symbol = str(first.rows["vgprs"].fact["instantiation"])
    number = _number(function, symbol)
    entries = entries_through(view, function, number)
    archs = [one.architecture for one in needs]
    draft = Draft(
        view, ground, "resources", f"wavefronts of {function.id} on a SIMD", entries, archs=archs
    )
    bound = bound_words(function, number or 0)
    named = f"{code(function.name)}{f' ({bound})' if bound else ''}"
    if any(one.of("occupancy") < _MOST_WAVES for one in needs):
        draft.question = draft.choose(
            f"What keeps more wavefronts of {named} from staying on a SIMD of {archs[0]}, how much would have to go before more of them fit, and is it the same on {archs[1]}?",
            f"{code(entries[0])} reaches {named}. Work out how many of its wavefronts a SIMD holds on {archs[0]} and on {archs[1]}, and name the resource that sets the limit.",
            f"The compiler reports fewer than {_MOST_WAVES} wavefronts of {named} for a SIMD of {archs[0]}. Which resource is behind that, what would have to be saved to hold more, and is it the same on {archs[1]}?",
        )
    else:
        draft.question = draft.choose(
            f"How far may the registers of {named} grow on {archs[0]} before a SIMD holds fewer of its wavefronts, and is there as much room on {archs[1]}?",
            f"You want to unroll {named} further, which {code(entries[0])} reaches. How many vector registers are left on {archs[0]} and on {archs[1]} before a SIMD loses a wavefront?",
            f"Do the registers or the LDS of {named} keep a SIMD of {archs[0]} or {archs[1]} from holding as many of its wavefronts as it can? Show the arithmetic, and how far the registers may grow.",
        )
    _tell_registers(draft, function, first)
    _tell_lds(draft, function, first, pair)
    _tell_outcome(draft, function, first, pair)
    _tell_other(draft, function, first, second)
    _tell_private(draft, function, first)
    tell_blocks(draft, first, pair)
    tell_dynamic(draft, ground, function, first, pair)
    if all(one.of("occupancy") == _MOST_WAVES for one in needs):
        tell_next(draft, first.waves_of_block)
    if pair is not None:
        tell_grid_limit(draft, pair, first.waves_of_block)
    return draft


def _claim(draft: Draft, needs: Needs, *names: str) -> None:
    for name in names:
        claim_fact(draft, needs.rows[name])
        value = needs.of(name)
        if isinstance(value, int):
            draft.claim("number", str(value), value, "recompute")


def _numbers(draft: Draft, **worked: int) -> None:
    for value in worked.values():
        draft.claim("number", str(value), value, "recompute")


def _tell_registers(draft: Draft, function: FunctionView, one: Needs) -> None:
    vector, accumulation = int(one.of("vgprs")), int(one.of("agprs"))
    takes = counted(vector, "vector register")
    if accumulation:
        rounded = _up(vector, 4)
        takes += f" and {counted(accumulation, 'accumulation register')}, together {rounded} + {accumulation} = {one.registers} since both lie in one file"
        draft.claim("number", f"{rounded} + {accumulation}", one.registers, "recompute")
        _numbers(draft, rounded=rounded)
    draft.say(
        draft.choose(
            f"Compiled for {one.architecture}, a thread of {code(function.name)} takes {takes}.",
            f"In the code for {one.architecture} a thread of {code(function.name)} takes {takes}.",
            f"On {one.architecture} the compiler gives each thread of {code(function.name)} {takes}.",
            salt="registers",
        ),
        draft.head(function), "fact", "recompute",
    )  # fmt: skip
    _claim(draft, one, "vgprs", "agprs")
    fit = _REGISTERS // one.granted
    counts = f"{one.registers} count as {one.granted} and " if one.granted != one.registers else ""
    tail = (
        f"more than the {_MOST_WAVES} that a SIMD can keep"
        if fit > _MOST_WAVES
        else f"so that {counted(fit, 'wavefront')} {'fits' if fit == 1 else 'fit'}"
    )
    draft.say(
        draft.choose(
            f"A SIMD has {_REGISTERS} of them for a lane and grants them {_STEP} at a time, so {counts}{_REGISTERS} / {one.granted} = {fit}, {tail}.",
            f"Of the {_REGISTERS} that a SIMD has for a lane, handed out in steps of {_STEP}, {counts}{_REGISTERS} / {one.granted} = {fit}, {tail}.",
            salt="file",
        ),
        "recompute",
    )
    draft.claim("number", f"{_REGISTERS} / {one.granted}", fit, "recompute")
    _numbers(draft, a=_REGISTERS, b=_STEP, c=one.granted, d=one.registers, e=_MOST_WAVES, f=fit)


def _tell_lds(draft: Draft, function: FunctionView, one: Needs, pair: Pair | None) -> None:
    lds = int(one.of("code_object_lds_bytes"))
    shape = one.shape
    if not lds or shape is None or pair is None:
        return
    waves, blocks = one.waves_of_block, one.blocks
    together = blocks * waves
    draft.say(
        draft.choose(
            f"The block that {code(pair.launcher.name)} starts has {block_words(shape)}, {counted(waves, 'wavefront')}, and keeps {lds} bytes in LDS.",
            f"{code(pair.launcher.name)} starts blocks of {block_words(shape)}, {counted(waves, 'wavefront')} each, with {lds} bytes of LDS.",
            salt="block",
        ),
        pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), "fact", "recompute",
    )  # fmt: skip
    share = -(-together // _SIMDS)
    over = (
        f"at most {share} on one of the {_SIMDS} SIMDs"
        if share <= _MOST_WAVES
        else f"which is no limit for {_SIMDS} SIMDs with {_MOST_WAVES} each"
    )
    draft.say(
        f"The {_LDS} bytes of a compute unit hold {equation(f'{_LDS} / {lds}', blocks)} such {'block' if blocks == 1 else 'blocks'} or {equation(f'{blocks} * {waves}', together)} {'wavefront' if together == 1 else 'wavefronts'}, {over}.",
        "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", f"{_LDS} / {lds}", blocks, "recompute")
    draft.claim("number", f"{blocks} * {waves}", together, "recompute")
    _numbers(draft, a=_LDS, b=waves, c=_SIMDS, d=share, e=blocks, f=_MOST_WAVES)
    _claim(draft, one, "code_object_lds_bytes")
    pair.claim_shape(draft, "launch_block")
    claim_block(draft, shape)


def _tell_outcome(draft: Draft, function: FunctionView, one: Needs, pair: Pair | None) -> None:
    occupancy = int(one.of("occupancy"))
    _claim(draft, one, "occupancy")
    if one.limited_by_lds:
        draft.say(
            f"LDS is the tighter of the two, and {occupancy} is also the occupancy that the compiler reports; with fewer registers nothing would be won.",
            draft.head(function), "fact",
        )  # fmt: skip
        return
    if occupancy < _MOST_WAVES:
        draft.say(
            draft.choose(
                f"Registers set the limit, and the compiler reports the same occupancy, {occupancy}.",
                f"The compiler's own figure for the occupancy is {occupancy} as well, so registers decide.",
                salt="limit",
            ),
            draft.head(function), "fact",
        )  # fmt: skip
        tell_more(draft, one, pair)
        return
    most = _REGISTERS // _MOST_WAVES
    room = most - one.registers
    draft.say(
        f"The compiler reports an occupancy of {occupancy}, the most there is, and it stays so up to {_REGISTERS} / {_MOST_WAVES} = {most} registers, that is {equation(f'{most} - {one.registers}', room)} more than now.",
        draft.head(function), "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", f"{_REGISTERS} / {_MOST_WAVES}", most, "recompute")
    draft.claim("number", f"{most} - {one.registers}", room, "recompute")
    _numbers(draft, a=most, b=room)


def _tell_other(draft: Draft, function: FunctionView, one: Needs, other: Needs) -> None:
    occupancy = int(other.of("occupancy"))
    same = one.registers == other.registers
    _claim(draft, other, "vgprs", "agprs", "occupancy")
    _numbers(draft, a=other.registers, b=other.granted)
    if same and one.of("occupancy") == occupancy:
        text = draft.choose(
            f"Compiled for {other.architecture} it takes as many, {other.registers}, and comes to the same {occupancy}.",
            f"For {other.architecture} nothing changes: {other.registers} registers and {counted(occupancy, 'wavefront')}.",
            salt="other",
        )
    else:
        counts = f", counted as {other.granted}," if other.granted != other.registers else ""
        held = counted(occupancy, "wavefront")
        here = int(one.of("occupancy"))
        outcome = f"again {held}" if occupancy == here else f"{held} instead of {here}"
        room = ""
        if one.of("occupancy") == occupancy == _MOST_WAVES:
            most = _REGISTERS // _MOST_WAVES
            left = most - other.registers
            room = f", with {most} - {other.registers} = {left} to spare there"
            draft.claim("number", f"{most} - {other.registers}", left, "recompute")
        text = f"On {other.architecture} it is {counted(other.registers, 'register')}{counts} and {outcome}{room}."
        text += other_blocks(one.waves_of_block, here, occupancy)
    draft.say(text, draft.head(function), "fact", "recompute")


def _tell_private(draft: Draft, function: FunctionView, one: Needs) -> None:
    scratch, spilled = int(one.of("scratch_bytes")), int(one.of("vgpr_spills"))
    if not scratch:
        return
    _claim(draft, one, "scratch_bytes", "vgpr_spills")
    why = (
        f", into which {counted(spilled, 'register is', 'registers are')} spilled"
        if spilled
        else ", although no register is spilled: it is for what cannot live in registers, such as an array that is indexed by a variable"
    )
    draft.say(
        f"Each thread also has {scratch} bytes of private memory{why}.",
        draft.head(function), "fact",
    )  # fmt: skip
