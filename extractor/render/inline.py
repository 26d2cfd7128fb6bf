"""Puts a page together: modules into one script, styles into one sheet, all under a strict policy.

The scripts under ``page/`` are ordinary modules with ``import`` and ``export``. Here each becomes a
function that is called once and returns what it exports, because a page that is opened from disk
may not load modules.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).parent / "page"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function) (\w+))", re.MULTILINE)


def join_modules(main: str, call: str, folder: Path = _PAGE) -> str:
    """Joins a module and what it imports, callees first, into one strict function.

    Args:
        main: Name of the module that starts the page, without its suffix.
        call: Statement that starts it, as seen from inside that module.
        folder: Where the modules are; those that are not there are the pages' shared ones.
    """
    parts: list[str] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        text = _part(folder, f"{name}.js")
        for _, needed in _IMPORT.findall(text):
            add(needed)
        body = _IMPORT.sub(r"const {\1} = \2Module;\n", text)
        exported = ", ".join(_EXPORT.findall(body))
        end = call if name == main else f"return {{ {exported} }};"
        parts.append(
            f"// {name}.js\nconst {name}Module = (() => {{\n{_EXPORT.sub('', body)}{end}\n}})();\n"
        )

    add(main)
    return f'(() => {{\n"use strict";\n{"".join(parts)}}})();\n'


def as_json(data: Any) -> str:
    """JSON that may stand inside a script element, whatever names it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode("utf-8", "replace").decode()


def assemble(
    template: str,
    styles: Sequence[str],
    scripts: Mapping[str, str],
    texts: Mapping[str, str],
    data: Any,
    folder: Path = _PAGE,
) -> str:
    """Fills a template.

    Args:
        template: File name of the HTML template.
        styles: File names of the style sheets.
        scripts: Placeholder to script text.
        texts: Placeholder to plain text.
        data: What the page reads as JSON.
        folder: Where template and styles are; those that are not there are the pages' shared ones.

    Returns:
        The page. Its content security policy allows exactly these scripts and styles by hash and
        nothing from anywhere else.
    """
    style = "\n".join(_part(folder, name) for name in styles)
    for text in scripts.values():
        if re.search(r"</script|<!--", text, re.IGNORECASE):
            raise ValueError("a script holds the end of its own element")
    allowed = " ".join(_hash(text) for text in scripts.values())
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {name: html.escape(text) for name, text in texts.items()}
    values |= {"policy": policy, "style": style, "data": as_json(data), **scripts}
    source = _part(folder, template)
    pieces = re.split(r"\{\{([a-z]+)\}\}", source)
    return "".join(values[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def _part(folder: Path, name: str) -> str:
    path = folder / name
    return (path if path.is_file() else _PAGE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
