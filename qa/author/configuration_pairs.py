"""Entries on what one entry point launches in two builds of the library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.entry_pairs import claim_reach, heads_of, plain_kernels, seen, way_to
from qa.ground import Ground
from qa.scope_view import FunctionView, ScopeView


def configurations(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    """The same entry in two builds of the library."""
    if len(view.configs) < 2:
        return
    first, second = view.configs[:2]
    done: set[tuple[str, ...]] = set()
    for entry in sorted(view.per_entry, key=lambda e: (e.endswith("_64"), e.count("_"), e)):
        one, two = plain_kernels(view, entry, first), plain_kernels(view, entry, second)
        if one == two or len(done) >= 2:
            continue
        seen_first, seen_second = (seen(view, ground, entry, c) for c in (first, second))
        lost = [k for k in one if k not in two and k in seen_first]
        gained = [k for k in two if k not in one and k in seen_second]
        if not lost and not gained:
            continue
        key = (*lost, "|", *gained)
        if key in done:
            continue
        done.add(key)
        draft = Draft(
            view, ground, "dispatch", f"configurations {entry}", [entry], configs=[first, second]
        )
        draft.question = draft.choose(
            f"The library can be built in configuration `{first}` or `{second}`. How does the choice change what {code(entry)} can launch?",
            f"Which kernels of {code(entry)} exist in configuration `{first}` and not in `{second}`, and what stands in their place?",
            f"{code(entry)} is profiled in a build of configuration `{second}`. Which of the kernels known from configuration `{first}` cannot appear, and where does the call go instead?",
        )
        if lost:
            draft.say(
                f"{listed([code(k) for k in lost[:4]])} {'belongs' if len(lost) == 1 else 'belong'} to `{first}` only.",
                *heads_of(draft, view, lost[:4]), "scope",
            )  # fmt: skip
        if gained:
            draft.say(
                f"`{second}` alone has {listed([code(k) for k in gained[:4]])}.",
                *heads_of(draft, view, gained[:4]),
                "scope",
            )
        kept = [k for k in one if k in two and k in seen_first and k in seen_second]
        if kept:
            draft.say(
                f"{listed([code(k) for k in kept[:4]])} {'is' if len(kept) == 1 else 'are'} there in both.",
                *heads_of(draft, view, kept[:4]),
                "scope",
            )
        outside = [
            b
            for b in view.boundaries
            if second in b["configs"]
            and first not in b["configs"]
            and b["library"].lower() not in ("compiler", "system")
        ]
        for boundary in outside[:1]:
            callers = [view.owner[c] for c in boundary["callers"] if c in view.owner]
            if callers and callers[0].span is not None:
                name = boundary["name"].split("::")[-1].split("(")[0]
                draft.say(
                    f"In `{second}` {code(callers[0].name)} calls {code(name)}, which belongs to {boundary['library']}, and what that library launches lies beyond this source.",
                    draft.head(callers[0]), *_lines_of(draft, callers[0], name), "scope",
                )  # fmt: skip
        if lost:
            steps = way_to(view, entry, first, lost[0])
            if len(steps) > 1:
                draft.say(
                    f"In `{first}` {code(steps[-2].name)} is the function that launches {code(lost[0])}.",
                    draft.head(steps[-2]), draft.head(steps[-1]), "scope",
                )  # fmt: skip
        for config in (first, second):
            claim_reach(draft, view, entry, config)
        yield draft


def _lines_of(draft: Draft, function: FunctionView, name: str) -> list[Span]:
    assert function.span is not None
    for number, row in enumerate(function.text.split("\n")):
        if re.search(rf"\b{re.escape(name)}\b", row):
            return [draft.lines(function, function.span.start_line + number)]
    return []
