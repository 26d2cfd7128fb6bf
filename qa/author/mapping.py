"""Entries on which thread works on which element, and on how neighbours' addresses lie."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import (
    KernelFacts,
    Row,
    at,
    at_work,
    claim_fact,
    kernel_facts,
    one_lane,
    plain_index,
    put_in,
    settings,
)
from qa.author.numbers import equation
from qa.author.ownership import owned
from qa.author.reached_with import taking
from qa.author.subjects import entries_through
from qa.author.wavefronts import spread
from qa.ground import Ground
from qa.reading.element_types import BYTES
from qa.scope_view import FunctionView, ScopeView
from qa.text.arithmetic import Value, names_in

_LANE = 1
_MOST_ELEMENTS = 1


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the kernels of an interface."""
    wavefronts = spread(view, ground, functions)
    for function in functions:
        if function.kind != "kernel" or not function.instantiations:
            continue
        facts = kernel_facts(view, ground, function)
        if function.id not in owned(view, ground, functions):
            yield from _element(view, ground, facts)
        if function.id not in wavefronts:
            yield from _neighbours(view, ground, facts)


def _usable(facts: KernelFacts) -> list[Row]:
    return [  # where one lane is let through it has no neighbour at work
        row for row in facts.of("global_access")
        if facts.holds(row) and not one_lane(facts, row) and plain_index(row.value.get("index")) and re.match(r"\w+$", str(row.value.get("buffer")))
    ]  # fmt: skip


def _dimensions(index: str) -> list[str]:
    return [n for n in names_in(index) if re.match(r"(?:threadIdx|blockIdx)\.", n)]


def _element(view: ScopeView, ground: Ground, facts: KernelFacts) -> Iterator[Draft]:
    """Which element one thread of one block touches."""
    number, types = facts.types()
    done: set[str] = set()
    for row in sorted(
        _usable(facts),
        key=lambda r: (r.value["access"] != "store", -len(_dimensions(r.value["index"])), r.line),
    ):
        values = settings(row.value["index"], types, row.value.get("symbols") or {})
        if values is None or row.value["buffer"] in done or len(done) >= _MOST_ELEMENTS:
            continue
        if len(names_in(row.value["index"])) > 1 and any(
            "threadIdx" in n for n in _dimensions(row.value["index"])
        ):  # fmt: skip
            draft = _element_draft(view, ground, facts, row, values, number, types)
            if draft is not None:
                done.add(row.value["buffer"])
                yield draft


