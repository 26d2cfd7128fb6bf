"""The compiler's answer: what each entry point reaches in the linked program."""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from extractor.check.answer import (
    Answer,
    Call,
    CallKey,
    CallKind,
    Divergence,
    EntryAnswer,
    Function,
    FunctionKey,
    KernelKey,
    ReachedKernel,
)
from extractor.check.link import Program
from extractor.check.mangled import canonical, kernel_name, kernel_symbol
from extractor.check.names import qualified_name
from extractor.check.symbols import Mention

# Functions that run initialisers: walked, but no function of the source is their name.
_STARTUP = ("__cxx_global_var_init", "__cxx_global_array_dtor", "_GLOBAL__", "__tls_init")


def answer_of(program: Program, root: Path, entries: Iterable[str] | None = None) -> Answer:
    """Walk from each entry point.

    Args:
        program: Linked units.
        root: Root of the source tree; a function defined below it is the project's.
        entries: Exported C symbols; None takes every one that the program exports. A name that no
            unit defines is left out of the answer.
    """
    return _Walk(program, root).answer(program.exported() if entries is None else entries)


class _Walk:
    def __init__(self, program: Program, root: Path) -> None:
        self.program = program
        self.prefix = f"{os.path.normpath(root)}/"
        self.relative = lru_cache(maxsize=100_000)(self._relative)
        self.key = lru_cache(maxsize=None)(self._key)
        self.kernel = lru_cache(maxsize=None)(self._kernel)
        self.found = Answer()

    def answer(self, entries: Iterable[str]) -> Answer:
        callers: set[int] = set()
        for entry in sorted(entries):
            start = self.program.find(entry)
            if start is None:
                continue
            reached = self.program.reach(start)
            self.found.entries[entry] = self._entry(reached)
            callers |= reached
        for number in sorted(callers):
            caller = self.key(number)
            if caller is not None:
                self._describe(number, caller)
                self._calls(number, caller)
            elif self.program.bound[number].definition.symbol.startswith(_STARTUP):
                targets = (self._through_alias(e.target) for e in self.program.edges(number)[0])
                self.found.initialisers.update(filter(None, map(self.key, targets)))
        self.found.divergent = tuple(self._divergent(callers))
        return self.found

    def _entry(self, reached: set[int]) -> EntryAnswer:
        kernels: dict[KernelKey, set[str]] = {}
        boundaries: set[str] = set()
        functions: set[FunctionKey] = set()
        for number in reached:
            boundaries.update(self.program.edges(number)[1])
            key = self.key(number)
            if key is None:
                continue
            functions.add(key)
            kernel = self.kernel(number)
            if kernel is not None:
                kernels.setdefault(kernel, set()).add(key.symbol)
        return EntryAnswer(
            tuple(ReachedKernel(key, frozenset(kernels[key])) for key in sorted(kernels)),
            frozenset(functions),
            frozenset(boundaries),
        )

    def _kernel(self, number: int) -> KernelKey | None:
        symbol = self.program.bound[number].definition.symbol
        if kernel_symbol(symbol) is None:
            return None
        return KernelKey(kernel_name(symbol), self._place(number)[0])

    def _place(self, number: int) -> tuple[str, int]:
        definition = self.program.bound[number].definition
        return self.relative(definition.file), definition.line

    def _key(self, number: int) -> FunctionKey | None:
        """The function's key, or None for data and for what is not of the project."""
        definition = self.program.bound[number].definition
        kernel = kernel_symbol(definition.symbol) is not None
        if definition.kind != "function" or definition.symbol.startswith(_STARTUP):
            return None
        file = self._place(number)[0]
        if not kernel and (not file or os.path.isabs(file)):  # noqa: PTH117
            return None
        return FunctionKey(
            canonical(definition.symbol), file if definition.linkage == "internal" else ""
        )

    def _describe(self, number: int, key: FunctionKey) -> None:
        definition = self.program.bound[number].definition
        if key not in self.found.functions or definition.symbol == key.symbol:
            file, line = self._place(number)
            self.found.functions[key] = Function(
                qualified_name(key.symbol), file, line, definition.artificial
            )

    def _calls(self, number: int, caller: FunctionKey) -> None:
        if self.kernel(number) is not None:
            # What a stub does is hand its kernel to the runtime.
            return
        for edge in self.program.edges(number)[0]:
            target, mention = self._through_alias(edge.target), edge.mention
            callee = self.key(target)
            if mention is None or callee is None:
                continue
            if callee == caller and target != number:
                # A variant of a constructor or destructor that calls another one.
                continue
            self._describe(target, callee)
            self._note(CallKey(caller, callee), self._kind(target, mention), mention)

    def _through_alias(self, number: int) -> int:
        while self.program.bound[number].definition.kind == "alias":
            edges = self.program.edges(number)[0]
            if not edges:
                break
            number = edges[0].target
        return number

    def _kind(self, target: int, mention: Mention) -> CallKind:
        if mention.use != "call":
            return "reference"
        return "call" if self.kernel(target) is None else "launch"

    def _note(self, key: CallKey, kind: CallKind, mention: Mention) -> None:
        known = self.found.calls.get(key)
        if known is None or (known.kind == "reference" and kind != "reference"):
            self.found.calls[key] = Call(kind, self.relative(mention.file), mention.line)

    def _divergent(self, reached: set[int]) -> Iterable[Divergence]:
        for number in reached:
            symbol = self.program.bound[number].definition.symbol
            places = self.program.bodies.get(symbol, {})
            if len(places) > 1 and self.program.find(symbol) == number:
                yield Divergence(
                    canonical(symbol),
                    tuple(place.replace(self.prefix, "") for place in places.values()),
                )

    def _relative(self, file: str) -> str:
        return file[len(self.prefix) :] if file.startswith(self.prefix) else file
