"""Prototypes of entry points, as libclang reads them from the headers that declare them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from extractor.project import Project
from extractor.units import Unit

ParameterKind = Literal["integer", "floating", "enumeration", "pointer", "pointers", "other"]

_FORMAT = "2"
# Bodies are of no interest, and a declaration that does not parse must not hide the others.
_OPTIONS = 0x40 | 0x200


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    Attributes:
        name: As declared.
        type: As written, without ``const``; of a pointer what it leads to in the end.
        kind: ``pointer`` leads to data, ``pointers`` to an array of pointers to data.
        bits: Of a number or enumeration.
        constant: Whether what a pointer leads to in the end is ``const``.
    """

    name: str
    type: str
    kind: ParameterKind
    bits: int
    constant: bool


@dataclass(frozen=True)
class Prototype:
    """One function.

    Attributes:
        name: The entry point.
        returns: Its result type as written.
        parameters: In order.
    """

    name: str
    returns: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Prototypes:
    """Prototypes of a library.

    Attributes:
        functions: By name.
        enumerations: By type as parameters write it, the values of its enumerators.
    """

    functions: dict[str, Prototype]
    enumerations: dict[str, dict[str, int]]


def read_prototypes(project: Project, config: str) -> Prototypes:
    """Every declared entry point's prototype; those that no header declares are left out.

    Args:
        project: The library.
        config: Configuration whose flags the headers are read with.
    """
    names = sorted(project.entry_points)
    key = f"prototypes:{_FORMAT}:{_identity(project, config, names)}"
    return _remembered(project, key, lambda: _parse(project, config))


def _remembered(project: Project, key: str, make: Callable[[], Prototypes]) -> Prototypes:
    data = project.store.recall(key)
    if data is None:
        found = make()
        data = json.dumps(asdict(found)).encode()
        project.store.remember(key, data)
    raw = json.loads(data)
    functions = {
        name: Prototype(
            name, item["returns"], tuple(Parameter(**each) for each in item["parameters"])
        )
        for name, item in raw["functions"].items()
    }
    functions = {name: _with_objects(project, found) for name, found in functions.items()}
    return Prototypes(functions, raw["enumerations"])


def _with_objects(project: Project, prototype: Prototype) -> Prototype:
    """A parameter of an opaque type is memory of the host where the rule says so, else null.

    A library's own objects are pointers behind a typedef; zeros are what a new one often holds.
    """
    rule = project.rule.trace
    if rule is None:
        return prototype
    parameters = tuple(
        replace(parameter, kind="pointer")
        if parameter.kind == "other"
        and parameter.bits == 64
        and parameter.type != rule.handle
        and rule.on_the_host(prototype.name, parameter.name)
        else parameter
        for parameter in prototype.parameters
    )
    return replace(prototype, parameters=parameters)


def read_definitions(
    project: Project, config: str, files: Mapping[str, Iterable[str]]
) -> Prototypes:
    """Prototypes of exported functions that no header declares, from the units that define them.

    Args:
        project: The library.
        config: Configuration of the units.
        files: By unit, relative to the tree's root, the names that it defines. A file that is no
            unit is passed over.
    """
    units = {unit.path: unit for unit in project.units(config, "host")}
    functions: dict[str, Prototype] = {}
    enumerations: dict[str, dict[str, int]] = {}
    for file, names in files.items():
        if file not in units:
            continue
        path = Path(project.tree.root) / file
        key = f"definitions:{_identity(project, config, [file, *sorted(names)])}"
        make = functools.partial(_read, project, units[file], str(path), None, tuple(names))
        found = _remembered(project, key, make)
        functions.update(found.functions)
        enumerations.update(found.enumerations)
    return Prototypes(functions, enumerations)


def _identity(project: Project, config: str, names: Iterable[str]) -> str:
    parts = [project.tree.content_key, project.toolchain.identity, *names]
    parts += project.units(config, "host")[0].arguments
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _parse(project: Project, config: str) -> Prototypes:
    root = Path(project.tree.root)
    headers = sorted({entry.file for entry in project.entry_points.values()})
    text = "".join(f'#include "{root / header}"\n' for header in headers)
    unit = project.units(config, "host")[0]
    return _read(project, unit, str(root / "prototypes.hip"), text, project.entry_points)


