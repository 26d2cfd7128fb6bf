"""The right answers, worked out from the scope alone and by other means than the product's."""

from __future__ import annotations

from typing import Any

import networkx


def instantiation_graph(
    scope: dict[str, Any], config: str, *, dead: bool = False
) -> networkx.MultiDiGraph[str]:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for function in scope["functions"]:
        for instantiation in function["instantiations"]:
            graph.add_node(instantiation["id"], name=function["name"], kind=function["kind"])
    for edge in [*scope["calls"], *scope["launches"]]:
        if config in edge["configs"] and (dead or not edge["dead"]):
            graph.add_edge(edge["caller"], edge.get("callee") or edge["kernel"], at=edge["at"])
    return graph


def instantiations(scope: dict[str, Any], name: str) -> list[str]:
    return [i["id"] for f in scope["functions"] if f["name"] == name for i in f["instantiations"]]


def on_paths(scope: dict[str, Any], config: str, sources: list[str], target: str) -> set[str]:
    """Names of all functions on any live path from one of the sources to the target."""
    graph = instantiation_graph(scope, config)
    starts = [i for name in sources for i in instantiations(scope, name)]
    goals = instantiations(scope, target)
    ahead = set(starts).union(*(networkx.descendants(graph, i) for i in starts))
    behind = set(goals).union(
        *(networkx.ancestors(graph.subgraph(ahead), i) for i in goals if i in ahead)
    )
    return {graph.nodes[i]["name"] for i in ahead & behind}


def reached(scope: dict[str, Any], config: str, name: str, *, dead: bool = False) -> set[str]:
    """Names of everything that a function reaches, itself included."""
    graph = instantiation_graph(scope, config, dead=dead)
    starts = instantiations(scope, name)
    seen = set(starts).union(*(networkx.descendants(graph, i) for i in starts))
    return {graph.nodes[i]["name"] for i in seen}


def reaching(scope: dict[str, Any], config: str, name: str, *, dead: bool = False) -> set[str]:
    """Names of everything that reaches a function, itself included."""
    graph = instantiation_graph(scope, config, dead=dead)
    ends = instantiations(scope, name)
    seen = set(ends).union(*(networkx.ancestors(graph, i) for i in ends))
    return {graph.nodes[i]["name"] for i in seen}
