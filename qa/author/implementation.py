"""Entries that ask for the code of a kernel, a launcher, a device function or a host helper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from qa.author.behaviour import FRAGMENT, behaviour, bounds
from qa.author.calling import brought_types, calling
from qa.author.constants_told import constants_told
from qa.author.cut_out import answer, cut_out, deliver
from qa.author.draft import Draft, code, listed
from qa.author.framing import framed
from qa.author.given_up import give_up
from qa.author.helpers_told import helpers_told
from qa.author.kernel_facts import KernelFacts, kernel_facts
from qa.author.kernel_layout import cooperation, layout, part, scalars
from qa.author.launch_contract import launch_contract, where_names
from qa.author.macros_told import macros_told
from qa.author.meanings import meanings
from qa.author.narration import narration
from qa.author.needs import asserted
from qa.author.outline import explain, here, outline
from qa.author.protocol import protocol
from qa.author.purpose import operation, own_words
from qa.author.subjects import entries_through, reaching
from qa.author.work import launch_lines, whole, work, workers
from qa.ground import Ground
from qa.reading.documentation import Documentation
from qa.reading.function import read_function
from qa.reading.function_text import macros_written_out
from qa.records import Category
from qa.scope_view import FunctionView, ScopeView, Site

_SHORTEST, _LONGEST = 8, 340
_LONGEST_KERNEL = 420
_MOST_HELPERS = 8
_LINES_WITH_HELPERS = 420


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on every function of the interface that is worth writing."""
    overloads: set[tuple[str, str]] = set()
    traced = ground.project.rule.trace
    handle = traced.handle if traced is not None else ""
    for function in sorted(functions, key=lambda f: -len(f.text)):
        lines = function.text.count("\n") + 1
        longest = _LONGEST_KERNEL if function.kind == "kernel" else _LONGEST
        fewest = 1 if function.kind == "kernel" else 3
        if function.kind in ("boundary", "entry_point") or not _SHORTEST <= lines <= longest:
            continue
        if function.text.count(";") < fewest or not function.instantiations:
            continue
        if function.span is None or _is_member(ground, function):
            continue
        if function.signature.count("(") != function.signature.count(")"):
            continue  # a default value with braces has cut the signature short
        if function.kind in ("host", "launcher") and (function.name, function.kind) in overloads:
            continue  # overloads on the host differ in how they hand the same arguments on
        hands_on = function.kind == "host" and (
            _is_thin(function) or _is_wrapper(function) or _is_ceremony(function, handle)
        )
        draft = _draft(view, ground, function, hands_on=hands_on)
        if draft is not None:
            overloads.add((function.name, function.kind))
            yield draft


def _is_wrapper(function: FunctionView) -> bool:
    """Host code about logging and argument forwarding rather than about kernels."""
    text = function.text
    statements = text.count(";")
    chatter = len(
        re.findall(r"log_(?:trace|bench|profile)|ROCSOLVER_ENTER|rocblas_cout|check_numerics", text)
    )
    return chatter * 3 > statements


def _is_member(ground: Ground, function: FunctionView) -> bool:
    """It belongs to a class, and means nothing without it."""
    if function.kind == "kernel":
        return False  # a kernel is never a member
    if "operator" in function.name:
        return True
    parents = [part.split("<")[0] for part in function.qualified_name.split("::")[:-1]]
    if not parents:
        return function.text.startswith((" ", "\t"))
    if parents[-1] == "(anonymous)":
        return False
    if parents[-1] == function.name:
        return True
    within = rf"\bnamespace\s+(?:\w+::)*{re.escape(parents[-1])}\b".encode()
    rows = ground.project.text.lines(ground.locate(function.file))
    return function.text.startswith((" ", "\t")) and not any(re.search(within, r) for r in rows)


def _is_ceremony(function: FunctionView, handle: str) -> bool:
    """No test asks for an argument but the handle: what is decided, others have decided.

    Args:
        function: A host function.
        handle: Type of the library's handle; empty where it has none.
    """
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    asked = {p.name for p in reading.parameters if not (handle and handle in p.type)}
    return not reading.loops and not any(
        asked & set(re.findall(r"[A-Za-z_]\w*", branch.condition)) for branch in reading.branches
    )


