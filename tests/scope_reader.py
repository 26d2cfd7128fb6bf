"""Reads a scope the way a test wants to ask: by plain names instead of ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Launch:
    """A launch, its parts as ``written -> expanded`` or once where both are the same."""

    caller: str
    kernel: str
    grid: str
    block: str
    shared_bytes: str
    stream: str
    dead: str


class ScopeReader:
    """Answers about one scope.

    Instantiations are called ``name<arguments>``; where several files of the scope define the name,
    with ``@file`` behind it.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.names: dict[str, str] = {}
        files: dict[str, set[str]] = {}
        for function in scope["functions"]:
            files.setdefault(function["name"], set()).add(function["span"]["file"])
        for function in scope["functions"]:
            several = len(files[function["name"]]) > 1
            for instantiation in function["instantiations"]:
                arguments = ",".join(instantiation["template_arguments"])
                name = function["name"] + (f"<{arguments}>" if arguments else "")
                if several:
                    name += f"@{function['span']['file'].rpartition('/')[2]}"
                self.names[instantiation["id"]] = name

    def kernels(self, entry: str, config: str = "source") -> set[str]:
        """Kernels that an entry point can launch."""
        ids = self.scope["per_entry"][entry][config]
        assert len({self.names[one] for one in ids}) == len(ids)
        return {self.names[one] for one in ids}

    def function(self, name: str) -> dict[str, Any]:
        """The record of the one function of that plain or qualified name."""
        (found,) = [f for f in self.scope["functions"] if name in (f["name"], f["qualified_name"])]
        return dict(found)

    def kinds(self) -> dict[str, str]:
        """Kind of each function by its name."""
        return {f["name"]: f["kind"] for f in self.scope["functions"]}

    def calls(self, caller: str, *, dead: bool = False, kind: str = "call") -> set[str]:
        """What a function calls."""
        return {
            self.names[call["callee"]]
            for call in self.scope["calls"]
            if self.names[call["caller"]] == caller
            and call["dead"] is dead
            and call["kind"] == kind
        }

    def references(self, caller: str) -> set[str]:
        """Whose addresses a function takes."""
        return self.calls(caller, kind="reference")

    def dead(self) -> dict[str, str]:
        """What never runs: ``caller -> callee`` and the reason."""
        uses = [(call, call["callee"]) for call in self.scope["calls"]]
        uses += [(launch, launch["kernel"]) for launch in self.scope["launches"]]
        return {
            f"{self.names[use['caller']]} -> {self.names[target]}": use["dead_reason"]
            for use, target in uses
            if use["dead"]
        }

    def launches(self, kernel: str | None = None) -> list[Launch]:
        """Launches in the order of the source, of one kernel or of all."""
        found = sorted(
            self.scope["launches"],
            key=lambda one: (one["at"]["file"], one["at"]["start_line"]),
        )
        launches = [
            Launch(
                self.names[one["caller"]],
                self.names[one["kernel"]],
                *(_both(one[part]) for part in ("grid", "block", "shared_bytes", "stream")),
                dead=one["dead_reason"] or "",
            )
            for one in found
        ]
        return [one for one in launches if kernel in (None, one.kernel)]

    def configuration(self, kernel: str) -> tuple[str, str, str, str]:
        """Grid, block, dynamic LDS and stream of a kernel's only launch."""
        (launch,) = self.launches(kernel)
        return (launch.grid, launch.block, launch.shared_bytes, launch.stream)

    def boundaries(self) -> dict[str, tuple[str, set[str]]]:
        """Library and callers of each boundary."""
        return {
            one["name"]: (one["library"], {self.names[caller] for caller in one["callers"]})
            for one in self.scope["boundaries"]
        }

    def excluded(self) -> dict[str, int]:
        """How much each line of the rule file left out."""
        return {one["rule"]: one["count"] for one in self.scope["excluded"]}


def _both(expression: dict[str, str]) -> str:
    written, expanded = expression["written"], expression["expanded"]
    return written if written == expanded else f"{written} -> {expanded}"