def _element_draft(
    view: ScopeView,
    ground: Ground,
    facts: KernelFacts,
    row: Row,
    values: dict[str, Value],
    number: int,
    types: dict[str, str],
) -> Draft | None:
    function = facts.function
    index, buffer = row.value["index"], row.value["buffer"]
    spot = {"tx": 5, "ty": 2 if "threadIdx.y" in index else 0, "bx": 3 if "blockIdx.x" in index else 0,
            "by": 1 if "blockIdx.y" in index else 0, "bz": 1 if "blockIdx.z" in index else 0}  # fmt: skip
    for name, value in types.items():
        if re.search(r"DIM_X|NB|BLK|THREADS", name) and value.isdigit() and int(value) > 32:
            spot["tx"] = 17
    spot = at_work(facts, row, values, spot)
    element, other = (at(index, values, **{**spot, "tx": spot.get("tx", 0) + n}) for n in (0, 1))
    if not spot or element is None or other is None or element < 0:
        return None
    strides = {n: int(v) for n, v in values.items() if n not in types and v}
    if any(at(index, {**values, n: v + 1}, **spot) == element for n, v in strides.items()):
        return None  # given for nothing: it comes to nothing at this place
    entries = taking(view, entries_through(view, function, number), strides)
    draft = Draft(view, ground, "index_mapping", f"element of {buffer} in {function.id}", entries)
    constants = [f"{code(n)} = {v}" for n, v in values.items() if n in types]
    given = [f"{code(n)} = {v}" for n, v in values.items() if n not in types and v]
    symbols = row.value.get("symbols") or {}
    rounds = [n for n in values if (symbols.get(n) or {}).get("kind") == "loop variable"]
    zero = [code(n) for n, v in values.items() if n not in types and not v and n not in rounds]
    where = _where(index, spot)
    verb = "write" if row.value["access"] == "store" else "read"
    setting = listed([*constants, *given])
    extra = f", with {listed(zero)} zero" if zero else ""
    cond = f" for {setting}{extra}" if setting else (f" with {listed(zero)} zero" if zero else "")
    bound = _element_type(facts, row)
    if bound and _bytes(facts, row) and abs(other - element) > 1:
        cond += f" and elements of type {code(bound)}"
    cond += (
        f", in the first round of the loop over {listed([code(n) for n in rounds])}"
        if rounds
        else ""
    )
    draft.question = draft.choose(
        f"Which element behind {code(buffer)} does {where} of {code(function.name)} {verb} by {code(_shown(facts, row))}{cond}, and where is its neighbour's?",
        f"Take {where} of {code(function.name)}{cond}. Work out the offset from {code(buffer)} at which it {'stores' if verb == 'write' else 'loads'}, and say how the next thread along x differs.",
        f"{code(function.name)}, launched on behalf of {code(entries[0])}, {verb}s through {code(buffer)}. Derive the offset for {where}{cond}, from the built-in indices on.",
        f"How are threads of {code(function.name)} laid over {code(buffer)}? Show it for {where}{cond}.",
    )
    told = _tell_locals(draft, facts, row)
    here = draft.lines(function, row.line)
    lead = "With these names resolved" if told else "With the local names resolved"
    draft.say(
        draft.choose(
            f"{lead}, the access {code(_shown(facts, row))} goes to offset {code(index)}.",
            f"{lead}, {code(index)} is the offset of {code(_shown(facts, row))}.",
            f"The access {code(_shown(facts, row))} {'therefore ' if told else ''}has the offset {code(index)} from {code(buffer)}.",
            salt="offset",
        ),
        here, draft.head(function), "fact",
    )  # fmt: skip
    claim_fact(draft, row)
    worked = put_in(index, values, **spot)
    draft.say(
        draft.choose(
            f"For {where} this is {equation(worked, element)}.",
            f"Putting in {where} gives {equation(worked, element)}.",
            f"For {where} it comes to {equation(worked, element)}.",
            f"So {where} ends up at {equation(worked, element)}.",
            salt="worked",
        ),
        "recompute",
    )  # fmt: skip
    draft.claim("number", worked, element, "recompute")
    step = other - element
    neighbour = spot["tx"] + _LANE
    beside = put_in(index, values, **{**spot, "tx": neighbour})
    draft.claim("number", beside, other, "recompute")
    _tell_step(draft, facts, row, values, step, neighbour, other)
    _claim_inputs(draft, values, spot, types)
    return _with_guard(draft, facts, row)


def _where(index: str, spot: dict[str, int]) -> str:
    """A thread in words."""
    thread = f"thread {spot['tx']}"
    if "threadIdx.y" in index:
        thread = f"the thread with `threadIdx.x` = {spot['tx']} and `threadIdx.y` = {spot['ty']}"
    blocks = [
        f"`blockIdx.{axis}` = {spot[key]}"
        for axis, key in (("x", "bx"), ("y", "by"), ("z", "bz")) if f"blockIdx.{axis}" in index
    ]  # fmt: skip
    if blocks == [f"`blockIdx.x` = {spot['bx']}"] and "threadIdx.y" not in index:
        return f"{thread} of block {spot['bx']}"
    return f"{thread} in the block with {listed(blocks)}" if blocks else thread


def _tell_locals(draft: Draft, facts: KernelFacts, row: Row) -> bool:
    """Says what the local names of an access stand for, back to the built-in indices."""
    shown = _shown(facts, row)
    wanted = set(re.findall(r"[A-Za-z_]\w*", shown))
    told = False
    for definition in facts.reading.definitions:
        if definition.name in wanted and re.search(
            r"(?:threadIdx|blockIdx)\.|hip(?:Thread|Block)Idx", definition.value
        ) and len(definition.value) < 90:  # fmt: skip
            draft.say(
                draft.choose(
                    f"{code(definition.name)} is made from {code(definition.value)}.",
                    f"The kernel sets {code(definition.name)} to {code(definition.value)}.",
                    salt=definition.name,
                ),
                draft.lines(facts.function, definition.first, definition.last),
            )  # fmt: skip
            told = True
    return told


def _shown(facts: KernelFacts, row: Row) -> str:
    """The access as written: the subscript at its column, else its line."""
    text = facts.function.text.split("\n")
    assert facts.function.span is not None
    line = text[row.line - facts.function.span.start_line]
    part = line[row.column - 1 :] if 0 < row.column <= len(line) else line.strip()
    match = re.match(r"\*?\(?\*?\w+\)?(?:\[[^\]]*\])*", part)
    return match[0] if match and len(match[0]) > 1 else line.strip()


