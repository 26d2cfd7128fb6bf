"""The share of wrong kernels that a verification finds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernels.building.step import BuildError
from kernels.cpu.build import compile_unit
from kernels.mutants.operators import Mutant, mutate
from kernels.mutants.together import CHOICE, build_together
from kernels.task.folder import BASELINE
from kernels.verify import Standard, judge
from kernels.verify.judge import compare_program

_AT_ONCE = 40
"""Mutants compiled into one program."""


@dataclass
class Strength:
    """What became of the mutants of one task.

    Attributes:
        task: Its name.
        caught: Mutants that were found wrong.
        survived: Mutants that passed although their machine code differs.
        same: Mutants whose machine code is that of the baseline: they change nothing.
        unbuilt: Mutants that do not compile.
    """

    task: str
    caught: list[Mutant] = field(default_factory=list)
    survived: list[Mutant] = field(default_factory=list)
    same: list[Mutant] = field(default_factory=list)
    unbuilt: list[Mutant] = field(default_factory=list)


def measure(
    standard: Standard, most: int = 0, notice: Callable[[Mutant, str], None] | None = None
) -> Strength:
    """Judges every mutant of a task's baseline.

    Args:
        standard: Of the task.
        most: Mutants that are tried, evenly spread over all; every one when 0.
        notice: Told about each.
    """
    baseline = standard.folder / BASELINE
    mutants = list(mutate(baseline.read_text(encoding="utf-8")))
    if most and len(mutants) > most:
        mutants = [mutants[number * len(mutants) // most] for number in range(most)]
    found = Strength(standard.task.task)
    plain = _code(baseline)
    with tempfile.TemporaryDirectory(prefix="rocquarry-mutants-") as place:
        for start in range(0, len(mutants), _AT_ONCE):
            some = mutants[start : start + _AT_ONCE]
            for mutant, kind in zip(
                some, _judged(standard, some, plain, Path(place), f"unit{start}"), strict=True
            ):
                getattr(found, kind).append(mutant)
                if notice:
                    notice(mutant, kind)
    return found


def _judged(
    standard: Standard, mutants: Sequence[Mutant], plain: bytes, work: Path, name: str
) -> Iterator[str]:
    """What becomes of each."""
    built = build_together(standard.task.entry, mutants, standard.conditions.backend, work, name)
    candidate = work / "candidate.hip"
    for number, mutant in enumerate(mutants):
        candidate.write_text(mutant.text, encoding="utf-8")
        if number in built.broken:
            yield "unbuilt"
            continue
        right = True
        if built.program:
            choice = {CHOICE: built.places[number]}
            right = not compare_program(standard, built.program, choice, first=True)[1]
        if right:
            # Alone, nothing of another mutant lies behind its arrays in LDS.
            verdict = judge(standard, candidate)
            if not verdict.built:
                yield "unbuilt"
                continue
            right = bool(verdict.correct)
        if not right:
            yield "caught"
        else:
            yield "same" if _code(candidate) == plain else "survived"


def share(strengths: Sequence[Strength], harmless: Sequence[str] = ()) -> float:
    """Caught mutants among those that change a result.

    Args:
        strengths: Of all tasks.
        harmless: ``TASK:LINE: BEFORE`` of survivors for which a reason is known that no allowed
            input shows them.
    """
    caught = sum(len(one.caught) for one in strengths)
    survived = sum(
        label(one, mutant) not in harmless for one in strengths for mutant in one.survived
    )
    return caught / (caught + survived) if caught + survived else 0.0


def label(strength: Strength, mutant: Mutant) -> str:
    """A short name of a mutant, which no other of its task has."""
    nth = f" (no. {mutant.nth})" if mutant.nth > 1 else ""
    return f"{strength.task}:{mutant.line}: {mutant.before} -> {mutant.after}{nth}"


def _code(source: Path) -> bytes:
    """Machine code and data of a unit's kernels, for this machine; empty where nothing compiles."""
    try:
        with tempfile.TemporaryDirectory(prefix="rocquarry-code-") as place:
            # The name of a file goes into what the compiler makes of it.
            copy = Path(place) / "unit.hip"
            copy.write_bytes(source.read_bytes())
            unit = compile_unit(copy, (f"-ffile-prefix-map={place}=.",))
            return b"".join(path.read_bytes() for path in unit.objects[1:])
    except BuildError:
        return b""
