"""One interface for everything that builds or runs a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor.code_object.resources import KernelResources
from extractor.errors import UserError


@dataclass(frozen=True)
class Availability:
    """Whether a backend can be used on this machine.

    Attributes:
        usable: Whether it can.
        reason: Why not, and what to do; empty when it can.
        hardware: What its results are of, for instance the name of a card.
    """

    usable: bool
    reason: str = ""
    hardware: str = ""


@dataclass(frozen=True)
class Compilation:
    """What came of compiling one unit.

    Attributes:
        built: Whether every step succeeded.
        diagnostics: The compiler's errors, or how a limit ended it; empty when it was built.
        seconds: Wall time of the compilers.
        from_cache: Whether nothing had to be run.
        resources: One record for each kernel and architecture; empty where the backend has none.
    """

    built: bool
    diagnostics: str
    seconds: float
    from_cache: bool
    resources: tuple[KernelResources, ...] = ()


@dataclass(frozen=True)
class Program:
    """A program that a backend built from HIP sources.

    Attributes:
        path: The executable.
        environment: What it needs in its environment beside what the caller sets.
        reads: Folders it needs beside its own and the system's.
        compilation: How it came about.
    """

    path: Path
    compilation: Compilation
    environment: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()


class Backend(ABC):
    """One way to build, and for most to run, a kernel.

    Attributes:
        name: As the user writes it.
        proves: What a good result of it says.
        does_not_prove: What it leaves open.
        executes: Whether it runs what it builds.
        uses_devices: Whether its programs need the machine's device files and, as the drivers of
            cards do, far more address space than memory.
    """

    name: str
    proves: tuple[str, ...]
    does_not_prove: tuple[str, ...]
    executes: bool
    uses_devices: bool = False

    @abstractmethod
    def availability(self) -> Availability:
        """Whether it can be used here."""

    @abstractmethod
    def compile(self, source: Path, arguments: Sequence[str] = ()) -> Compilation:
        """Compiles one HIP unit as it stands.

        Args:
            source: Its file.
            arguments: Include folders and macros.
        """

    @abstractmethod
    def build_program(self, source: Path, output: Path, arguments: Sequence[str] = ()) -> Program:
        """Builds a program from one HIP unit that has a ``main``.

        Args:
            source: Its file.
            output: Where the program goes.
            arguments: Include folders and macros.

        Raises:
            BuildError: It does not build.
            UserError: The backend does not execute.
        """

    def dialect(self, text: str) -> str:
        """A HIP source as this backend's compiler takes it."""
        return text

    def require_usable(self) -> None:
        """Checks that the backend can be used here.

        Raises:
            UserError: It cannot; the message says why.
        """
        found = self.availability()
        if not found.usable:
            raise UserError(f"backend '{self.name}' cannot be used here: {found.reason}")