def _tell_step(
    draft: Draft,
    facts: KernelFacts,
    row: Row,
    values: dict[str, Value],
    step: int,
    neighbour: int,
    other: int,
) -> None:
    stride = row.value.get("stride")
    here = draft.lines(facts.function, row.line)
    size = _bytes(facts, row)
    if step == 0:
        why = (
            "since the division drops the difference"
            if "threadIdx.x" in row.value["index"]
            else "because no term has `threadIdx.x` in it"
        )
        draft.say(
            f"Thread {neighbour} lands on the same offset {other}, {why}.",
            here, draft.head(facts.function), "recompute", "fact",
        )  # fmt: skip
    elif step == 1:
        draft.say(
            draft.choose(
                f"Thread {neighbour} takes {other}, the next element, so along x the accesses of a wavefront follow each other without a gap.",
                f"Its neighbour, thread {neighbour}, is at {other}: consecutive threads, consecutive elements.",
                f"One thread further the offset is {other}, one element on, and a wavefront covers a contiguous piece.",
                salt="step",
            ),
            here, "recompute", "fact",
        )  # fmt: skip
    else:
        apart = code(str(stride)) if isinstance(stride, str) and not stride.isdigit() else ""
        why = f", the distance {apart}" if apart and plain_index(stride) else ""
        span = ""
        if size and abs(step) * size < 10**6:
            total = abs(step) * size
            span = draft.choose(
                f" Elements of {size} bytes make that {abs(step)} * {size} = {total} bytes between neighbours.",
                f" In bytes, with {size} an element, the gap is {abs(step)} * {size} = {total}.",
                f" At {size} bytes an element neighbouring lanes are {abs(step)} * {size} = {total} bytes apart.",
                salt="bytes",
            )
            draft.claim("number", f"{abs(step)} * {size}", total, "recompute")
            _claim_size(draft, facts, row, size)
        draft.say(
            f"Thread {neighbour} is at {other}, that is {abs(step)} elements {'on' if step > 0 else 'back'}{why}.{span}",
            here, draft.head(facts.function), "recompute", "fact",
        )  # fmt: skip
    draft.claim("number", f"{other} - {other - step}", step, "recompute")
    draft.claim("number", f"{neighbour - 1} + 1", neighbour, "recompute")


def _bytes(facts: KernelFacts, row: Row) -> int | None:
    return BYTES.get(_element_type(facts, row))


def _element_type(facts: KernelFacts, row: Row) -> str:
    """What an element is in the instantiation: ``float``."""
    element = str(row.value.get("element", "")).removeprefix("element of ").strip()
    _number, types = facts.types()
    return re.sub(r"\bconst\b|[\s*]", "", types.get(element, element))


def _claim_size(draft: Draft, facts: KernelFacts, row: Row, size: int) -> None:
    draft.claim("size", _element_type(facts, row), size, "recompute")


def _claim_inputs(
    draft: Draft, values: dict[str, Value], spot: dict[str, int], types: dict[str, str]
) -> None:
    for name, value in values.items():
        if name in types:
            draft.claim("constant", name, int(value), "scope")


def _with_guard(draft: Draft, facts: KernelFacts, row: Row) -> Draft:
    """Adds the guard that stands in front of the access."""
    guards = [
        g for g in facts.of("guard")
        if g.fact["span"]["start_line"] <= row.line <= g.fact["span"]["end_line"]
        and g.line != row.line and len(g.value["condition"]) < 90
    ]  # fmt: skip
    shown: list[str] = []
    spans: list[Span] = []
    for guard in guards[-2:]:
        condition = guard.value["condition"]
        bare = re.fullmatch(r"!?\w+", condition) is not None
        shown.append(f"{code(condition)}{' is not zero' if bare else ' holds'}")
        spans.append(draft.lines(facts.function, guard.line, _condition_end(facts, guard.line)))
    if shown:
        draft.say(
            draft.choose(
                f"The access is only made where {listed(shown)}.",
                f"Only threads for which {listed(shown)} come to this access.",
                salt=f"guard{len(shown)}",
            ),
            *spans,
        )
    return draft


def _condition_end(facts: KernelFacts, first: int) -> int:
    branch = next((b for b in facts.reading.branches if b.first == first), None)
    return min(branch.consequence[0], first + 4) if branch is not None else first


