"""Entries on LDS: which arrays a block keeps there, and how many bytes that is for a type."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from qa.author.draft import Draft, code, counted, listed
from qa.author.kernel_facts import KernelFacts, Row, claim_fact, kernel_facts
from qa.author.launch_pairs import Pair, pairs
from qa.author.launch_sizes import block_words, claim_block, definition_spans
from qa.author.launch_values import choose_shape
from qa.author.numbers import equation
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.element_types import BYTES
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView, ScopeView

_LDS_OF_A_COMPUTE_UNIT = 65536


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels with static LDS."""
    by_kernel = {pair.kernel.id: pair for pair in pairs(view, ground, functions)}
    for function in functions:
        if function.kind != "kernel" or not function.instantiations:
            continue
        facts = kernel_facts(view, ground, function)
        arrays = [
            r for r in facts.rows.get("lds_array", ()) if isinstance(r.value.get("bytes"), int)
        ]
        groups: dict[str | None, list[Row]] = defaultdict(list)
        for row in arrays:
            groups[row.fact["instantiation"]].append(row)
        draft = _draft(view, ground, facts, groups, by_kernel.get(function.id))
        if draft is not None:
            yield draft


def _draft(
    view: ScopeView,
    ground: Ground,
    facts: KernelFacts,
    groups: dict[str | None, list[Row]],
    pair: Pair | None,
) -> Draft | None:
    function = facts.function
    own = {array.name for array in facts.reading.shared}
    sized = {
        symbol: [r for r in rows if r.fact["subject"] in own and BYTES.get(_plain(r.value["type"]))]
        for symbol, rows in groups.items()
    }
    sized = {
        symbol: rows
        for symbol, rows in sized.items()
        if rows and {r.fact["subject"] for r in rows} == own
    }
    if not sized:
        return None
    ranked = sorted(sized, key=lambda s: (sum(r.value["bytes"] for r in sized[s]), str(s)))
    chosen = [ranked[0]] if len(ranked) == 1 else [ranked[0], ranked[-1]]
    small = sum(r.value["bytes"] for r in sized[chosen[0]])
    large = sum(r.value["bytes"] for r in sized[chosen[-1]])
    if len(chosen) == 2 and small == large:
        chosen = chosen[:1]
    numbers = [_number(facts, s, sized[s]) for s in chosen]
    if None in numbers and any(_depends_on_types(facts, sized[s]) for s in chosen):
        return None  # whose element type it is stays open
    entries = entries_through(view, function, numbers[0])
    draft = Draft(view, ground, "resources", f"LDS of {function.id}", entries)
    bound = [
        _bound(function, number, sized[symbol])
        for number, symbol in zip(numbers, chosen, strict=True)
    ]
    if any(not b for b in bound) and len(chosen) > 1:
        return None
    cases = [f"for {b}" if b else "" for b in bound]
    arrays = listed([code(a.name) for a in facts.reading.shared])
    if len(chosen) == 2:
        draft.question = draft.choose(
            f"How much LDS does a block of {code(function.name)} hold {cases[0]}, and how much {cases[1]}? Go array by array.",
            f"Compare the LDS footprint of {code(function.name)} behind {code(entries[0])} {cases[0]} with that {cases[1]}.",
            f"How does the LDS of one block of {code(function.name)} {cases[0]} compare with that {cases[1]}, and what do {arrays} contribute to each?",
        )
    else:
        draft.question = draft.choose(
            f"How many bytes of LDS does one block of {code(function.name)}{' ' if cases[0] else ''}{cases[0]} take for {arrays}, and how many blocks could share 65536 bytes of it?",
            f"Work out the static LDS of {code(function.name)}{' ' if cases[0] else ''}{cases[0]}, which {code(entries[0])} reaches, from the declarations of {arrays}.",
            *(
                [f"{code(function.name)}{' ' if cases[0] else ''}{cases[0]} keeps {arrays} in LDS. What does that come to in bytes, and what would elements of twice the size make of it?"]
                if _of_type(facts, sized[chosen[0]]) else []
            ),
        )  # fmt: skip
    totals = _tell_arrays(draft, facts, [sized[symbol] for symbol in chosen])
    if pair is not None and totals[0]:
        _tell_share(draft, pair, chosen[0], totals[0])
    if len(totals) == 2 and totals[0] and totals[1] % totals[0] == 0:
        factor = totals[1] // totals[0]
        draft.say(
            f"The larger instantiation needs {totals[1]} / {totals[0]} = {factor} times as much.",
            "recompute",
        )
        draft.claim("number", f"{totals[1]} / {totals[0]}", factor, "recompute")
    elif totals and totals[0]:
        fit = _LDS_OF_A_COMPUTE_UNIT // totals[0]
        draft.say(
            draft.choose(
                f"By LDS alone 65536 / {totals[0]} leaves room for {counted(fit, 'block')}.",
                f"Were LDS the only limit, {counted(fit, 'such block')} would fit into 65536 bytes.",
                salt="fit",
            ),
            "recompute",
        )  # fmt: skip
        draft.claim("number", f"65536 / {totals[0]}", fit, "recompute")
        draft.claim("number", "65536", _LDS_OF_A_COMPUTE_UNIT, "recompute")
        if "twice the size" in draft.question:
            _tell_doubled(draft, facts, sized[chosen[0]])
    return draft


