"""Which entries a model is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from qa.author.subjects import own_functions
from qa.ground import Ground
from qa.model.context import nearest
from qa.records import Category
from qa.scope_view import FunctionView, ScopeView

CATEGORIES: tuple[Category, ...] = get_args(Category)
LEVELS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
_OF_HOST: frozenset[Category] = frozenset(
    {"launch_configuration", "dispatch", "correctness_constraints"}
)
_NOT_OF_HOST: frozenset[Category] = frozenset({"synchronization", "resources", "memory_access"})


@dataclass(frozen=True)
class Wanted:
    """One entry to be written.

    Attributes:
        interface: Family.
        category: What it is about.
        level: How far its evidence reaches.
        subject: Id of the function it begins at.
    """

    interface: str
    category: Category
    level: Literal[1, 2, 3]
    subject: str


def wanted(view: ScopeView, ground: Ground, categories: Sequence[Category]) -> Iterator[Wanted]:
    """Everything that can be asked about an interface, varied: no kernel is asked to the end before
    the next one has its turn.

    A level that the subject's surroundings cannot have is left out, and so are categories that say
    nothing of its kind: barriers of a launcher, resources without a report.
    """
    subjects = [f for f in own_functions(view, ground) if f.kind in ("kernel", "launcher")]
    rows: list[tuple[str, Wanted]] = []
    for subject in subjects:
        has_resources = any(
            row["proved_by"] == "code_object" and row["value"] is not None
            for row in ground.facts_of(view.interface, subject.id)
        )
        for level in LEVELS:
            if not _possible(view, subject, level):
                continue
            for category in categories:
                if category == "resources" and not has_resources:
                    continue
                if not _fits(subject, category, level):
                    continue
                one = Wanted(view.interface, category, level, subject.id)
                rows.append((hashlib.sha256(repr(one).encode()).hexdigest(), one))
    yield from (one for _order, one in sorted(rows, key=lambda row: row[0]))


def _possible(view: ScopeView, subject: FunctionView, level: int) -> bool:
    near = nearest(view, subject, level)
    if level == 2:
        return len(near) > 1
    return level == 1 or len({function.file for function in near}) > 1


def _fits(subject: FunctionView, category: Category, level: int) -> bool:
    if subject.kind == "kernel":
        return level > 1 or category not in ("launch_configuration", "dispatch")
    return category not in _NOT_OF_HOST and (level > 1 or category in _OF_HOST)
