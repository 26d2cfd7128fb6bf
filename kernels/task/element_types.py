"""Element types of buffers and scalars: what HIP, numpy and a task call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from extractor.errors import MissingExtra


@dataclass(frozen=True)
class ElementType:
    """One element type.

    Attributes:
        name: As a task writes it.
        bytes: Size of one element.
        storage: numpy type that holds it.
        family: ``float``, ``complex``, ``int`` or ``bool``.
        tolerance: Relative and absolute error that two right results may differ by.
    """

    name: str
    bytes: int
    storage: str
    family: str
    tolerance: tuple[float, float]


_EXACT = (0.0, 0.0)
_ALL = (
    ElementType("float16", 2, "float16", "float", (1e-2, 1e-3)),
    ElementType("bfloat16", 2, "uint16", "float", (2e-2, 1e-2)),
    # HIP against PyTorch: rtol and atol of 1e-4, equal NaN.
    ElementType("float32", 4, "float32", "float", (1e-4, 1e-4)),
    ElementType("float64", 8, "float64", "float", (1e-10, 1e-10)),
    ElementType("complex64", 8, "complex64", "complex", (1e-4, 1e-4)),
    ElementType("complex128", 16, "complex128", "complex", (1e-10, 1e-10)),
    *(
        ElementType(f"{sign}int{bits}", bits // 8, f"{sign}int{bits}", "int", _EXACT)
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    ),
    ElementType("bool", 1, "bool", "bool", _EXACT),
)
ELEMENT_TYPES = {one.name: one for one in _ALL}


def numpy() -> Any:
    """The numpy package.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import numpy as module
    except ImportError:
        raise MissingExtra("numpy", "kernels") from None
    return module


def to_storage(values: Any, element: ElementType) -> bytes:
    """Values in the form in which the device holds them."""
    np = numpy()
    if element.name == "bfloat16":
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
        # To nearest, ties to even.
        values = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return bytes(np.ascontiguousarray(values).astype(element.storage).tobytes())


def from_storage(data: bytes, element: ElementType) -> Any:
    """What the device held, as numbers."""
    np = numpy()
    raw = np.frombuffer(data, dtype=element.storage)
    if element.name == "bfloat16":
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    return raw
