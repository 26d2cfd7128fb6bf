"""The walk from entry points: depth-first, under a rule file's lists, every end accounted for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from extractor.graph.linked import VARIABLE, LinkedGraph, Node, Site, site_of
from extractor.rules import Rule


class Step(NamedTuple):
    """One use of a function of the library by another, outside functions in between left out.

    Attributes:
        target: Index of the node.
        kind: ``c`` call, ``r`` reference, ``l`` launch.
        site: Where, in the caller.
        dead: Why it can never run; empty when it can.
        nth: Which launch it is at that site; -1 for others.
    """

    target: int
    kind: str
    site: Site
    dead: str
    nth: int


@dataclass
class Ends:
    """Where walks ended.

    Attributes:
        boundaries: Library and callers by name of the function.
        excluded: For each line of the rule file the nodes it left out.
        unresolved: Reason by site and callee.
        pointers: Callers by the site of a call through a pointer.
    """

    boundaries: dict[str, tuple[str, set[int]]] = field(default_factory=dict)
    excluded: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    unresolved: dict[tuple[Site, str], str] = field(default_factory=dict)
    pointers: dict[Site, str] = field(default_factory=dict)


class Walker:
    """Walks one linked graph. Steps and decisions are made once for each node.

    Args:
        graph: The linked graph.
        rule: Allow and disallow lists and boundaries; ``None`` follows everything.
        stop_at_kernels: A kernel has no steps of its own here (host side).
    """

    def __init__(
        self, graph: LinkedGraph, rule: Rule | None, *, stop_at_kernels: bool = True
    ) -> None:
        self.graph = graph
        self._rule = rule
        self._stop = stop_at_kernels
        self._steps: dict[int, list[Step]] = {}
        self._ends: dict[int, Ends] = {}
        self._alive: dict[int, list[int]] = {}
        self._every: dict[int, list[int]] = {}
        self._verdicts: dict[int, tuple[str, str, str]] = {}
        self._decisions: dict[tuple[str, str, bool], tuple[str, str, str]] = {}

    def steps(self, index: int) -> list[Step]:
        """Where a function leads, within the library."""
        known = self._steps.get(index)
        if known is not None:
            return known
        node = self.graph.nodes[index]
        steps: dict[Step, None] = {}
        if not (self._stop and node.kernel):
            ends = Ends()
            pending = [
                Step(edge.callee, edge.kind, edge.site, edge.dead, edge.nth)
                for edge in reversed(self.graph.expand(index))
            ]
            seen = {index}
            while pending:
                self._follow(pending.pop(), index, steps, ends, pending, seen)
            if node.project:
                self._indirect(node, ends)
            self._ends[index] = ends
        self._steps[index] = result = list(steps)
        return result

    def ends(self, index: int) -> Ends:
        """Where the walk ends right below a function."""
        self.steps(index)
        return self._ends.get(index, Ends())

    def reach(self, starts: Iterable[int], *, dead: bool) -> dict[int, None]:
        """Nodes reached depth-first, in order; ``dead`` follows steps that never run as well."""
        seen: dict[int, None] = {}
        stack = list(reversed(list(starts)))
        targets = self._every if dead else self._alive
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen[index] = None
            onward = targets.get(index)
            if onward is None:
                steps = self.steps(index)
                # Backwards, so that the first step is the first to leave the stack.
                onward = targets[index] = list(
                    dict.fromkeys(s.target for s in reversed(steps) if dead or not s.dead)
                )
            stack.extend(onward)
        return seen

    def _follow(
        self,
        step: Step,
        caller: int,
        steps: dict[Step, None],
        ends: Ends,
        pending: list[Step],
        seen: set[int],
    ) -> None:
        target = self.graph.nodes[step.target]
        if target.flags & VARIABLE or not (target.project or target.kernel):
            if target.defined:
                self._through(step, pending, seen)
            else:
                self._end(step, target, caller, ends)
            return
        known = self._verdicts.get(step.target)
        if known is None:
            known = self._verdicts[step.target] = self._decide(target)
        verdict, text, reason = known
        if _of_the_compiler(target):
            self._end(step, target, caller, ends)
        elif verdict == "boundary":
            ends.boundaries.setdefault(target.qualified_name, (text, set()))[1].add(caller)
        elif verdict == "excluded":
            ends.excluded.setdefault((text, reason), set()).add(step.target)
        elif not target.defined:
            self._end(step, target, caller, ends)
        else:
            steps[step] = None

    def _through(self, step: Step, pending: list[Step], seen: set[int]) -> None:
        # A variable's initialiser, or a function of another library that comes back into this one.
        if step.target in seen:
            return
        seen.add(step.target)
        for edge in reversed(self.graph.expand(step.target)):
            kind = "l" if edge.kind == "l" else step.kind
            pending.append(Step(edge.callee, kind, step.site, step.dead or edge.dead, step.nth))

    def _end(self, step: Step, target: Node, caller: int, ends: Ends) -> None:
        verdict, text, _ = self._decide(target)
        if _of_the_compiler(target):
            ends.boundaries.setdefault(target.symbol, ("compiler", set()))[1].add(caller)
        elif verdict == "boundary":
            ends.boundaries.setdefault(target.qualified_name, (text, set()))[1].add(caller)
        elif target.project and not step.dead and step.kind != "r":
            ends.unresolved[step.site, target.qualified_name] = (
                f"{target.qualified_name} is declared in {target.file} and no unit defines it"
            )
        elif not target.project:
            library = _library_of(target.file)
            ends.boundaries.setdefault(target.qualified_name, (library, set()))[1].add(caller)

    def _indirect(self, node: Node, ends: Ends) -> None:
        # What a pointer may hold is a function whose address was taken, and those uses are steps of
        # their own: the call adds no kernel that the walk misses, but its one target is not known.
        record = node.record
        for *numbers, dead in record.get("x", ()):
            if not dead:
                ends.pointers[site_of(record, numbers)] = node.qualified_name

    def _decide(self, node: Node) -> tuple[str, str, str]:
        if self._rule is None:
            return ("follow", "", "")
        key = (node.qualified_name, node.file)
        memo = (*key, node.project and node.defined)
        known = self._decisions.get(memo)
        if known is None:
            # What a unit of the tree defines is the library's own, whatever its name looks like.
            own = node.project and node.defined
            boundary = None if own else self._rule.boundary_of(*key)
            excluded = None if boundary else self._rule.excluded_by(*key)
            if boundary:
                known = ("boundary", boundary.library, boundary.reason)
            elif excluded:
                known = ("excluded", excluded.name or excluded.file or "", excluded.reason)
            else:
                known = ("follow", "", "")
            self._decisions[memo] = known
        return known


def _of_the_compiler(node: Node) -> bool:
    """A builtin, declared where it is first used, or an intrinsic under its assembler name."""
    return not node.defined and node.symbol.startswith(("llvm.", "__builtin_"))


def _library_of(file: str) -> str:
    """What a header belongs to, by its first folder below an include folder."""
    parts = file.split("/")
    if "include" in parts:
        below = parts[parts.index("include") + 1 :]
        if len(below) > 1 and not below[0].startswith(("c++", "x86_64", "aarch64", "bits", "sys")):
            return below[0]
    return "system"
