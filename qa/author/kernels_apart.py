"""What two kernels that a host function chooses between are given, as far as that differs."""

from __future__ import annotations

from qa.author.draft import Draft, code, listed
from qa.reading.function import read_function
from qa.scope_view import FunctionView

_MOST = 4


def tell_apart(draft: Draft, one: FunctionView, two: FunctionView) -> bool:
    """Says which parameters only one of two kernels has; nothing where they share all or few."""
    if one.span is None or two.span is None or one.id == two.id:
        return False
    first, second = (
        [p.name for p in read_function(f.text, f.span.start_line).parameters if p.name]
        for f in (one, two) if f.span is not None
    )  # fmt: skip
    only_first = [name for name in first if name not in second]
    only_second = [name for name in second if name not in first]
    shared = len(first) - len(only_first)
    if not 0 < len(only_first) + len(only_second) <= _MOST or shared < 2:
        return False
    parts = [
        f"{code(function.name)} takes {listed([code(name) for name in names])}"
        for function, names in ((one, only_first), (two, only_second)) if names
    ]  # fmt: skip
    draft.say(
        f"Of the two kernels only {' and only '.join(parts)}; the other parameters have the same names.",
        draft.head(one), draft.head(two),
    )  # fmt: skip
    return True
