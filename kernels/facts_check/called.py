"""What kernels access when a library's own entry points are called.

Alone and with made-up arguments a kernel does not come to all that stands in it: what it reads
there decides. Here the library, built for the CPU runtime, is called with inputs as its definition
allows them, and some accesses of every launch are kept.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.spread import spread
from kernels.call.case import boundary_cases, work
from kernels.call.entry import callable_entry
from kernels.call.session import Session
from kernels.facts_check.observation import Observation, keep
from kernels.isolation.limits import Limits

LINES = ("-gline-tables-only",)
"""What a library has to be built with beside its own flags."""

_SEED = 1
_CALL_SECONDS = 30


@dataclass(frozen=True)
class Calls:
    """Calls of one entry point.

    Attributes:
        rules: Rule file of the library.
        source: Its other revision, if one was asked for.
        entry: The entry point.
        library: Built for the CPU runtime with ``LINES``.
        recorder: The recorder of accesses.
        folder: Where observations are kept.
        seconds: After so many no call begins.
    """

    rules: str
    source: str | None
    entry: str
    library: Path
    recorder: Path
    folder: Path
    seconds: float


def called(work_: Sequence[Calls], jobs: int) -> Iterator[Observation]:
    """Calls entry points, several at once; what was observed before is read from its file."""
    for _, found in spread(call, work_, jobs=jobs):
        yield found


def call(request: Calls) -> Observation:
    """Calls one entry point with inputs at the borders of what it takes, cheap and dear ones."""
    digest = hashlib.sha256(request.library.read_bytes() + str(request.seconds).encode())
    path = request.folder / f"call-{request.entry}-{digest.hexdigest()[:10]}.json.gz"
    if path.exists():
        return Observation.load(path)
    seen = Observation(request.entry, "")
    found = callable_entry(request.rules, request.source, request.entry)
    if isinstance(found, str):
        seen.reason = f"it cannot be called: {found}"
        return seen
    letters = {name: tuple(values) for name, values in found.flags.items()}
    cases = boundary_cases(found.signature, letters, _SEED)
    cases = sorted(cases, key=lambda case: work(found.signature, case))[: len(cases) * 3 // 4]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rocquarry-called-") as name:
        folder = Path(name)
        limits = Limits(wall_seconds=_CALL_SECONDS, cpu_seconds=100_000)
        with Session(request.library, limits, request.recorder, folder) as session:
            # The dearest first: with them a kernel does most of what it can.
            for case in _from_both_ends(cases):
                if time.monotonic() - begin > request.seconds:
                    break
                # Lanes that come in order make of neighbouring accesses one turn.
                outcome = found.execution.run(session, {**case, "schedule": "together"})
                ending = "well" if outcome is None else getattr(outcome, "kind", str(outcome))
                seen.endings[ending] = seen.endings.get(ending, 0) + 1
        for recording in sorted(folder.glob("accesses-*[0-9]")):
            if "module" not in recording.name:
                keep(seen, recording)
    seen.launches = [one for one in seen.launches if one.accesses]
    if not seen.launches:
        seen.reason = "no access was recorded"
    seen.save(path)
    return seen


def _from_both_ends(cases: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    left, right = 0, len(cases) - 1
    while left <= right:
        yield cases[right]
        if left < right:
            yield cases[left]
        left, right = left + 1, right - 1
