"""Entries on guards: which threads they stop, and what those would do without them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.draft import Draft, code
from qa.author.host_scalars import tell_host_test
from qa.author.kernel_facts import (
    KernelFacts,
    Row,
    at,
    claim_fact,
    kernel_facts,
    plain_index,
    put_in,
    settings,
)
from qa.author.numbers import equation
from qa.author.ownership import owned
from qa.author.subjects import entries_through
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView

_UPPER = re.compile(r"(.+?)\s*<\s*([A-Za-z_]\w*)")


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels whose grids are rounded up."""
    for function in functions:
        if function.kind != "kernel" or not function.instantiations:
            continue
        facts = kernel_facts(view, ground, function)
        if function.id not in owned(view, ground, functions):
            yield from _surplus(view, ground, facts)
        yield from _scalars(view, ground, facts)


def _unwrapped(text: str) -> str:
    while text.startswith("(") and text.endswith(")"):
        depth, end = 0, 0
        for character in text:
            depth += (character == "(") - (character == ")")
            end += 1
            if depth == 0:
                break
        if end != len(text):
            break
        text = text[1:-1].strip()
    return text


def _surplus(view: ScopeView, ground: Ground, facts: KernelFacts) -> Iterator[Draft]:
    """Threads beyond the end: how many, and where they would write."""
    number, types = facts.types()
    for guard in facts.of("guard"):
        resolved = str(guard.value.get("resolved") or "")
        match = _UPPER.fullmatch(_unwrapped(resolved))
        if match is None or "blockIdx.x" not in match[1] or "threadIdx.x" not in match[1]:
            continue
        if (
            re.search(r"&&|\|\||[<>=]", match[1])
            or "threadIdx.y" in match[1]
            or match[1].count("(") != match[1].count(")")
        ):
            continue
        bound = match[2]
        if not any(p.name == bound for p in facts.reading.parameters):
            continue
        span = guard.fact["span"]
        access = next(
            (r for r in facts.of("global_access")
             if span["start_line"] <= r.line <= span["end_line"] and plain_index(r.value.get("index"))
             and r.value["access"] == "store" and re.match(r"\w+$", str(r.value.get("buffer")))), None,
        )  # fmt: skip
        if access is None:
            continue
        draft = _surplus_draft(view, ground, facts, guard, access, match[1], bound, number, types)
        if draft is not None:
            yield draft
            return


