"""What following a function gave: its decisions and values."""

from __future__ import annotations

from dataclasses import dataclass, field

Value = int | str
"""A whole number, or an enumerator by its name."""


@dataclass(frozen=True)
class Step:
    """One decision or result.

    Attributes:
        kind: ``branch``, ``assign``, ``return``, ``launch`` or ``assumed``.
        first: First line.
        last: Last line.
        text: Condition, ``name = expression``, or what is returned.
        value: What it came to.
    """

    kind: str
    first: int
    last: int
    text: str
    value: Value | None


@dataclass
class Outcome:
    """What following a function gave.

    Attributes:
        steps: In order.
        values: Names with their values at the end; ``*name`` for what a pointer was given.
        returned: What it returned as written; ``None`` where its end was reached.
        stuck: What could not be decided, else ``None``.
    """

    steps: list[Step] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    returned: str | None = None
    stuck: str | None = None

    def branches(self) -> list[Step]:
        """Conditions that were decided."""
        return [step for step in self.steps if step.kind == "branch"]
