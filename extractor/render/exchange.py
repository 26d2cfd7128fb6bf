"""Formats that other programs read: GraphML of definitions, node-link JSON of instantiations."""

from __future__ import annotations

import re
from typing import Any

import networkx

from extractor import output
from extractor.node_link import node_link
from extractor.render.drawing import Drawing

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(drawing: Drawing) -> networkx.MultiDiGraph[Any]:
    """Builds the graph of definitions.

    Nodes are the scope's identifiers; attributes are plain strings, integers and booleans, so that
    every exchange format can hold them. An edge's key is its kind.
    """
    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph(
        project=str(drawing.scope["project"]),
        interface=str(drawing.scope["interface"]),
        source=str(drawing.scope["source"]["name"]),
        version=str(drawing.scope["source"]["version"]),
        license=str(drawing.scope["source"]["license"]),
        tool_version=str(drawing.scope["tool_version"]),
    )
    for definition in drawing.definitions:
        graph.add_node(
            definition.id,
            name=definition.name,
            qualified_name=definition.qualified_name,
            kind=definition.kind,
            file=definition.file,
            start_line=definition.start_line,
            end_line=definition.end_line,
            instantiations=definition.times,
            note=definition.note,
        )
    for edge in drawing.edges:
        first = drawing.sites[edge.sites[0]]
        graph.add_edge(
            drawing.definitions[edge.caller].id,
            drawing.definitions[edge.callee].id,
            key=edge.kind,
            kind=edge.kind,
            count=edge.count,
            dead=edge.dead,
            configs=",".join(edge.configs),
            file=first.file,
            line=first.start_line,
            sites=len(edge.sites),
            **{field: value for field, value, _ in first.launch},
        )
    return graph


def to_json(drawing: Drawing) -> str:
    """Writes the graph of instantiations in networkx's node-link format, as ``extract`` does."""
    return output.to_json(node_link(dict(drawing.scope))).decode()


def to_graphml(drawing: Drawing) -> str:
    """Writes GraphML; characters that XML cannot hold become U+FFFD."""
    graph = to_networkx(drawing)
    safe: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph(**_clean(graph.graph))
    for node, values in graph.nodes(data=True):
        safe.add_node(_clean_text(node), **_clean(values))
    for caller, callee, key, values in graph.edges(keys=True, data=True):
        safe.add_edge(_clean_text(caller), _clean_text(callee), key=key, **_clean(values))
    return "\n".join(networkx.generate_graphml(safe)) + "\n"


def _clean(values: dict[str, Any]) -> dict[str, Any]:
    return {k: _clean_text(v) if isinstance(v, str) else v for k, v in values.items()}


def _clean_text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
