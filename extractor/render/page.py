"""The interactive page of one interface: one HTML file that needs nothing else."""

from __future__ import annotations

from typing import Any

from extractor.render.assets import CYTOSCAPE, asset
from extractor.render.conditions import conditions_of
from extractor.render.drawing import Drawing
from extractor.render.folding import fold_of, folds, lay_out_drawing
from extractor.render.inline import assemble, join_modules
from extractor.render.precision import precision_rank


def to_html(drawing: Drawing, *, stamp: str = "") -> str:
    """Writes the page.

    Args:
        drawing: What to show.
        stamp: What the page was made from, for whoever wants to know whether it is fresh.

    Raises:
        UserError: Cytoscape.js can not be had.
    """
    source = drawing.scope["source"]
    return assemble(
        "callgraph.html",
        ["colours.css", "base.css", "callgraph.css"],
        {
            "library": asset(CYTOSCAPE),
            "script": join_modules("main", "start(globalThis.cytoscape);"),
        },
        {
            "title": f"{drawing.title}: call graph",
            "heading": drawing.title,
            "version": f"{source['name']} {source['version']}",
            "generator": f"rocQuarry {drawing.scope['tool_version']}",
            "stamp": stamp,
        },
        page_data(drawing),
    )


def page_data(drawing: Drawing) -> dict[str, Any]:
    """What the page's scripts read.

    Links between instantiations are flat runs of five numbers: caller, callee, site, configuration
    mask, dead. Template arguments are numbered, because thousands of instantiations share them.
    """
    scope = drawing.scope
    groups = folds(drawing)
    place = fold_of(groups)
    layout = lay_out_drawing(drawing, groups)
    arguments: dict[str, int] = {}
    bit = {config: 1 << index for index, config in enumerate(drawing.configs)}
    definitions: list[dict[str, Any]] = []
    for index, d in enumerate(drawing.definitions):
        instantiations = [
            [
                arguments.setdefault(", ".join(i.arguments), len(arguments)) if i.arguments else -1,
                sum(bit[config] for config in i.configs),
            ]
            for i in d.instantiations
        ]
        definitions.append(
            {
                "key": d.key,
                "name": d.name,
                "qualified": d.qualified_name,
                "signature": d.signature,
                "kind": d.kind,
                "file": d.file,
                "line": d.start_line,
                "end": d.end_line,
                "text": d.text,
                "note": d.note,
                "infrastructure": d.infrastructure,
                "count": d.count,
                "precision": d.precision,
                "instantiations": instantiations,
                "times": d.times,
                "fold": place[index],
                "layer": layout.layer[index],
                "order": layout.order[index],
            }
        )
    entries = [d for d in drawing.definitions if d.kind == "entry_point"]
    return {
        "meta": {
            "schema": scope["schema"],
            "tool_version": scope["tool_version"],
            "project": scope["project"],
            "interface": scope["interface"],
            "source": dict(scope["source"]),
            "kernels": sum(d.kind == "kernel" for d in drawing.definitions),
        },
        "configs": list(drawing.configs),
        "precisions": sorted({d.precision for d in entries}, key=precision_rank),
        "arguments": list(arguments),
        "definitions": definitions,
        "folds": [{"file": g.file, "kind": g.kind, "members": list(g.members)} for g in groups],
        "sites": _sites(drawing),
        "links": [number for link in drawing.links for number in link],
        "unresolved": [
            {"at": _place(u["at"]), "text": u["text"], "reason": u["reason"]}
            for u in scope["unresolved"]
        ],
        "divergent": [
            {"symbol": item["symbol"], "at": [_place(at) for at in item["at"]]}
            for item in scope["divergent"]
        ],
        "failed": [
            {
                "path": unit["path"],
                "side": unit["side"],
                "config": unit["config"],
                "error": (unit["errors"] or [""])[0],
            }
            for unit in scope["failed_units"]
        ],
    }


def _sites(drawing: Drawing) -> list[dict[str, Any]]:
    conditions: dict[int, tuple[str, ...]] = {}
    by_caller: dict[int, list[int]] = {}
    for number, site in enumerate(drawing.sites):
        by_caller.setdefault(site.caller, []).append(number)
    for caller, numbers in by_caller.items():
        definition = drawing.definitions[caller]
        inside = [
            number
            for number in numbers
            if drawing.sites[number].file == definition.file
            and definition.start_line <= drawing.sites[number].start_line <= definition.end_line
        ]
        wanted = [
            (
                drawing.sites[number].start_line - definition.start_line,
                drawing.definitions[drawing.sites[number].callee].name,
            )
            for number in inside
        ]
        if inside and definition.text:
            conditions.update(zip(inside, conditions_of(definition.text, wanted), strict=True))
    return [
        {
            "caller": site.caller,
            "callee": site.callee,
            "kind": site.kind,
            "file": site.file,
            "line": site.start_line,
            "end": site.end_line,
            "dead": site.dead,
            "reason": site.reason,
            "macro": site.macro,
            "launch": [list(triple) for triple in site.launch],
            "conditions": list(conditions.get(number, ())),
        }
        for number, site in enumerate(drawing.sites)
    ]


def _place(at: dict[str, Any]) -> dict[str, Any]:
    return {"file": at["file"], "line": at["start_line"], "end": at["end_line"]}
