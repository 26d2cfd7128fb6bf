"""Accesses to memory as facts: the index, what its names stand for, and its class."""

from __future__ import annotations

from typing import Any

from extractor.facts.device.bounds import passing
from extractor.facts.device.inclusive import one_too_many
from extractor.facts.device.kernel import KernelReader, derivative
from extractor.facts.device.matrix import matrix_element
from extractor.facts.device.node import Function
from extractor.facts.device.overflow import narrow_product
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.reading import ZERO
from extractor.facts.device.record import Access
from extractor.facts.device.values import Memory, Nowhere, Pointer

SHORT_RUN = 16
"""Threads below which a run of neighbours says nothing about the whole wavefront."""

_BANK_BYTES = 4
_BANKS = {"gfx90a": 32, "gfx942": 32, "gfx950": 64}


def global_access(reader: KernelReader, kernel: Function, access: Access) -> tuple[Any, str | None]:
    """Value of a ``global_access`` fact, or ``None`` with the reason."""
    place = access.place
    if isinstance(place, Nowhere):
        return None, place.reason
    pointer = place.pointer
    reason = unproved(reader, pointer.offset)
    if reason:
        return None, reason
    kind, stride, run, why = classed(reader, pointer.offset)
    element, width = _element(reader, kernel, access, pointer)
    value: dict[str, Any] = {
        "buffer": pointer.buffer.name,
        "access": access.kind,
        "index": pointer.offset.text,
        "symbols": symbols_of(reader, pointer.offset),
        "element": element,
        "class": kind,
        "stride": stride,
        "vector_bytes": width,
    }
    matrix = matrix_element(reader.symbols, pointer.offset)
    if matrix:
        value["matrix"] = matrix
    if isinstance(width, int) and 0 < pointer.size != width:
        value["index_unit_bytes"] = pointer.size
    if run:
        value["run"] = run
    if why:
        value["irregular_because"] = why
    if place.member:
        value["member"] = place.member
    product = narrow_product(reader, access, pointer.offset)
    if product is not None:
        value["overflow"] = {"bits": 32, "product": product}
    counted = one_too_many(reader, access)
    if counted is not None:
        value["one_too_many"] = counted
    if pointer.buffer.parameter != pointer.buffer.name:
        value["parameter"] = pointer.buffer.parameter
    return value, None


def unproved(reader: KernelReader, index: Polynomial) -> str | None:
    """Why an index does not count as proved, or ``None``."""
    for _, atom in sorted(reader.symbols.closure([index]).items()):
        if atom.kind == "loop-carried" and atom.info.get("unresolved"):
            return f"{atom.info['variable']} was not resolved {atom.info['value']}"
    return None


def classed(
    reader: KernelReader, index: Polynomial
) -> tuple[str, str | int | None, str | int | None, str | None]:
    """Class along threadIdx.x, stride in elements, length of runs, and why it is irregular."""
    change, runs, why = derivative(reader, index, "threadIdx.x")
    if change is None:
        return "irregular", None, None, why
    number = change.constant
    stride: str | int = number if number is not None else change.text
    run, long_enough = _run(reader, runs)
    kind = "strided"
    if number == 0:
        kind = "broadcast"
    elif number in (1, -1):
        kind = "coalesced"
    if not long_enough:
        return (
            "irregular",
            stride,
            run,
            f"neighbouring threads keep one stride only in runs of {run}",
        )
    return kind, stride, run, None


def _run(reader: KernelReader, runs: list[Polynomial]) -> tuple[str | int | None, bool]:
    if not runs:
        return None, True
    texts = sorted({run.text for run in runs})
    known = [_number(reader, run) for run in runs]
    if len(texts) == 1:
        shown: str | int = runs[0].constant if runs[0].constant is not None else texts[0]
    else:
        shown = f"gcd({', '.join(texts)})"
    return shown, all(value is None or value >= SHORT_RUN for value in known)


def _number(reader: KernelReader, value: Polynomial) -> int | None:
    constants = reader.record.constants

    def replaced(name: str) -> Polynomial | None:
        known = constants.get(name)
        if known is None:
            known = reader.symbols.atoms[name].info.get("value")
        return Polynomial.number(known) if isinstance(known, int) else None

    return value.substituted(replaced).constant


