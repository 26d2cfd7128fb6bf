"""Host facts held against launch traces: the second tool that knows when a fact is wrong.

A trace is one call with concrete arguments. Each launch that the facts of its entry point describe
is evaluated on these arguments: where its condition holds, the trace has to show the kernel, with
the grid, block and dynamic LDS that the facts say; where a kernel is in the trace, some condition
of a launch of it must not be false.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from extractor.facts.agreement import Agreement
from extractor.facts.host.evaluate import Undecidable, Value
from extractor.facts.records import Fact
from extractor.facts.valuation import Turn, Valuation, words
from extractor.rules import Rule


@dataclass
class _Launch:
    facts: dict[str, Fact] = field(default_factory=dict)

    @cached_property
    def value(self) -> dict[str, Any]:
        value = next(iter(self.facts.values())).value
        return value if isinstance(value, dict) else {}


class Comparison:
    """Compares traces with the facts of entry points.

    Args:
        rule: The library's rule file.
        facts: Facts of the host, those of entry points among them.
        enumerators: Value by name.
        pointers: Names of parameters that point to a scalar.
        parameters: Of each entry point: the name that its header gives, and that of its definition.
    """

    def __init__(
        self,
        rule: Rule,
        facts: Iterable[Fact],
        enumerators: Mapping[str, int],
        pointers: frozenset[str],
        parameters: Mapping[str, tuple[tuple[str, str], ...]],
    ) -> None:
        self._rule, self._enumerators, self._parameters = rule, enumerators, parameters
        self._pointers = pointers
        self.result = Agreement()
        self._launches: dict[str, list[_Launch]] = {}
        self._nulls: set[str] = set()
        for fact in facts:
            self._take(fact)

    def _take(self, fact: Fact) -> None:
        entry = fact.instantiation or ""
        if not fact.fact.startswith("launch_") or entry not in self._parameters:
            return
        if fact.value is None:
            self.result.nulls[fact.fact, fact.reason or ""] += 1
            if fact.fact == "launch_condition":
                self._nulls.add(entry)
        else:
            self.result.stated[fact.fact] += 1
        rows = self._launches.setdefault(entry, [])
        if fact.fact == "launch_condition" or not rows or fact.fact in rows[-1].facts:
            rows.append(_Launch())
        rows[-1].facts[fact.fact] = fact

    def compare(self, trace: dict[str, Any]) -> None:
        """One line of ``traces.jsonl``."""
        entry = trace["entry"]
        if entry not in self._parameters:
            self.result.skipped["no such entry point here"] += 1
            return
        if trace["status"] != "success":
            self.result.skipped["the call did not succeed"] += 1
            return
        self.result.traces += 1
        for arch in trace["arch"][:1]:
            values = self._values(trace, arch)
            self._one(entry, trace, values)

    def _one(self, entry: str, trace: dict[str, Any], values: dict[str, Value]) -> None:
        seen = _Seen(trace["launches"])
        call = f"{entry} {_shown(trace)}"
        chosen: dict[str, list[bool | None]] = {}
        valuation = Valuation(values)
        for launch in self._launches.get(entry, ()):
            condition = launch.facts.get("launch_condition")
            if condition is None or condition.value is None:
                continue
            kernel = _kernel_of(launch.value)
            matching = seen.of(launch.value["symbol"], kernel)
            verdict, turns, why = _chosen(launch, valuation)
            chosen.setdefault(kernel, []).append(verdict)
            if verdict is None:
                self.result.add("launch_condition", "undecidable", why)
            elif verdict:
                ok = bool(matching)
                note = f"{call}: {condition.subject} {kernel}"
                self.result.add(
                    "launch_condition", "agrees" if ok else "disagrees", f"{note}: not launched"
                )
                if ok:
                    self._sizes(launch, valuation, turns, matching, note)
            elif not matching:
                self.result.add("launch_condition", "agrees")
        self._unexplained(entry, call, seen.kernels, chosen)

    def _unexplained(
        self,
        entry: str,
        call: str,
        kernels: Iterable[str],
        chosen: dict[str, list[bool | None]],
    ) -> None:
        for name in kernels:
            verdicts = chosen.get(name, [])
            if any(verdict is not False for verdict in verdicts):
                continue
            if name not in chosen and entry not in self._nulls:
                # As of a library that it stands on: nothing is stated, so nothing can be wrong.
                self.result.add("launch_condition", "undecidable", f"no fact is about {name}")
            elif entry in self._nulls:
                self.result.add("launch_condition", "undecidable", "its condition is null")
            else:
                note = f"{call}: {name} was launched, no condition says so"
                self.result.add("launch_condition", "disagrees", note)

    def _sizes(
        self,
        launch: _Launch,
        valuation: Valuation,
        turns: list[Turn],
        matching: list[dict[str, Any]],
        note: str,
    ) -> None:
        for name, field_name in (
            ("launch_grid", "grid"),
            ("launch_block", "block"),
            ("launch_shared_bytes", "shared_bytes"),
        ):
            fact = launch.facts.get(name)
            if fact is None or not isinstance(fact.value, dict):
                continue
            stated: Any = fact.value
            texts = stated.get("expressions") or [stated["expression"]]
            try:
                made = {
                    tuple(int(_number(valuation.evaluate(text, turn))) for text in texts)
                    for turn in turns
                }
            except Undecidable as error:
                self.result.add(name, "undecidable", str(error))
                continue
            shown = {
                tuple(s[field_name]) if field_name != "shared_bytes" else (s[field_name],)
                for s in matching
            }
            ok = made <= shown
            detail = f"{note}: {field_name} {sorted(made)[:3]} instead of {sorted(shown)[:3]}"
            self.result.add(name, "agrees" if ok else "disagrees", detail)

    def _values(self, trace: dict[str, Any], arch: str) -> dict[str, Value]:
        rule = self._rule.facts
        letters: Mapping[str, str] = {}
        traced = getattr(self._rule, "trace", None)
        if traced is not None:
            letters = traced.letters
        values: dict[str, Value] = dict(self._enumerators)
        values.update(letters)
        pairs = self._parameters[trace["entry"]]
        own = dict(pairs)
        # Each array has memory of its own, but for those that a trace says to share it.
        for number, (_, name) in enumerate(pairs, start=1):
            values[name] = number
        for declared, name in pairs:
            value = trace["args"].get(declared)
            if isinstance(value, str):
                # `C` may be a letter of an operation, and the name of an array.
                letter = declared not in self._pointers and value in letters.values()
                if letter:
                    values[name] = value
                elif value in own:
                    values[name] = values[own[value]]
                else:
                    values[name] = values.get(value, value)
            elif isinstance(value, (int, float)):
                # A scalar behind a pointer is asked for as `*alpha`, its pointer as `alpha`.
                values[f"*{name}"] = value
                if declared not in self._pointers:
                    values[name] = value
        state = {**rule.state, **rule.arch_state.get(arch, {})}
        if traced is not None:
            mode = getattr(traced, "pointer_mode", None)
            modes = getattr(mode, "values", None) or (mode or {}).get("values", {})
            if trace["pointer_mode"] in modes:
                state["handle->pointer_mode"] = int(modes[trace["pointer_mode"]])
        state["handle->atomics_mode"] = int(trace.get("atomics") or 0)
        for text, known in state.items():
            values[text] = values.get(known, known) if isinstance(known, str) else known
        return values


def _number(value: Value) -> float:
    if isinstance(value, (int, float)):
        return value
    raise Undecidable(f"{value} is no number")


def _chosen(launch: _Launch, valuation: Valuation) -> tuple[bool | None, list[Turn], str]:
    """Whether it is launched, the turns of its loops in which it is, and what is missing."""
    value = launch.value
    conditions, assumed = value["conditions"], value.get("assumes", ())
    variables = {loop["variable"] for loop in value["loops"]}
    verdicts: list[bool | None] = [None] * len(conditions)
    varying = []
    for number, condition in enumerate(conditions):
        if variables.isdisjoint(words(condition)):
            verdicts[number] = valuation.holds(condition)
            # What no loop touches settles it in all turns.
            if verdicts[number] is False:
                return False, [], ""
        else:
            varying.append(number)
    # A call that succeeded had no error on the way; what else is supposed may fail.
    fails = any(
        valuation.holds(one) is False for one in assumed if variables.isdisjoint(words(one))
    )
    supposed = [one for one in assumed if not variables.isdisjoint(words(one))]
    chosen = []
    try:
        for turn in valuation.turns(value["loops"]):
            for number in varying:
                verdicts[number] = valuation.holds(conditions[number], turn)
                if verdicts[number] is False:
                    break
            if False in verdicts:
                for number in varying:
                    verdicts[number] = None
                continue
            if None in verdicts:
                last = max(n for n, verdict in enumerate(verdicts) if verdict is None)
                return None, [], valuation.missing(conditions[last], turn)
            if not fails and all(valuation.holds(one, turn) is not False for one in supposed):
                chosen.append(turn)
    except Undecidable as error:
        # A condition that the loop hardly touches may settle it.
        if any(valuation.holds(conditions[number]) is False for number in varying):
            return False, [], ""
        return None, [], str(error)
    return bool(chosen), chosen, ""


class _Seen:
    """Launches of a call, those that are the same but once."""

    def __init__(self, launches: Iterable[dict[str, Any]]) -> None:
        self.kernels: dict[str, None] = {}
        self._by_name: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for launch in launches:
            kernel, symbol = launch["kernel"], launch.get("symbol", "")
            self.kernels[kernel] = None
            sizes = repr([launch.get(name) for name in ("grid", "block", "shared_bytes")])
            self._by_name.setdefault((symbol, "" if symbol else kernel), {})[sizes] = launch

    def of(self, symbol: str, kernel: str) -> list[dict[str, Any]]:
        """Launches of a kernel, known by its symbol or, where it is not told, by its name."""
        found: list[dict[str, Any]] = []
        for name in ((symbol, ""), ("", kernel)):
            found += self._by_name.get(name, {}).values()
        return found


def _kernel_of(value: dict[str, Any]) -> str:
    return str(value["kernel"]).rpartition(":")[2]


def _shown(trace: dict[str, Any]) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in trace["args"].items())
    return f"({inside}; {trace['pointer_mode']}, {trace['arch'][0]})"
