"""Arguments to work a host function through with: ordinary ones, and one thing wrong at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from qa.ground import Ground
from qa.reading.execution import follow
from qa.reading.function import FunctionReading, read_function
from qa.reading.outcome import Outcome, Value
from qa.scope_view import FunctionView

_ORDINARY: dict[str, int] = {
    "m": 6, "n": 4, "k": 3, "kl": 1, "ku": 1, "nrhs": 2, "batch_count": 2, "incx": 1, "incy": 1,
    "inca": 1, "nb": 2, "jb": 2, "thread_count": 256, "block_size": 64,
}  # fmt: skip
_HANDLE = {"handle": 1}
_POINTER_NAMES = re.compile(
    r"[A-Z]\d?|[xyzcsdr]\d?|ipiv\w*|info\w*|alpha|beta|tau\w*|\w*A|\w*work\w*|result\w*"
)


@dataclass(frozen=True)
class Fault:
    """One argument changed from an ordinary value.

    Attributes:
        name: Parameter.
        value: What it becomes.
        kind: ``negative``, ``zero``, ``null``, ``small`` (a leading dimension), ``enumerator``,
            ``flag`` or ``large``.
    """

    name: str
    value: Value
    kind: str


@dataclass
class Arguments:
    """A function with ordinary arguments for which it is not left early.

    Attributes:
        function: The function.
        reading: Its text, read.
        values: Ordinary arguments.
        types: Template parameters and what they are bound to.
        outcome: What it does with them.
        faults: Changes worth trying.
        fixed: Parameters that the entry point in question cannot choose.
    """

    function: FunctionView
    reading: FunctionReading
    values: dict[str, Value]
    types: dict[str, str]
    outcome: Outcome
    ground: Ground
    launches: tuple[int, ...] = ()
    faults: list[Fault] = field(default_factory=list)
    number: int | None = 0
    fixed: frozenset[str] = frozenset()

    def run(self, *faults: Fault, **changed: Value) -> Outcome:
        """What the function does with some arguments changed."""
        values = {**self.values, **{fault.name: fault.value for fault in faults}, **changed}
        return run(self.function, self.ground, values, self.types, self.launches)

    def holds(self, condition: str, values: dict[str, Value]) -> bool | None:
        """Whether a condition holds for values; ``None`` where that is not known."""
        outcome = follow(
            f"void f() {{ if({condition}) return 1; }}", 1, {**self.ground.constants_in(self.function.text), **values},
            self.types, enumerators=self.ground.enumerators,
        )  # fmt: skip
        decided = outcome.branches()
        return bool(decided[0].value) if decided else None


def run(
    function: FunctionView,
    ground: Ground,
    values: dict[str, Value],
    types: dict[str, str],
    launches: tuple[int, ...] = (),
) -> Outcome:
    """Follows a function of the tree; the tree's constants have their values.

    A parameter hides a constant of its name, whether or not it has a value here.
    """
    assert function.span is not None
    own = {p.name for p in read_function(function.text, function.span.start_line).parameters}
    constants = ground.constants_in(function.text)
    return follow(
        function.text, function.span.start_line,
        {**{n: v for n, v in constants.items() if n not in own}, **values}, types,
        enumerators=ground.enumerators, launches=launches,
    )  # fmt: skip


def ordinary(
    function: FunctionView,
    ground: Ground,
    types: dict[str, str],
    launches: tuple[int, ...] = (),
    *,
    large: bool = False,
    fixed: Mapping[str, Value | None] | None = None,
) -> Arguments | None:
    """Ordinary arguments of a host function; ``None`` where the text cannot be followed.

    Args:
        function: The function.
        ground: Its library.
        types: Template parameters and what they are bound to.
        launches: Lines on which it launches.
        large: Take sizes that need several blocks.
        fixed: Parameters that no caller chooses, with their values where they are known.
    """
    if function.span is None:
        return None
    reading = read_function(function.text, function.span.start_line)
    if not reading.parameters:
        return None
    values: dict[str, Value] = {}
    choices: dict[str, list[str]] = {}
    for parameter in reading.parameters:
        name, kind = parameter.name, parameter.type
        compared = enumerators_of(name, reading, ground)
        if name == "handle":
            values["handle"] = 1
        elif compared:
            choices[name] = compared
            values[name] = compared[0]
        elif is_pointer(name, kind, reading, types):
            values[name] = 1
        elif kind.split()[-1] == "bool":
            values[name] = 0
        else:
            values[name] = ordinary_number(name)
            if large and name.rstrip("_") in ("m", "n", "k"):
                values[name] = {"m": 1000, "n": 700, "k": 300}[name.rstrip("_")]
            if large and name.startswith("ld"):
                values[name] = 1024
    for name, value in (fixed or {}).items():
        choices.pop(name, None)
        if value is not None and name in values:
            values[name] = value
    if re.search(r"handle->pointer_mode", function.text):
        mode = next(
            (e for e in sorted(ground.enumerators) if e.endswith("pointer_mode_host")), None
        )
        if mode is not None:
            values["handle->pointer_mode"] = mode
    tried = [
        values,
        *({**values, name: other} for name, all_ in choices.items() for other in all_[1:]),
    ]
    for attempt in tried:
        outcome = run(function, ground, attempt, types, launches)
        if outcome.stuck is None and not _left_early(outcome):
            made = Arguments(function, reading, attempt, types, outcome, ground, launches)
            made.fixed = frozenset(fixed or ())
            made.faults = [f for f in _faults(made, choices) if f.name not in made.fixed]
            return made
    return None


def ordinary_number(name: str) -> int:
    """An ordinary value of a whole-number parameter, by what its name says."""
    bare = name.rstrip("_").lower()
    if bare in _ORDINARY:
        return _ORDINARY[bare]
    if bare.startswith("ld"):
        return 8
    if bare.startswith("inc"):
        return 1
    if "batch" in bare:
        return 2
    if bare.startswith(("stride", "dim")):
        return 64
    if bare.startswith(("offset", "shift")):
        return 0
    return 3


def is_pointer(
    name: str, kind: str, reading: FunctionReading, types: Mapping[str, str] | None = None
) -> bool:
    """Whether a parameter is a pointer; a template's may be, and then the text compares it so."""
    bound = re.sub(r"[A-Za-z_]\w*", lambda m: (types or {}).get(m[0], m[0]), kind)
    if "*" in bound or "[" in bound:
        return True
    if re.search(r"\b(?:int|size_t|bool|rocblas_int|rocblas_stride|int64_t|I|API_INT)\b", kind):
        return False
    negated = any(
        re.search(rf"!\s*{name}\b(?!\s*[-+*/%<>=.(\[])|\b{name}\s*[!=]=\s*(?:nullptr|NULL)\b",
                  branch.condition)
        for branch in reading.branches
    )  # fmt: skip
    compared = any(
        re.search(rf"(?<!\*)\b{name}\s*(?:<|>|==|%)", branch.condition)
        for branch in reading.branches
    )  # what a pointer points at may be compared
    # What is asked for as a pointer is asked for, of a type that is none by its name, is one.
    return not compared and (negated or (bool(_POINTER_NAMES.fullmatch(name)) and len(kind) <= 8))


