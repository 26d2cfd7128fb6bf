"""Sentences about recorded launches: sizes, tests, formulas."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from extractor.launch_text import split_arguments
from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.launch_shapes import resolved
from qa.author.numbers import equation
from qa.author.passed_values import Within, within
from qa.ground import Ground
from qa.reading.function import read_function
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView, ScopeView, Site
from qa.text.arithmetic import Unknown, evaluate, names_in

Trace = dict[str, Any]


def call_words(trace: Trace, without: str = "") -> str:
    """The arguments of a call in words."""
    return listed([
        f"{name} = {value}" if not isinstance(value, str) else f"{name} = '{value}'"
        for name, value in trace["args"].items()
        if name != without
    ])  # fmt: skip


def setting_words(trace: Trace) -> str:
    """The arguments of a call and where its scalars live, in words."""
    return f"{call_words(trace)} in {trace['pointer_mode']} pointer mode"


def build_words(view: ScopeView, config: str) -> str:
    """Which build a call is of, in brackets; empty where there is but one."""
    return f" (configuration `{config}`)" if len(view.configs) > 1 else ""


def tell_modes(draft: Draft, trace: Trace) -> None:
    """Names in the question whether atomics were allowed, where the answer hangs on it."""
    atomics = trace.get("atomics")
    if atomics is None or not draft.tells_of("atomic"):
        return
    mode = f"pointer mode with atomics {'allowed' if atomics else 'not allowed'}"
    draft.question = draft.question.replace("pointer mode", mode, 1)


def claim_launch(draft: Draft, trace: Trace, launch: dict[str, Any] | None) -> None:
    """Claims a launch of a trace, or how many there are."""
    value = {
        "entry": trace["entry"], "config": trace.get("config", "source"), "args": trace["args"],
        "arch": list(trace["arch"]), "pointer_mode": trace["pointer_mode"],
    }  # fmt: skip
    if trace.get("atomics") is not None:
        value["atomics"] = trace["atomics"]
    if launch is None:
        draft.claim(
            "launch", trace["entry"], {**value, "launches": len(trace["launches"])}, "trace"
        )
        return
    draft.claim(
        "launch", launch["kernel"],
        {**value, **{k: launch[k] for k in ("grid", "block", "shared_bytes", "repeat")}}, "trace",
    )  # fmt: skip


def size_words(launch: dict[str, Any]) -> str:
    """Grid, block and dynamic LDS in words; not how often, which wants a reason."""
    grid, block = list(launch["grid"]), list(launch["block"])
    for extents in (grid, block):
        while len(extents) > 1 and extents[-1] == 1:
            extents.pop()
    shape = f"{' x '.join(map(str, grid))} {'block' if grid == [1] else 'blocks'} of {' x '.join(map(str, block))} {'thread' if block == [1] else 'threads'}"
    if launch["shared_bytes"]:
        shape += f" and {launch['shared_bytes']} bytes of dynamic LDS"
    return shape


def tell_constants(
    draft: Draft, function: FunctionView, texts: list[str], told: set[str] | None = None
) -> None:
    """Says the values of the library's constants in a function's tests, with the lines that set
    them."""
    words = [word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)]
    known = draft.ground.constants
    own = {*template_parameters(function), *(told or ())}
    if function.span is not None:
        reading = read_function(function.text, function.span.start_line)
        own |= {one.name for one in reading.parameters} | {d.name for d in reading.definitions}
    names = [
        word for word in dict.fromkeys(words)
        if word in known and word not in own and _CONSTANT_NAME.match(word)
    ][:3]  # fmt: skip
    if not names:
        return
    if told is not None:
        told.update(names)
    values = [f"{code(name)} is {known[name][0]}" for name in names]
    draft.say(
        draft.choose(
            f"The library sets {listed([f'{code(name)} to {known[name][0]}' for name in names])}.",
            f"In these tests {listed(values)}.",
            salt=f"constants{names[0]}",
        ),
        *[draft.ground.span(known[n][1], known[n][2], known[n][2]) for n in names],
    )  # fmt: skip
    for name in names:
        draft.claim("constant", name, known[name][0], "source")


_CONSTANT_NAME = re.compile(r"c_|\w*[A-Z]{3}")
"""How constants of a library are written; a lower-case word may be a variable somewhere else."""
_OF_TYPES = re.compile(r"is_same|is_complex|sizeof\b|std::is_|conditional_t|enable_if")


def meaning_words(value: str, truth: bool | None) -> str:
    """What a definition says for the reader: its truth where types decide it, else its text."""
    if _OF_TYPES.search(value):
        return "" if truth is None else f"{str(truth).lower()} for this type"
    return code(value)


def tell_formula(
    draft: Draft,
    view: ScopeView,
    ground: Ground,
    site: Site,
    launch: dict[str, Any],
    trace: Trace,
) -> bool:
    """Recomputes one extent of a grid from the launcher's formula, names put in; whether it could."""
    inside = within(view, ground, trace, launch["symbol"], site.caller)
    shape = _unwrapped(resolved(site)[0])
    for axis, expression in zip("xyz", split_arguments(shape), strict=False):
        made: list[Span] = []
        if re.fullmatch(r"[A-Za-z_]\w*", expression):
            made = _made_on(draft, site, expression)
            expression = dict(inside.definitions).get(expression, expression)
        if not re.search(r"[-+*/]", expression) or not re.search(r"[A-Za-z]", expression):
            continue
        found = _values_for(
            ground, site, expression, trace, launch["grid"]["xyz".index(axis)], inside
        )
        if found is None:
            continue
        values, constants, lines = found
        worked = _put_in(expression, values)
        if equation(worked, launch["grid"]["xyz".index(axis)]).isdigit():
            continue  # an equation of a number with itself
        value = launch["grid"]["xyz".index(axis)]
        draft.say(
            draft.choose(
                f"Along {axis} its grid is {code(expression)}, here {worked} = {value}.",
                f"Its extent along {axis} is {code(expression)}, that is {worked} = {value}.",
                salt=f"formula{axis}{launch['kernel']}",
            ),
            site.at, *_definition_spans(draft, site), *made, *lines, draft.head(site.caller), "recompute",
        )  # fmt: skip
        draft.claim("number", worked, value, "recompute")
        for name, constant in constants.items():
            draft.claim(
                "constant", name, constant, "source" if name in ground.constants else "scope"
            )
        return True
    return False


