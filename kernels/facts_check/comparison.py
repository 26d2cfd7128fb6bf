"""Index maps against the addresses that a run really accessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath
from typing import Any

from extractor.facts.device.representatives import shape
from kernels.facts_check.expression import Unsupported, compiled, names_in
from kernels.facts_check.kernel import Kernel, kernel_of_text
from kernels.facts_check.open_values import OPEN, led_to, open_symbols, plainly_named
from kernels.facts_check.recording import Access, Frame, Launch

_MOST_VALUES = 20_000
_MOST_ITERATIONS = 300
_MOST_OPEN = 4
"""Threads that are tried with every value of what is open, for one fact: it takes long."""

_POINTER = 8
_SIZES = {
    "float": 4,
    "double": 8,
    "_Float16": 2,
    "rocblas_bfloat16": 2,
    "__bf16": 2,
    "int": 4,
    "unsigned int": 4,
    "long": 8,
    "unsigned long": 8,
    "signed char": 1,
    "char": 1,
    "bool": 1,
}
_COMPLEX = re.compile(r"\w*complex\w*<(\w+)>")

Facts = Mapping[str, Any]


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
        values = _Values(kernel, launch, self._tried)
        for access in launch.accesses:
            frames = lines.get((access.module, access.offset), ())
            named = [(normpath(name).removeprefix(self._root), line) for name, line in frames]
            self._one(kernel, launch, values, access, named)

    def _one(
        self,
        kernel: Kernel,
        launch: Launch,
        values: _Values,
        access: Access,
        frames: list[Frame],
    ) -> None:
        self.result.accesses += 1
        kinds = "rw" if access.kind == "b" else access.kind
        groups = list(self._candidates(kernel.function, launch.kernel, frames, kinds))
        if groups:
            verdicts: list[bool | None] = []
            for group in groups:
                # Once a likelier line explains an access, it says nothing of another one.
                verdicts.append(self._agrees(group, values, access))
                if verdicts[-1]:
                    break
            if True not in verdicts and None not in verdicts:
                where = f"block {access.block} thread {access.thread} of {launch.kernel}"
                for number in groups[0]:
                    self.result.contradicted.setdefault(number, where)
        elif frames:
            reason = self._unexplained(kernel.function, frames, kinds)
            lines = self.result.unexplained.setdefault(reason, {})
            lines[frames[0]] = lines.get(frames[0], 0) + 1

    def _candidates(
        self, function: str, symbol: str, frames: list[Frame], kinds: str
    ) -> Iterator[list[int]]:
        """Facts that an access may be the one of, line by line, the likeliest line first.

        What is passed by reference may be read where it is passed, and an assignment is where its
        operator is, which may be the line behind its target or before its value.
        """
        for depth, frame in enumerate(frames):
            for line in (frame[1], frame[1] - 1, frame[1] + 1):
                found = [
                    number
                    for kind in kinds
                    for number in self._by_line.get((function, (frame[0], line), kind), ())
                    if _applies(self.facts[number], symbol)
                ]
                if found:
                    callers = [f"{file}:{line}" for file, line in reversed(frames[depth + 1 :])]
                    exact = [n for n in found if _through(self.facts[n]) == callers]
                    yield exact or found

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

    def _agrees(self, found: list[int], values: _Values, access: Access) -> bool | None:
        """Whether some fact allows an access; ``None`` where one cannot be evaluated."""
        hit, whole = False, True
        # A pointer that was loaded may point anywhere: what else explains an access comes first.
        for number in sorted(found, key=lambda n: values.unbound(self.facts[n]["value"])):
            buffer = self.facts[number]["value"]["buffer"]
            if values.unbound(self.facts[number]["value"]):
                others = {self.facts[n]["value"]["buffer"] for n in found} - {buffer}
                if hit or any(values.unbound({"buffer": one}) for one in others):
                    self.result.incomparable[number] = "several pointers that were loaded"
                    whole = False
                    continue
            try:
                value = self.facts[number]["value"]
                if values.allows(number, value, access):
                    kind = self.result.fitting if is_open(value) else self.result.agreed
                    kind[number] = kind.get(number, 0) + 1
                    hit = True
                elif is_open(value):
                    raise Unsupported("no value tried of what is open leads there")
            except Unsupported as error:
                self.result.incomparable[number] = str(error)
                whole = False
        return True if hit else False if whole else None


class _Values:
    """Numbers of one launch, and the addresses that facts allow in it."""

    def __init__(self, kernel: Kernel, launch: Launch, tried: dict[int, int]) -> None:
        self.kernel, self.launch, self._tried = kernel, launch, tried
        self._fixed = dict(kernel.constants)
        for axis, blocks, threads in zip("xyz", launch.grid, launch.block, strict=True):
            self._fixed[f"gridDim.{axis}"], self._fixed[f"blockDim.{axis}"] = blocks, threads
        self._pointers: dict[str, int] = {}
        self._members: dict[str, list[int]] = {}
        for name, data in zip(kernel.parameters, launch.arguments, strict=True):
            if len(data) in (1, 2, 4, 8):
                self._fixed[name] = int.from_bytes(data, "little", signed=True)
                self._pointers[name] = int.from_bytes(data, "little")
            if len(data) % _POINTER == 0:
                # A class that is passed; which of its words the pointer is, nobody says.
                self._members[name] = [
                    int.from_bytes(data[at : at + _POINTER], "little")
                    for at in range(0, len(data), _POINTER)
                ]
        self._bases: dict[tuple[str, int], set[int]] = {}
        self._bound: set[str] = set()
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], set[int]] = {}

    def allows(self, number: int, value: Facts, access: Access) -> bool:
        """Whether an access goes where a fact says that this thread goes.

        Raises:
            Unsupported: The fact cannot be evaluated.
        """
        unit, width = self._sizes(value)
        scope = dict(self._fixed)
        for axis, block, thread in zip("xyz", access.block, access.thread, strict=True):
            scope[f"blockIdx.{axis}"], scope[f"threadIdx.{axis}"] = block, thread
        key = (number, access.block, access.thread)
        indices = self._known.get(key)
        if indices is None:
            indices = self._known[key] = self._led_to(number, value, scope)
        starts = self._starts(value["buffer"], scope)
        if starts:
            return any(
                0 <= access.address - base - index * unit < width
                for base in starts
                for index in indices
            )
        # A pointer that was loaded: wherever it points, it is one place for all accesses.
        name, _, rest = value["buffer"].partition("[")
        if not rest.endswith("]") or name not in self._pointers:
            raise Unsupported(f"the buffer {value['buffer']}")
        which = (name, compiled(rest[:-1])(scope))
        bases = {
            access.address - index * unit - part
            for index in indices
            for part in range(0, width, access.size)
        }
        known = self._bases.get(which)
        shared = bases if known is None else known & bases
        if not shared:
            return False
        self._bases[which] = shared
        self._bound.add(value["buffer"])
        return True

    def unbound(self, value: Facts) -> bool:
        """Whether a buffer's pointer is in memory, and no access has shown yet where it points."""
        return "[" in value["buffer"] and value["buffer"] not in self._bound

    def _led_to(self, number: int, value: Facts, scope: dict[str, int]) -> set[int]:
        """Indices that a fact allows a thread.

        Raises:
            Unsupported: The fact cannot be evaluated, or has an open value and was tried often.
        """
        if not is_open(value):
            return set(_indices(value, scope))
        tried = self._tried[number] = self._tried.get(number, 0) + 1
        if tried > _MOST_OPEN:
            raise Unsupported("an open value, tried with a few threads")
        plain = plainly_named(value)
        values = open_symbols(plain["symbols"])
        return led_to(values, scope, lambda own: _indices(plain, own))

    def _starts(self, buffer: str, scope: dict[str, int]) -> list[int]:
        """Addresses at which a buffer may begin; none where its pointer is in memory."""
        known = self._pointers.get(buffer)
        if known is not None:
            return [known]
        whole, _, member = buffer.partition(".")
        if member.replace(".", "").isidentifier() and whole in self._members:
            return self._members[whole]
        if "[" in buffer:
            return []
        return [compiled(buffer)(scope)]

    def _sizes(self, value: Facts) -> tuple[int, int]:
        width = value["vector_bytes"]
        if isinstance(width, int):
            unit = value.get("index_unit_bytes", width)
            # A member lies somewhere within what the index counts.
            return unit, max(unit, width) if "member" in value else width
        count, _, name = width.rpartition("sizeof(")
        name = name.rstrip(")").removeprefix("element of ")
        argument = self.kernel.types.get(name)
        if argument is None:
            raise Unsupported(f"the size of {name}")
        size = _size(argument)
        return size, size * int(count.rstrip("*") or 1)


