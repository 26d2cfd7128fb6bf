"""Templates of a unit by name, for uses that libclang shows no reference for."""

from __future__ import annotations

import re
from collections.abc import Container

from kernels.slice.parsed import Declaration, ParsedUnit

TYPES = ("STRUCT_DECL", "CLASS_DECL", "UNION_DECL", "CLASS_TEMPLATE",
         "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION")  # fmt: skip
"""Kinds of cursors that declare a class or a template of one."""
_NAMED = (*TYPES, "ENUM_DECL", "TYPEDEF_DECL", "TYPE_ALIAS_DECL", "TYPE_ALIAS_TEMPLATE_DECL")
_SPECIALIZED = (*TYPES, "VAR_DECL", "UNEXPOSED_DECL")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TEMPLATE = re.compile(rb"\s*(?:[A-Z_]+\s+)?template\s*<")


def specializations(parsed: ParsedUnit) -> dict[int, list[tuple[int, set[str]]]]:
    """By declaration that specializes a template: the templates, and the types it names for it."""
    templates: dict[tuple[tuple[str, ...], str], list[int]] = {}
    found: dict[int, list[tuple[int, set[str]]]] = {}
    for one in parsed.declarations:
        for cursor in one.cursors:
            if cursor.kind.name not in _SPECIALIZED or not cursor.spelling:
                continue
            name = cursor.spelling.split("<")[0]
            head = parsed.text(one.file)[one.begin : one.end].decode(errors="replace")
            match = re.search(rf"\b{re.escape(name)}\s*<", head)
            key = (one.scope, name)
            if match and _TEMPLATE.match(head.encode()) and _before_body(head, match.start()):
                types = set(_IDENTIFIER.findall(_arguments(head, match.end())))
                found.setdefault(one.number, []).extend(
                    (primary, types) for primary in templates.get(key, ())
                )
            else:
                templates.setdefault(key, []).append(one.number)
    return found


def _before_body(head: str, place: int) -> bool:
    return not any(mark in head[:place] for mark in "{=;")


def _arguments(head: str, start: int) -> str:
    depth = 1
    for index in range(start, len(head)):
        depth += {"<": 1, ">": -1}.get(head[index], 0)
        if depth == 0:
            return head[start:index]
    return head[start:]


def hidden_templates(parsed: ParsedUnit, special: Container[int]) -> dict[str, list[int]]:
    """Templates of variables, concepts, and aliases of one type whatever their arguments."""
    found: dict[str, list[int]] = {}
    for one in parsed.declarations:
        if one.number in special:
            continue
        for cursor in one.cursors:
            kind = cursor.kind.name
            if not cursor.spelling or not (
                kind in ("UNEXPOSED_DECL", "CONCEPT_DECL")
                or (kind == "TYPE_ALIAS_TEMPLATE_DECL" and _is_constant(parsed, one))
            ):
                continue
            found.setdefault(cursor.spelling, []).append(one.number)
    return found


def _is_constant(parsed: ParsedUnit, alias: Declaration) -> bool:
    text = parsed.text(alias.file)[alias.begin : alias.end].decode(errors="replace")
    head, _, body = text.rpartition("=")
    return not set(_IDENTIFIER.findall(head)) & set(_IDENTIFIER.findall(body))


def type_names(parsed: ParsedUnit) -> dict[str, list[int]]:
    """Types and aliases, by plain name."""
    found: dict[str, list[int]] = {}
    for one in parsed.declarations:
        for cursor in one.cursors:
            if cursor.kind.name in _NAMED and cursor.spelling:
                found.setdefault(cursor.spelling, []).append(one.number)
    return found