def _is_thin(function: FunctionView) -> bool:
    """Nothing is decided or worked out in it."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    return len(reading.branches) + 2 * len(reading.loops) < 2


def _draft(
    view: ScopeView, ground: Ground, function: FunctionView, *, hands_on: bool = False
) -> Draft | None:
    assert function.span is not None
    facts = kernel_facts(view, ground, function)
    cut = cut_out(ground, function) if function.kind == "kernel" else None
    number = None
    if cut is not None:
        number = _place(function, cut.record.instantiation)
        if number is None or not reaching(view, function, number):
            # What the answer instantiates, calls of this interface do not reach.
            give_up(view, "implementation: its instance is another interface's")
            return None
    entries = entries_through(view, function, number)
    documentation = next(
        (ground.documentation[e] for e in entries if e in ground.documentation), None
    )
    draft = Draft(
        view,
        ground,
        _category(function, facts),
        f"implementation of {function.id}",
        entries,
        kind="kernel_implementation",
    )
    written_out = replace(function, text=macros_written_out(function.text))
    helpers = [] if cut is not None else _helpers(view, ground, function)
    parts = [
        _opening(draft, facts, entries, documentation),
        _signature(draft, function),
        meanings(draft, function, facts.reading, documentation, entries),
    ]
    if function.kind == "kernel":
        parts += [
            launch_contract(draft.ground, view, facts),
            layout(draft, facts),
            work(draft, view, function) or bounds(draft, function.text, facts.reading),
            scalars(facts),
            cooperation(facts, view),
        ]
    elif function.kind == "device":
        what = [
            layout(draft, facts),
            work(draft, view, function)
            or behaviour(draft, function.text, facts.reading, _names_called(view, function)),
        ]
        if not any(what) and own_words(ground, function) is None:
            give_up(view, "implementation: nothing says what it does")
            return None
        parts += [*what, calling(view, function), cooperation(facts, view)]
    elif hands_on:
        steps = protocol(draft, written_out)
        if not steps:
            give_up(view, "implementation: its steps cannot be told")
            return None
        parts.append(steps)
    else:
        lines = launch_lines(view, function)
        steps = whole(
            outline(draft, written_out, workers(view, function), lines),
            narration(draft, written_out, lines),
        )
        parts.append(
            steps or behaviour(draft, function.text, facts.reading, _names_called(view, function))
        )
        if function.kind == "launcher" and "\n" not in steps:
            parts.append(_launches(draft, view, function))
        elif not steps:
            parts.append(_callees(draft, view, function))
    if function.kind in ("kernel", "device"):
        beside = cut.record.functions if cut is not None else [h.id for h in helpers]
        parts.append(helpers_told(draft, view, function, beside))
        brought = [view.by_id[one] for one in beside if one in view.by_id]
        parts.append(asserted(function, brought))
    else:
        parts.append(asserted(function, []))
    parts.append(
        deliver(draft, view, function, cut) if cut is not None else _helpers_told(draft, helpers)
    )
    told = [part for part in parts if part]
    if cut is not None and (types := brought_types(cut.code, "\n".join(told), ground.enumerators)):
        told.append(types)
    if len(told) < (3 if hands_on else 4):
        # Steps that are all told need no word on the parameters.
        give_up(view, "implementation: too little of it can be told")
        return None
    if any(part.startswith(FRAGMENT) for part in told):
        give_up(view, "implementation: only a part of its work can be told")
        return None
    macros = macros_told(draft.ground, function, "\n".join(told))
    told += [macros] if macros else []
    constants = constants_told(draft.ground, function, "\n".join(told))
    draft.question = "\n\n".join([*told, constants] if constants else told)
    if cut is not None:
        answer(draft, cut)
        return draft
    draft.answer = framed(helpers, function)
    draft.cite(*(h.span for h in helpers if h.span is not None), function.span)
    return draft


def _place(function: FunctionView, instantiation: str) -> int | None:
    """Which of a function's instantiations one is; nothing where the scope has not got it."""
    rows = [one["id"].split("@")[0] for one in function.instantiations]
    wanted = instantiation.split("@")[0]
    return rows.index(wanted) if wanted in rows else None


def _category(function: FunctionView, facts: KernelFacts) -> Category:
    if function.kind == "launcher":
        return "launch_configuration"
    if facts.of("barrier") or facts.of("shuffle"):
        return "synchronization"
    if function.kind == "host":
        return (
            "resources"
            if "sizeof" in function.text and "size_" in function.text
            else "correctness_constraints"
        )
    return "computation_semantics"


