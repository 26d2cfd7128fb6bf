"""The parameters of a slice's kernel, as a task can make values for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from kernels.cpu.build import parse_flags
from kernels.slice.instantiation import spelling_of
from kernels.slice.parsed import PROBE
from kernels.task.signature import CParameter, parameter_of

_NUMBERS = frozenset(
    (
        "BOOL", "CHAR_S", "CHAR_U", "SCHAR", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG",
        "ULONG", "LONGLONG", "ULONGLONG", "HALF", "FLOAT16", "FLOAT", "DOUBLE", "ENUM",
    )
)  # fmt: skip
_FLOATS = {"FLOAT": "complex64", "DOUBLE": "complex128"}


@dataclass(frozen=True)
class KernelParameter:
    """One parameter.

    Attributes:
        declared: As the source declares it.
        choices: Values that its type allows, where it is an enumeration.
        why: Why a task cannot make values for it; empty when it can.
        largest: Largest whole number that it is given.
    """

    declared: CParameter
    choices: tuple[int, ...] = ()
    why: str = ""
    largest: int = 9


def read_parameters(text: str, path: Path, symbol: str) -> tuple[KernelParameter, ...]:
    """Reads the parameters of an instantiation.

    Args:
        text: The slice.
        path: Where it lies, or will lie.
        symbol: Mangled symbol of the kernel.

    Raises:
        UserError: The slice does not parse for the cpu backend.
    """
    from clang import cindex

    cindex.Config.libcxx_dir = None
    probe = f"\n[[maybe_unused]] static const auto {PROBE} = {spelling_of(symbol).address};\n"
    unit = cindex.Index.create().parse(
        str(path), args=[*parse_flags()], unsaved_files=[(str(path), text + probe)]
    )
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= cindex.Diagnostic.Error:
            raise UserError(f"not for the cpu backend: {diagnostic.spelling}")
    kernel = None
    for cursor in unit.cursor.get_children():
        if cursor.spelling == PROBE:
            kernel = _referenced(cursor)
    if kernel is None:
        raise UserError("the cpu backend's headers show no such kernel")
    return tuple(_parameter(one, n) for n, one in enumerate(kernel.get_arguments()))


def _referenced(probe: Any) -> Any:
    for cursor in probe.walk_preorder():
        if cursor.kind.name == "DECL_REF_EXPR" and cursor.referenced is not None:
            return cursor.referenced
    return None


def _parameter(cursor: Any, number: int) -> KernelParameter:
    declared = parameter_of(cursor, number)
    kind = cursor.type.get_canonical()
    if declared.type or declared.kind == "stream":
        return KernelParameter(declared, _choices(kind))
    pointer = kind.kind.name == "POINTER"
    inner = kind.get_pointee() if pointer else kind
    if inner.kind.name == "POINTER":
        return KernelParameter(declared, why="takes an array of pointers")
    element, count, largest = _pair(inner), 1, 9
    if pointer and not element and _plain(inner):
        # A structure of numbers is its bytes, which a right result has to equal.
        element, count, largest = "uint8", int(inner.get_size()), _largest(inner)
    if not element:
        return KernelParameter(declared, why=f"'{declared.spelling}' is no element type of a task")
    return KernelParameter(
        CParameter(
            declared.name, declared.spelling, declared.kind, element, count, declared.written
        ),
        largest=largest,
    )  # fmt: skip


def _pair(kind: Any) -> str:
    """The complex type that a structure of two equal floating-point numbers stands for."""
    if kind.kind.name != "RECORD" or "complex" not in kind.spelling.lower():
        return ""
    names = [field.type.get_canonical().kind.name for field in kind.get_fields()]
    return _FLOATS.get(names[0], "") if len(names) == 2 and names[0] == names[1] else ""


def _plain(kind: Any) -> bool:
    """Whether a type is numbers only, or a structure of such."""
    canonical = kind.get_canonical()
    name = canonical.kind.name
    if name == "RECORD":
        fields = list(canonical.get_fields())
        return bool(fields) and all(_plain(field.type) for field in fields)
    if name == "CONSTANTARRAY":
        return _plain(canonical.get_array_element_type())
    return name in _NUMBERS


def _largest(kind: Any) -> int:
    """Bytes that are values of every field: of a flag 0 and 1, of an 8-bit float up to about 2."""
    names = {field.type.get_canonical().kind.name for field in kind.get_fields()}
    if "BOOL" in names:
        return 1
    return 63 if kind.get_size() == 1 else 9


def _choices(kind: Any) -> tuple[int, ...]:
    if kind.kind.name != "ENUM":
        return ()
    return tuple(
        child.enum_value
        for child in kind.get_declaration().get_children()
        if child.kind.name == "ENUM_CONSTANT_DECL"
    )
