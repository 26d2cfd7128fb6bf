"""Sessions whose workers tell what they saw of each call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from extractor.demangle import parameter_types
from extractor.trace.session import Outcome, Request, Session, read_outcome

_FORMS = {
    "bool": "?", "char": "b", "signed char": "b", "unsigned char": "B", "short": "h",
    "unsigned short": "H", "int": "i", "unsigned int": "I", "long": "q", "unsigned long": "Q",
    "long long": "q", "unsigned long long": "Q", "float": "f", "double": "d", "_Float16": "e",
    "__bf16": "t",
}  # fmt: skip
"""By type, its letters as in ``extractor.trace.worker``."""
_PATIENCE = 20.0


@dataclass(frozen=True)
class Seen:
    """What was seen of one call.

    Attributes:
        outcome: As for any call.
        launches: Stream and scalar arguments of each launch, in order; a pointer is ``None``.
        reads: Launches so far and bytes, of each time that the host read back what a kernel may
            have written of which it is not known what.
    """

    outcome: Outcome
    launches: Sequence[tuple[int, Sequence[Any]]] = ()
    reads: Sequence[tuple[int, int]] = ()


@dataclass
class WatchSession(Session):
    """A session on a watched shared object.

    Attributes:
        enumerations: Names of enumeration types.
    """

    program: str = "extractor.trace.watching.worker"
    enumerations: frozenset[str] = field(default=frozenset())

    def instructions(self) -> dict[str, Any]:
        """Beside effects, the form of each kernel's arguments."""
        formats = {name: [self._form(t) for t in parameter_types(name)] for name in self._kernels}
        return {"effects": {}, **super().instructions(), "formats": formats}

    def watch(self, request: Request, more: Mapping[str, Any] | None = None) -> Seen:
        """Makes one call.

        Args:
            request: The call.
            more: What the worker is told besides, such as a ``pattern``.
        """
        line = json.dumps({**json.loads(request.line()), **(more or {})})
        while True:
            channel = self._channel or self._start()
            channel.send([line])
            lines = channel.receive(self.limits.milliseconds / 1000 + _PATIENCE)
            outcome = read_outcome(lines)
            if outcome.returned is None:
                self.close()
            if not self.learn(outcome.wanted):
                break
        told = [line for line in lines if line.startswith("watched ")]
        if not told:
            return Seen(outcome)
        seen = json.loads(told[0].removeprefix("watched "))
        reads = [(count, size) for count, size in seen["reads"]]
        return Seen(outcome, [(stream, row) for stream, row in seen["launches"]], reads)

    def _form(self, type_: str) -> str | None:
        plain = type_.removesuffix(" const").removeprefix("const ").strip()
        if plain in self.enumerations:
            return "i"
        return _FORMS.get(plain) or self.rule.elements.get(plain)