def _of_type(facts: KernelFacts, rows: list[Row]) -> list[Row]:
    """Arrays whose element is a parameter of the template; the others have a type of their own."""
    declared = {array.name: _plain(array.type) for array in facts.reading.shared}
    names = set(template_parameters(facts.function))
    return [r for r in rows if declared.get(r.fact["subject"]) in names]


def _tell_doubled(draft: Draft, facts: KernelFacts, rows: list[Row]) -> None:
    """What elements of twice the size come to; arrays of a fixed type stay as they are."""
    growing = _of_type(facts, rows)
    fixed = [r for r in rows if r not in growing]
    more = [int(r.value["bytes"]) for r in growing]
    worked = " + ".join([*(f"2 * {b}" for b in more), *(str(r.value["bytes"]) for r in fixed)])
    total = 2 * sum(more) + sum(int(r.value["bytes"]) for r in fixed)
    names = listed([code(r.fact["subject"]) for r in fixed])
    are = "keeps its type and size" if len(fixed) == 1 else "keep their types and sizes"
    grow = listed([code(r.fact["subject"]) for r in growing])
    draft.say(
        f"Elements of twice the size would make it {worked} = {total} bytes, since only {grow} {'follows' if len(growing) == 1 else 'follow'} the template's type and {names} {are}."
        if fixed
        else f"Elements of twice the size would make it {worked} = {total} bytes.",
        *[draft.lines(facts.function, a.first, a.last) for a in facts.reading.shared],
        "recompute",
    )  # fmt: skip
    draft.claim("number", worked, total, "recompute")


def _depends_on_types(facts: KernelFacts, rows: list[Row]) -> bool:
    """An array's element type is a parameter of the template."""
    declared = {array.name: _plain(array.type) for array in facts.reading.shared}
    return any(_plain(r.value["type"]) != declared.get(r.fact["subject"]) for r in rows)


def _number(facts: KernelFacts, symbol: str | None, rows: list[Row]) -> int | None:
    """The instantiation that some facts are about: by its symbol, else by its element types."""
    function = facts.function
    declared = {array.name: _plain(array.type) for array in facts.reading.shared}
    for number, one in enumerate(function.instantiations):
        bound = types_of(function, number)
        named = {r.fact["subject"]: declared.get(r.fact["subject"], "") for r in rows}
        alike = all(
            _plain(bound.get(named[r.fact["subject"]], _plain(r.value["type"])))
            == _plain(r.value["type"])
            for r in rows
        )
        if one["symbol"] == symbol or (symbol is None and alike):
            return number
    return None


