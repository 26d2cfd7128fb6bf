"""Sessions whose workers count what each call executes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from extractor.trace.session import Outcome, Request, Session, read_outcome

_PATIENCE = 20.0


@dataclass
class CountedSession(Session):
    """A session on a shared object that counts."""

    program: str = "extractor.trace.branches.worker"

    def count(self, request: Request) -> tuple[Outcome, Mapping[int, int]]:
        """Makes one call; how it ended, and by number the counters that are not zero."""
        while True:
            channel = self._channel or self._start()
            channel.send([request.line()])
            lines = channel.receive(self.limits.milliseconds / 1000 + _PATIENCE)
            outcome = read_outcome(lines)
            if outcome.returned is None:
                self.close()
            if not self.learn(outcome.wanted):
                break
        told = [line for line in lines if line.startswith("counted ")]
        return outcome, dict(json.loads(told[0].removeprefix("counted "))) if told else {}
