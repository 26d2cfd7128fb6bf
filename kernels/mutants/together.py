"""Many mutants of one kernel in one program, each in a namespace of its own.

A compiler takes longer to begin than to compile a kernel; with all mutants in one unit, most of a
measurement is the runs. Which one runs is said by the environment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernels.backends.model import Backend, Program
from kernels.building.step import BuildError
from kernels.mutants.operators import Mutant
from kernels.task.model import Entry
from kernels.verify.program import NATIVE

CHOICE = "ROCQUARRY_MUTANT"
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*\n", re.M)
_ERROR = re.compile(r":(\d+):\d+: (?:fatal )?error:")
_ROUNDS = 4


@dataclass(frozen=True)
class Together:
    """A program with some mutants.

    Attributes:
        program: It; ``None`` where even the unchanged text does not compile within a namespace.
        places: For each mutant in it, by its number among those given, what the environment says.
        broken: Numbers of those that do not compile.
    """

    program: Program | None
    places: dict[int, str]
    broken: frozenset[int]


def build_together(
    entry: Entry, mutants: Sequence[Mutant], backend: Backend, work: Path, name: str
) -> Together:
    """Builds mutants into one program.

    Args:
        entry: What is called.
        mutants: Of one text.
        backend: What builds them.
        work: Folder for it.
        name: Name within that folder.
    """
    left = list(range(len(mutants)))
    broken: set[int] = set()
    for _ in range(_ROUNDS):
        text, spans = _unit(entry, [mutants[k].text for k in left])
        source = work / f"{name}.hip"
        source.write_text(text, encoding="utf-8")
        place = work / name
        place.mkdir(exist_ok=True)
        try:
            arguments = (f"-I{NATIVE}", "-ferror-limit=0")
            program = backend.build_program(source, place / "program", arguments)
            return Together(program, {k: str(n) for n, k in enumerate(left)}, frozenset(broken))
        except BuildError as error:
            lines = [int(line) for line in _ERROR.findall(error.outcome.stderr)]
            wrong = {
                left[n] for n, (first, last) in enumerate(spans)
                if any(first <= line <= last for line in lines)
            }  # fmt: skip
            if not wrong or len(wrong) == len(left):
                return Together(None, {}, frozenset())
            broken |= wrong
            left = [k for k in left if k not in wrong]
    return Together(None, {}, frozenset())


def _unit(entry: Entry, texts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """One unit with all texts, and the lines of each."""
    how = "launch_kernel" if entry.kind == "kernel" else "call_function"
    includes = dict.fromkeys(line for text in texts for line in _INCLUDE.findall(text))
    lines = [*"".join(includes).splitlines(), '#include "runner.hpp"']
    spans = []
    for number, text in enumerate(texts):
        first = len(lines) + 1
        body = _INCLUDE.sub("\n", text)
        lines += [f"namespace mutant_{number} {{", *body.splitlines()]
        lines += [
            "inline hipError_t rocquarry_call(const rocquarry::Call& call) {",
            f"  return rocquarry::{how}({entry.name}, call);", "}", "}",
        ]  # fmt: skip
        spans.append((first, len(lines)))
    calls = ", ".join(f"mutant_{number}::rocquarry_call" for number in range(len(texts)))
    lines += [
        "int main(int argc, char** argv) {",
        f"  hipError_t (*const mutants[])(const rocquarry::Call&) = {{{calls}}};",
        f'  const char* chosen = getenv("{CHOICE}");',
        "  return rocquarry::run(argc, argv, mutants[chosen ? atoi(chosen) : 0]);",
        "}", "",
    ]  # fmt: skip
    return "\n".join(lines), spans
