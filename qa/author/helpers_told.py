"""What device functions have to do that an instruction's answer brings along and that no name explains."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from qa.author.draft import Draft, code, listed
from qa.author.work import work
from qa.scope_view import FunctionView, ScopeView

_FEWEST_STATEMENTS, _MOST_TOLD, _LONGEST, _LONGEST_SIGNATURE = 4, 5, 9000, 500


def helpers_told(
    draft: Draft, view: ScopeView, function: FunctionView, given: Collection[str]
) -> str:
    """The steps of the functions that do the work for another one; empty where there are none.

    Args:
        draft: The entry.
        view: The scope.
        function: Who calls them.
        given: Ids of the functions that the answer has besides.
    """
    parts: list[str] = []
    dark: list[str] = []
    length = 0
    for helper in _working(view, function, given):
        steps = work(draft, view, helper) if len(parts) < _MOST_TOLD else ""
        signature = " ".join(helper.signature.split())
        told = f"The helper {code(helper.name)}"
        if len(signature) <= _LONGEST_SIGNATURE and "`" not in signature:
            told += f", declared as {code(signature)}"
        told += f". {steps}"
        if steps and length + len(told) <= _LONGEST:
            parts.append(told)
            length += len(told)
        else:
            dark.append(helper.name)
    if dark:
        names = listed([code(name) for name in dict.fromkeys(dark)])
        one = len(set(dark)) == 1
        parts.append(
            f"The work of {names} is too long to be told here: {'it is' if one else 'they are'} to be taken over from the library as {'it is' if one else 'they are'}."
        )
    return "\n\n".join(parts)


def _working(view: ScopeView, function: FunctionView, given: Collection[str]) -> list[FunctionView]:
    """Device functions behind one, those it calls itself first, that are more than an expression."""
    found: list[FunctionView] = []
    seen = {function.id}
    queue = deque(view.callees.get(function.id, ()))
    while queue:
        one = queue.popleft()
        if one.id in seen:
            continue
        seen.add(one.id)
        if one.kind != "device" or one.span is None:
            continue
        if one.id in given and one.text.count(";") >= _FEWEST_STATEMENTS:
            found.append(one)
        queue += view.callees.get(one.id, ())
    return found
