"""Each exchange format, read back by a program that is not ours."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import networkx
import pytest
from playwright.sync_api import Browser

from extractor.errors import UnknownName, UserError
from extractor.render import FORMATS, render
from extractor.render.assets import Asset, asset
from extractor.render.drawing import draw
from extractor.render.mermaid import to_mermaid
from render.browser import GraphPage
from render.synthetic import HOSTILE, synthetic_scope

MERMAID = Asset(
    "mermaid",
    {"12.3.0": "336df803d87a38b70a01e736e666c8f7601d2ce42f5e47c8fafe5d721074b9a3"},
    "dist/mermaid.min.js",
)


@pytest.fixture(scope="module")
def written(hostile_scope: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    render(hostile_scope, FORMATS, folder)
    return folder


def edge_names(scope: dict[str, Any]) -> set[tuple[str, str, str]]:
    owner = {i["id"]: f["id"] for f in scope["functions"] for i in f["instantiations"]}
    calls = {(owner[c["caller"]], owner[c["callee"]], c["kind"]) for c in scope["calls"]}
    return calls | {(owner[x["caller"]], owner[x["kernel"]], "launch") for x in scope["launches"]}


def test_graphml_is_read_back_by_networkx(written: Path, hostile_scope: dict[str, Any]) -> None:
    graph = networkx.read_graphml(written / "callgraph.graphml", force_multigraph=True)
    for function in hostile_scope["functions"]:
        node = graph.nodes[function["id"]]
        assert node["name"] == function["name"]
        assert node["kind"] == function["kind"]
        assert node["instantiations"] == len(function["instantiations"])
    assert {(a, b, d["kind"]) for a, b, d in graph.edges(data=True)} == edge_names(hostile_scope)


def test_graphml_holds_characters_that_xml_does_not(tmp_path: Path) -> None:
    scope = synthetic_scope(20)
    scope["functions"][0]["name"] = "bell\x07 and \x00"
    [path] = render(scope, ["graphml"], tmp_path)
    assert "bell\ufffd and \ufffd" in {
        data["name"] for _, data in networkx.read_graphml(path).nodes(data=True)
    }


def test_json_is_read_back_by_networkx(written: Path, hostile_scope: dict[str, Any]) -> None:
    data = json.loads((written / "callgraph.json").read_text())
    graph = networkx.node_link_graph(data, edges="links")
    known = {i["id"] for f in hostile_scope["functions"] for i in f["instantiations"]}
    assert known <= set(graph)
    uses = len(hostile_scope["calls"]) + len(hostile_scope["launches"])
    assert sum(not str(b).startswith("boundary:") for _, b in graph.edges()) == uses


def test_dot_is_read_by_graphviz(written: Path, hostile_scope: dict[str, Any]) -> None:
    done = subprocess.run(
        ["dot", "-Tjson0", written / "callgraph.dot"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    data = json.loads(done.stdout)
    nodes = [item for item in data["objects"] if "nodes" not in item or "shape" in item]
    labels = {
        re.split(r"(?<!\\)\\n", item["label"])[0].replace("\\\\", "\\")
        for item in nodes
        if "shape" in item
    }
    assert set(HOSTILE) <= labels
    rules = len(hostile_scope["excluded"])
    assert sum("shape" in item for item in nodes) == len(hostile_scope["functions"]) + rules
    assert len(data["edges"]) == len(edge_names(hostile_scope))


def test_dot_is_drawn_by_graphviz(written: Path, tmp_path: Path) -> None:
    picture = tmp_path / "drawn.svg"
    done = subprocess.run(
        ["dot", "-Tsvg", "-o", picture, written / "callgraph.dot"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "&lt;/script&gt;" in picture.read_text()


def test_svg_is_well_formed_and_shows_every_function(
    written: Path, hostile_scope: dict[str, Any], browser: Browser
) -> None:
    path = written / "callgraph.svg"
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    titles = {e.text for e in root.iter(f"{space}title")}
    assert {f["qualified_name"] for f in hostile_scope["functions"]} <= titles
    assert len(list(root.iter(f"{space}path"))) == len(edge_names(hostile_scope)) + 2
    assert not list(root.iter(f"{space}script"))
    page = browser.new_page(viewport={"width": 1600, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    assert page.locator("rect.node").count() >= len(hostile_scope["functions"])
    GraphPage(page).keep("still-picture")
    page.close()
    assert errors == []


@pytest.fixture(scope="module")
def mermaid(browser: Browser) -> Any:
    page = browser.new_page()
    page.goto("about:blank")
    page.add_script_tag(content=asset(MERMAID))
    yield page
    page.close()


def _parse(page: Any, text: str) -> str:
    return str(
        page.evaluate(
            "(text) => mermaid.parse(text).then((r) => r.diagramType, (e) => 'refused: ' + e)", text
        )
    )


def test_mermaid_is_read_by_its_own_parser(written: Path, mermaid: Any) -> None:
    assert _parse(mermaid, (written / "callgraph.mmd").read_text()).startswith("flowchart")


def test_mermaid_shows_the_names_as_they_are(
    written: Path, mermaid: Any, hostile_scope: dict[str, Any]
) -> None:
    picture = mermaid.evaluate(
        "(text) => { mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });"
        " return mermaid.render('picture', text).then((r) => {"
        " const host = document.createElement('div');"
        " host.innerHTML = r.svg; document.body.append(host);"
        " return [...host.querySelectorAll('.node')].map((n) => n.textContent.trim()); }); }",
        (written / "callgraph.mmd").read_text(),
    )
    shown = {text.partition(" ×")[0] for text in picture}
    assert set(HOSTILE) <= shown
    assert len(picture) == len(hostile_scope["functions"]) + len(hostile_scope["excluded"])


@pytest.mark.parametrize("size", [700, 3000])
def test_mermaid_folds_what_it_cannot_draw_and_says_so(mermaid: Any, size: int) -> None:
    text = to_mermaid(draw(synthetic_scope(size, size * 2)))
    assert "folded by" in text
    assert f"{size + 2:,} functions" in text
    assert _parse(mermaid, text).startswith("flowchart")


def test_all_formats_hold_the_same_graph(written: Path, graph: GraphPage) -> None:
    nodes = networkx.read_graphml(written / "callgraph.graphml")
    graph.open(written / "callgraph.html")
    data = graph.page.evaluate("() => JSON.parse(document.getElementById('data').textContent)")
    assert sorted(d["name"] for d in data["definitions"]) == sorted(
        values["name"] for _, values in nodes.nodes(data=True)
    )
    pairs = {(s["caller"], s["callee"], s["kind"]) for s in data["sites"]}
    assert len(pairs) == nodes.number_of_edges() if nodes.is_multigraph() else len(pairs)


@pytest.mark.parametrize("name", FORMATS)
def test_same_scope_same_bytes(name: str, hostile_scope: dict[str, Any], tmp_path: Path) -> None:
    [first] = render(hostile_scope, [name], tmp_path / "first")
    # callgraph.json keeps the scope's own order, which is fixed; the others do not depend on it.
    keys = () if name == "json" else ("functions", "calls", "launches")
    backwards = hostile_scope | {key: list(reversed(hostile_scope[key])) for key in keys}
    [second] = render(backwards, [name], tmp_path / "second")
    assert first.read_bytes() == second.read_bytes()


def test_unknown_format_names_the_nearest(scope: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown format 'grapml'; nearest: graphml"):
        render(scope, ["grapml"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_line(scope: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(UserError, match=r"^cannot write .*callgraph\.dot: .*--out$"):
        render(scope, ["dot"], tmp_path / "taken" / "below")


def test_nothing_half_written_stays(scope: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "callgraph.dot").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        render(scope, ["dot"], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["callgraph.dot"]
