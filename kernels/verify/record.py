"""What a verification says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from extractor.code_object.resources import KernelResources


@dataclass(frozen=True)
class Failure:
    """One input on which a candidate failed.

    Attributes:
        input: Name of the case.
        expected: What the baseline gave there, in short.
        got: What the candidate gave, in short.
        error: What went wrong, in one sentence.
        reproducer: How to see it again: settings and case.
        findings: What the CPU runtime reported, where there is one.
    """

    input: str
    expected: str
    got: str
    error: str
    reproducer: str
    findings: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The result of ``kernels verify``.

    Attributes:
        task: Name of the task.
        built: Whether the candidate builds.
        correct: Whether it is right on every input; ``None`` where the backend runs nothing.
        backend: What it was run with.
        hardware: What it ran on.
        inputs_passed: How many inputs passed under every setting.
        inputs_skipped: Inputs that were not judged, each with the reason.
        failures: The inputs that failed.
        notes: What there is to say of the baseline.
        diagnostics: The compiler's errors where it does not build.
        cheat: What its text does that no kernel needs to; such a candidate is not correct.
        resources: What its kernels take, where the backend says it.
        fresh_passed: How many inputs passed that the task does not name.
        seed: What those inputs were made from.
        tolerance: How far two right results may lie apart, by element type.
        settings: Orders of threads, sides of buffers and fills of memory it was run under.
        seconds: Wall time.
    """

    task: str
    built: bool
    correct: bool | None
    backend: str
    hardware: str
    inputs_passed: int = 0
    inputs_skipped: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    diagnostics: str = ""
    resources: tuple[KernelResources, ...] = ()
    seconds: float = field(default=0.0)
    cheat: str = ""
    fresh_passed: int = 0
    seed: int = 0
    tolerance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    settings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return asdict(self)
