"""Numbers of one launch, and the addresses that facts allow its threads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kernels.facts_check.expression import Unsupported, compiled, names_in
from kernels.facts_check.kernel import Kernel
from kernels.facts_check.open_values import OPEN, led_to, open_symbols, plainly_named
from kernels.facts_check.recording import Access, Launch

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

Loaded = tuple[str, int]
"""A pointer in memory: the parameter behind which it is, and its index there."""


class LaunchValues:
    """Numbers of one launch.

    Args:
        kernel: What is launched.
        launch: Its arguments and shape.
        tried: How often facts with an open value were tried, by number; goes on over launches.

    Attributes:
        bases: Addresses at which a buffer may begin whose pointer is in memory.
    """

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
        self.bases: dict[Loaded, set[int]] = {}
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], set[int]] = {}

    def allows(self, number: int, value: Facts, access: Access) -> bool:
        """Whether an access goes where a fact says that this thread goes.

        Raises:
            Unsupported: The fact cannot be evaluated.
        """
        unit, width = self._sizes(value)
        return any(
            0 <= access.address - base - index * unit < width
            for base in self._starts(value["buffer"], self._scope(access))
            for index in self._indices(number, value, access)
        )

    def loaded(self, buffer: str, access: Access) -> Loaded | None:
        """Which pointer in memory a buffer is behind; ``None`` where it is in none.

        Raises:
            Unsupported: The place of the pointer cannot be evaluated.
        """
        if "[" not in buffer:
            return None
        scope = self._scope(access)
        if self._starts(buffer, scope):
            return None
        name, _, rest = buffer.partition("[")
        if not rest.endswith("]") or name not in self._pointers:
            raise Unsupported(f"the buffer {buffer}")
        return name, compiled(rest[:-1])(scope)

    def starts(self, number: int, value: Facts, access: Access) -> set[int]:
        """Addresses at which a buffer would have to begin for a fact to allow an access.

        Raises:
            Unsupported: The fact cannot be evaluated.
        """
        unit, width = self._sizes(value)
        return {
            access.address - index * unit - part
            for index in self._indices(number, value, access)
            for part in range(0, width, access.size)
        }

    def _scope(self, access: Access) -> dict[str, int]:
        scope = dict(self._fixed)
        for axis, block, thread in zip("xyz", access.block, access.thread, strict=True):
            scope[f"blockIdx.{axis}"], scope[f"threadIdx.{axis}"] = block, thread
        return scope

    def _indices(self, number: int, value: Facts, access: Access) -> set[int]:
        key = (number, access.block, access.thread)
        if key not in self._known:
            self._known[key] = self._led_to(number, value, self._scope(access))
        return self._known[key]

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


def _size(argument: str) -> int:
    base = argument.replace("const", "").replace("*", "").replace("&", "").strip()
    if base in _SIZES:
        return _SIZES[base]
    match = _COMPLEX.search(base)
    if match and match[1] in _SIZES:
        return 2 * _SIZES[match[1]]
    raise Unsupported(f"the size of {base}")
