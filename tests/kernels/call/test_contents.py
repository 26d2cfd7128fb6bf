"""What definitions prepare fits the buffers that the calls of both libraries take."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from extractor.project import Project
from kernels.call.case import Case, boundary_cases, random_case
from kernels.call.entry import callable_entry
from kernels.call.roles import Signature
from kernels.call.session import Answer, Session

_MOST = 24
_DRAWN = 40


class _Nobody(Session):
    """Stands where the process with the library is: takes a call and fails it."""

    def call(self, message: Mapping[str, Any], buffers: Sequence[bytes]) -> Answer:
        return Answer(None, error="nobody was called")


def _small(signature: Signature, case: Case) -> bool:
    return all(int(case[name]) <= _MOST for name in signature.sizes)


@pytest.mark.parametrize("library", ["rocblas", "rocsolver"])
def test_every_operand_gets_as_much_as_its_buffer_holds(library: str) -> None:
    project, nobody = Project(library), _Nobody(Path("none"))
    draw = random.Random(9)
    tried = 0
    for entry in project.entry_points:
        called = callable_entry(str(project.rule.path), None, entry)
        if isinstance(called, str) or "batched" in entry or entry.endswith("_64"):
            continue
        letters = {name: tuple(values) for name, values in called.flags.items()}
        cases = list(boundary_cases(called.signature, letters, 0))
        cases += [random_case(called.signature, letters, draw.choice) for _ in range(_DRAWN)]
        for case in (one for one in cases if _small(called.signature, one)):
            called.execution.run(nobody, case)  # an array that does not fit raises
            tried += 1
    assert tried > 4000
