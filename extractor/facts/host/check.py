"""Host facts held against launch traces: the second tool that knows when a fact is wrong.

A trace is one call with concrete arguments. Each launch that the facts of its entry point describe
is evaluated on these arguments: where its condition holds, the trace has to show the kernel, with
the grid, block and dynamic LDS that the facts say; where a kernel is in the trace, some condition
of a launch of it must not be false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from extractor.facts.host.evaluate import Undecidable, Value, evaluate, holds
from extractor.facts.records import Fact
from extractor.rules import Rule

MOST_TURNS = 20_000
"""Turns of loops after which a launch counts as undecidable."""


@dataclass
class Agreement:
    """What a comparison counted.

    Attributes:
        counts: By fact and verdict: ``agrees``, ``disagrees``, ``undecidable``.
        disagreements: One line for each.
        reasons: What could not be decided, by what was missing.
        stated: Facts of the entry points' launches that have a value, by kind.
        nulls: The others, by kind and reason.
        traces: Traces compared.
        skipped: Traces left out, by reason.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    stated: Counter[str] = field(default_factory=Counter)
    nulls: Counter[tuple[str, str]] = field(default_factory=Counter)
    traces: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, fact: str, verdict: str, note: str = "") -> None:
        """Counts one verdict."""
        self.counts[fact, verdict] += 1
        if verdict == "disagrees":
            self.disagreements.append(note)
        elif verdict == "undecidable":
            self.reasons[note] += 1

    def join(self, other: Agreement) -> None:
        """Adds what another comparison counted."""
        self.counts.update(other.counts)
        self.stated.update(other.stated)
        self.nulls.update(other.nulls)
        self.reasons.update(other.reasons)
        self.skipped.update(other.skipped)
        self.disagreements += other.disagreements
        self.traces += other.traces

    def as_json(self) -> dict[str, Any]:
        """Counts and shares, for printing."""
        table: dict[str, dict[str, Any]] = {}
        for (fact, verdict), count in sorted(self.counts.items()):
            table.setdefault(fact, {"agrees": 0, "disagrees": 0, "undecidable": 0})[verdict] = count
        for row in table.values():
            decided = row["agrees"] + row["disagrees"]
            row["agreeing"] = round(row["agrees"] / decided, 4) if decided else None
        return {
            "traces": self.traces,
            "skipped": dict(sorted(self.skipped.items())),
            "facts": table,
            "stated": dict(sorted(self.stated.items())),
            "null": {f"{fact}: {why}": n for (fact, why), n in self.nulls.most_common()},
            "undecidable": dict(self.reasons.most_common(12)),
            "disagreements": self.disagreements[:50],
        }


@dataclass
class _Launch:
    facts: dict[str, Fact] = field(default_factory=dict)

    @property
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
        seen = trace["launches"]
        chosen: dict[str, list[bool | None]] = {}
        for launch in self._launches.get(entry, ()):
            condition = launch.facts.get("launch_condition")
            if condition is None or condition.value is None:
                continue
            kernel = _kernel_of(launch.value)
            matching = [s for s in seen if _same(launch.value, s)]
            verdict, turns, why = self._chosen(launch, values)
            chosen.setdefault(kernel, []).append(verdict)
            note = f"{entry} {_shown(trace)}: {condition.subject} {kernel}"
            if verdict is None:
                self.result.add("launch_condition", "undecidable", why)
            elif verdict:
                ok = bool(matching)
                self.result.add(
                    "launch_condition", "agrees" if ok else "disagrees", f"{note}: not launched"
                )
                if ok:
                    self._sizes(launch, turns, matching, note)
            elif not matching:
                self.result.add("launch_condition", "agrees")
        self._unexplained(entry, trace, seen, chosen)

    def _unexplained(
        self,
        entry: str,
        trace: dict[str, Any],
        seen: list[dict[str, Any]],
        chosen: dict[str, list[bool | None]],
    ) -> None:
        for name in dict.fromkeys(launch["kernel"] for launch in seen):
            verdicts = chosen.get(name, [])
            if any(verdict is not False for verdict in verdicts):
                continue
            if name not in chosen and entry not in self._nulls:
                # As of a library that it stands on: nothing is stated, so nothing can be wrong.
                self.result.add("launch_condition", "undecidable", f"no fact is about {name}")
            elif entry in self._nulls:
                self.result.add("launch_condition", "undecidable", "its condition is null")
            else:
                note = f"{entry} {_shown(trace)}: {name} was launched, no condition says so"
                self.result.add("launch_condition", "disagrees", note)

    def _chosen(
        self, launch: _Launch, values: dict[str, Value]
    ) -> tuple[bool | None, list[dict[str, Value]], str]:
        """Whether it is launched, and the values of every turn in which it is."""
        value = launch.value
        conditions, supposed = value["conditions"], value.get("assumes", ())
        unknown = ""
        turns = []
        try:
            for turn in _turns(value["loops"], 0, values, [0]):
                verdict: bool | None = True
                for condition in conditions:
                    one = holds(condition, turn)
                    if one is False:
                        verdict = False
                        break
                    if one is None:
                        verdict, unknown = None, condition
                if verdict is None:
                    return None, [], _missing(unknown, turn)
                # A call that succeeded had no error on the way; what else is supposed may fail.
                if verdict and all(holds(one, turn) is not False for one in supposed):
                    turns.append(turn)
        except Undecidable as error:
            # A condition that the loop does not touch may settle it.
            if any(holds(condition, values) is False for condition in conditions):
                return False, [], ""
            return None, [], str(error)
        return bool(turns), turns, ""

    def _sizes(
        self,
        launch: _Launch,
        turns: list[dict[str, Value]],
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
                made = {tuple(int(_number(evaluate(t, turn))) for t in texts) for turn in turns}
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


def _turns(
    loops: list[dict[str, Any]], depth: int, values: dict[str, Value], count: list[int]
) -> Iterator[dict[str, Value]]:
    """Values in each turn of nested loops."""
    if depth == len(loops):
        yield values
        return
    loop = loops[depth]
    if loop["variable"] is None:
        if loop["condition"] != "true" and holds(loop["condition"], values) is False:
            return
        raise Undecidable("a loop that does not count")
    at: Any = evaluate(loop["start"], values)
    while True:
        turn = {**values, loop["variable"]: at}
        if not evaluate(loop["condition"], turn):
            return
        count[0] += 1
        if count[0] > MOST_TURNS:
            raise Undecidable("a loop of very many turns")
        yield from _turns(loops, depth + 1, turn, count)
        step: Any = evaluate(loop["step"], turn)
        if step == 0:
            raise Undecidable("a loop that does not move")
        at += step


def _missing(condition: str, values: Mapping[str, Value]) -> str:
    try:
        evaluate(condition, values)
    except Undecidable as error:
        return str(error)
    return "undecided"


def _kernel_of(value: dict[str, Any]) -> str:
    return str(value["kernel"]).rpartition(":")[2]


def _same(value: dict[str, Any], seen: dict[str, Any]) -> bool:
    if seen.get("symbol"):
        return bool(seen["symbol"] == value["symbol"])
    return bool(seen["kernel"] == _kernel_of(value))


def _shown(trace: dict[str, Any]) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in trace["args"].items())
    return f"({inside}; {trace['pointer_mode']}, {trace['arch'][0]})"
