"""How a kernel is launched, as sizes over its own scalars: from launches' text, facts, traces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.errors import UserError
from extractor.launch_text import split_arguments
from extractor.records import Function, Launch, Scope
from kernels.launches.capture import CapturedLaunch
from kernels.launches.fit import fit_sizes
from kernels.slice.conditional import without_conditionals
from kernels.slice.launch_facts import LaunchFacts, StatedLaunch, TracedLaunches
from kernels.task.expression import evaluate, names_in

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(
    r"\b(?:static_cast\s*<[^<>]*>|(?:unsigned|signed|int|long|size_t|\w+_t|\w+_int))\s*(?=\()"
    r"|\(\s*(?:unsigned|int|long|size_t|\w+_t|\w+_int)\s*\)|\bstd\s*::\s*"
)
_TEMPLATE = re.compile(r"^\s*template\s*<(.*?)>\s*(?=[A-Za-z_])", re.S)
_DIMENSIONS = re.compile(r"dim3\s*[({](.*)[)}]", re.S)
_NUMBER = re.compile(r"-?\d+")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_DEPTH = 8
_FLAT = r"(?:[^;()]|\([^;()]*\))*"
_NESTED = rf"(?:[^;()]|\({_FLAT}\))*"


@dataclass(frozen=True)
class Contract:
    """Grid, block and dynamic LDS of a kernel.

    Attributes:
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        shared_bytes: Dynamic LDS.
        notes: What could not be read from a launch and was chosen instead.
        origin: What says so: ``text`` of a launch, host ``facts``, ``launches`` that the library
            made, a ``fit`` to them, ``traces``, or a ``guess``.
    """

    grid: tuple[str, str, str]
    block: tuple[str, str, str]
    shared_bytes: str
    notes: tuple[str, ...] = ()
    origin: str = "text"


@dataclass
class _Caller:
    """The function that launches, with what its names stand for."""

    text: str
    constants: Mapping[str, str]
    renamed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def resolve(self, text: str, depth: int = 0) -> str:
        """An expression over the kernel's scalars.

        Raises:
            UserError: A name stands for nothing that is known before the launch.
        """
        text = without_conditionals(_CAST.sub("", text).strip(), self.notes)

        def stands_for(match: re.Match[str]) -> str:
            name = match[0]
            if name in self.renamed:
                return self.renamed[name]
            if name in ("max", "min", "abs"):
                return name
            if name in self.constants:
                return f"({self.constants[name]})"
            initial = _initial(self.text, name)
            if initial is None or depth > _DEPTH:
                raise UserError(f"'{name}' is not known")
            return f"({self.resolve(initial, depth + 1)})"

        return _IDENTIFIER.sub(stands_for, text)

    def three(self, parts: Sequence[str]) -> tuple[str, str, str]:
        """A grid or block: numbers, ``dim3(…)``, or a variable that is one of them."""
        if len(parts) != 1:
            return self._filled(parts)
        text = parts[0].strip()
        match = _DIMENSIONS.fullmatch(text)
        if not match and _IDENTIFIER.fullmatch(text) and text not in self.renamed:
            initial = _initial(self.text, text)
            if initial is not None and text not in self.constants:
                inner = _DIMENSIONS.fullmatch(initial.strip())
                return self._filled(split_arguments(inner[1] if inner else initial))
        return self._filled(split_arguments(match[1]) if match else [text])

    def _filled(self, parts: Sequence[str]) -> tuple[str, str, str]:
        if not parts:
            raise UserError("nothing is known of it")
        first, second, third = [*(self.resolve(part) for part in parts), "1", "1"][:3]
        return first, second, third


def find_contracts(
    scope: Scope,
    symbol: str,
    names: Sequence[str],
    scalars: Sequence[str],
    facts: LaunchFacts | None = None,
) -> Iterator[Contract]:
    """Launch contracts of a kernel, one for each launch that can be read, that of the text first.

    Args:
        scope: A scope that reaches it.
        symbol: Mangled symbol of its instantiation.
        names: Its parameters in order.
        scalars: Those of them that are scalars.
        facts: What to ask where the text of a launch does not say it.
    """
    owners = {i.id: (f, i) for f in scope.functions for i in f.instantiations}
    wanted = {i.id for f in scope.functions for i in f.instantiations if i.symbol == symbol}
    callers = []
    for launch in scope.launches:
        if launch.kernel not in wanted or launch.dead or launch.caller not in owners:
            continue
        function, instance = owners[launch.caller]
        caller = _caller(function, instance.template_arguments, launch, names)
        callers.append((launch, instance.symbol, caller))
        written = StatedLaunch(
            (launch.grid.expanded,), (launch.block.expanded,), launch.shared_bytes.expanded
        )
        contract = _contract(caller, written, scalars)
        if contract:
            yield contract
    for launch, by, caller in callers if facts else ():
        # Facts have the launcher's variables replaced; what is left is passed under its own name.
        renamed = {**{name: name for name in scalars}, **caller.renamed}
        for stated in facts.at(launch.at.file, launch.at.start_line, by) if facts else ():
            contract = _contract(_Caller("", {}, renamed), stated, scalars)
            if contract:
                yield replace(contract, origin="facts")


def reproduces(contract: Contract, launch: CapturedLaunch) -> bool:
    """Whether a contract gives a launch's grid, block and LDS from its scalars."""
    try:
        sizes = (*contract.grid, *contract.block, contract.shared_bytes)
        return tuple(evaluate(text, launch.scalars) for text in sizes) == launch.geometry
    except UserError:
        return False


