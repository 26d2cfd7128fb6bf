"""What tests of the page look for in a scope, and everything opened."""

from __future__ import annotations

from typing import Any

from render.browser import GraphPage
from render.reachable import instantiation_graph


def names(scope: dict[str, Any], kind: str) -> list[str]:
    return sorted(f["name"] for f in scope["functions"] if f["kind"] == kind)


def a_kernel(scope: dict[str, Any]) -> str:
    """A kernel that some entry point reaches in the first configuration, by a path of three."""
    entry = scope["entry_points"][0]
    live = set(scope["per_entry"][entry][scope["configs"][0]])
    return min(
        f["name"]
        for f in scope["functions"]
        if f["kind"] == "kernel" and any(i["id"] in live for i in f["instantiations"])
    )


def open_all(graph: GraphPage) -> None:
    graph.page.click("[data-depth='99']")
    graph.page.click("#unfold")
    graph.settle()


def callees_of(scope: dict[str, Any], name: str) -> set[str]:
    graph = instantiation_graph(scope, "source", dead=True)
    return {
        graph.nodes[callee]["name"]
        for caller, callee in graph.edges()
        if graph.nodes[caller]["name"] == name
    }


def callers_of(scope: dict[str, Any], name: str) -> set[str]:
    graph = instantiation_graph(scope, "source", dead=True)
    return {
        graph.nodes[caller]["name"]
        for caller, callee in graph.edges()
        if graph.nodes[callee]["name"] == name
    }


def ids_of(scope: dict[str, Any], name: str) -> set[str]:
    return {i["id"] for f in scope["functions"] if f["name"] == name for i in f["instantiations"]}
