"""``extract PROJECT --check``: the index's answer held against the compiler's own IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from extractor import check as checking
from extractor.check import Answer, CallKey, EntryAnswer, FunctionKey, KernelKey, ReachedKernel
from extractor.check import Call as CheckedCall
from extractor.check import Function as CheckedFunction
from extractor.check.answer import CallKind
from extractor.configuration_graph import ConfigurationGraph
from extractor.errors import UserError
from extractor.graph.linked import INTERNAL, VARIABLE, Node
from extractor.graph.walk import Walker
from extractor.project import Project

RECALL_OF_CALLS, PRECISION_OF_CALLS = 0.998, 0.99
"""What the calls between project functions have to reach; kernel sets have to be exact."""

_KINDS: dict[str, CallKind] = {"c": "call", "l": "launch", "r": "reference"}


def run(
    project: Project, interfaces: Sequence[str] | None, configs: Sequence[str]
) -> dict[str, Any]:
    """Checks interfaces, or the whole library, one configuration after the other."""
    results = {}
    for config in configs:
        wanted = None
        if interfaces is not None:
            wanted = sorted({name for one in interfaces for name in project.resolve(one)})
        graph = project.graph(config, wanted, device=False)
        entries = [
            e for e in (wanted or project.defined([graph])) if graph.host.find(e) is not None
        ]
        if not entries:
            raise UserError(f"nothing to check: no entry point in configuration {config}")
        answer = answer_of(project, graph, entries)
        with project.reporter.work(f"{project.rule.name} {config} IR") as advance:
            done = 0

            def told(path: str, _cached: bool, total: int = len(graph.units)) -> None:
                nonlocal done
                done += 1
                advance(done, total, path)

            comparison = checking.prove(
                answer,
                graph.units,
                project.tree.root,
                project.toolchain,
                entries,
                jobs=project.indexer.jobs,
                engine=project.engine,
                progress=told,
            )
        results[config] = comparison
    return {"project": project.rule.name, "configs": results}


def to_json(answer: dict[str, Any]) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "project": answer["project"],
        "passed": complete(answer),
        "configs": {config: one.to_json() for config, one in answer["configs"].items()},
    }


def show(answer: dict[str, Any]) -> None:
    """Prints scores, then every difference with its explanation."""
    from rich.console import Console

    console = Console()
    for config, comparison in answer["configs"].items():
        console.print(checking.table(comparison, f"{answer['project']} {config}"))


def complete(answer: dict[str, Any]) -> bool:
    """Kernel sets exact and explained; calls above their bounds."""
    return all(
        comparison.passed
        and comparison.calls.recall >= RECALL_OF_CALLS
        and comparison.calls.precision >= PRECISION_OF_CALLS
        for comparison in answer["configs"].values()
    )


def answer_of(project: Project, graph: ConfigurationGraph, entries: Sequence[str]) -> Answer:
    """The index's answer in the neutral form, with no rule of the walk applied."""
    return _Translation(project, graph).answer(entries)


class _Translation:
    """Turns nodes of the linked graph into keys of the check."""

    def __init__(self, project: Project, graph: ConfigurationGraph) -> None:
        self._project, self._graph = project, graph
        self._walker = Walker(graph.host, None)
        self._keys: dict[int, FunctionKey] = {}

    def answer(self, entries: Sequence[str]) -> Answer:
        answer = Answer()
        alive: set[int] = set()
        reached: set[int] = set()
        for entry in entries:
            start = self._graph.host.find(entry)
            if start is None:
                continue
            live = self._walker.reach([start], dead=False)
            every = self._walker.reach([start], dead=True)
            alive.update(live)
            reached.update(every)
            answer.entries[entry] = EntryAnswer(
                kernels=tuple(self._kernels(live, every)),
                functions=frozenset(self._key(i) for i in live if self._counts(i)),
                boundaries=frozenset(
                    name for i in live for name in self._walker.ends(i).boundaries
                ),
            )
        for index in sorted(reached):
            if self._counts(index):
                self._calls(index, index in alive, answer)
        return answer

    def _kernels(self, live: dict[int, None], every: dict[int, None]) -> list[ReachedKernel]:
        nodes = self._graph.host.nodes
        found: dict[tuple[KernelKey, bool], set[str]] = {}
        reasons: dict[KernelKey, str] = {}
        for index in every:
            node = nodes[index]
            if node.kernel:
                key = KernelKey(node.name, node.file)
                found.setdefault((key, index not in live), set()).add(
                    checking.canonical(node.symbol)
                )
            elif index in live:
                for step in self._walker.steps(index):
                    if step.dead and nodes[step.target].kernel:
                        target = nodes[step.target]
                        reasons.setdefault(
                            KernelKey(target.name, target.file),
                            f"{step.site.file}:{step.site.line}: {step.dead}",
                        )
        return [
            ReachedKernel(
                key,
                frozenset(symbols),
                dead,
                reasons.get(key, "only functions that never run launch it") if dead else "",
            )
            for (key, dead), symbols in sorted(found.items())
        ]

    def _calls(self, index: int, alive: bool, answer: Answer) -> None:
        caller = self._key(index)
        node = self._graph.host.nodes[index]
        answer.functions[caller] = CheckedFunction(node.qualified_name, node.file, node.site.line)
        # Direct edges only: the compiler does not look through other libraries' functions either.
        for edge in self._direct(index, set()):
            target = self._graph.host.nodes[edge.callee]
            if not target.project or not target.defined:
                continue
            key = CallKey(caller, self._key(edge.callee))
            dead = edge.dead or ("" if alive else "only functions that never run call it")
            known = answer.calls.get(key)
            if known is None or (known.dead and not dead):
                answer.calls[key] = CheckedCall(
                    _KINDS[edge.kind],
                    edge.site.file,
                    edge.site.line,
                    bool(dead),
                    dead,
                )

    def _direct(self, index: int, seen: set[int]) -> list[Any]:
        edges = []
        for edge in self._graph.host.expand(index):
            if self._graph.host.nodes[edge.callee].flags & VARIABLE:
                if edge.callee not in seen:
                    seen.add(edge.callee)
                    edges += [
                        below._replace(site=edge.site, dead=edge.dead or below.dead)
                        for below in self._direct(edge.callee, seen)
                    ]
            else:
                edges.append(edge)
        return edges

    def _counts(self, index: int) -> bool:
        node = self._graph.host.nodes[index]
        return node.project and node.defined and not node.kernel and not node.flags & VARIABLE

    def _key(self, index: int) -> FunctionKey:
        known = self._keys.get(index)
        if known is None:
            node: Node = self._graph.host.nodes[index]
            known = FunctionKey(
                checking.canonical(node.symbol), node.file if node.flags & INTERNAL else ""
            )
            self._keys[index] = known
        return known
