"""What belongs together: a launch's grid with its block, the steps of a path in their order.

Each number and each name of a sentence may be proved, and the sentence may still mix them up.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

from qa.gates.case import Case
from qa.text.comparisons import tight
from qa.text.prose import architectures, plain

_SHAPE = re.compile(r"(\d+(?: x \d+)*) blocks? of (\d+(?: x \d+)*) threads?")
_WAY = re.compile(
    r"^(?:`(\w+)` gets there by|To get there `(\w+)` goes by) "
    r"(.*?)(?:,? and (?:the|that) |,? the shortest|\.$)"
)
_BETWEEN = re.compile(r"^Between `(\w+)` and the launch stands? (.*?)\.$")
_WORKED = re.compile(
    r"`([^`<>?:,]+[-+*/][^`<>?:,]+)`(?: blocks)?,? (?:here|that is) ([-+*/()\d ]+?) = \d"
)
_SUPPOSED = re.compile(r"\b(?:if|were|would|could|instead|with half|otherwise)\b", re.I)
_SHORTEST = 9
_COUNT = re.compile(r"\b[Tt]here (?:are|is) (\d+) barriers?\b")
_ACCESS = re.compile(r"`(\w+)` is (read|written) at `([^`]+)`")
_CODE = re.compile(r"`([^`]+)`")
_OPERATORS = re.compile(r"[<>=!&|?+*/%]|\s-\s")


def together(case: Case) -> str | None:
    """Grids go with their blocks, paths keep their order, and code is cited where it stands."""
    if case.is_code:
        return None
    for sentence in case.sentences:
        why = (
            _worked(sentence)
            or _shapes(case, sentence) or _way(case, sentence) or _count(case, sentence)
            or _access(case, sentence) or _own_lines(case, sentence)
        )  # fmt: skip
        if why:
            return why
    return None


def _worked(sentence: str) -> str | None:
    """Numbers that are put into a formula leave its operators as they are."""
    for formula, worked in _WORKED.findall(plain(sentence)):
        if "/" not in formula or "." in formula or "sizeof" in formula:
            continue  # in a sum, what is zero is left out
        shapes = [re.sub(r"[A-Za-z_][\w.]*|\d+|\s+", "", part) for part in (formula, worked)]
        if len(shapes[0]) > 1 and sorted(shapes[0]) != sorted(shapes[1]) and (
            re.sub(r"[()]", "", shapes[0]) != re.sub(r"[()]", "", shapes[1])
        ):  # fmt: skip
            return f"{worked.strip()} is not {formula} with numbers put in"
    return None


def _shapes(case: Case, sentence: str) -> str | None:
    """A grid and a block next to a kernel's name are those of one of its claimed launches."""
    launches: dict[str, set[tuple[str, str]]] = {}
    spoken = architectures(sentence)
    for claim in case.entry.claims:
        if claim.type == "launch" and isinstance(claim.value, dict) and "grid" in claim.value:
            value: dict[str, Any] = claim.value
            if len(spoken) == 1 and not spoken <= set(value.get("arch") or spoken):
                launches.setdefault(claim.subject, set())
                continue  # recorded on another architecture
            shape = (_extents(value.get("grid")), _extents(value.get("block")))
            launches.setdefault(claim.subject, set()).add(shape)
    named = [n for n in re.findall(r"`(\w+)`", sentence) if n in launches]
    told = _SHAPE.findall(plain(sentence))
    if len(set(named)) != 1 or not told:
        return None
    if _SUPPOSED.search(sentence):
        return None
    totals = {(str(_product(grid)), block) for grid, block in launches[named[0]]}
    for shape in told:
        if shape not in launches[named[0]] | totals:
            return f"no claimed launch of {named[0]} has {shape[0]} blocks of {shape[1]} threads"
    return None


def _product(extents: str) -> int:
    return prod(int(part) for part in extents.split(" x ") if part.isdigit())


def _extents(value: Any) -> str:
    parts = [str(v) for v in value] if isinstance(value, list) else []
    while len(parts) > 1 and parts[-1] == "1":
        parts.pop()
    return " x ".join(parts)


def _way(case: Case, sentence: str) -> str | None:
    """The functions on a way are those of the claimed path, in its order."""
    paths = {
        claim.subject: [str(step) for step in claim.value]
        for claim in case.entry.claims if claim.type == "path" and isinstance(claim.value, list)
    }  # fmt: skip
    match = _WAY.match(sentence) or _BETWEEN.match(sentence)
    if match is None or not paths:
        return None
    groups = [g for g in match.groups() if g]
    start, names = groups[0], re.findall(r"`(\w+)`", groups[-1])
    if start not in paths:
        return f"no path is claimed from {start}"
    steps = [step for step in dict.fromkeys(paths[start][1:]) if step.isidentifier()]
    if names not in (steps, steps[:-1]):
        return f"the claimed path from {start} goes another way: {sentence[:80]}"
    return None


def _count(case: Case, sentence: str) -> str | None:
    match = _COUNT.search(sentence)
    counted = [c.value.get("count") for c in case.entry.claims
               if c.type == "count" and isinstance(c.value, dict)]  # fmt: skip
    if match is None or not counted or int(match[1]) in counted:
        return None
    return f"{match[1]} barriers are told, the claim counts {counted[0]}"


def _access(case: Case, sentence: str) -> str | None:
    """A buffer is read or written at an index that a fact gives it."""
    facts = [
        c.value.get("value") for c in case.entry.claims
        if c.type == "fact" and isinstance(c.value, dict) and c.value.get("fact") == "global_access"
    ]  # fmt: skip
    known = [v for v in facts if isinstance(v, dict)]
    for buffer, way, index in _ACCESS.findall(sentence):
        access = "store" if way == "written" else "load"
        rows = [v for v in known if tight(str(v.get("index"))) == tight(index)]
        if rows and not any(v.get("buffer") == buffer for v in rows):
            return f"{buffer} is not the buffer at {index[:60]}"
        same = [v for v in rows if v.get("buffer") == buffer]
        if same and not any(v.get("access") in (access, None, "both", "atomic") for v in same):
            return f"{buffer} is not {way} at {index[:60]}"
    return None


def _own_lines(case: Case, sentence: str) -> str | None:
    """Code that stands in the evidence stands in the lines that its own sentence cites."""
    cited = case.statements.get(re.sub(r"\s+", " ", sentence).strip(), [])
    spans = [s for s in case.entry.evidence if f"{s.file}:{s.start_line}-{s.end_line}" in cited]
    if not spans:
        return None
    own = tight(" ".join(case.ground.text(span) for span in spans))
    everywhere = tight(case.evidence_text)
    elsewhere = tight(case.claim_text) + tight(case.entry.question)
    for fragment in _CODE.findall(sentence):
        bare = tight(fragment)
        if (
            len(bare) < _SHORTEST
            or not _OPERATORS.search(fragment)
            or bare in own
            or bare in elsewhere
        ):
            continue
        if bare in everywhere:
            return f"wrong citation: {fragment[:70]} does not stand in the lines that are cited"
    return None