def fitted_contract(launches: Sequence[CapturedLaunch]) -> Contract | None:
    """The contract that all captured launches follow; ``None`` where no known form is it."""
    sizes = fit_sizes(launches)
    if sizes is None:
        return None
    x, y, z, a, b, c, shared = sizes
    note = f"grid, block and LDS by a formula that all {len(launches)} launches heard follow"
    return Contract((x, y, z), (a, b, c), shared, (note,), "fit")


def captured_contract(launch: CapturedLaunch) -> Contract:
    """The contract of a launch alone; each case has its own beside it."""
    x, y, z, a, b, c, shared = map(str, launch.geometry)
    note = "grid, block and LDS of each case are those of the library's own launch"
    return Contract((x, y, z), (a, b, c), shared, (note,), "launches")


def traced_contract(traces: TracedLaunches, symbol: str) -> Contract | None:
    """The launch that traces show; ``None`` where they show none."""
    found = traces.usual(symbol)
    if found is None:
        return None
    grid, block, shared = ([str(x) for x in found[0]], [str(x) for x in found[1]], found[2])
    note = "grid and block are those of a traced launch, whatever the sizes"
    return Contract((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), str(shared),
                    (note,), "traces")  # fmt: skip


def _contract(caller: _Caller, launch: StatedLaunch, scalars: Sequence[str]) -> Contract | None:
    caller.notes.clear()
    try:
        grid, block = caller.three(launch.grid), caller.three(launch.block)
        shared = caller.resolve(launch.shared_bytes)
        used: set[str] = set()
        for text in (*grid, *block, shared):
            used |= names_in(text)
    except UserError:
        return None
    return Contract(grid, block, shared, tuple(caller.notes)) if used <= set(scalars) else None


def usual_contract(scalars: Sequence[str]) -> Contract:
    """A launch for a kernel of which no launch can be read: a few blocks of four wavefronts."""
    batch = next((name for name in scalars if "batch" in name.lower()), "1")
    note = "no launch could be read from the source: a few blocks of 256 threads were chosen"
    return Contract(("4", "1", batch), ("256", "1", "1"), "0", (note,), "guess")


def _caller(
    function: Function, arguments: Sequence[str], launch: Launch, names: Sequence[str]
) -> _Caller:
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), function.text)
    first = function.span.start_line if function.span else 1
    lines = text.splitlines(keepends=True)
    begin = launch.at.start_line - first
    before = "".join(lines[: max(0, begin)])
    statement = "".join(lines[begin : launch.at.end_line - first + 1])
    constants = {}
    match = _TEMPLATE.match(text)
    if match:
        for parameter, value in zip(split_arguments(match[1]), arguments, strict=False):
            name = _IDENTIFIER.findall(parameter.partition("=")[0])
            if name and _NUMBER.fullmatch(value):
                constants[name[-1]] = value
    caller = _Caller(before, constants)
    given = _arguments(statement)[-len(names) :] if names else []
    if len(given) == len(names):
        # What is passed as it is comes before what is cast.
        plain = [(argument.strip(), own) for argument, own in zip(given, names, strict=True)]
        for argument, own in (*plain, *((_CAST.sub("", text).strip(), own) for text, own in plain)):
            if _IDENTIFIER.fullmatch(argument):
                caller.renamed.setdefault(argument, own)
    return caller


def _arguments(statement: str) -> list[str]:
    """Everything that a launch statement passes, its configuration first where a macro takes it."""
    start = statement.find(">>>")
    begin = statement.find("(", start + 3 if start >= 0 else 0)
    depth = 0
    for index in range(begin, len(statement)):
        depth += (statement[index] in "([{") - (statement[index] in ")]}")
        if depth == 0:
            return split_arguments(statement[begin + 1 : index])
    return []


def _initial(text: str, name: str) -> str | None:
    """What a variable is made from, by its last declaration in a text."""
    found = None
    forms = rf"(?:=\s*([^;]+);|\(({_NESTED})\)\s*;|\{{([^;{{}}]*)\}}\s*;)"
    pattern = rf"[\w>:*&]\s+{re.escape(name)}\s*{forms}"
    for match in re.finditer(pattern, text):
        found = next(part for part in match.groups() if part is not None)
    return found
