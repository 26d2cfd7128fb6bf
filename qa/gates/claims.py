"""Claims checked again, each by what its type says."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from qa.author.arguments import run
from qa.gates.case import Case
from qa.gates.compilation import compiles
from qa.gates.launches import launch_holds
from qa.reading.element_types import BYTES
from qa.reading.execution import follow
from qa.reading.template_parameters import template_parameters
from qa.records import Claim
from qa.text.arithmetic import Unknown, bindings, evaluate
from qa.text.comparisons import tight

Check = Callable[[Case, Claim], str | None]


def hold(case: Case) -> str | None:
    """No claim fails when it is checked again, and none says that it failed."""
    for claim in case.entry.claims:
        if claim.passed is False:
            return f"the claim about {claim.subject[:60]} says that it failed"
        check = CHECKS.get(claim.type)
        why = check(case, claim) if check else None
        if why:
            return why
    return None


def _number(case: Case, claim: Claim) -> str | None:
    if claim.check != "recompute":
        return None
    values = bindings(case.entry.question)
    for other in case.entry.claims:
        if other.type == "constant" and isinstance(other.value, int):
            values.setdefault(other.subject, other.value)
    results = []
    for whole in (True, False):
        with contextlib.suppress(Unknown):
            results.append(evaluate(claim.subject, values, whole=whole))
    if not results:
        return None if re.search(r"[A-Za-z]{3,} [a-z]", claim.subject) else (
            f"cannot recompute {claim.subject}"
        )  # fmt: skip
    if isinstance(claim.value, int | float) and claim.value not in results:
        return f"recomputed {claim.subject} is {results[0]}, the claim says {claim.value}"
    return None


def _constant(case: Case, claim: Claim) -> str | None:
    name, value = claim.subject, claim.value
    cited = re.sub(r"//[^\n]*", " ", case.evidence_text)
    shape = rf"\b{re.escape(name)}\b\s*(?:=|\(|\s)\s*\(?\s*{re.escape(str(value))}\b"
    if re.search(shape, cited):
        return None
    for function in case.evidence_functions:
        parameters = template_parameters(function)
        if name in parameters:
            place = parameters.index(name)
            for one in function.instantiations:
                arguments = one["template_arguments"]
                if place < len(arguments) and arguments[place] == str(value):
                    return None
    return f"nothing cited makes {name} equal to {value}"


def _condition(case: Case, claim: Claim) -> str | None:
    if not isinstance(claim.value, str):
        return None
    if tight(claim.value) in tight(case.evidence_text):
        return None
    return f"the cited lines of {claim.subject} do not have the condition {claim.value[:80]}"


def _path(case: Case, claim: Claim) -> str | None:
    if not isinstance(claim.value, list):
        return None
    steps = [str(step) for step in claim.value]
    edges = {
        (site.caller.name, site.callee.name)
        for site in (*case.view.calls, *case.view.launches)
        if not site.dead
    }
    for caller, callee in pairwise(steps):
        if (caller, callee) not in edges:
            return f"{caller} does not call or launch {callee}"
    return None


def _reach(case: Case, claim: Claim) -> str | None:
    if not isinstance(claim.value, dict):
        return None
    have = case.view.kernels(claim.subject, str(claim.value.get("config")))
    said = set(map(str, _as_list(claim.value.get("kernels"))))
    if claim.value.get("only_plain"):
        have = {k for k in have if not any(f.infrastructure for f in case.view.by_name[k])}
    if have != said:
        return f"{claim.subject} reaches other kernels: {', '.join(sorted(have ^ said)[:4])}"
    return None


def _dead(case: Case, claim: Claim) -> str | None:
    live = [s for s in case.view.launches if s.callee.name == claim.subject and not s.dead]
    dead = [s for s in case.view.launches if s.callee.name == claim.subject and s.dead]
    lines = {f"{s.at.file}:{s.at.start_line}" for s in dead}
    if claim.value in lines or (claim.value == "everywhere" and dead and not live):
        return None
    return f"the launch of {claim.subject} is not dead at {claim.value}"


def _count(case: Case, claim: Claim) -> str | None:
    if not isinstance(claim.value, dict):
        return None
    name, said = str(claim.value.get("name")), claim.value.get("count")
    for function in case.evidence_functions:
        if function.name == claim.subject:
            bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", function.text, flags=re.S)
            have = len(re.findall(rf"\b{re.escape(name)}\b", bare))
            if have == said:
                return None
    return f"{claim.subject} does not have {said} times {name}"


def _fact(case: Case, claim: Claim) -> str | None:
    if not isinstance(claim.value, dict) or "fact" not in claim.value:
        return None
    wanted = claim.value
    for fact in case.ground.facts_of(case.entry.interface, str(wanted.get("function"))):
        if fact["fact"] != wanted["fact"]:
            continue
        # Which instantiation stands for a kernel depends on how much of the library was read.
        if any(fact.get(key) != wanted.get(key) for key in ("subject", "arch")):
            continue
        if _says(fact["value"], wanted.get("value")):
            return None
    return (
        f"no fact says that {wanted['fact']} of {claim.subject} is {wanted.get('value')}"
        f"{' on ' + str(wanted['arch']) if wanted.get('arch') else ''}"
    )


def _says(value: Any, said: Any) -> bool:
    """The fact has what the claim says; it may have more."""
    if isinstance(value, dict) and isinstance(said, dict):
        return bool(said) and all(value.get(key) == part for key, part in said.items())
    return bool(value == said)


def _identifier(case: Case, claim: Claim) -> str | None:
    names = set(re.findall(r"[A-Za-z_]\w*", claim.subject))
    missing = sorted(names - case.view.names - case.evidence_names - case.ground.public_names)
    return f"{missing[0]} does not exist" if missing else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _expression(case: Case, claim: Claim) -> str | None:
    """An expression of the cited lines, worked out for values."""
    value = claim.value
    if not isinstance(value, dict):
        return None
    text = str(value.get("text"))
    if tight(text) not in tight(case.evidence_text):
        return f"the cited lines do not have the expression {text[:80]}"
    given = {k: v for k, v in _as_dict(value.get("given")).items() if isinstance(v, int)}
    outcome = follow(
        f"void f() {{ auto r = {text}; }}", 1, given, {}, enumerators=case.ground.enumerators
    )
    if outcome.values.get("r") != value.get("value"):
        return f"{text[:80]} is {outcome.values.get('r')}, the claim says {value.get('value')}"
    return None


def _size(case: Case, claim: Claim) -> str | None:
    if BYTES.get(claim.subject) == claim.value:
        return None
    return f"an element of {claim.subject} does not have {claim.value} bytes"


def _walk(case: Case, claim: Claim) -> str | None:
    value = claim.value
    if not isinstance(value, dict) or not isinstance(value.get("given"), dict):
        return None
    function = case.view.by_id.get(str(value.get("function")))
    if function is None or function.name != claim.subject:
        return f"there is no function {value.get('function')}"
    types = {str(k): str(v) for k, v in _as_dict(value.get("types")).items()}
    given = {
        str(k): v for k, v in _as_dict(value["given"]).items() if isinstance(v, int | str)
    }  # fmt: skip
    lines = tuple(n for n in _as_list(value.get("launch_lines")) if isinstance(n, int))
    outcome = run(function, case.ground, given, types, lines)
    if outcome.stuck is not None:
        return f"{claim.subject} cannot be followed: {outcome.stuck}"
    if "returned" in value and value["returned"] != outcome.returned:
        return f"{claim.subject} returns {outcome.returned}, the claim says {value['returned']}"
    for name, said in _as_dict(value.get("values")).items():
        if outcome.values.get(name) != said:
            return f"{claim.subject} makes {name} {outcome.values.get(name)}, not {said}"
    launched = [step.first for step in outcome.steps if step.kind == "launch"]
    if "launched" in value and launched != value["launched"]:
        return f"{claim.subject} launches at lines {launched}, not {value['launched']}"
    return None


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


CHECKS: dict[str, Check] = {
    "walk": _walk,
    "size": _size,
    "expression": _expression,
    "number": _number,
    "grid": _number,
    "constant": _constant,
    "condition": _condition,
    "launch": launch_holds,
    "path": _path,
    "reach": _reach,
    "dead": _dead,
    "count": _count,
    "fact": _fact,
    "identifier": _identifier,
    "compiles": compiles,
}
"""Check by type of claim; other types are statements of their author, judged by the other gates."""
