"""All angles from which the static author looks at an interface."""

from __future__ import annotations

from collections.abc import Iterator

from qa.author import (
    barriers,
    block_contracts,
    checks,
    choices,
    dispatch,
    dynamic_lds,
    grid_axes,
    guards,
    implementation,
    mapping,
    memory,
    never_launched,
    origins,
    ownership,
    paths,
    residency,
    rounds,
    sizes,
    wavefronts,
)
from qa.author.draft import Draft
from qa.author.given_up import NOT_WHOLE, give_up
from qa.author.subjects import launched_somewhere, own_functions, remember_launched, remember_open
from qa.ground import Ground
from qa.scope_view import ScopeView

ANGLES = (
    dispatch,
    paths,
    never_launched,
    origins,
    ownership,
    block_contracts,
    grid_axes,
    residency,
    rounds,
    wavefronts,
    mapping,
    guards,
    barriers,
    memory,
    dynamic_lds,
    checks,
    choices,
    sizes,
    implementation,
)
"""Each has a ``propose`` that yields drafts; in the order in which duplicates are resolved."""


def propose(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    """Every draft for an interface, always in the same order."""
    remember_open(view, ground)
    functions = own_functions(view, ground)
    recorded = remember_launched(view, ground)
    seen = launched_somewhere(view, functions, recorded)
    for angle in ANGLES:
        own = functions if angle is implementation else seen
        for draft in angle.propose(view, ground, own):
            if draft.untold:
                give_up(view, NOT_WHOLE)
            else:
                yield draft
