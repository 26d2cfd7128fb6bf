"""Drafts that are given up because they cannot be told whole, counted by why."""

from __future__ import annotations

from collections import Counter

from qa.scope_view import ScopeView

_COUNTED = "drafts given up"
NOT_WHOLE = "question: a part of its answer cannot be told"


def give_up(view: ScopeView, why: str) -> None:
    """Counts a draft of an interface that comes to no entry.

    Args:
        view: The interface's scope.
        why: Kind of entry, and what could not be told.
    """
    given_up(view)[why] += 1


def given_up(view: ScopeView) -> Counter[str]:
    """The counts of an interface up to now."""
    return view.once(_COUNTED, Counter)
