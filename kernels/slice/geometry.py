"""How a kernel is launched, as sizes over its own scalars: from the text of its launches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extractor.errors import UserError
from extractor.launch_text import split_arguments
from extractor.records import Function, Launch, Scope
from kernels.task.expression import names_in

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(
    r"\b(?:static_cast\s*<[^<>]*>|(?:unsigned|signed|int|long|size_t|\w+_t|\w+_int))\s*(?=\()"
    r"|\(\s*(?:unsigned|int|long|size_t|\w+_t|\w+_int)\s*\)|\bstd\s*::\s*"
)
_TEMPLATE = re.compile(r"^\s*template\s*<(.*?)>\s*(?=[A-Za-z_])", re.S)
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
    """

    grid: tuple[str, str, str]
    block: tuple[str, str, str]
    shared_bytes: str
    notes: tuple[str, ...] = ()


@dataclass
class _Caller:
    """The function that launches, with what its names stand for."""

    text: str
    constants: Mapping[str, str]
    renamed: dict[str, str] = field(default_factory=dict)

    def resolve(self, text: str, depth: int = 0) -> str:
        """An expression over the kernel's scalars.

        Raises:
            UserError: A name stands for nothing that is known before the launch.
        """
        text = _CAST.sub("", text).strip()

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

    def three(self, text: str) -> tuple[str, str, str]:
        """A grid or block: a number, ``dim3(…)``, or a variable that is one of them."""
        text = text.strip()
        match = re.fullmatch(r"dim3\s*[({](.*)[)}]", text, re.S)
        if not match and _IDENTIFIER.fullmatch(text) and text not in self.renamed:
            initial = _initial(self.text, text)
            if initial is not None and text not in self.constants:
                inner = re.fullmatch(r"dim3\s*[({](.*)[)}]", initial.strip(), re.S)
                parts = split_arguments(inner[1] if inner else initial)
                return self._filled(parts)
        return self._filled(split_arguments(match[1]) if match else [text])

    def _filled(self, parts: Sequence[str]) -> tuple[str, str, str]:
        resolved = [self.resolve(part) for part in parts][:3]
        return tuple([*resolved, "1", "1"][:3])  # type: ignore[return-value]


def find_contract(
    scope: Scope, symbol: str, names: Sequence[str], scalars: Sequence[str]
) -> Contract | None:
    """The launch contract of a kernel; ``None`` where no launch of it can be read.

    Args:
        scope: A scope that reaches it.
        symbol: Mangled symbol of its instantiation.
        names: Its parameters in order.
        scalars: Those of them that are scalars.
    """
    owners = {i.id: (f, i.template_arguments) for f in scope.functions for i in f.instantiations}
    wanted = {i.id for f in scope.functions for i in f.instantiations if i.symbol == symbol}
    for launch in scope.launches:
        if launch.kernel not in wanted or launch.dead or launch.caller not in owners:
            continue
        function, arguments = owners[launch.caller]
        caller = _caller(function, arguments, launch, names)
        try:
            contract = Contract(
                caller.three(launch.grid.expanded),
                caller.three(launch.block.expanded),
                caller.resolve(launch.shared_bytes.expanded),
            )
            used: set[str] = set()
            for text in (*contract.grid, *contract.block, contract.shared_bytes):
                used |= names_in(text)
        except UserError:
            continue
        if used <= set(scalars):
            return contract
    return None


def usual_contract(scalars: Sequence[str]) -> Contract:
    """A launch for a kernel of which no launch can be read: a few blocks of four wavefronts."""
    batch = next((name for name in scalars if "batch" in name.lower()), "1")
    note = "no launch could be read from the source: a few blocks of 256 threads were chosen"
    return Contract(("4", "1", batch), ("256", "1", "1"), "0", (note,))


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
        for argument, own in zip(given, names, strict=True):
            if _IDENTIFIER.fullmatch(argument.strip()):
                caller.renamed.setdefault(argument.strip(), own)
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
