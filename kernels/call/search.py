"""Looks for inputs on which an entry point is wrong, and makes them as small as they get."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kernels.call.case import (
    SCHEDULES,
    Case,
    boundary_cases,
    describe,
    random_case,
    smaller_cases,
    work,
)
from kernels.call.execution import Execution, Failure
from kernels.call.record import EntryVerdict, Finding
from kernels.call.roles import Signature
from kernels.call.session import Session
from kernels.isolation.limits import Limits

_MOST_FINDINGS = 4
_SHRINK_SHARE = 0.35
_BOUNDARY_SHARE = 0.8
_RANDOM_AT_ONCE = 20
_CALLS_A_HANDLE = 12
_DIGITS = re.compile(r"\d+")
_NAN, _NUMBERS = "0xff", "0x7b"
"""Bytes of memory that nobody wrote: NaN in every type, or a large number."""


@dataclass
class Judge:
    """What is needed to run one case.

    Attributes:
        library: The built library.
        execution: Calls of the entry point.
        record: Counts.
        limits: Of a call.
        wavefront: Lanes of a wavefront.
        lockstep: Whether they run in lockstep.
        command: Beginning of a reproducer.
    """

    library: Path
    execution: Execution
    record: EntryVerdict
    limits: Limits
    wavefront: int
    lockstep: bool
    command: str

    def hardware(self, kind: str = "", *, ordered: bool = False) -> str:
        """For which hardware a finding of these settings matters.

        Args:
            kind: Of the finding.
            ordered: Whether it shows under some orders of wavefronts only.
        """
        if self.lockstep and kind in ("uninitialised", "unreferenced"):
            return "any hardware: nothing says what such memory holds"
        if self.lockstep and ordered:
            return (
                f"any hardware whose wavefronts drift that far apart; seen with {self.wavefront} "
                "lanes in lockstep, so it is no matter of lanes"
            )
        if not self.lockstep:
            return "none as built: it counts on the lanes of a wavefront running in lockstep"
        # What one build shows says nothing of the other.
        other = 96 - self.wavefront
        cards = "RDNA" if self.wavefront == 32 else "CDNA: gfx90a, gfx942, gfx950"
        return (
            f"wavefronts of {self.wavefront} lanes ({cards}); whether for those of {other} as well,"
            f" --wavefront {other} says"
        )


class Search:
    """One entry point under a time budget: boundary cases first, then random ones.

    Args:
        signature: The entry point.
        flags: Letters and values of its flags.
        judge: How a case is run.
        seed: Of what is random.
        seconds: The budget.
    """

    def __init__(
        self,
        signature: Signature,
        flags: Mapping[str, Mapping[str, int]],
        judge: Judge,
        seed: int,
        seconds: float,
    ) -> None:
        self._signature, self._judge, self._seed = signature, judge, seed
        self._letters = {name: tuple(letters) for name, letters in flags.items()}
        self._begin, self._seconds = time.monotonic(), seconds
        self._session = Session(judge.library, judge.limits)
        self._slowest_rate = 0.0
        self._calls = 0
        self.findings: list[Finding] = []
        self._known: dict[tuple[str, str, str], int] = {}

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def all(self) -> None:
        """Tries boundary cases, then random ones."""
        cases = boundary_cases(self._signature, self._letters, self._seed)
        for number, case in enumerate(cases):
            if self._spent() > _BOUNDARY_SHARE or len(self.findings) >= _MOST_FINDINGS:
                self._judge.record.boundary_left = len(cases) - number
                break
            if self._too_dear(case):
                self._judge.record.boundary_left += 1
                continue
            self.one(case)
        self._random()

    def one(self, case: Case) -> None:
        """Tries one case; a failure is made small and noted."""
        failure = self._run(case)
        if failure is None:
            return
        # A wrong info of an empty matrix must not hide that values of others are wrong, too.
        key = (self._kind(case, failure), *_about(failure))
        if key in self._known:
            known = self.findings[self._known[key]]
            self.findings[self._known[key]] = replace(known, times=known.times + 1)
            return
        self._known[key] = len(self.findings)
        self._note(case, failure)

    def _random(self) -> None:
        """Random cases by hypothesis, until the budget is spent."""
        from hypothesis import HealthCheck, Phase, given, seed, settings, strategies

        round_number = 0
        while self._spent() < 1 and len(self.findings) < _MOST_FINDINGS:
            round_number += 1

            @seed(self._seed * 1000 + round_number)
            @settings(
                max_examples=_RANDOM_AT_ONCE,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(strategies.data())
            def attempt(data: Any) -> None:
                def draw(choices: tuple[Any, ...]) -> Any:
                    return data.draw(strategies.sampled_from(list(choices)))

                # Drawn in any event: hypothesis wants every attempt to draw alike.
                case = random_case(self._signature, self._letters, draw)
                over = self._spent() >= 1 or len(self.findings) >= _MOST_FINDINGS
                if not over and not self._too_dear(case):
                    self.one(case)

            attempt()

    def _run(self, case: Case, *, count: bool = True) -> Failure | None:
        begin = time.monotonic()
        execution = self._judge.execution
        self._calls += 1
        renew = not count or self._calls % _CALLS_A_HANDLE == 1
        outcome = execution.run(self._session, case, renew=renew)
        seconds = time.monotonic() - begin
        if isinstance(outcome, Failure) and count:
            # What calls before it left behind, in the handle or in the process, is no fault of
            # this one: it must fail alone, in a new process.
            self._session.close()
            alone = execution.run(self._session, case, renew=True)
            if not isinstance(alone, Failure):
                self._judge.record.unsteady.append(describe(case))
            outcome = alone
        self._slowest_rate = max(
            0.9 * self._slowest_rate, seconds / max(work(self._signature, case), 2000.0)
        )
        record = self._judge.record
        if isinstance(outcome, str):
            record.unsupported += count
            return None
        record.inputs_passed += count and outcome is None
        record.inputs_failed += count and outcome is not None
        return outcome

    def _too_dear(self, case: Case) -> bool:
        """Whether a case would take more than a share of the budget by what was seen so far."""
        left = max(self._seconds * (1 - self._spent()), 0.0)
        return work(self._signature, case) * self._slowest_rate * 0.5 > max(left / 4, 0.2)

    def _spent(self) -> float:
        return (time.monotonic() - self._begin) / self._seconds

    def _kind(self, case: Case, failure: Failure) -> str:
        if failure.kind != "result":
            return failure.kind
        execution = self._judge.execution
        if execution.run(self._session, case, benign=True) is None:
            return "unreferenced"
        other = {**case, "poison": _NUMBERS if case.get("poison") != _NUMBERS else _NAN}
        return "uninitialised" if execution.run(self._session, other) is None else "result"

    def _note(self, case: Case, failure: Failure) -> None:
        first = case, failure
        tried = SCHEDULES
        case, failure = self._smallest(case, failure)
        showing = self._showing(case)
        if not showing and first[0] != case:
            # The smaller one failed by what calls before it had left behind.
            case, failure = first
            showing = self._showing(case)
        kind = self._kind(case, failure)
        problem = failure.problem
        where = f"[{', '.join(map(str, problem.index))}]" if problem.index else ""
        text = describe(case)
        entry = self._signature.prototype.name
        ordered = len(showing) not in (0, len(tried))
        order = "; it depends on the order in which wavefronts run" if ordered else ""
        if kind == "uninitialised":
            order += "; it is right where memory that nobody wrote holds other bytes"
        self.findings.append(
            Finding(
                entry, kind, text, f"{problem.operand}{where} {problem.expected}".strip(),
                problem.got, problem.sentence + order, problem.ratio, tuple(showing), tried,
                self._judge.hardware(kind, ordered=ordered),
                f"{self._judge.command} --entry {entry} --case '{text}'",
                findings=failure.answer.findings,
            )
        )  # fmt: skip

    def _showing(self, case: Case) -> list[str]:
        """The schedules under which a case fails, each in a process that has made no other call."""
        showing = []
        for schedule in SCHEDULES:
            self._session.close()
            if self._run({**case, "schedule": schedule}, count=False) is not None:
                showing.append(schedule)
        return showing

    def _is_alike(self, again: Failure, failure: Failure) -> bool:
        """Whether a simpler case fails in this way, or in another that is not known yet."""
        others = {known[1:] for known in self._known} - {_about(failure)}
        return again.kind == failure.kind and _about(again) not in others

    def _smallest(self, case: Case, failure: Failure) -> tuple[Case, Failure]:
        """Takes away what is not needed, until nothing more can go or the time for it is over."""
        until = time.monotonic() + max(_SHRINK_SHARE * self._seconds, 5)
        tried = {describe(case)}
        moved = True
        while moved and time.monotonic() < until:
            moved = False
            for simpler in smaller_cases(self._signature, case):
                text = describe(simpler)
                if text in tried or time.monotonic() >= until:
                    continue
                tried.add(text)
                again = self._run(simpler, count=False)
                if again is not None and self._is_alike(again, failure):
                    case, failure, moved = simpler, again, True
                    break
        return case, failure


def _about(failure: Failure) -> tuple[str, str]:
    """What is wrong, without numbers: failures alike in it have one cause as far as we know."""
    return failure.problem.operand, _DIGITS.sub("#", failure.problem.sentence)
