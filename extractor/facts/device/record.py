"""What was met while a kernel's tree was read: accesses, barriers, loops, conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractor.facts.device.node import Function, Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import Dependences
from extractor.facts.device.values import Memory, Nowhere


@dataclass(frozen=True)
class Condition:
    """A condition under which control is where it is.

    Attributes:
        text: Resolved where it could be, else as it is written.
        depends: What it depends on.
        line: Where it stands.
        value: Resolved, if it was.
    """

    text: str
    depends: Dependences
    line: int
    value: Polynomial | None = None


@dataclass(frozen=True)
class Loop:
    """A loop that was entered.

    Attributes:
        node: Its statement.
        variable: Name of the variable that counts, empty where none does.
        symbol: The atom that stands for it, or for the number of the iteration.
        start: Its first value.
        bound: The loop's condition, resolved or as written.
        limit: What the variable is compared with, where the condition is a plain comparison.
        compare: Operator of that comparison.
        step: What it grows by.
        trips: How often the body runs, where that has a closed form.
    """

    node: Node
    variable: str = ""
    symbol: str = ""
    start: Polynomial | None = None
    bound: str = ""
    limit: Polynomial | None = None
    compare: str = ""
    step: Polynomial | None = None
    trips: Polynomial | None = None


@dataclass(frozen=True)
class Access:
    """One load, store or atomic operation through a pointer.

    Attributes:
        node: The expression.
        function: In whose text it stands.
        kind: ``load``, ``store`` or ``atomic``.
        place: Where it goes.
        type: Number of the accessed type.
        path: Conditions around it.
        loops: Loops around it, outermost first.
        through: Places of the calls that lead from the kernel to the function.
        narrow: Products in the expression that are computed in 32 bits.
        after_loop_return: Threads may have left the function from inside a loop before.
    """

    node: Node
    function: Function
    kind: str
    place: Memory | Nowhere
    type: int
    path: tuple[Condition, ...]
    loops: tuple[Loop, ...]
    through: tuple[str, ...]
    narrow: tuple[Polynomial, ...] = ()
    after_loop_return: bool = False


@dataclass(frozen=True)
class Barrier:
    """A barrier, with what decides whether every thread comes to it."""

    node: Node
    function: Function
    name: str
    path: tuple[Condition, ...]
    left: tuple[Condition, ...]
    through: tuple[str, ...]


@dataclass(frozen=True)
class Lanes:
    """A call that works across a wavefront: a shuffle, a vote or a lane's number."""

    node: Node
    function: Function
    name: str
    arguments: tuple[str, ...]
    through: tuple[str, ...]


@dataclass(frozen=True)
class Guard:
    """An ``if`` that makes some threads leave or skip what follows."""

    node: Node
    function: Function
    condition: str
    resolved: str | None
    effect: str
    through: tuple[str, ...]


@dataclass(frozen=True)
class ScalarTest:
    """A comparison of a scalar argument with 0 or 1, and what each outcome reads and writes.

    ``together`` is the whole condition where the comparison is only a part of it.
    """

    node: Node
    function: Function
    scalar: str
    equals: int
    negated: bool
    then: tuple[tuple[str, ...], tuple[str, ...], bool]
    otherwise: tuple[tuple[str, ...], tuple[str, ...], bool]
    together: str | None


@dataclass
class Record:
    """Everything met in one kernel.

    Attributes:
        arrays: Arrays in LDS by declaration, with the functions in whose text they stand.
        others: Those in branches that only other instantiations have.
    """

    accesses: list[Access] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    lanes: list[Lanes] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    loops: list[tuple[Function, Loop, tuple[str, ...]]] = field(default_factory=list)
    scalars: list[ScalarTest] = field(default_factory=list)
    arrays: dict[int, tuple[Node, Function]] = field(default_factory=dict)
    others: dict[int, tuple[Node, Function]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