def _tell_arrays(draft: Draft, facts: KernelFacts, cases: list[list[Row]]) -> list[int]:
    """Array by array, what it takes in each case, and the sums."""
    function = facts.function
    for array in facts.reading.shared:
        rows = [next(r for r in rows if r.fact["subject"] == array.name) for rows in cases]
        extent = "".join(f"[{e}]" for e in array.extents) if all(array.extents) else ""
        parts = []
        counts = []
        for row in rows:
            size = BYTES[_plain(row.value["type"])]
            count = row.value["bytes"] // size
            counts.append(count)
            parts.append(
                f"{count} * {size} = {row.value['bytes']} bytes for {code(_plain(row.value['type']))}"
            )
            draft.claim("number", f"{count} * {size}", row.value["bytes"], "recompute")
            draft.claim("number", str(count), count, "recompute")
            draft.claim("size", _plain(row.value["type"]), size, "recompute")
            claim_fact(draft, row)
        declared = f", declared with extent {code(extent)}," if extent else ""
        if len(parts) == 2 and counts[0] == counts[1]:
            parts[1] = parts[1].split(" = ", 1)[1]
            text = (
                f"{code(array.name)}{declared} has {counts[0]} elements, {parts[0]} and {parts[1]}."
            )
        else:
            text = f"{code(array.name)}{declared} takes {listed(parts)}."
        draft.say(
            text, draft.lines(function, array.first, array.last), draft.head(function), "fact", "recompute"
        )  # fmt: skip
    totals = [sum(row.value["bytes"] for row in rows) for rows in cases]
    if len(cases[0]) > 1:
        sums = []
        for rows, total in zip(cases, totals, strict=True):
            worked = " + ".join(str(row.value["bytes"]) for row in rows)
            sums.append(f"{equation(worked, total)}")
            draft.claim("number", worked, total, "recompute")
        draft.say(
            f"A block needs {listed(sums)} bytes{', respectively' if len(sums) > 1 else ''}.",
            "recompute",
        )
    return totals


def _tell_share(draft: Draft, pair: Pair, symbol: str | None, total: int) -> None:
    """How many threads share the bytes, where the launch of the instantiation is known."""
    own = pair.kernel.instantiations[pair.number]["symbol"]
    shape = choose_shape(pair)
    if symbol not in (None, own) or shape is None or shape.threads < 2:
        return
    worked = f"{total} / {shape.threads}"
    share = (
        f"{equation(worked, total // shape.threads)} bytes for each"
        if total % shape.threads == 0
        else "a share for each that is no whole number"
    )
    draft.say(
        f"The block that {code(pair.launcher.name)} starts has {block_words(shape)}, which makes {share}.",
        pair.site.at, draft.head(pair.launcher), *definition_spans(draft, pair), "fact", "recompute",
    )  # fmt: skip
    if total % shape.threads == 0:
        draft.claim("number", worked, total // shape.threads, "recompute")
    pair.claim_shape(draft, "launch_block")
    claim_block(draft, shape)


def _plain(kind: str) -> str:
    return re.sub(r"\b(?:const|struct)\b|\s+(?=[*&])", "", kind).strip()


def _bound(function: FunctionView, number: int | None, rows: list[Row]) -> str:
    """The template arguments that the sizes depend on, in words."""
    if number is None:
        return ""
    names = template_parameters(function)
    arguments = function.instantiations[number]["template_arguments"]
    text = function.text
    wanted = set()
    for row in rows:
        match = re.search(rf"__shared__[^;]*\b{re.escape(row.fact['subject'])}\b[^;]*;", text)
        wanted |= set(re.findall(r"[A-Za-z_]\w*", match[0])) if match else set()
    shown = [
        f"{code(n)} = {code(a) if not a.isdigit() else a}"
        for n, a in zip(names, arguments, strict=False)
        if n in wanted
    ]
    return listed(shown)
