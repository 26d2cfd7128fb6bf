"""Derives the header of exported prototypes that another library includes.

A library may mark functions in its private headers as exported and hand their declarations to
other libraries in one generated header. The declarations are cut out here by a scanner of our
own; the library's script for it is not run.

The scanner knows comments, literals, preprocessor lines, brackets and namespaces, and nothing
else of C++; that is enough to cut whole declarations, and it does not stumble over macros.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from extractor.glob import match_path
from extractor.rule_schema import Prototypes

_TOKEN = re.compile(
    r"""
      (?P<skip>//[^\n]*|/\*.*?\*/)
    | (?P<directive>(?m:^)[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    | (?P<literal>R"(?P<raw>[^()\s\\]{0,16})\(.*?\)(?P=raw)"
                 |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<word>[A-Za-z_0-9](?:[A-Za-z_0-9]|'[0-9a-fA-F])*)
    | (?P<space>\s+)
    | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = "([{", ")]}"
_NO_FUNCTION = frozenset({"union", "enum", "using", "typedef", "friend"})


@dataclass(frozen=True)
class Declaration:
    """One declaration, without its body.

    Attributes:
        namespace: Enclosing namespaces, outermost first.
        text: From the first token to before the body or the semicolon, comments left out.
        words: Its identifiers and keywords.
    """

    namespace: tuple[str, ...]
    text: str
    words: frozenset[str]


def prototype_header(root: Path, files: Iterable[str], spec: Prototypes) -> str:
    """Writes the header that declares every marked function.

    Args:
        root: The tree.
        files: All files of the tree, relative.
        spec: Which headers to read and how functions are marked.
    """
    chosen = sorted(file for file in files if match_path(file, spec.headers))
    out = [
        "// Derived from the marked declarations of the library's own headers.",
        "#pragma once",
        "",
    ]
    out += [f'#include "{name}"' for name in spec.includes]
    out.append("")
    for file in chosen:
        text = (root / file).read_text(encoding="utf-8", errors="replace")
        if spec.marker not in text:
            continue
        for declaration in declarations(text):
            if spec.marker not in declaration.words or "(" not in declaration.text:
                continue
            if declaration.words & _NO_FUNCTION or _is_class(declaration):
                continue
            body = re.sub(rf"\b{re.escape(spec.marker)}\b", spec.replace, declaration.text)
            opening = "".join(f"namespace {name} {{ " for name in declaration.namespace)
            out.append(f"{opening}{body};{' }' * len(declaration.namespace)}")
            out.append("")
    return "\n".join(out)


def declarations(text: str) -> Iterator[Declaration]:
    """Cuts the declarations at namespace scope out of a C++ text, in order."""
    tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup != "raw"]
    scopes: list[str | None] = []
    current: list[str] = []
    words: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        kind, value = token.lastgroup, token[0]
        position += 1
        if kind in ("skip", "directive"):
            continue
        if kind == "space":
            if current:
                current.append(value)
            continue
        if value == "{":
            scope = _scope(current, words)
            if scope is not _BODY:
                scopes.append(scope)
            else:
                yield _declaration(scopes, current, words)
                position = _after_bracket(tokens, position)
            current, words = [], []
        elif value == "}":
            if scopes:
                scopes.pop()
            current, words = [], []
        elif value == ";":
            if current:
                yield _declaration(scopes, current, words)
            current, words = [], []
        elif value in "([":
            end = _after_bracket(tokens, position)
            inside = [t for t in tokens[position:end] if t.lastgroup not in ("skip", "directive")]
            current += [value, *(t[0] for t in inside)]
            words += [t[0] for t in inside if t.lastgroup == "word"]
            position = end
        else:
            current.append(value)
            if kind == "word":
                words.append(value)


_BODY = "\0body"


def _scope(current: list[str], words: list[str]) -> str | None:
    """Name of the namespace that a brace opens, ``None`` for a linkage block, or ``_BODY``."""
    text = "".join(current).strip()
    if "namespace" in words and "(" not in text:
        return text[text.index("namespace") + len("namespace") :].strip()
    if words[:1] == ["extern"] and len(words) == 1:
        return None
    return _BODY


def _after_bracket(tokens: list[re.Match[str]], position: int) -> int:
    depth = 1
    while position < len(tokens) and depth:
        if tokens[position].lastgroup == "mark":
            value = tokens[position][0]
            depth += (value in _OPEN) - (value in _CLOSE)
        position += 1
    return position


def _declaration(scopes: list[str | None], current: list[str], words: list[str]) -> Declaration:
    names = tuple(name for name in scopes if name is not None)
    return Declaration(names, "".join(current).strip(), frozenset(words))


def _is_class(declaration: Declaration) -> bool:
    without = re.sub(r"^template\s*<[^{;]*?>\s*(?=class\b|struct\b)", "", declaration.text)
    return re.match(r"(?:class|struct)\b", without) is not None