def enumerators_of(name: str, reading: FunctionReading, ground: Ground) -> list[str]:
    """Enumerators that the text compares a parameter with, in order."""
    found: list[str] = []
    for branch in reading.branches:
        for match in re.finditer(
            rf"\b{name}\s*[!=]=\s*(\w+)|(\w+)\s*[!=]=\s*{name}\b", branch.condition
        ):
            other = match[1] or match[2]
            if other in ground.enumerators and other not in found:
                found.append(other)
    return found


def stranger(known: list[str], ground: Ground) -> str | None:
    """An enumerator of the same kind that the text does not know, or of another kind."""
    prefix = known[0].rsplit("_", 1)[0]
    same = [e for e in sorted(ground.enumerators) if e.startswith(f"{prefix}_") and e not in known]
    return same[0] if same else None


def _left_early(outcome: Outcome) -> bool:
    last = outcome.steps[-1] if outcome.steps else None
    if last is None or last.kind != "return":
        return False
    decided = [step for step in outcome.steps if step.kind == "branch" and step.value]
    if not decided:
        return False
    return decided[-1].first <= last.first <= decided[-1].last + 3 and "continue" not in last.text


def _faults(made: Arguments, choices: dict[str, list[str]]) -> Iterator[Fault]:
    spoken = set(re.findall(r"\b[A-Za-z_]\w*\b", " ".join(
        b.condition for b in made.reading.branches
    )))  # fmt: skip
    for name, value in made.values.items():
        if name not in spoken or "->" in name:
            continue
        if name in choices:
            odd = stranger(choices[name], made.ground)
            if odd is not None:
                yield Fault(name, odd, "enumerator")
            continue
        parameter = next((p for p in made.reading.parameters if p.name == name), None)
        kind = parameter.type if parameter else ""
        if name == "handle" or is_pointer(name, kind, made.reading, made.types):
            yield Fault(name, 0, "null")
        elif kind.split()[-1:] == ["bool"]:
            yield Fault(name, 1 - int(value), "flag")
        elif name.lower().startswith("ld"):
            rows = made.values.get("m" if "m" in made.values else "n", 4)
            if isinstance(rows, int) and rows > 1:
                yield Fault(name, rows - 1, "small")
            yield Fault(name, 0, "zero")
        else:
            yield Fault(name, -1, "negative")
            yield Fault(name, 0, "zero")