def _read(
    project: Project, unit: Unit, name: str, text: str | None, wanted: Container[str]
) -> Prototypes:
    cindex = _cindex(str(project.toolchain.libclang))
    parsed = cindex.Index.create().parse(
        name,
        args=list(unit.arguments),
        unsaved_files=None if text is None else [(name, text)],
        options=_OPTIONS,
    )
    functions: dict[str, Prototype] = {}
    enumerations: dict[str, dict[str, int]] = {}
    for cursor in _functions(cindex, parsed.cursor):
        if cursor.spelling in wanted and cursor.spelling not in functions:
            parameters = tuple(
                _parameter(cindex, argument, enumerations) for argument in cursor.get_arguments()
            )
            returns = cursor.result_type
            _note(cindex, returns, enumerations)
            functions[cursor.spelling] = Prototype(cursor.spelling, returns.spelling, parameters)
    return Prototypes(functions, enumerations)


def _functions(cindex: Any, cursor: Any) -> Iterable[Any]:
    for child in cursor.get_children():
        if child.kind == cindex.CursorKind.FUNCTION_DECL:
            yield child
        elif child.kind in (cindex.CursorKind.LINKAGE_SPEC, cindex.CursorKind.UNEXPOSED_DECL):
            yield from _functions(cindex, child)


def _parameter(cindex: Any, cursor: Any, enumerations: dict[str, dict[str, int]]) -> Parameter:
    kinds = cindex.TypeKind
    declared = cursor.type
    depth = 0
    pointee = declared
    # An opaque handle stays the name of its typedef, whatever it is made of.
    while pointee.kind in (kinds.POINTER, kinds.CONSTANTARRAY, kinds.INCOMPLETEARRAY):
        pointee = pointee.get_pointee() if pointee.kind == kinds.POINTER else pointee.element_type
        depth += 1
    constant = pointee.is_const_qualified()
    spelled = pointee.spelling.removeprefix("const ").removeprefix("struct ")
    if depth:
        kind: ParameterKind = "pointer" if depth == 1 else "pointers"
        return Parameter(cursor.spelling, spelled, kind, 64, constant)
    real = declared.get_canonical()
    bits = max(real.get_size(), 0) * 8
    if real.kind == kinds.ENUM:
        _note(cindex, declared, enumerations)
        return Parameter(cursor.spelling, spelled, "enumeration", bits, False)
    if real.kind in (kinds.FLOAT, kinds.DOUBLE):
        return Parameter(cursor.spelling, spelled, "floating", bits, False)
    if real.kind == kinds.BOOL or real.kind.name in _INTEGERS:
        return Parameter(cursor.spelling, spelled, "integer", bits, False)
    return Parameter(cursor.spelling, spelled, "other", bits, False)


_UNSIGNED = ("UINT", "ULONG", "ULONGLONG", "USHORT", "CHAR_U", "UCHAR")
_INTEGERS = frozenset(
    (*_UNSIGNED, "INT", "LONG", "LONGLONG", "SHORT", "CHAR_S", "SCHAR"),
)


def _note(cindex: Any, declared: Any, enumerations: dict[str, dict[str, int]]) -> None:
    """Keeps the enumerators of a type."""
    spelled = declared.spelling.removeprefix("const ")
    real = declared.get_canonical()
    if real.kind == cindex.TypeKind.ENUM and spelled not in enumerations:
        enumerations[spelled] = {
            child.spelling: child.enum_value
            for child in real.get_declaration().get_children()
            if child.kind == cindex.CursorKind.ENUM_CONSTANT_DECL
        }


@functools.cache
def _cindex(library: str) -> Any:
    from clang import cindex

    # A wheel that brings its own libclang finds it by itself, unless another one is asked for.
    cindex.Config.libcxx_dir = None
    if not cindex.Config.loaded:
        cindex.Config.set_library_file(library)
    return cindex
