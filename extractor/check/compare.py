"""The index's answer against the compiler's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeVar

from extractor.check.answer import Answer, CallKey, EntryAnswer, KernelKey
from extractor.check.causes import Cause, Causes
from extractor.check.comparison import Comparison, Difference, Score, Side, What
from extractor.check.mangled import demangle

_T = TypeVar("_T")


def compare(index: Answer, compiler: Answer, alive: frozenset[CallKey] = frozenset()) -> Comparison:
    """Compare two answers for the same entry points.

    Args:
        index: The index's answer.
        compiler: The compiler's answer.
        alive: Calls that the index gives as dead and that are not, from
            :func:`extractor.check.dead.find_alive`.

    What the index gives as dead counts as a hit where the compiler has it, for unoptimised IR
    keeps what stands behind a condition such as ``x && false``; elsewhere it counts as not given.
    Every such hit is a difference with its reason.
    """
    return _Compare(index, compiler, alive).run()


class _Compare:
    def __init__(self, index: Answer, compiler: Answer, alive: frozenset[CallKey]) -> None:
        self.index, self.compiler, self.alive = index, compiler, alive
        self.living = {key.callee.symbol for key in alive}
        self.missing = Causes(compiler, index, "compiler")
        self.extra = Causes(index, compiler, "index")
        self.found = Comparison(
            divergent={each.symbol: each.places for each in compiler.divergent},
            failed={
                **{unit: f"compiler: {why}" for unit, why in compiler.failed.items()},
                **{unit: f"index: {why}" for unit, why in index.failed.items()},
            },
        )

    def run(self) -> Comparison:
        for entry in sorted(self.index.entries.keys() | self.compiler.entries.keys()):
            self._entry(entry)
        self._calls()
        self.found.kernels = sum(self.found.entries.values(), Score())
        return self.found

    def _entry(self, entry: str) -> None:
        index, compiler = self.index.entries.get(entry), self.compiler.entries.get(entry)
        if compiler is None:
            self._note("entry", "extra", entry, entry, _ONLY_INDEX)
        elif index is None:
            self._note("entry", "missing", entry, entry, _ONLY_COMPILER)
        wanted, _ = _kernels(compiler)
        given, dead = _kernels(index)
        self.found.entries[entry] = _score(wanted.keys(), given.keys(), dead.keys())
        self.found.instantiations += _score(
            _union(wanted.values()), _union(given.values()), _union(dead.values())
        )
        for key in sorted(wanted.keys() - given.keys()):
            cause = self.missing.of_kernel(entry, wanted[key])
            if key in dead:
                cause = self._dead(cause, self._reason(entry, key), dead[key] & self.living)
            self._note("kernel", "dead" if key in dead else "missing", entry, _text(key), cause)
        for key in sorted(given.keys() - wanted.keys()):
            cause = self.extra.of_kernel(entry, given[key])
            self._note("kernel", "extra", entry, _text(key), cause)

    @staticmethod
    def _dead(cause: Cause, reason: str, alive: Collection[object]) -> Cause:
        if alive:
            text = "given as dead, but optimised code still has the call"
            return replace(cause, explanation=text, explained=False)
        return replace(cause, explanation=reason, explained=True) if reason else cause

    def _reason(self, entry: str, key: KernelKey) -> str:
        kernels = self.index.entries[entry].kernels
        return next((each.reason for each in kernels if each.key == key and each.dead), "")

    def _calls(self) -> None:
        """A call counts by its ends. A reference is never wanted, and never wrong."""
        index, compiler = self.index.calls, self.compiler.calls
        wanted = {key for key, call in compiler.items() if call.kind != "reference"}
        dead = {key for key, call in index.items() if call.dead}
        given = {
            key
            for key, call in index.items()
            if not call.dead
            and (key in wanted or (call.kind != "reference" and key not in compiler))
        }
        self.found.calls = _score(wanted, given, dead)
        for key in sorted(wanted - given):
            cause = self.missing.of_call(key, compiler[key])
            if key in dead:
                cause = self._dead(cause, index[key].reason, self.alive & {key})
            self._note("call", "dead" if key in dead else "missing", "", _arrow(key), cause)
        for key in sorted(given - wanted):
            cause = self.extra.of_call(key, index[key])
            self._note("call", "extra", "", _arrow(key), cause)

    def _note(self, what: What, side: Side, entry: str, item: str, cause: Cause) -> None:
        self.found.differences.append(
            Difference(
                what, side, entry, item, cause.file, cause.line, cause.explanation, cause.explained
            )
        )


_ONLY_INDEX = Cause("", 0, "only the index has this entry point", False)
_ONLY_COMPILER = Cause("", 0, "only the compiler has this entry point", False)

_Found = dict[KernelKey, frozenset[str]]


def _kernels(entry: EntryAnswer | None) -> tuple[_Found, _Found]:
    """Live kernels and dead ones, each with its instantiations; one may be in both."""
    live: _Found = {}
    dead: _Found = {}
    for kernel in entry.kernels if entry is not None else ():
        into = dead if kernel.dead else live
        into[kernel.key] = into.get(kernel.key, frozenset()) | kernel.instantiations
    return live, dead


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _score(wanted: Collection[_T], given: Collection[_T], dead: Collection[_T]) -> Score:
    explained = (set(wanted) & set(dead)) - set(given)
    hits = (set(wanted) & set(given)) | explained
    return Score(len(wanted), len(given) + len(explained), len(hits), len(explained))


def _text(key: KernelKey) -> str:
    return f"{key.name}@{key.file}"


def _arrow(key: CallKey) -> str:
    return f"{demangle(key.caller.symbol)} -> {demangle(key.callee.symbol)}"
