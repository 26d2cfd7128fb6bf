"""Why one side reaches a kernel and the other does not: the first call on which they part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from extractor.check.answer import Answer, Call, CallKey, FunctionKey
from extractor.check.names import qualified_name


@dataclass(frozen=True)
class Cause:
    """Where the two sides part, and what is known of it. Fields as in ``Difference``."""

    file: str
    line: int
    explanation: str
    explained: bool


class CallGraph:
    """The calls of one answer, both ways round."""

    def __init__(self, calls: Iterable[CallKey]) -> None:
        self.callees: dict[FunctionKey, set[FunctionKey]] = defaultdict(set)
        self.callers: dict[FunctionKey, set[FunctionKey]] = defaultdict(set)
        for caller, callee in calls:
            self.callees[caller].add(callee)
            self.callers[callee].add(caller)

    @staticmethod
    def reach(
        edges: dict[FunctionKey, set[FunctionKey]], starts: Iterable[FunctionKey]
    ) -> set[FunctionKey]:
        """Everything that the starts lead to over the edges, themselves among it."""
        stack = list(starts)
        seen = set(stack)
        while stack:
            for following in edges.get(stack.pop(), ()):
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
        return seen


class Causes:
    """Finds where two answers part.

    Args:
        having: The side that has the items to explain.
        lacking: The side that lacks them.
        name: What to call the side that has them.
    """

    def __init__(self, having: Answer, lacking: Answer, name: str) -> None:
        self._having, self._lacking, self._name = having, lacking, name
        self._entries = having.entries.keys()
        self._live = {key for key, call in having.calls.items() if not call.dead}
        self._other = {key for key, call in lacking.calls.items() if not call.dead}
        self._graph = CallGraph(self._live)
        self._shared = CallGraph(self._live & self._other)
        self._divergent = {
            each.symbol: each.places for each in (*having.divergent, *lacking.divergent)
        }

    def of_kernel(self, entry: str, instantiations: frozenset[str]) -> Cause:
        """Why ``lacking`` does not reach a kernel from an entry point."""
        kernels = [key for key in self._graph.callers if key.symbol in instantiations]
        towards = CallGraph.reach(self._graph.callers, kernels)
        agreed = CallGraph.reach(self._shared.callees, [FunctionKey(entry)])
        parting = [
            (self._having.calls[key], key)
            for caller in agreed & towards
            for key in (CallKey(caller, callee) for callee in self._graph.callees[caller])
            if key.callee in towards and key not in self._other
        ]
        if not parting:
            return Cause(
                "", 0, "no way there through calls between the project's own functions", False
            )
        call, key = min(parting, key=lambda each: (each[0].file, each[0].line, each[1]))
        return self.of_call(key, call)

    def of_call(self, key: CallKey, call: Call) -> Cause:
        """Why ``lacking`` does not have a call."""
        other = self._lacking.calls.get(key)
        caller, callee = (qualified_name(function.symbol) for function in key)
        if other is not None and other.dead:
            return Cause(other.file or call.file, other.line or call.line, other.reason, True)
        places = self._divergent.get(key.caller.symbol)
        if places is not None:
            text = f"{caller} has several bodies, of which the linker keeps the first: "
            return Cause(call.file, call.line, text + "; ".join(places), True)
        for function in key:
            known = self._having.functions.get(function)
            if known is not None and known.artificial:
                text = f"{qualified_name(function.symbol)} is the compiler's; no text spells it"
                return Cause(call.file, call.line, text, True)
        if key.callee in self._lacking.initialisers:
            text = f"{callee} initialises a variable that {caller} uses; it runs before any entry"
            return Cause(call.file, call.line, text, True)
        if key.caller not in self._lacking.functions:
            if not self._graph.callers.get(key.caller) and key.caller.symbol not in self._entries:
                text = (
                    f"only another library's code calls {caller}, and the walk does not enter that"
                )
                return Cause(call.file, call.line, text, self._name == "compiler")
            return Cause(call.file, call.line, f"only the {self._name} has {caller}", False)
        return Cause(call.file, call.line, f"only the {self._name} has {caller} -> {callee}", False)