def symbols_of(reader: KernelReader, *values: Polynomial) -> dict[str, Any]:
    """What the names in some values stand for."""
    found: dict[str, Any] = {}
    for name, atom in sorted(reader.symbols.closure(values).items()):
        if atom.kind in ("operation", "builtin"):
            continue
        hidden = ("of", "unresolved")
        info = {key: item for key, item in atom.info.items() if key not in hidden}
        found[name] = {"kind": atom.kind, **info}
    return found


def _element(
    reader: KernelReader, kernel: Function, access: Access, pointer: Pointer
) -> tuple[str, Any]:
    kind = reader.types[access.type] if access.type >= 0 else None
    name = kind.name if kind is not None else ""
    size = kind.size if kind is not None else -1
    if kind is not None and kind.pointer:
        return name, size
    declared = {row[1]: row for row in kernel.parameters}.get(pointer.buffer.parameter)
    if declared is not None and not (isinstance(access.place, Memory) and access.place.member):
        last = declared[2]
        while reader.types[last].inner >= 0:
            last = reader.types[last].inner
        if reader.types[last].size == pointer.size:
            written = _written_element(declared[3], declared[1])
            same = _bare(reader.types[last].name) == _bare(name)
            if written in kernel.types:
                shown = f"element of {written}" if "*" in kernel.types[written] else written
                count = size // pointer.size if size > 0 else 1
                return shown, f"sizeof({shown})" if same else f"{count}*sizeof({shown})"
            if written:
                return written, size
    return name, size


def _written_element(text: str, name: str) -> str:
    head = text.rpartition(name)[0]
    words = [
        word
        for word in head.replace("*", " ").replace("&", " ").split()
        if word not in ("const", "__restrict__", "__restrict", "volatile", "typename")
    ]
    return " ".join(words)


def _bare(name: str) -> str:
    return name.removeprefix("const ").strip()


def lds_access(reader: KernelReader, access: Access) -> tuple[Any, str | None]:
    """Value of an ``lds_access`` fact, or ``None`` with the reason."""
    place = access.place
    if isinstance(place, Nowhere):
        return None, place.reason
    reason = unproved(reader, place.pointer.offset)
    if reason:
        return None, reason
    index = place.pointer.offset
    kind, stride, run, _ = classed(reader, index)
    value: dict[str, Any] = {
        "array": place.pointer.buffer.name,
        "access": access.kind,
        "index": index.text,
        "symbols": symbols_of(reader, index),
        "class": kind,
        "stride": stride,
        "conflict_ways": {arch: conflicts(reader, access, arch) for arch in _BANKS},
    }
    if access.function.order and any(value["conflict_ways"].values()):
        value["conflicts_if"] = _supposed(reader, access)
    if run:
        value["run"] = run
    past = passing(reader, access)
    if past is not None:
        value["passes"] = past
    return value, None


def _supposed(reader: KernelReader, access: Access) -> dict[str, int]:
    """What of an instantiation its bank conflicts hang on: others may have other numbers."""
    place = access.place
    assert isinstance(place, Memory)
    change, runs, _ = derivative(reader, place.pointer.offset, "threadIdx.x")
    found = {"element_bytes": place.pointer.size}
    for name, atom in sorted(reader.symbols.closure([change or ZERO, *runs]).items()):
        if atom.kind == "template constant":
            known = reader.record.constants.get(name, atom.info.get("value"))
            if isinstance(known, int):
                found[name] = known
    return found


def conflicts(reader: KernelReader, access: Access, arch: str) -> int | None:
    """Most distinct words that lanes served together address in one bank of LDS.

    The lanes are consecutive along threadIdx.x: as many as one pass over all banks can serve, 32
    banks of 4 bytes (64 on gfx950; CDNA ISA guides, LDS). ``None`` where the stride is not a known
    number or does not hold for that many threads.
    """
    place = access.place
    assert isinstance(place, Memory)
    change, runs, _ = derivative(reader, place.pointer.offset, "threadIdx.x")
    unit = place.pointer.size
    size = reader.types[access.type].size if access.type >= 0 else unit
    if change is None or unit <= 0 or size <= 0 or size % _BANK_BYTES:
        return None
    stride = _number(reader, change)
    banks = _BANKS[arch]
    words = size // _BANK_BYTES
    lanes = max(1, banks // words)
    lengths = [_number(reader, run) for run in runs]
    if stride is None or any(length is None or length < lanes for length in lengths):
        return None
    seen: dict[int, set[int]] = {}
    for lane in range(lanes):
        for part in range(words):
            word = lane * stride * unit // _BANK_BYTES + part
            seen.setdefault(word % banks, set()).add(word)
    return max(len(found) for found in seen.values())