def _surplus_draft(
    view: ScopeView,
    ground: Ground,
    facts: KernelFacts,
    guard: Row,
    access: Row,
    position: str,
    bound: str,
    number: int,
    types: dict[str, str],
) -> Draft | None:
    function = facts.function
    index = access.value["index"]
    values = settings(f"{index} + ({position})", types, access.value.get("symbols") or {})
    one, two = at(position, values or {}, tx=0, bx=0), at(position, values or {}, tx=0, bx=1)
    lane = at(position, values or {}, tx=1, bx=0)
    if values is None or one is None or two is None or lane is None or lane - one < 1:
        return None
    per_thread, per_block = lane - one, two - one
    threads = per_block // per_thread
    if per_thread > 1:
        return None  # what is left over of several elements may have a way of its own
    if threads < 2 or threads > 1024:
        return None
    extent = 3 * per_block + per_block // 3 + 1
    values = {**values, bound: extent}
    blocks = (extent - 1) // per_block + 1
    last = next(
        (t for t in range(threads) if (at(position, values, tx=t, bx=blocks - 1) or 0) >= extent),
        None,
    )
    if last is None:
        return None
    surplus = threads - last
    place = at(index, values, tx=last, bx=blocks - 1)
    final = at(position, values, tx=last, bx=blocks - 1)
    if place is None or final is None:
        return None
    entries = entries_through(view, function, number)
    draft = Draft(
        view, ground, "correctness_constraints", f"guard on {bound} in {function.id}", entries
    )
    condition, buffer = guard.value["condition"], access.value["buffer"]
    flat = "threadIdx.y" not in function.text and "hipThreadIdx_y" not in function.text
    a_block = "a block" if flat else "along x of a block"
    given = [f"{code(n)} = {v}" for n, v in values.items() if n != bound and n not in types and v]
    more = f" and {given[0]}" if len(given) == 1 else f", {', '.join(given)}" if given else ""
    draft.question = draft.choose(
        f"{code(function.name)} runs with {threads} threads {a_block} on {code(bound)} = {extent}{more}, enough blocks to cover it. Which threads does {code(condition)} stop, and what would the first of them touch if the test were removed?",
        f"What breaks in {code(function.name)} when the guard {code(condition)} is dropped? Work it out for {code(bound)} = {extent}, {threads} threads {a_block}{more}.",
        f"Blocks of {threads} threads{'' if flat else ' along x'} cover {code(bound)} = {extent} in {code(function.name)}{more}. How many threads are left over, and where would they write through {code(buffer)} were it not for {code(condition)}?",
        f"Somebody proposes to delete {code(condition)} from {code(function.name)}, since the grid is sized after {code(bound)} anyway. Refute it with {code(bound)} = {extent} and {threads} threads {a_block}{more}.",
    )
    covers = f"a block stands for {per_block} elements"
    _tell_position(draft, facts, guard, position)
    draft.say(
        f"Since {covers}, ({extent} - 1) / {per_block} + 1 = {blocks} blocks are needed.",
        "recompute",
    )
    draft.claim("number", f"({extent} - 1) / {per_block} + 1", blocks, "recompute")
    worked = put_in(position, values, tx=last, bx=blocks - 1)
    here = draft.lines(function, guard.line, guard.line)
    draft.say(
        draft.choose(
            f"In block {blocks - 1} thread {last} is the first for which {code(condition)} fails: it stands at {equation(worked, final)}.",
            f"{code(condition)} is false from thread {last} of block {blocks - 1} on, where the position is {equation(worked, final)}.",
            salt="first",
        ),
        here, "recompute",
    )  # fmt: skip
    draft.claim("number", worked, final, "recompute")
    draft.say(f"That leaves {threads} - {last} = {surplus} threads without work.", "recompute")
    draft.claim("number", f"{threads} - {last}", surplus, "recompute")
    offset = put_in(index, values, tx=last, bx=blocks - 1)
    store = draft.lines(function, access.line)
    draft.say(
        draft.choose(
            f"Unguarded, it would store to offset {code(index)} from {code(buffer)}, here {offset} = {place}, which is past the last element that belongs to the problem.",
            f"Its store through {code(buffer)} goes to {code(index)}, that is {offset} = {place}, behind the data.",
            salt="store",
        ),
        store, draft.head(function), "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", offset, place, "recompute")
    draft.say(
        draft.choose(
            "The grid is sized in whole blocks, so only an extent that is a multiple of a block's share could do without the test.",
            "Rounding the grid up is what makes the surplus; the guard is the other half of that bargain.",
            "Nothing else in the kernel keeps these threads from memory that may belong to another vector or to nobody.",
            salt="close",
        )
    )
    claim_fact(draft, guard)
    claim_fact(draft, access)
    for name in values:
        if name in types:
            draft.claim("constant", name, int(values[name]), "scope")
    draft.claim("number", str(threads), threads, "recompute")
    draft.claim("number", str(last), last, "recompute")
    draft.claim("number", str(per_block), per_block, "recompute")
    draft.claim("number", f"{blocks} - 1", blocks - 1, "recompute")
    return draft


def _tell_position(draft: Draft, facts: KernelFacts, guard: Row, position: str) -> None:
    names = re.findall(r"[A-Za-z_]\w*", guard.value["condition"])
    for name in names:
        definition = facts.reading.definition(name)
        if definition is not None and len(definition.value) < 90:
            draft.say(
                f"The test compares {code(name)}, which is {code(definition.value)}.",
                draft.lines(facts.function, definition.first, definition.last),
            )
            return
    del position


def _scalars(view: ScopeView, ground: Ground, facts: KernelFacts) -> Iterator[Draft]:
    """What a kernel leaves out for a scalar of zero or one."""
    function = facts.function
    for row in facts.of("scalar_handling"):
        if row.value.get("together"):
            continue  # the scalar alone does not decide
        then, other = row.value.get("then") or {}, row.value.get("else") or {}
        saved = [
            b
            for b in other.get("reads", ())
            if b not in then.get("reads", ()) and re.match(r"\w+$", b)
        ]
        kept = [
            b
            for b in other.get("writes", ())
            if b not in then.get("writes", ()) and re.match(r"\w+$", b)
        ]
        if not saved and not kept:
            continue
        draft = _scalar_draft(view, ground, facts, row, saved, kept, list(then.get("reads", ())))
        if draft is not None:
            yield draft
            return
    del function


