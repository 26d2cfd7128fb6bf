"""Index maps against the addresses that a run really accessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import normpath

from extractor.facts.device.representatives import shape
from kernels.facts_check.expression import Unsupported
from kernels.facts_check.kernel import Kernel, kernel_of_text
from kernels.facts_check.launch_values import Facts, LaunchValues, Loaded, is_open
from kernels.facts_check.recording import Access, Frame, Launch

_SEVERAL = "several pointers that were loaded"
_UNTOLD = "a pointer that was loaded, and no access that tells where it points"
_NO_VALUE = "no value tried of what is open leads there"
_ANOTHER = "an access of its line that has no index map may be the one that was seen"


@dataclass
class Agreement:
    """What a comparison found, by fact.

    Attributes:
        agreed: Accesses that fell where the fact says, by number of the fact.
        fitting: The same of facts with an open value, where some value of it leads there.
        contradicted: For a fact whose line made an access that no fact of the line allows, one
            example.
        incomparable: Why a fact could not be evaluated.
        unexplained: Accesses of device memory that no fact is about, by reason and line.
        accesses: How many accesses were looked at.
    """

    agreed: dict[int, int] = field(default_factory=dict)
    fitting: dict[int, int] = field(default_factory=dict)
    contradicted: dict[int, str] = field(default_factory=dict)
    incomparable: dict[int, str] = field(default_factory=dict)
    unexplained: dict[str, dict[Frame, int]] = field(default_factory=dict)
    accesses: int = 0

    @property
    def right(self) -> int:
        """Facts that runs confirm."""
        return len(self.agreed.keys() - self.contradicted.keys())


class Comparison:
    """Compares recordings of an interface with its facts.

    Args:
        facts: Lines of ``facts.jsonl``; those that are no proved global access are ignored.
        functions: Functions of ``scope.json``.
        root: The tree's root, to name files as facts do.
    """

    def __init__(self, facts: Sequence[Facts], functions: Sequence[Facts], root: str) -> None:
        self.facts = [
            fact for fact in facts if fact["fact"] == "global_access" and fact["value"] is not None
        ]
        self._null = {
            (fact["function"], _line(fact["subject"])): fact["reason"]
            for fact in facts
            if fact["fact"] == "global_access" and fact["value"] is None
        }
        self._root = root.rstrip("/") + "/"
        self._kernels: dict[str, Kernel] = {}
        for function in functions:
            if function["kind"] == "kernel":
                for one in function["instantiations"]:
                    self._kernels.setdefault(one["symbol"], kernel_of_text(function, one["symbol"]))
        self._by_line: dict[tuple[str, Frame, str], list[int]] = {}
        for number, fact in enumerate(self.facts):
            for kind in {"load": "r", "store": "w", "atomic": "rw"}[fact["value"]["access"]]:
                key = (fact["function"], _line(fact["subject"]), kind)
                self._by_line.setdefault(key, []).append(number)
        self._tried: dict[int, int] = {}
        self.result = Agreement()

    def know(self, symbol: str, kernel: Kernel) -> None:
        """Tells how the values of an instantiation's launches are read."""
        self._kernels[symbol] = kernel

    def add(self, launch: Launch, lines: Mapping[tuple[int, int], tuple[Frame, ...]]) -> None:
        """Compares one launch."""
        kernel = self._kernels.get(launch.kernel)
        if kernel is None or len(kernel.parameters) != len(launch.arguments):
            return
        values = LaunchValues(kernel, launch, self._tried)
        for access in launch.accesses:
            frames = lines.get((access.module, access.offset), ())
            named = [(normpath(name).removeprefix(self._root), line) for name, line in frames]
            self._one(kernel, launch, values, access, named)

    def _one(
        self,
        kernel: Kernel,
        launch: Launch,
        values: LaunchValues,
        access: Access,
        frames: list[Frame],
    ) -> None:
        self.result.accesses += 1
        kinds = "rw" if access.kind == "b" else access.kind
        groups = list(self._candidates(kernel.function, launch.kernel, frames, kinds))
        if groups:
            verdicts: list[bool | None] = []
            for group, _ in groups:
                # Once a likelier line explains an access, it says nothing of another one.
                verdicts.append(self._agrees(group, values, access, likely=not verdicts))
                if verdicts[-1]:
                    break
            if True not in verdicts and None not in verdicts:
                likeliest, unproved = groups[0]
                where = f"block {access.block} thread {access.thread} of {launch.kernel}"
                for number in likeliest:
                    if unproved:
                        self.result.incomparable[number] = _ANOTHER
                    else:
                        self.result.contradicted.setdefault(number, where)
        elif frames:
            reason = self._unexplained(kernel.function, frames, kinds)
            lines = self.result.unexplained.setdefault(reason, {})
            lines[frames[0]] = lines.get(frames[0], 0) + 1

    def _candidates(
        self, function: str, symbol: str, frames: list[Frame], kinds: str
    ) -> Iterator[tuple[list[int], bool]]:
        """Facts that an access may be the one of, line by line, the likeliest line first; with each
        line whether an access that nothing is stated of may be the one, being there or likelier.

        What is passed by reference may be read where it is passed, and an assignment is where its
        operator is, which may be the line behind its target or before its value.
        """
        unproved = False
        for depth, frame in enumerate(frames):
            for line in (frame[1], frame[1] - 1, frame[1] + 1):
                place = (frame[0], line)
                unproved = unproved or (function, place) in self._null
                found = [
                    number
                    for kind in kinds
                    for number in self._by_line.get((function, place, kind), ())
                    if _applies(self.facts[number]["instantiation"], symbol)
                ]
                if found:
                    callers = [f"{file}:{line}" for file, line in reversed(frames[depth + 1 :])]
                    exact = [n for n in found if _through(self.facts[n]) == callers]
                    yield exact or found, unproved

    def _unexplained(self, function: str, frames: list[Frame], kinds: str) -> str:
        """Why no fact is about an access."""
        for frame in frames:
            reason = self._null.get((function, frame))
            if reason is not None:
                return f"not proved: {reason}"
        for frame in frames:
            if any((function, frame, kind) in self._by_line for kind in kinds):
                return "only of instantiations of other shapes"
        for frame in frames:
            if any((function, frame, kind) in self._by_line for kind in "rw"):
                return "the line has facts of the other kind of access"
        return "no fact of the line" if frames[0][1] else "the compiler names no line"

    def _agrees(
        self, found: list[int], values: LaunchValues, access: Access, *, likely: bool
    ) -> bool | None:
        """Whether some fact allows an access; ``None`` where one cannot be evaluated.

        ``likely``: The access most likely is of these facts, so it may tell where a pointer that
        was loaded points. Of facts about several such pointers it does not.
        """
        hits: list[int] = []
        loaded: dict[Loaded, dict[int, set[int]]] = {}
        whole = True
        for number in found:
            value = self.facts[number]["value"]
            try:
                which = values.loaded(value["buffer"], access)
                if which is not None:
                    starts = values.starts(number, value, access)
                    loaded.setdefault(which, {})[number] = starts
                elif values.allows(number, value, access):
                    hits.append(number)
                elif is_open(value):
                    raise Unsupported(_NO_VALUE)
            except Unsupported as error:
                self.result.incomparable[number] = str(error)
                whole = False
        placed = bool(hits)
        unbound = [which for which in loaded if which not in values.bases]
        for which in (one for one in loaded if one not in unbound):
            right = [n for n, starts in loaded[which].items() if starts & values.bases[which]]
            for number in loaded[which].keys() - set(right):
                if is_open(self.facts[number]["value"]):
                    self.result.incomparable[number] = _NO_VALUE
                    whole = False
            alone = whole and not placed and not unbound and len(loaded) == 1
            if right and alone:
                values.bases[which] &= set().union(*(loaded[which][n] for n in right))
            hits += right
        for number in hits:
            kind = (
                self.result.fitting if is_open(self.facts[number]["value"]) else self.result.agreed
            )
            kind[number] = kind.get(number, 0) + 1
        known = not any(is_open(self.facts[n]["value"]) for which in unbound for n in loaded[which])
        if len(unbound) == 1 and not hits and whole and likely and known:
            # Wherever it points, it is one place for all accesses; this one tells which, and so
            # says nothing of the index.
            values.bases[unbound[0]] = set().union(*loaded[unbound[0]].values())
            return True
        why = _SEVERAL if len(unbound) > 1 or hits else _UNTOLD
        for number in (n for which in unbound for n in loaded[which]):
            self.result.incomparable[number] = why
        return True if hits else False if whole and not unbound else None


def _line(subject: str) -> Frame:
    file, line, _ = subject.rsplit(":", 2) if subject.count(":") > 1 else (subject, "0", "")
    return file, int(line)


@lru_cache(maxsize=100_000)
def _applies(limited: str | None, symbol: str) -> bool:
    return limited is None or limited == symbol or shape(limited) == shape(symbol)


def _through(fact: Facts) -> list[str]:
    return [place.rpartition(":")[0] for place in fact["value"].get("through", ())]