def _unwrapped(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _values_for(
    ground: Ground, site: Site, expression: str, trace: Trace, wanted: int, inside: Within
) -> tuple[dict[str, int], dict[str, int], list[Span]] | None:
    """Values of a formula's names that give the recorded extent, and where constants stand."""
    given = {k: v for k, v in trace["args"].items() if isinstance(v, int) and k not in inside.other}
    given |= inside.numbers
    names = names_in(expression)
    parameters = template_parameters(site.caller)
    fixed: dict[str, int] = {}
    lines: list[Span] = []
    open_names = []
    for name in names:
        if name in given:
            continue
        if name in parameters:
            open_names.append(name)
        elif name in ground.constants:
            value, file, line = ground.constants[name]
            fixed[name] = value
            lines.append(ground.span(file, line, line))
        else:
            return None
    made = [inside.types] if inside.types else [
        dict(zip(parameters, one["template_arguments"], strict=False))
        for one in site.caller.instantiations
    ]  # fmt: skip
    for bound in made if open_names else [{}]:
        chosen = {n: int(bound[n]) for n in open_names if str(bound.get(n, "")).isdigit()}
        if len(chosen) < len(open_names):
            continue
        values = {**given, **fixed, **chosen}
        with contextlib.suppress(Unknown):
            if evaluate(expression, values) == wanted:
                used = {n: v for n, v in values.items() if n in names}
                return used, {**fixed, **chosen}, lines
    return None


def _put_in(expression: str, values: dict[str, int]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda m: str(values.get(m[0], m[0])), expression)


def _made_on(draft: Draft, site: Site, name: str) -> list[Span]:
    """The lines on which a name of the launcher is set."""
    assert site.caller.span is not None
    reading = read_function(site.caller.text, site.caller.span.start_line)
    rows = [d for d in reading.definitions if d.name == name and d.first <= site.at.start_line]
    return [draft.lines(site.caller, d.first, d.last) for d in rows]


def _definition_spans(draft: Draft, site: Site) -> list[Span]:
    assert site.caller.span is not None
    reading = read_function(site.caller.text, site.caller.span.start_line)
    names = set(re.findall(r"[A-Za-z_]\w*", site.grid))
    rows = [d for d in reading.definitions if d.name in names and d.first <= site.at.start_line]
    return [draft.lines(site.caller, d.first, d.last) for d in rows[-1:]]
