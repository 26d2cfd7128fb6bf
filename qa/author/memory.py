"""Entries on LDS: which arrays a block keeps there, and how many bytes that is for a type."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import KernelFacts, Row, claim_fact, kernel_facts
from qa.author.subjects import entries_through
from qa.gates.claims import template_parameters
from qa.ground import Ground
from qa.reading.element_types import BYTES
from qa.scope_view import FunctionView, ScopeView

_LDS_OF_A_COMPUTE_UNIT = 65536


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on kernels with static LDS."""
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
        draft = _draft(view, ground, facts, groups)
        if draft is not None:
            yield draft


def _draft(
    view: ScopeView, ground: Ground, facts: KernelFacts, groups: dict[str | None, list[Row]]
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
    numbers = [
        next((i for i, one in enumerate(function.instantiations) if one["symbol"] == s), None)
        for s in chosen
    ]
    entries = entries_through(view, function, numbers[0])
    draft = Draft(view, ground, "resources", f"LDS of {function.id}", entries)
    bound = [
        _bound(function, number, sized[symbol])
        for number, symbol in zip(numbers, chosen, strict=True)
    ]
    if any(not b for b in bound) and len(chosen) > 1:
        return None
    cases = [f"({b})" if b else "" for b in bound]
    arrays = listed([code(a.name) for a in facts.reading.shared])
    if len(chosen) == 2:
        draft.question = draft.choose(
            f"How much LDS does a block of {code(function.name)} hold {cases[0]}, and how much {cases[1]}? Go array by array.",
            f"Compare the LDS footprint of {code(function.name)} behind {code(entries[0])} for the instantiations {cases[0]} and {cases[1]}.",
            f"By how much does the LDS of one block of {code(function.name)} grow from {cases[0]} to {cases[1]}, and which of {arrays} is responsible?",
        )
    else:
        draft.question = draft.choose(
            f"How many bytes of LDS does one block of {code(function.name)} {cases[0]} take for {arrays}, and how many blocks could share 65536 bytes of it?",
            f"Work out the static LDS of {code(function.name)} {cases[0]}, which {code(entries[0])} reaches, from the declarations of {arrays}.",
            f"{code(function.name)} {cases[0]} keeps {arrays} in LDS. What does that come to in bytes, and what would doubling the element size make of it?",
        )
    totals = []
    for symbol, case in zip(chosen, cases, strict=True):
        rows = sorted(sized[symbol], key=lambda r: r.fact["subject"])
        parts = []
        for row in rows:
            array = next(a for a in facts.reading.shared if a.name == row.fact["subject"])
            size = BYTES[_plain(row.value["type"])]
            count = row.value["bytes"] // size
            parts.append(row.value["bytes"])
            extent = "".join(f"[{e}]" for e in array.extents) if all(array.extents) else ""
            draft.say(
                draft.choose(
                    f"{code(row.fact['subject'])} has {count} elements{f' ({code(extent)})' if extent else ''} of {size} bytes for {code(row.value['type'])}, {count} * {size} = {row.value['bytes']}.",
                    f"With {code(row.value['type'])} the array {code(row.fact['subject'])}{f', declared with extent {code(extent)},' if extent else ''} takes {count} * {size} = {row.value['bytes']} bytes.",
                    f"{count} * {size} = {row.value['bytes']} bytes go to {code(row.fact['subject'])}{f', whose extent is {code(extent)}' if extent else ''}, at {size} bytes for a {code(row.value['type'])}.",
                    salt=f"{row.fact['subject']}{symbol}",
                ),
                draft.lines(function, array.first, array.last), draft.head(function), "fact", "recompute",
            )  # fmt: skip
            draft.claim("number", f"{count} * {size}", row.value["bytes"], "recompute")
            draft.claim("number", str(count), count, "recompute")
            draft.claim("size", _plain(row.value["type"]), size, "recompute")
            claim_fact(draft, row)
        total = sum(parts)
        totals.append(total)
        if len(parts) > 1:
            draft.say(f"Together {' + '.join(map(str, parts))} = {total} bytes.", "recompute")
            draft.claim("number", " + ".join(map(str, parts)), total, "recompute")
        del case
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
                f"By LDS alone 65536 / {totals[0]} leaves room for {fit} blocks.",
                f"Were LDS the only limit, {fit} such blocks would fit into 65536 bytes.",
                salt="fit",
            ),
            "recompute",
        )  # fmt: skip
        draft.claim("number", f"65536 / {totals[0]}", fit, "recompute")
        draft.claim("number", "65536", _LDS_OF_A_COMPUTE_UNIT, "recompute")
        doubled = 2 * totals[0]
        if "doubling" in draft.question:
            draft.say(
                f"Elements of twice the size would make it 2 * {totals[0]} = {doubled}.",
                "recompute",
            )
            draft.claim("number", f"2 * {totals[0]}", doubled, "recompute")
    return draft


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
