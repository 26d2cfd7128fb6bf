"""The gates, cheapest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qa.gates import (
    answerability,
    architecture,
    bound_names,
    calls_told,
    came_out,
    citations,
    claims,
    conditions,
    directions,
    followed_call,
    instructions,
    items_asked,
    lanes_there,
    launches,
    measures,
    names,
    one_token,
    order,
    places_told,
    polarity,
    quantities,
    reached,
    spans,
    statements,
    whole_record,
)
from qa.gates import numbers as number_gate
from qa.gates.case import Case

Reason = str | None
"""Why an entry fails, else ``None``."""


@dataclass(frozen=True)
class Gate:
    """One gate.

    Attributes:
        name: As in ``gates`` of an entry.
        says: What an entry that passes it can be trusted in.
        check: Returns the reason of a failure.
    """

    name: str
    says: str
    check: Callable[[Case], Reason]


GATES: tuple[Gate, ...] = (
    Gate("source", "it is about this revision of the library", spans.source),
    Gate("spans", "every span is there and hashes to its hash", spans.exist),
    Gate("context", "shown text is the text of its span", spans.context),
    Gate("configuration", "configurations and entry points exist", names.configuration),
    Gate("architecture", "architectures exist and are those that the text names",
         architecture.architectures),
    Gate("question", "the question asks, and its answer is not in it", answerability.question),
    Gate("needs_code", "it cannot be answered without the code", answerability.needs_code),
    Gate("items_asked", "every item that the question lists is answered", items_asked.answered),
    Gate("plain_speech", "no praise and no invented reason", answerability.plain_speech),
    Gate("identifiers", "every name exists", names.exist),
    Gate("level", "the level is that of the evidence", spans.level),
    Gate("statements", "every sentence with code or a number is claimed, and cites evidence",
         statements.covered),
    Gate("citations", "the cited lines have what the sentence speaks of", citations.support),
    Gate("evidence_alone", "evidence, question and facts are enough", citations.enough),
    Gate("claims", "every claim holds when checked again", claims.hold),
    Gate("numbers", "every number is in the source, a fact, a trace, or recomputed",
         number_gate.justified),
    Gate("calls", "entry points, architectures, modes and arguments are those of the claims",
         calls_told.agree),
    Gate("conditions", "no condition is turned round", conditions.agree),
    Gate("one_token", "code is the source's to the last name", one_token.as_written),
    Gate("bound_names", "names have values that the source gives them", bound_names.possible),
    Gate("polarity", "tests around launches, calls and returns hold or fail as it is told",
         polarity.right_way_round),
    Gate("followed_call", "tests, values and kernels are those to which the call comes",
         followed_call.agree),
    Gate("order", "what is told before something else stands before it", order.kept),
    Gate("reached", "always and never, inside and outside, who stores: as the code stands",
         reached.as_placed),
    Gate("measures", "words that compare agree with the numbers and the code",
         measures.as_compared),
    Gate("directions", "rows and columns, left and right, axes and memory are those of the code",
         directions.as_laid_out),
    Gate("lanes", "lanes that are said to go to memory pass the tests around the access",
         lanes_there.get_there),
    Gate("quantities", "both and either, once and twice, constants of types: as in the code",
         quantities.as_counted),
    Gate("places", "grids go with blocks, paths keep their order, code is cited where it stands",
         places_told.together),
    Gate("whole_record", "the last or only launch is that of a record that shows all of them",
         whole_record.shown),
    Gate("instructions", "calls, arguments, branches, barriers and blocks of an instruction are "
         "those of the code", instructions.as_in_the_code),
    Gate("launches", "kernels, grids and blocks are those of a trace", launches.traced),
    Gate("came_out", "tests come out, and calls are made as often, as when the call is made again",
         came_out.as_executed),
)  # fmt: skip
"""All gates but the one that compares entries with each other, in the order they are asked."""
