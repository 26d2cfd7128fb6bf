"""Code of several functions in one piece: each in the namespace that it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from qa.scope_view import FunctionView


def framed(helpers: Sequence[FunctionView], function: FunctionView) -> str:
    """The code of some functions and of the one that needs them, the latter last.

    What stands in a namespace that is not around the last one keeps it: in another one the same
    text declares another function, and may not see what it names.

    Args:
        helpers: Callees before callers.
        function: What is asked for.
    """
    around = namespaces(function)

    def frame(one: FunctionView) -> tuple[str, ...]:
        own = namespaces(one)
        return () if own == around[: len(own)] else own

    parts = []
    for names, rows in groupby((*helpers, function), key=frame):
        code = "\n\n".join(row.text.rstrip() for row in rows)
        if names:
            name = "::".join(names)
            code = f"namespace {name}\n{{\n{code}\n}} // namespace {name}"
        parts.append(code)
    return "\n\n".join(parts)


def namespaces(function: FunctionView) -> tuple[str, ...]:
    """Namespaces with a name around a function, outermost first."""
    parts = [p for p in function.qualified_name.split("::")[:-1] if p and p != "(anonymous)"]
    if not all(part.isidentifier() for part in parts):
        return ()  # a function within a function
    return tuple(parts)
