"""Entries on LDS whose size the launch gives: what the launcher asks for, and how the kernel divides it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from qa.author.draft import Draft, code, listed
from qa.author.launch_pairs import Pair, pairs
from qa.author.lds_parts import external, kept_is_told, parts_of, tell_parts
from qa.author.numbers import equation, put_into
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.element_types import BYTES
from qa.reading.function import read_function
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Unknown, Value, evaluate, names_in

_TYPES = ("float", "double", "rocblas_complex_num<float>", "rocblas_complex_num<double>")
_VALUES = (40, 100, 200, 1000, 20)


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the kernels of an interface that are launched with dynamic LDS."""
    for pair in pairs(view, ground, functions):
        rows = [
            row for row in ground.facts_of(view.interface, pair.launcher.id)
            if row["fact"] == "launch_shared_bytes" and isinstance(row["value"], dict)
            and row["value"].get("kernel") == pair.kernel.id
            and row["span"]["start_line"] == pair.site.at.start_line
            and row["value"]["expression"] not in ("0", None)
        ]  # fmt: skip
        draft = _draft(view, ground, pair, rows) if rows else None
        if draft is not None:
            yield draft


def _element(pair: Pair, symbol: str) -> tuple[int, str]:
    """The instantiation behind a symbol, and the element type it is made for."""
    for number, one in enumerate(pair.kernel.instantiations):
        if one["symbol"] == symbol:
            bound = types_of(pair.kernel, number)
            return number, next((bound[n] for n in ("T", "U", "S") if bound.get(n) in BYTES), "")
    return -1, ""


def _draft(view: ScopeView, ground: Ground, pair: Pair, rows: list[dict[str, Any]]) -> Draft | None:
    by_type: dict[str, tuple[int, dict[str, Any]]] = {}
    for row in rows:
        number, kind = _element(pair, str(row["value"].get("symbol") or ""))
        if kind in _TYPES:
            by_type.setdefault(kind, (number, row))
    kinds = [kind for kind in _TYPES if kind in by_type]
    if not kinds:
        return None
    kinds = [kinds[0], kinds[-1]] if len(kinds) > 1 else kinds
    names = list(names_in(by_type[kinds[0]][1]["value"]["expression"]))
    if len(names) > 2 or any(not re.fullmatch(r"m|n|k|dimx|nrhs", n) for n in names):
        return None
    values: dict[str, Value] = {}
    totals: list[int] = []
    for size in _VALUES:
        values = {name: size // (2 if place else 1) for place, name in enumerate(names)}
        try:
            totals = [int(evaluate(by_type[k][1]["value"]["expression"], values)) for k in kinds]
        except Unknown:
            return None
        if all(0 < total <= 65536 for total in totals):
            break
    else:
        return None
    parts = parts_of(pair.facts.reading, pair.kernel.text)
    if not parts or totals[-1] < totals[0]:
        return None
    number, _first = by_type[kinds[0]]
    entries = entries_through(view, pair.kernel, number)
    draft = Draft(
        view, ground, "resources", f"dynamic LDS of {pair.kernel.id} under {pair.launcher.id}", entries,
        configs=tuple(c for c in view.configs if c in pair.site.configs),
    )  # fmt: skip
    kernel, launcher = code(pair.kernel.name), code(pair.launcher.name)
    given = listed([f"{code(n)} = {v}" for n, v in values.items()])
    case = f" for {given}" if given else ""
    types = listed([code(k) for k in kinds])
    kept = kept_is_told(view, parts)
    them = "what does the kernel keep in them" if kept else "how does the kernel divide them"
    it = "what does the kernel keep in it" if kept else "how does the kernel divide it"
    if len(kinds) == 2 and totals[0] != totals[1]:
        draft.question = draft.choose(
            f"How many bytes of dynamic LDS does {launcher} give a block of {kernel}{case} with elements of type {types} respectively, and {them}?",
            f"{launcher} launches {kernel}{case}, once for {types.replace(' and ', ' and once for ')}. By how much does the dynamic LDS of a block grow, and {it}?",
        )
    else:
        draft.question = f"{kernel} takes its LDS from the launch. How many bytes does {launcher} ask for{case}, and {them}?"
    where = _spans(draft, pair)
    for kind, total in zip(kinds, totals, strict=True):
        row = by_type[kind][1]
        value = row["value"]
        named = value["named"] if len(value["named"]) < 150 and kind == kinds[0] else ""
        named = named and (as_written(pair, names) or named)
        worked = put_into(value["expression"], values)
        if "min(" in worked:
            worked = str(total)
        if worked == str(total):
            text = (
                f"{launcher} asks for {code(named)}, {total} bytes."
                if named and named != worked
                else f"{launcher} asks for {total} bytes."
            )
            if kind != kinds[0]:
                text = f"For {code(kind)} the same expression makes {total}."
        elif named:
            text = f"{launcher} asks for {code(named)}, which for {code(kind)} is {equation(worked, total)} bytes."
        else:
            text = f"For {code(kind)} it is {equation(worked, total)} bytes."
        draft.say(text, pair.site.at, *where, draft.head(pair.launcher), "fact", "recompute")
        draft.claim("number", worked, total, "recompute")
        said = {k: row.get(k) for k in ("fact", "function", "subject", "arch", "instantiation")}
        keys = {k: value[k] for k in ("expression", "named")}
        draft.claim("fact", pair.launcher.name, {**said, "value": keys}, "fact")
        if kind in value["expression"] or "sizeof" in value["named"]:
            draft.claim("size", kind, BYTES[kind], "recompute")
    for value_ in values.values():
        draft.claim("number", str(value_), int(value_), "recompute")
    if len(totals) == 2 and totals[0] != totals[1]:
        more = totals[1] - totals[0]
        draft.say(
            f"The difference is {totals[1]} - {totals[0]} = {more} bytes.",
            pair.site.at,
            "recompute",
        )
        draft.claim("number", f"{totals[1]} - {totals[0]}", more, "recompute")
    tell_parts(draft, pair, parts)
    draft.say(
        draft.choose(
            "Nothing tells the kernel how much it was given, so these places count on the launcher's formula.",
            "The kernel cannot ask how much there is: launcher and kernel have to agree on the layout.",
            salt="agree",
        ),
        pair.site.at, *[draft.lines(pair.kernel, a.first, a.last) for a in external(pair.facts.reading)],
        draft.head(pair.kernel),
    )  # fmt: skip
    return draft


def as_written(pair: Pair, names: list[str]) -> str:
    """The size as the launcher's text has it; empty where it hangs on further local names."""
    assert pair.launcher.span is not None
    reading = read_function(pair.launcher.text, pair.launcher.span.start_line)
    rows = [d for d in reading.definitions if d.name == pair.site.shared_bytes]
    text = rows[0].value if len(rows) == 1 else "" if rows else pair.site.shared_bytes
    text = re.sub(r"\s+", " ", text).strip()
    types = set(types_of(pair.launcher, 0)) | {"sizeof", "size_t", "rocblas_int", "int"}
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    return text if words & {"sizeof"} and words <= types | set(names) else ""


def _spans(draft: Draft, pair: Pair) -> list[Any]:
    """The launcher's lines that make the size."""
    assert pair.launcher.span is not None
    reading = read_function(pair.launcher.text, pair.launcher.span.start_line)
    names = set(re.findall(r"[A-Za-z_]\w*", pair.site.shared_bytes))
    rows = [
        d for d in reading.definitions if d.name in names and d.first <= pair.site.at.start_line
    ]
    return [draft.lines(pair.launcher, d.first, d.last) for d in rows[-2:]]