def _scalar_draft(
    view: ScopeView,
    ground: Ground,
    facts: KernelFacts,
    row: Row,
    saved: list[str],
    kept: list[str],
    short: list[str],
) -> Draft | None:
    function = facts.function
    number, _types = facts.types()
    equals = row.value.get("equals")
    scalar = row.fact["subject"]
    branch = next(
        (
            b
            for b in facts.reading.branches
            if b.first == row.line or b.first == row.fact["span"]["start_line"]
        ),
        None,
    )
    if branch is None or len(branch.condition) > 100:
        return None
    entries = entries_through(view, function, number)
    draft = Draft(
        view,
        ground,
        "computation_semantics",
        f"{scalar} equal to {equals} in {function.id}",
        entries,
    )
    poison = code(saved[0]) if saved else code(kept[0])
    draft.question = draft.choose(
        f"{code(function.name)}, which {code(entries[0])} can launch, finds a scalar {code(scalar)} of {equals} and NaN behind {poison}. Does the kernel let the NaN through?",
        f"What does {code(function.name)} do differently when {code(scalar)} is {equals}, and what does that mean for NaN or uninitialised memory behind {poison}?",
        f"Is {poison} touched by {code(function.name)} when {code(scalar)} equals {equals}? Argue from the branch.",
    )
    here = draft.lines(function, branch.first, branch.consequence[0])
    definition = facts.reading.definition(branch.condition.strip("!() "))
    if definition is not None and scalar in definition.value and len(definition.value) < 100:
        draft.say(
            f"The value that is tested, {code(definition.name)}, comes from {code(definition.value)}.",
            draft.lines(function, definition.first, definition.last),
        )
    stores = [s for s in facts.of("global_access") if s.value["access"] == "store"]
    draft.say(
        draft.choose(
            f"The branch on {code(branch.condition)} decides, and for {equals} the kernel takes the short side.",
            f"{code(branch.condition)} separates the cases; a value of {equals} keeps the thread out of the longer one.",
            salt="branch",
        ),
        here, "fact",
    )  # fmt: skip
    head = draft.head(function)
    spans = [
        draft.lines(function, r.line)
        for r in facts.of("global_access")
        if r.value.get("buffer") in (*saved, *kept)
    ][:3]
    if saved:
        names = ", ".join(code(b) for b in saved)
        draft.say(
            draft.choose(
                f"On that side nothing is loaded through {names}, so what is stored there, NaN included, cannot reach a result.",
                f"{names} {'is' if len(saved) == 1 else 'are'} not read then: a NaN there has no way into the arithmetic, where zero times NaN would have been NaN.",
                salt="reads",
            ),
            head, *spans, "fact",
        )  # fmt: skip
    if kept:
        names = ", ".join(code(b) for b in kept)
        draft.say(
            draft.choose(
                f"Neither does the kernel store anything through {names}.",
                f"The kernel does not write {names} either.",
                salt="writes",
            ),
            head, *spans, "fact",
        )  # fmt: skip
    else:
        written = sorted(
            {s.value["buffer"] for s in stores if re.match(r"\w+$", str(s.value.get("buffer")))}
        )
        span = row.fact["span"]
        outside = [
            r for r in facts.of("global_access")
            if r.value["access"] == "load" and r.value.get("buffer") not in (*saved, scalar)
            and not span["start_line"] <= r.line <= span["end_line"]
        ]  # fmt: skip
        if written:
            others = bool(outside) or any(b not in (*saved, scalar) for b in short)
            source = (
                "from the other operands alone" if others else "with a value that needs no operand"
            )
            draft.say(
                f"The result behind {code(written[0])} is still written, {source}.",
                head, "fact",
            )  # fmt: skip
    draft.say(
        draft.choose(
            "A multiplication in every case would not give that: zero times NaN is NaN.",
            "A kernel that multiplied in every case would be right for finite data and wrong for this one.",
            salt="why",
        )
        if equals == 0
        else "Multiplying by one would have changed nothing, so the traffic is saved."
    )
    tell_host_test(draft, function, entries[0], scalar, int(equals) if equals in (0, 1) else -1)
    claim_fact(draft, row)
    return draft
