"""The form in which the index and the compiler both answer, so that they can be compared.

An answer covers a set of entry points. Functions are named by their mangled symbols as
:func:`extractor.check.mangled.canonical` spells them: constructors and destructors by their
complete variant, a launch stub by its kernel. Files are relative to the root of the source tree,
or absolute outside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

CallKind = Literal["call", "launch", "reference"]


class FunctionKey(NamedTuple):
    """One function of the program.

    Attributes:
        symbol: Canonical mangled symbol.
        file: File of the definition when the linkage is internal, else empty: units that include
            one static function have one each, and the same text is one function here.
    """

    symbol: str
    file: str = ""


class CallKey(NamedTuple):
    """One function that uses another. Several sites in one caller are one call."""

    caller: FunctionKey
    callee: FunctionKey


class KernelKey(NamedTuple):
    """A kernel as people count kernels: its plain name and the file that defines it."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class Call:
    """How and where a caller uses a callee.

    Attributes:
        kind: ``call`` (direct), ``launch`` (of a kernel) or ``reference`` (its address is taken).
        file: File of the first site; empty when unknown.
        line: Line of the first site; 0 when unknown.
        dead: True when no run can come to any of the sites.
        reason: Why it is dead.
    """

    kind: CallKind
    file: str = ""
    line: int = 0
    dead: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """What is known of a function.

    Attributes:
        name: Qualified name without template arguments.
        file: File of the definition.
        line: Line of the definition.
        artificial: True when the compiler made it up and no text spells it.
    """

    name: str
    file: str
    line: int
    artificial: bool = False


@dataclass(frozen=True, slots=True)
class ReachedKernel:
    """A kernel that an entry point can launch.

    Attributes:
        key: Plain name and file.
        instantiations: Canonical mangled symbols.
        dead: True when every launch on the way is one that no run can come to.
        reason: Why it is dead, with file and line of the launch.
    """

    key: KernelKey
    instantiations: frozenset[str] = frozenset()
    dead: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """What one entry point reaches.

    Attributes:
        kernels: Live and dead kernels. A kernel stands once with its live instantiations, and
            once more with dead ones if it has any.
        functions: Functions of the project, the entry point among them.
        boundaries: Names that no unit defines.
    """

    kernels: tuple[ReachedKernel, ...] = ()
    functions: frozenset[FunctionKey] = frozenset()
    boundaries: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Divergence:
    """One symbol with several bodies. The linker keeps the first.

    Attributes:
        symbol: Canonical mangled symbol.
        places: ``unit: file:line`` of one definition for each body, the kept one first.
    """

    symbol: str
    places: tuple[str, ...]


@dataclass
class Answer:
    """One side's answer.

    Attributes:
        entries: What each entry point reaches.
        calls: Calls from functions of the project that some entry point reaches to functions of
            the project.
        functions: What is known of the functions in ``calls`` and ``entries``.
        divergent: Symbols whose definitions differ between units.
        failed: Units that this side could not read, with the reason.
        initialisers: Functions that run before any entry point, to initialise a variable.
    """

    entries: dict[str, EntryAnswer] = field(default_factory=dict)
    calls: dict[CallKey, Call] = field(default_factory=dict)
    functions: dict[FunctionKey, Function] = field(default_factory=dict)
    divergent: tuple[Divergence, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    initialisers: set[FunctionKey] = field(default_factory=set)
