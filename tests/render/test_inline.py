from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

import extractor.render.inline as inline
from extractor.render.inline import as_json, assemble, join_modules
from render.synthetic import HOSTILE

PAGE = Path(inline.__file__).parent / "page"


@pytest.mark.parametrize("name", HOSTILE)
def test_json_cannot_leave_its_element(name: str) -> None:
    text = as_json({"name": name, "line": "\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["name"] == name


def test_a_lone_surrogate_does_not_stop_the_page() -> None:
    json.loads(as_json({"name": "\ud800"}))


def test_texts_are_escaped_and_placeholders_in_data_stay_data() -> None:
    page = assemble(
        "overview.html",
        ["base.css"],
        {"script": "start();"},
        {"title": "<b>", "heading": "{{script}}", "version": '"', "generator": "x"},
        {"name": "{{data}}"},
    )
    assert "<title>&lt;b&gt;</title>" in page
    assert "<h1>{{script}} " in page
    assert '{"name":"{{data}}"}' in page


def test_a_script_that_would_end_its_element_is_refused() -> None:
    with pytest.raises(ValueError, match="end of its own element"):
        assemble("overview.html", [], {"script": "'</ScRiPt>'"}, {}, {})


def test_modules_keep_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "low.js").write_text(
        "const A = 1;\nexport const B = A + 1;\nexport function f() { return A; }\n"
    )
    (tmp_path / "high.js").write_text(
        'import { B, f } from "./low.js";\n\n'
        "const A = 40;\nexport function go() { console.log(A + B + f() - 1); }\n"
    )
    script = join_modules("high", "go();", tmp_path)
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == "42\n"


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_modules_are_modules_and_write_no_markup(path: Path) -> None:
    text = path.read_text()
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ):
        assert word not in text, word
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    done = subprocess.run(
        ["node", "--input-type=module", "--check"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(text.splitlines()) < 560