def _helpers(view: ScopeView, ground: Ground, function: FunctionView) -> list[FunctionView]:
    """Device functions that the code calls, callees first, as long as the whole stays readable."""
    if function.kind not in ("kernel", "device"):
        return []
    order: list[FunctionView] = []
    budget = _LINES_WITH_HELPERS - function.text.count("\n")

    def visit(one: FunctionView) -> None:
        nonlocal budget
        for callee in view.callees.get(one.id, ()):
            if (
                callee.kind != "device"
                or callee in order
                or callee.id == function.id
                or callee.span is None
            ):
                continue
            lines = callee.text.count("\n") + 1
            if len(order) >= _MOST_HELPERS or lines > budget or _is_member(ground, callee):
                continue
            budget -= lines
            visit(callee)
            if callee not in order:
                order.append(callee)

    visit(function)
    return order


def _opening(
    draft: Draft,
    facts: KernelFacts,
    entries: list[str],
    documentation: Documentation | None,
) -> str:
    function = facts.function
    what = {
        "kernel": "the HIP kernel", "device": "the device function", "launcher": "the host launcher",
        "host": "the host helper",
    }[function.kind]  # fmt: skip
    does = operation(documentation, part(facts) if function.kind == "kernel" else "")
    own = own_words(draft.ground, function)
    if own is not None:
        words, place = own
        draft.cite(place)
        does += f' The library\'s comment on it reads: "{words}."'
    library = draft.ground.project.rule.title
    behind = listed([code(e) for e in entries[:3]])
    return draft.choose(
        f"Write {what} {code(function.name)} that {library} uses behind {behind}.{does}",
        f"Implement {code(function.name)}, {what} on the way of {behind} in {library}.{does}",
        f"In {library}, {behind} {'needs' if len(entries[:3]) == 1 else 'need'} {what} {code(function.name)}. Write it.{does}",
    )


def _signature(draft: Draft, function: FunctionView) -> str:
    return (
        draft.choose("Its interface is", "Keep this signature:", "It is declared as", salt="sig")
        + f"\n\n```cpp\n{function.signature}\n```"
    )


def _launches(draft: Draft, view: ScopeView, function: FunctionView) -> str:
    from qa.author.launch_shapes import explained, shapes_of

    rows: dict[str, list[Site]] = {}
    for site in view.launches:
        if site.caller.id == function.id and not site.dead:
            rows.setdefault(site.callee.name, []).append(site)
    if not rows:
        return ""
    parts = []
    later: dict[str, str] = {}
    for name, sites in list(rows.items())[:6]:
        words = shapes_of(sites)
        names = explained(sites, draft.ground, words.replace("`", " ")) if words else None
        told = words and names is not None
        if words and names is None and function.span is not None:
            reading = read_function(function.text, function.span.start_line)
            meant, dark = explain(function, reading, " ".join(re.findall(r"`([^`]*)`", words)))
            if not dark:
                later |= meant
                told, names = True, {}
        parts.append(f"{code(name)} with {words}{where_names(names or {})}" if told else code(name))
    stream = (
        ", on the stream of the handle" if re.search(r"\bhandle\b", function.signature)
        else ", on `stream`" if re.search(r"\bstream\b", function.signature) else ""
    )  # fmt: skip
    return f"It launches {listed(parts)}{stream}.{here(later)}"


def _names_called(view: ScopeView, function: FunctionView) -> list[str]:
    """Functions and kernels that a function calls by name."""
    names = [f.name for f in view.callees.get(function.id, ()) if "operator" not in f.name]
    names += [s.callee.name for s in view.launches if s.caller.id == function.id and not s.dead]
    return [n for n in dict.fromkeys(names) if len(n) > 3]


def _callees(draft: Draft, view: ScopeView, function: FunctionView) -> str:
    names = [
        f.name for f in view.callees.get(function.id, ())
        if f.kind in ("host", "launcher") and len(f.name) > 4 and "operator" not in f.name
    ]  # fmt: skip
    names = list(dict.fromkeys(names))
    return f"It may rely on {listed([code(n) for n in names[:6]])}." if names else ""


def _helpers_told(draft: Draft, helpers: list[FunctionView]) -> str:
    if not helpers:
        return ""
    count = Counter(h.name for h in helpers)
    words = {1: "", 2: "both overloads of "}
    names = listed(
        [words.get(n, f"all {n} overloads of ") + code(name) for name, n in count.items()]
    )
    return draft.choose(
        f"Give the helpers {names} as well, before their use.",
        f"The answer includes {names}, on which it builds.",
        f"Write {names} too; nothing else of the library may be assumed but its types.",
        salt="helpers",
    )
