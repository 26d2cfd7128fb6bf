"""What a verification of whole calls says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One way in which an entry point is wrong, by its smallest input.

    Attributes:
        entry: The C function.
        kind: ``result``, ``memory`` (a buffer was left or a guard written), ``untouched`` (written
            where the definition forbids it), ``unreferenced`` (reads what the definition says is
            not referenced), ``uninitialised`` (right or wrong by what memory held that nobody
            wrote, such as a workspace), ``status``, ``crash``, ``time``.
        input: Parameters of the call, as ``--case`` takes them.
        expected: What the definition gives.
        got: What came.
        error: It in one sentence.
        ratio: Error over the bound; infinite where none applies.
        schedules: Orders of wavefronts under which it shows, of those that were tried.
        tried: All orders that were tried.
        hardware: For which hardware it matters.
        reproducer: Command line that shows it again.
        times: How many inputs showed a finding of this kind.
        findings: Reports of the CPU runtime.
    """

    entry: str
    kind: str
    input: str
    expected: str
    got: str
    error: str
    ratio: float
    schedules: tuple[str, ...]
    tried: tuple[str, ...]
    hardware: str
    reproducer: str
    times: int = 1
    findings: tuple[Mapping[str, Any], ...] = ()


@dataclass
class EntryVerdict:
    """What was found out about one entry point.

    Attributes:
        entry: The C function.
        operation: Its operation's name.
        inputs_passed: Inputs on which it was right.
        inputs_failed: Inputs on which it was not.
        boundary_left: Boundary cases that the budget did not reach.
        skipped: Why it was not judged at all; empty where it was.
        unsupported: Inputs that the library itself refuses as not implemented.
        unsteady: Inputs that failed after other calls in one process, and passed alone.
    """

    entry: str
    operation: str = ""
    inputs_passed: int = 0
    inputs_failed: int = 0
    boundary_left: int = 0
    skipped: str = ""
    unsupported: int = 0
    unsteady: list[str] = field(default_factory=list)


@dataclass
class CallVerdict:
    """The result of ``kernels verify PROJECT --interface NAME``.

    Attributes:
        project: The library.
        version: Its version.
        interface: What was asked for.
        backend: What it ran on.
        hardware: The machine, and the wavefront.
        wavefront: Lanes of a wavefront.
        lockstep: Whether the lanes of a wavefront ran in lockstep.
        seed: Of the random inputs.
        entries: By entry point.
        findings: What is wrong.
        notes: What holds for all of it.
        not_built: Units that did not compile, with the reason.
        seconds: Wall time of the calls, without building.
        build_seconds: Wall time of building.
    """

    project: str
    version: str
    interface: str
    backend: str
    hardware: str
    wavefront: int
    lockstep: bool
    seed: int
    entries: list[EntryVerdict] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_built: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    build_seconds: float = 0.0

    @property
    def correct(self) -> bool:
        """Whether nothing was found and something was judged."""
        return not self.findings and any(e.inputs_passed for e in self.entries)

    def as_json(self) -> dict[str, Any]:
        """Plain data for a JSON file; infinite ratios become null."""
        data = asdict(self)
        for finding in data["findings"]:
            if finding["ratio"] == float("inf"):
                finding["ratio"] = None
        return {**data, "correct": self.correct}
