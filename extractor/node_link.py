"""``callgraph.json``: a scope's graph as nodes and links, as networkx reads it.

Read it with ``networkx.node_link_graph(data, edges="links")``.
"""

from __future__ import annotations

from typing import Any


def node_link(scope: dict[str, Any]) -> dict[str, Any]:
    """A scope in node-link form: a node for each instantiation and boundary, a link a use."""
    nodes: list[dict[str, Any]] = []
    for function in scope["functions"]:
        span = function["span"] or {}
        for instantiation in function["instantiations"]:
            nodes.append(
                {
                    "id": instantiation["id"],
                    "function": function["id"],
                    "name": function["name"],
                    "kind": function["kind"],
                    "template_arguments": instantiation["template_arguments"],
                    "configs": instantiation["configs"],
                    "file": span.get("file"),
                    "line": span.get("start_line"),
                }
            )
    links: list[dict[str, Any]] = []
    for call in scope["calls"]:
        links.append(_link(call, call["callee"], call["kind"]))
    for launch in scope["launches"]:
        link = _link(launch, launch["kernel"], "launch")
        for part in ("grid", "block", "shared_bytes", "stream"):
            link[part] = launch[part]["expanded"]
        links.append(link)
    for boundary in scope["boundaries"]:
        name = f"boundary:{boundary['name']}"
        nodes.append(
            {
                "id": name,
                "function": name,
                "name": boundary["name"],
                "kind": "boundary",
                "template_arguments": [],
                "configs": boundary["configs"],
                "library": boundary["library"],
            }
        )
        links += [
            {"source": caller, "target": name, "kind": "call", "configs": boundary["configs"]}
            for caller in boundary["callers"]
        ]
    for number, link in enumerate(links):
        link["key"] = number
    graph = {
        key: scope[key]
        for key in ("schema", "tool_version", "project", "interface", "configs", "source")
    }
    return {
        "directed": True,
        "multigraph": True,
        "graph": graph,
        "nodes": nodes,
        "links": links,
    }


def _link(use: dict[str, Any], target: str, kind: str) -> dict[str, Any]:
    return {
        "source": use["caller"],
        "target": target,
        "kind": kind,
        "file": use["at"]["file"],
        "line": use["at"]["start_line"],
        "dead": use["dead"],
        "configs": use["configs"],
    }
