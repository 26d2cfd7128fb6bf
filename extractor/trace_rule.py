"""The ``[trace]`` section of a rule file: how a library's entry points are called without a GPU."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractor.glob import match_name


class _Model(BaseModel):
    # As the rest of the schema: unknown keys are faults, and nothing is converted in silence.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Mode(_Model):
    """A function that sets a mode of the handle, and its values.

    Attributes:
        call: The function; its arguments are the handle and a value.
        values: By name; the first is the default.
    """

    call: str
    values: dict[str, int]


class ParameterRule(_Model):
    """What parameters of some names are given.

    Attributes:
        names: Name globs.
        entries: Globs of the entry points it holds for; all when empty.
        role: ``number``; ``size``, a number that is varied along the thresholds; ``scalar``, a
            value behind a pointer that lives where the pointer mode says; ``result``, memory
            there that the call writes; ``host``, memory of the host; ``array``, device memory.
        values: Numbers, names of enumerators, or expressions over other parameters; the first is
            the default.
        count: Of a ``scalar``, how many elements.
    """

    names: Annotated[tuple[str, ...], Field(min_length=1)]
    entries: tuple[str, ...] = ()
    role: Literal["number", "size", "scalar", "result", "host", "array"] = "number"
    values: tuple[int | float | str, ...] = ()
    count: int = 1


class Trace(_Model):
    """How entry points are called.

    Attributes:
        handle: Type of the handle; entry points without one are not called.
        create: Makes a handle; its argument is where to put it.
        destroy: Ends it.
        status: What is cut off the front of a status's name.
        pointer_mode: Sets where scalars live; its values are ``host`` and ``device``.
        atomics: Sets whether atomics are allowed; its values are ``0`` and ``1``.
        checking: Environment under which calls also launch the kernels that only check; traces are
            made without it.
        exclude: By name glob, why entry points are not called.
        letters: By enumerator, the letter that stands for it in a trace.
        elements: By C type or enumerator, how one element is stored: ``f``, ``d``, ``e`` (half),
            ``t`` (bfloat16), ``b``, ``B``, ``i``, ``I``, ``q``; complex types twice.
        scalar_types: Parameters that say of which type an untyped scalar is, the first that is
            there; ``{name}`` is the scalar's name.
        sizes: Values of sizes, besides those next to thresholds of the source.
        large_sizes: Values of sizes for parameters of 64 bits.
        parameters: Parameters by name, the first line that fits.
    """

    handle: str
    create: str
    destroy: str
    status: str = ""
    pointer_mode: Mode | None = None
    atomics: Mode | None = None
    checking: dict[str, str] = {}
    exclude: dict[str, str] = {}
    letters: dict[str, str] = {}
    elements: dict[str, str] = {}
    scalar_types: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (1, 2, 31, 32, 33, 63, 64, 65, 128, 256, 1000)
    large_sizes: tuple[int, ...] = ()
    parameters: tuple[ParameterRule, ...] = ()

    def on_the_host(self, entry: str, name: str) -> bool:
        """Whether the first line that fits a parameter gives it memory of the host."""
        for line in self.parameters:
            if line.entries and not match_name(entry, line.entries):
                continue
            if match_name(name, line.names):
                return line.role == "host"
        return False

    def support(self) -> tuple[str, ...]:
        """Functions that calls need besides the entry points."""
        modes = [mode.call for mode in (self.pointer_mode, self.atomics) if mode]
        return (self.create, self.destroy, *modes)


__all__ = ["Mode", "ParameterRule", "Trace"]