def _indices(value: Facts, scope: dict[str, int]) -> Iterator[int]:
    index = compiled(value["index"])
    counters: dict[str, Any] = {}
    for name, symbol in value["symbols"].items():
        if "value" in symbol and symbol["kind"] == "template constant":
            scope[name] = symbol["value"]
        elif symbol["kind"] in ("loop variable", "iteration"):
            counters[name] = symbol
        elif symbol["kind"] in OPEN and name not in scope:
            raise Unsupported(f"{name} is {symbol['kind']}")
    for number, one in enumerate(_counted(counters, scope)):
        if number > _MOST_VALUES:
            raise Unsupported("too many iterations")
        yield index(one)


def _counted(counters: dict[str, Any], scope: dict[str, int]) -> Iterator[dict[str, int]]:
    """Every combination of values that the loops around an access can have."""
    if not counters:
        yield scope
        return
    for name, symbol in counters.items():
        texts = [str(symbol.get(key, "")) for key in ("start", "step")]
        bound = symbol.get("bound", "")
        operator, _, limit = bound.partition(" ")
        needed = set().union(*(names_in(text) for text in (*texts, limit)))
        if needed & (counters.keys() - {name}):
            continue
        rest = {key: item for key, item in counters.items() if key != name}
        start, step = (compiled(text)(scope) for text in texts)
        at = start
        for number in range(_MOST_ITERATIONS * 4):
            # Without a bound of its own any number of iterations is possible.
            if not limit and number >= _MOST_ITERATIONS:
                break
            one = {**scope, name: at}
            if limit and not compiled(f"({name}) {operator} ({limit})")(one):
                break
            yield from _counted(rest, one)
            at += step
        else:
            raise Unsupported("more turns of a loop than are tried")
        return
    raise Unsupported("loops that depend on each other")


def is_open(value: Facts) -> bool:
    """Whether an index hangs on a value that no recording tells."""
    return any(symbol["kind"] in OPEN for symbol in value["symbols"].values())


def _line(subject: str) -> Frame:
    file, line, _ = subject.rsplit(":", 2) if subject.count(":") > 1 else (subject, "0", "")
    return file, int(line)


def _applies(fact: Facts, symbol: str) -> bool:
    limited = fact["instantiation"]
    return limited is None or limited == symbol or shape(limited) == shape(symbol)


def _through(fact: Facts) -> list[str]:
    return [place.rpartition(":")[0] for place in fact["value"].get("through", ())]


def _size(argument: str) -> int:
    base = argument.replace("const", "").replace("*", "").replace("&", "").strip()
    if base in _SIZES:
        return _SIZES[base]
    match = _COMPLEX.search(base)
    if match and match[1] in _SIZES:
        return 2 * _SIZES[match[1]]
    raise Unsupported(f"the size of {base}")