def _neighbours(view: ScopeView, ground: Ground, facts: KernelFacts) -> Iterator[Draft]:
    """How the accesses of a wavefront lie, buffer by buffer."""
    function = facts.function
    number, types = facts.types()
    rows: dict[tuple[str, str], Row] = {}
    for row in _usable(facts):
        values = settings(row.value["index"], types, row.value.get("symbols") or {})
        if values is not None and row.value.get("class") in ("coalesced", "strided", "broadcast"):
            rows.setdefault((row.value["buffer"], row.value["class"]), row)
    classes = {row.value["class"] for row in rows.values()}
    if len(rows) < 2 or len(classes) < 2:
        return
    entries = entries_through(view, function, number)
    draft = Draft(view, ground, "memory_access", f"neighbouring lanes in {function.id}", entries)
    shown: list[str] = []
    for (buffer, kind), row in sorted(rows.items(), key=lambda item: item[1].line)[:5]:
        index = row.value["index"]
        values = settings(index, types, row.value.get("symbols") or {}) or {}
        low, high = at(index, values, tx=0), at(index, values, tx=1)
        if low is None or high is None or (kind == "broadcast") != (high == low):
            continue
        verb = "stored to" if row.value["access"] == "store" else "read"
        here = draft.lines(function, row.line)
        far = f"{abs(step := high - low)} {'element' if abs(step) == 1 else 'elements'}"
        head = draft.head(function)
        if kind == "broadcast" and step == 0:
            draft.say(
                draft.choose(
                    f"{code(buffer)} is {verb} at {code(index)}, in which `threadIdx.x` does not occur: all lanes of a row ask for one element.",
                    f"For {code(buffer)} the offset is {code(index)}; lane 0 and lane 1 both get it, so the lanes share the element.",
                    f"Nothing in {code(index)}, the offset into {code(buffer)}, moves with `threadIdx.x`, and one element serves the whole row of lanes.",
                    salt=buffer,
                ),
                here, head, "fact",
            )  # fmt: skip
        elif kind == "coalesced":
            draft.say(
                draft.choose(
                    f"{code(buffer)} is {verb} at {code(index)}; `threadIdx.x` stands there with factor {step}, so lane 1 is {far} {'after' if step > 0 else 'before'} lane 0.",
                    f"The offset into {code(buffer)}, {code(index)}, {'grows' if step > 0 else 'shrinks'} by {abs(step)} from lane to lane and a wavefront covers neighbouring elements.",
                    f"Along x {code(index)} moves {far} {'on' if step > 0 else 'back'} a lane, which puts the lanes' parts of {code(buffer)} side by side.",
                    salt=buffer,
                ),
                here, head, "fact", "recompute",
            )  # fmt: skip
        else:
            stride = row.value.get("stride")
            by = code(str(stride)) if isinstance(stride, str) and plain_index(stride) else str(step)
            example = ""
            if isinstance(stride, str) and stride in values:
                size = _bytes(facts, row)
                if size:
                    total = int(values[stride]) * size
                    example = f"; with {code(stride)} = {values[stride]} and elements of {size} bytes that is {values[stride]} * {size} = {total} bytes from lane to lane"
                    draft.claim("number", f"{values[stride]} * {size}", total, "recompute")
                    draft.claim("number", str(values[stride]), int(values[stride]), "recompute")
                    _claim_size(draft, facts, row, size)
            draft.say(
                draft.choose(
                    f"{code(buffer)} is {verb} at {code(index)}, where one step of `threadIdx.x` is a step of {by}{example}.",
                    f"In {code(index)}, the offset into {code(buffer)}, lanes are {by} elements apart{example}.",
                    f"Neighbouring lanes are separated by {by} in {code(buffer)}, as {code(index)} shows{example}.",
                    salt=buffer,
                ),
                here, head, "fact", "recompute",
            )  # fmt: skip
            if isinstance(stride, str) and re.fullmatch(r"inc\w*", stride):
                draft.say(
                    f"Only {code(stride)} = 1 makes these lanes adjacent, which is up to the caller.",
                    here, head, "fact",
                )  # fmt: skip
        claim_fact(draft, row)
        draft.claim("number", f"1 * {abs(step)}", abs(step), "recompute")
        shown.append(buffer)
        _claim_inputs(draft, values, {}, types)
    buffers = list(dict.fromkeys(code(b) for b in shown))
    if len(buffers) < 2:
        return
    draft.question = draft.choose(
        f"In {code(function.name)} (behind {code(entries[0])}), how far apart are the addresses of neighbouring lanes for {listed(buffers)}, and which of these accesses fall on consecutive elements?",
        f"A wavefront of {code(function.name)} goes through {listed(buffers)}. Compare the distance between lane 0 and lane 1 for each of them.",
        f"Where do the lanes of one wavefront of {code(function.name)} share an address, where do they follow each other, and where does a stride lie between them? Consider {listed(buffers)}.",
        f"{code(entries[0])} ends in {code(function.name)}. For {listed(buffers)}, derive from the index expressions what one step of `threadIdx.x` changes.",
    )
    yield draft
