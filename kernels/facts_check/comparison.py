"""Index maps against the addresses that a run really accessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath
from typing import Any

from extractor.demangle import template_arguments
from extractor.facts.device.representatives import shape
from kernels.facts_check.expression import Unsupported, compiled, names_in
from kernels.facts_check.recording import Access, Frame, Launch

_MOST_VALUES = 20_000
_MOST_ITERATIONS = 300
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
_HEAD = re.compile(r"template\s*<")

Facts = Mapping[str, Any]


@dataclass
class Kernel:
    """One instantiation as its launch's values have to be read.

    Attributes:
        function: Id of its definition.
        parameters: Names, in order.
        constants: Values of the template's constants.
        types: Template arguments that are types.
    """

    function: str
    parameters: list[str]
    constants: dict[str, int]
    types: dict[str, str]


@dataclass
class Agreement:
    """What a comparison found, by fact.

    Attributes:
        agreed: Accesses that fell where the fact says, by number of the fact.
        contradicted: For a fact whose line made an access that no fact of the line allows, one
            example.
        incomparable: Why a fact could not be evaluated.
        unexplained: Accesses of device memory that no fact is about, by reason and line.
        accesses: How many accesses were looked at.
    """

    agreed: dict[int, int] = field(default_factory=dict)
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
                    self._kernels.setdefault(one["symbol"], _kernel(function, one["symbol"]))
        self._by_line: dict[tuple[str, Frame, str], list[int]] = {}
        for number, fact in enumerate(self.facts):
            for kind in {"load": "r", "store": "w", "atomic": "rw"}[fact["value"]["access"]]:
                key = (fact["function"], _line(fact["subject"]), kind)
                self._by_line.setdefault(key, []).append(number)
        self.result = Agreement()

    def add(self, launch: Launch, lines: Mapping[tuple[int, int], tuple[Frame, ...]]) -> None:
        """Compares one launch."""
        kernel = self._kernels.get(launch.kernel)
        if kernel is None or len(kernel.parameters) != len(launch.arguments):
            return
        values = _Values(kernel, launch)
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
        for depth, frame in enumerate(frames):
            # An assignment is where its operator is, which may be the line behind its target.
            for line in (frame[1], frame[1] - 1):
                found = [
                    number
                    for kind in kinds
                    for number in self._by_line.get((kernel.function, (frame[0], line), kind), ())
                    if _applies(self.facts[number], launch.kernel)
                ]
                if found:
                    break
            if not found:
                continue
            callers = [f"{file}:{line}" for file, line in reversed(frames[depth + 1 :])]
            exact = [n for n in found if _through(self.facts[n]) == callers]
            self._judge(exact or found, values, access)
            return
        if frames:
            reason = self._unexplained(kernel.function, frames, kinds)
            lines = self.result.unexplained.setdefault(reason, {})
            lines[frames[0]] = lines.get(frames[0], 0) + 1

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

    def _judge(self, found: list[int], values: _Values, access: Access) -> None:
        tried, hit = [], False
        for number in found:
            try:
                if values.allows(number, self.facts[number]["value"], access):
                    self.result.agreed[number] = self.result.agreed.get(number, 0) + 1
                    hit = True
                tried.append(number)
            except Unsupported as error:
                self.result.incomparable[number] = str(error)
        if tried and not hit and len(tried) == len(found):
            for number in tried:
                where = f"block {access.block} thread {access.thread} of {values.launch.kernel}"
                self.result.contradicted.setdefault(number, where)


class _Values:
    """Numbers of one launch, and the addresses that facts allow in it."""

    def __init__(self, kernel: Kernel, launch: Launch) -> None:
        self.kernel, self.launch = kernel, launch
        self._fixed = dict(kernel.constants)
        for axis, blocks, threads in zip("xyz", launch.grid, launch.block, strict=True):
            self._fixed[f"gridDim.{axis}"], self._fixed[f"blockDim.{axis}"] = blocks, threads
        self._pointers: dict[str, int] = {}
        for name, data in zip(kernel.parameters, launch.arguments, strict=True):
            if len(data) in (1, 2, 4, 8):
                self._fixed[name] = int.from_bytes(data, "little", signed=True)
                self._pointers[name] = int.from_bytes(data, "little")
        self._bases: dict[tuple[str, int], set[int]] = {}
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
            indices = self._known[key] = set(_indices(value, scope))
        base = self._pointers.get(value["buffer"])
        if base is not None:
            return any(0 <= access.address - base - index * unit < width for index in indices)
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
        return True

    def _sizes(self, value: Facts) -> tuple[int, int]:
        width = value["vector_bytes"]
        if isinstance(width, int):
            return value.get("index_unit_bytes", width), width
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
        elif symbol["kind"] in ("loaded", "loop-carried", "condition"):
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
        return
    raise Unsupported("loops that depend on each other")


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


def _kernel(function: Facts, symbol: str) -> Kernel:
    names = _template_names(function["text"])
    constants: dict[str, int] = {}
    types: dict[str, str] = {}
    for name, argument in zip(names, template_arguments(symbol), strict=False):
        number = _number(argument)
        if number is None:
            types[name] = argument
        else:
            constants[name] = number
    return Kernel(function["id"], _parameter_names(function["signature"]), constants, types)


def _number(text: str) -> int | None:
    if text in ("true", "false"):
        return int(text == "true")
    match = re.fullmatch(r"(?:\([\w: ]+\))?(-?\d+)[uUlL]*", text)
    return int(match[1]) if match else None


def _template_names(text: str) -> list[str]:
    match = _HEAD.search(text)
    if not match:
        return []
    inside = _until_closed(text[match.end() :], "<", ">")
    return [_last_word(part.split("=")[0]) for part in _split(inside)]


def _parameter_names(signature: str) -> list[str]:
    text = signature.rstrip()
    if not text.endswith(")"):
        text = text[: text.rfind(")") + 1]
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return [_last_word(part.split("=")[0]) for part in _split(text[at + 1 : -1])]
    return []


def _last_word(text: str) -> str:
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", text))
    return words[-1] if words else ""


def _until_closed(text: str, opening: str, closing: str) -> str:
    depth = 0
    for at, character in enumerate(text):
        if character == opening:
            depth += 1
        elif character == closing:
            if depth == 0:
                return text[:at]
            depth -= 1
    return text


def _split(text: str) -> Iterable[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part for part in (*parts, current) if part.strip()]
