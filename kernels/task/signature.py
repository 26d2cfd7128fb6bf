"""Reads what a HIP file offers: kernels, functions that launch them, and their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from kernels.cpu.build import parse_flags

_SCALARS = {
    "FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16", "FLOAT16": "float16",
    "BOOL": "bool", "CHAR_S": "int8", "SCHAR": "int8", "UCHAR": "uint8", "CHAR_U": "uint8",
    "SHORT": "int16", "USHORT": "uint16", "INT": "int32", "UINT": "uint32", "LONG": "int64",
    "ULONG": "uint64", "LONGLONG": "int64", "ULONGLONG": "uint64", "ENUM": "int32",
}  # fmt: skip
_RECORDS = {
    "__half": ("float16", 1), "__half2": ("float16", 2), "hip_bfloat16": ("bfloat16", 1),
    "__hip_bfloat16": ("bfloat16", 1), "__hip_bfloat162": ("bfloat16", 2),
    "std::complex<float>": ("complex64", 1), "std::complex<double>": ("complex128", 1),
}  # fmt: skip
_LAUNCHING_CALLS = ("hipLaunchKernel", "hipLaunchCooperativeKernel")
_COMPLEX = {
    "hipFloatComplex": "complex64", "hipComplex": "complex64", "hipDoubleComplex": "complex128",
}  # fmt: skip


@dataclass(frozen=True)
class CParameter:
    """One parameter as the source declares it.

    Attributes:
        name: Its name; ``argN`` where the source gives none.
        spelling: Its type as written.
        kind: ``scalar``, ``buffer`` or ``stream``.
        type: Element type, or empty.
        components: Elements of one C++ object.
        written: Whether it points to data that is not const.
    """

    name: str
    spelling: str
    kind: str
    type: str
    components: int
    written: bool


@dataclass(frozen=True)
class Offered:
    """A function that a task can call.

    Attributes:
        kind: ``kernel`` or ``function``.
        name: Qualified name.
        parameters: In order.
        line: Where it is defined, counted from 1.
        launches: Names of the kernels that it launches.
    """

    kind: str
    name: str
    parameters: tuple[CParameter, ...]
    line: int
    launches: tuple[str, ...] = ()


def read_signatures(source: Path, arguments: Sequence[str] = ()) -> tuple[Offered, ...]:
    """Reads the kernels and launching functions that a HIP file defines itself.

    Templates are left out: an entry must be one function, such as an explicit instantiation that
    a plain function launches.

    Raises:
        UserError: The file does not parse; the message quotes the first error.
    """
    from clang import cindex

    cindex.Config.libcxx_dir = None
    index = cindex.Index.create()
    try:
        unit = index.parse(str(source), args=[*parse_flags(), *arguments])
    except cindex.TranslationUnitLoadError as error:
        raise UserError(f"{source}: cannot be parsed") from error
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= cindex.Diagnostic.Error:
            place = diagnostic.location
            raise UserError(f"{place.file}:{place.line}: {diagnostic.spelling}")
    return tuple(_offered(unit.cursor, source))


def _offered(root: Any, source: Path) -> Iterator[Offered]:
    for cursor in root.get_children():
        kind = cursor.kind.name
        if kind in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
            yield from _offered(cursor, source)
            continue
        if kind != "FUNCTION_DECL" or not cursor.is_definition():
            continue
        place = cursor.location
        if place.file is None or Path(place.file.name) != source or cursor.spelling == "main":
            continue
        parameters = tuple(parameter_of(p, n) for n, p in enumerate(cursor.get_arguments()))
        if _is_kernel(cursor):
            yield Offered("kernel", _qualified(cursor), parameters, place.line)
        else:
            launches = tuple(dict.fromkeys(_launched(cursor)))
            if launches:
                yield Offered("function", _qualified(cursor), parameters, place.line, launches)


def _is_kernel(cursor: Any) -> bool:
    return any(child.kind.name == "CUDAGLOBAL_ATTR" for child in cursor.get_children())


def _launched(cursor: Any) -> Iterator[str]:
    for child in cursor.walk_preorder():
        if child.kind.name == "CALL_EXPR" and child.referenced is not None:
            called = child.referenced
            if _is_kernel(called) or called.spelling in _LAUNCHING_CALLS:
                yield called.spelling
        elif child.kind.name == "DECL_REF_EXPR" and child.referenced is not None:
            # In a launch that depends on nothing, some versions show the kernel only as a name.
            named = child.referenced
            if named.kind.name.startswith("FUNCTION") and _is_kernel(named):
                yield named.spelling


def _qualified(cursor: Any) -> str:
    names = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name == "NAMESPACE" and parent.spelling:
            names.append(parent.spelling)
        parent = parent.semantic_parent
    return "::".join(reversed(names))


def parameter_of(cursor: Any, place: int) -> CParameter:
    """A parameter by libclang's cursor; its element type is empty where a task has no word for it.

    Args:
        cursor: The parameter's declaration.
        place: Its place among the parameters, for one without a name.
    """
    written = cursor.type.spelling
    name = cursor.spelling or f"arg{place}"
    kind = cursor.type.get_canonical()
    if kind.kind.name == "POINTER":
        if "ihipStream_t" in kind.spelling:
            return CParameter(name, written, "stream", "", 1, False)
        pointee = cursor.type.get_pointee()
        if cursor.type.kind.name != "POINTER":
            pointee = kind.get_pointee()
        element, components = _element(pointee)
        return CParameter(
            name, written, "buffer", element, components, not pointee.is_const_qualified()
        )
    element, components = _element(cursor.type)
    return CParameter(name, written, "scalar", element, components, False)


def _element(kind: Any) -> tuple[str, int]:
    """Element type and number of components; an empty type where a task has no word for it."""
    spelled = kind.spelling.replace("const ", "").replace("volatile ", "").strip()
    if spelled in _COMPLEX:
        return _COMPLEX[spelled], 1
    canonical = kind.get_canonical()
    name = canonical.kind.name
    if name in _SCALARS:
        return _SCALARS[name], 1
    text = canonical.spelling.replace("const ", "").replace("volatile ", "").strip()
    if text in _RECORDS:
        return _RECORDS[text]
    if text.startswith("HIP_vector_type<") and canonical.get_num_template_arguments() == 2:
        inner, _ = _element(canonical.get_template_argument_type(0))
        size = canonical.get_size() // canonical.get_template_argument_type(0).get_size()
        return inner, size
    return "", 1
