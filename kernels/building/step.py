"""One step of a build, run under limits, with its record kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.errors import RocQuarryError
from kernels.isolation import Outcome


class BuildError(RocQuarryError):
    """A step of a build failed. The run that wanted it goes on and exits with 1.

    Attributes:
        outcome: The record of the step.
    """

    def __init__(self, what: str, outcome: Outcome) -> None:
        super().__init__(f"{what}: {_first_complaint(outcome.stderr) or outcome.describe()}")
        self.outcome = outcome


@dataclass(frozen=True)
class Built:
    """What a finished step says of itself.

    Attributes:
        seconds: Wall time of the compilers; 0 when all of it came from the cache.
        from_cache: Whether nothing had to be run.
    """

    seconds: float
    from_cache: bool


def _first_complaint(text: str) -> str:
    """The line that says most: a missing symbol rather than that the linker failed."""
    for word in ("undefined reference", "undefined symbol", "error:"):
        for line in text.splitlines():
            if word in line:
                return _explained(line.strip())
    return ""


_INSTRUCTION = re.compile(
    r"(?:reference to __host__ function|undeclared identifier) '(__builtin_amdgcn_\w+)'"
)


def _explained(complaint: str) -> str:
    """What a compiler for another processor says of an AMD instruction is not what is meant."""
    found = _INSTRUCTION.search(complaint)
    if not found:
        return complaint
    where = complaint.partition(" error:")[0]
    return (
        f"{where} {found.group(1)} is an instruction of AMD GPUs that this backend cannot run; "
        "--backend compile builds it, amd runs it"
    )
