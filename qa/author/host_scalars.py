"""What the host does about a scalar before a kernel that asks for it as well is launched."""

from __future__ import annotations

import re

from qa.author.draft import Draft, code
from qa.reading.function import read_function
from qa.scope_view import FunctionView

_LONGEST = 110


def tell_host_test(
    draft: Draft, kernel: FunctionView, entry: str, scalar: str, equals: int
) -> bool:
    """Says where the way from a public call asks for the same value of the scalar on the host.

    A kernel that leaves its result alone does not make the public call do so: the host may have
    acted on the scalar before.
    """
    stem = re.match(r"(alpha|beta|[a-z]{3,})", scalar)
    if stem is None or equals < 0:
        return False
    view = draft.view
    ends = [one["id"] for one in kernel.instantiations]
    way = next(
        (path for config in view.configs for end in ends if (path := view.path(entry, config, end))),
        [],
    )  # fmt: skip
    value = r"(?:0|zero)" if equals == 0 else r"(?:1|one)"
    named = rf"\*?\b{stem[1]}\w*"
    test = re.compile(
        rf"{named}\s*==\s*(?:\w+\()?{value}\b|\b{value}\)?\s*==\s*{named}"
        + (rf"|!\*{stem[1]}\w*" if equals == 0 else "")
    )
    functions = {view.owner[one].id: view.owner[one] for one, _at in way[:-1]}
    for function in functions.values():
        if function.span is None:
            continue
        reading = read_function(function.text, function.span.start_line)
        for branch in reading.branches:
            if not test.search(branch.condition) or len(branch.condition) > _LONGEST:
                continue
            leaves = ", and returns there" if branch.returns is not None else ""
            draft.say(
                f"That is the kernel's part: on the way of the public call the host asks in {code(function.name)} for {code(branch.condition)} as well{leaves}, so what the public call leaves behind is settled there and not by the kernel alone.",
                draft.lines(function, branch.first, branch.consequence[0]), draft.head(function),
                draft.head(kernel),
            )  # fmt: skip
            return True
    return False
