"""What a comparison of the index with the compiler finds, as plain records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

What = Literal["entry", "kernel", "call"]
Side = Literal["missing", "extra", "dead"]


@dataclass(frozen=True)
class Score:
    """How much of what the compiler says the index says too.

    Attributes:
        wanted: Items that the compiler gives.
        given: Items that the index gives.
        hits: Items that both give.
        explained: Hits that the index gives as dead, with a reason.
    """

    wanted: int = 0
    given: int = 0
    hits: int = 0
    explained: int = 0

    @property
    def recall(self) -> float:
        """Share of the compiler's items that the index has; 1 when there are none."""
        return self.hits / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Share of the index's items that the compiler has; 1 when both have none."""
        if self.given:
            return self.hits / self.given
        return 0.0 if self.wanted else 1.0

    @property
    def exact(self) -> bool:
        """Whether both give the same items."""
        return self.hits == self.wanted == self.given

    def __add__(self, other: Score) -> Score:
        return Score(
            self.wanted + other.wanted,
            self.given + other.given,
            self.hits + other.hits,
            self.explained + other.explained,
        )


@dataclass(frozen=True)
class Difference:
    """One item on which the two sides differ.

    Attributes:
        what: What kind of item it is.
        side: ``missing`` when only the compiler has it, ``extra`` when only the index has it,
            ``dead`` when the index has it as dead and the compiler as live.
        entry: Entry point, for an entry or a kernel.
        item: The item's name.
        file: Where the two sides part: the file of the call that only one of them has.
        line: Line in that file.
        explanation: What is known of the cause, in one sentence.
        explained: Whether that is a full explanation, which needs no further look.
    """

    what: What
    side: Side
    entry: str
    item: str
    file: str
    line: int
    explanation: str
    explained: bool


@dataclass
class Comparison:
    """The whole comparison.

    Attributes:
        entries: Score of the kernels of each entry point.
        kernels: Score over all entry points.
        instantiations: The same with each instantiation of a kernel counted by itself.
        calls: Score of the calls between functions of the project.
        differences: Every difference, kernels first.
        divergent: Symbols whose definitions differ between units, as the compiler sees them.
        failed: Units that one side could not read, with the reason.
    """

    entries: dict[str, Score] = field(default_factory=dict)
    kernels: Score = field(default_factory=Score)
    instantiations: Score = field(default_factory=Score)
    calls: Score = field(default_factory=Score)
    differences: list[Difference] = field(default_factory=list)
    divergent: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def exact(self) -> int:
        """Entry points whose kernel sets are the same on both sides."""
        return sum(score.exact for score in self.entries.values())

    @property
    def unexplained(self) -> list[Difference]:
        """Differences that need a look."""
        return [each for each in self.differences if not each.explained]

    @property
    def passed(self) -> bool:
        """Every kernel set exact and explained, no wrong word on dead calls, no unit left out."""
        return (
            self.exact == len(self.entries)
            and not self.failed
            and all(each.what == "call" and each.side != "dead" for each in self.unexplained)
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data, with the rates that the scores stand for."""
        return {
            "entries": {name: _rates(score) for name, score in self.entries.items()},
            "exact": self.exact,
            "kernels": _rates(self.kernels),
            "instantiations": _rates(self.instantiations),
            "calls": _rates(self.calls),
            "differences": [asdict(each) for each in self.differences],
            "unexplained": len(self.unexplained),
            "divergent": {symbol: list(places) for symbol, places in self.divergent.items()},
            "failed": self.failed,
            "passed": self.passed,
        }


def _rates(score: Score) -> dict[str, float | int]:
    return {**asdict(score), "recall": score.recall, "precision": score.precision}
