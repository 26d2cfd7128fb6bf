"""What became of every stated index map once a library's kernels were seen running."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from extractor.facts.device.representatives import shape
from kernels.facts_check.comparison import Comparison
from kernels.facts_check.kernel import Kernel, arguments_by_name
from kernels.facts_check.observation import Observation
from kernels.facts_check.telling import map_of
from kernels.slice.choice import Launchable

CONTRADICTED, CONFIRMED, FITTING, NOT_JUDGED = range(4)
"""How good a verdict is, the worst first: where one fact has several, the first counts."""

_OPEN = {
    "loaded": "it depends on what is loaded",
    "loop-carried": "it depends on a variable that a loop carries along",
    "condition": "it depends on a condition that was not resolved",
    "result": "it depends on what a function returns",
}
_EXAMPLES = 12


def judged(
    facts: Iterable[Mapping[str, Any]],
    seen: Sequence[Observation],
    kernels: Sequence[Launchable],
    root: str,
) -> dict[str, Any]:
    """Holds the facts of kernels against what they did.

    Args:
        facts: Lines of ``facts.jsonl``.
        seen: Kernels that ran alone, and calls of the library.
        kernels: All that the library can launch.
        root: The tree's root, to name files as facts do.
    """
    comparison = Comparison(list(facts), [], root)
    ran: dict[str, set[str]] = {}
    for symbol, kernel in _readable(seen, kernels):
        comparison.know(symbol, kernel)
    owners = {symbol: one.function for one in kernels for symbol in one.symbols}
    for one in seen:
        for launch in one.launches:
            comparison.add(launch, one.lines)
            ran.setdefault(owners.get(launch.kernel, one.function), set()).add(launch.kernel)
    result = comparison.result
    verdicts: dict[str, tuple[int, str, int]] = {}
    for number, fact in enumerate(comparison.facts):
        key = map_of(fact)
        verdict = (*_verdict(comparison, number, ran.get(fact["function"], set())), number)
        verdicts[key] = min(verdicts.get(key, (9, "", 0)), verdict)
    counts = Counter(rank for rank, _, _ in verdicts.values())
    reasons = Counter(why for rank, why, _ in verdicts.values() if rank == NOT_JUDGED)
    wrong = [
        f"{comparison.facts[n]['function']} {comparison.facts[n]['subject']} "
        f"{comparison.facts[n]['value']['index']}: {result.contradicted[n]}"
        for rank, _, n in verdicts.values()
        if rank == CONTRADICTED
    ]
    stated = {fact["function"] for fact in comparison.facts}
    right = {
        comparison.facts[n]["function"] for rank, _, n in verdicts.values() if rank == CONFIRMED
    }
    looked_at = counts[CONTRADICTED] + counts[CONFIRMED]
    alone = [one for one in seen if one.symbol]
    return {
        "kernels": {
            "all": len(kernels),
            "run": len(ran),
            "instantiations_run": len(set().union(*ran.values())) if ran else 0,
            "with_a_confirmed_index_map": len(right),
            "with_stated_index_maps": len(stated),
            "not_run": dict(
                Counter(
                    {one.function: one.reason for one in alone if one.function not in ran}.values()
                ).most_common()
            ),
            "not_begun": len({one.function for one in kernels} - {one.function for one in alone}),
        },
        "index_maps": {
            "stated": len(verdicts),
            "confirmed": counts[CONFIRMED],
            "contradicted": counts[CONTRADICTED],
            "agreement": round(counts[CONFIRMED] / looked_at, 4) if looked_at else None,
            "agree_for_some_open_value": counts[FITTING],
            "not_judged": dict(reasons.most_common()),
        },
        "accesses": {
            "compared": result.accesses,
            "without_a_fact": {
                reason: {
                    "accesses": sum(lines.values()),
                    "lines": [f"{file}:{line}" for file, line in sorted(lines)][:_EXAMPLES],
                }
                for reason, lines in sorted(result.unexplained.items())
            },
        },
        "contradictions": sorted(wrong),
    }


def _readable(
    seen: Sequence[Observation], kernels: Sequence[Launchable]
) -> Iterator[tuple[str, Kernel]]:
    """How the launches of every instantiation are read: a definition's names are those of all."""
    names: dict[str, Observation] = {}
    for one in seen:
        if one.symbol and one.parameters:
            names.setdefault(one.function, one)
    for kernel in kernels:
        known = names.get(kernel.function)
        if known is None:
            continue
        for symbol in kernel.symbols:
            constants, types = arguments_by_name(known.templates, symbol)
            yield symbol, Kernel(kernel.function, known.parameters, constants, types)


def _verdict(comparison: Comparison, number: int, ran: set[str]) -> tuple[int, str]:
    """How a fact came off, and why it was not judged."""
    result, fact = comparison.result, comparison.facts[number]
    if number in result.contradicted:
        return CONTRADICTED, ""
    if number in result.agreed:
        return CONFIRMED, ""
    if number in result.fitting:
        return FITTING, ""
    if number in result.incomparable:
        kinds = {symbol["kind"] for symbol in fact["value"]["symbols"].values()}
        for kind, why in _OPEN.items():
            if kind in kinds:
                return NOT_JUDGED, why
        why = re.sub(r"^\S+ has no value", "a symbol has no value", result.incomparable[number])
        return NOT_JUDGED, why
    if not ran:
        return NOT_JUDGED, "the kernel was not run"
    limited = fact["instantiation"]
    if limited and all(shape(symbol) != shape(limited) for symbol in ran):
        return NOT_JUDGED, "it holds for instantiations that were not run"
    return NOT_JUDGED, "no run came to it"
