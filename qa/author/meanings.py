"""What the parameters of a function mean, for an instruction to write it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from qa.author.draft import Draft, code, listed
from qa.author.glossary import contents, meaning
from qa.author.kernel_facts import kernel_facts, plain_index
from qa.author.parameters import operand_of, public_names
from qa.reading.documentation import Documentation
from qa.reading.function import FunctionReading
from qa.scope_view import FunctionView, ScopeView

_COUNTS_ELEMENTS = re.compile(r"(?:offset|shift|stride|inc|ld)_?[a-zA-Z]|\w+_stride$")


def meanings(
    draft: Draft,
    function: FunctionView,
    reading: FunctionReading,
    documentation: Documentation | None,
    entries: Sequence[str],
) -> str:
    """What the parameters are, in one paragraph: those of the public call in the header's words.

    Args:
        draft: The entry.
        function: Whose parameters.
        reading: The function, read.
        documentation: The header's words on the first entry point.
        entries: Public functions that come to it.
    """
    public = (
        public_names(draft.view, draft.ground, function, entries, documentation.parameters)
        if documentation is not None else {}
    )  # fmt: skip
    words = {}
    for parameter in reading.parameters:
        name = parameter.name
        said = documentation if documentation is not None and name in public else None
        if said is not None and public[name] != name:
            own = meaning(name, None, reading)  # a stride that is given a size is a stride
            said = None if own else replace(said, parameters={name: said.parameters[public[name]]})
        words[name] = meaning(name, said, reading)
    places = Counter(what for what in words.values() if re.match(r"the distance|where `", what))
    idle = _moves_nothing(draft, function)
    told = [
        f"{code(name)} is {what}" for name, what in words.items()
        if name not in idle
        # Two strides of one operand: which of them is another's, the names do not say.
        and what and (places[what] < 2 or operand_of(name, reading))
    ]  # fmt: skip
    if not told:
        return ""
    tail = ""
    if documentation is not None and _is_the_call(draft.view, function):
        held = [
            f"{code(p.name)}: {what}" for p in reading.parameters
            if public.get(p.name) == p.name
            and (what := contents(documentation.parameters.get(p.name, "")))
        ]  # fmt: skip
        if held:
            tail = f" In the public header's words, {'; '.join(held)}."
    counted_in = [p.name for p in reading.parameters if _COUNTS_ELEMENTS.match(p.name)]
    if counted_in:
        tail += " Offsets, increments, strides and leading dimensions count elements"
        offsets = [n for n in counted_in if re.match(r"(?:offset|shift)", n)]
        loads = re.findall(r"load_ptr_batch[^;]*;", function.text) if offsets else []
        added = [n for n in offsets if any(re.search(rf"\b{n}\b", load) for load in loads)]
        if added:
            tail += f"; {listed([code(o) for o in added])} {'is' if len(added) == 1 else 'are'} added to the pointer before it is indexed"
        tail += "."
    return "Parameters: " + "; ".join(told) + "." + tail


def _moves_nothing(draft: Draft, function: FunctionView) -> set[str]:
    """Leading dimensions and increments that no offset into memory hangs on: they cancel out.

    What such a name usually is, it is not here: ``i + j * ldw - (j * ldw - j * (j + 1) / 2)``.
    """
    if function.kind != "kernel":
        return set()
    facts = kernel_facts(draft.view, draft.ground, function)
    rows = [str(row.value.get("index")) for row in facts.rows.get("global_access", ())]
    if not rows or not all(map(plain_index, rows)):
        return set()
    used = set(re.findall(r"[A-Za-z_]\w*", " ".join(rows)))
    named = {p.name for p in facts.reading.parameters if re.fullmatch(r"(?:ld|inc)\w+", p.name)}
    return {name for name in named - used if re.search(rf"\b{name}\b.*?[-+*]", function.text)}


def _is_the_call(view: ScopeView, function: FunctionView) -> bool:
    """Public functions come straight to this one and do nothing else: its arrays hold the same."""
    callers = {
        view.owner[caller].id for one in function.instantiations
        for caller in view.callers.get(one["id"], ()) if caller in view.owner
    }  # fmt: skip
    return bool(callers) and all(view.by_id[c].kind == "entry_point" for c in callers)
