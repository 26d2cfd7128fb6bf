"""The share of wrong kernels that a verification finds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernels.building.step import BuildError
from kernels.cpu.build import compile_unit
from kernels.mutants.operators import Mutant, mutate
from kernels.task.folder import BASELINE
from kernels.verify import Standard, judge


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
        candidate = Path(place) / "candidate.hip"
        for mutant in mutants:
            candidate.write_text(mutant.text, encoding="utf-8")
            verdict = judge(standard, candidate)
            if not verdict.built:
                kind, group = "does not build", found.unbuilt
            elif not verdict.correct:
                kind, group = "caught", found.caught
            elif _code(candidate) == plain:
                kind, group = "same code", found.same
            else:
                kind, group = "survived", found.survived
            group.append(mutant)
            if notice:
                notice(mutant, kind)
    return found


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
    """A short name of a mutant."""
    return f"{strength.task}:{mutant.line}: {mutant.before} -> {mutant.after}"


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
