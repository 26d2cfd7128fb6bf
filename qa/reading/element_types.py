"""Types of elements: their sizes, their names, and whole-number arithmetic as in C++."""

from __future__ import annotations

import re

BYTES = {
    "char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "rocblas_half": 2, "_Float16": 2, "__half": 2,
    "rocblas_bfloat16": 2, "float": 4, "int": 4, "rocblas_int": 4, "int32_t": 4, "uint32_t": 4,
    "unsigned int": 4, "double": 8, "long": 8, "int64_t": 8, "size_t": 8, "unsigned long": 8,
    "rocblas_stride": 8, "rocblas_float_complex": 8, "rocblas_complex_num<float>": 8,
    "rocblas_double_complex": 16, "rocblas_complex_num<double>": 16,
}  # fmt: skip
"""Size of the types that template arguments name."""


_ALIASES = (
    (r"\brocblas_float_complex\b", "rocblas_complex_num<float>"),
    (r"\brocblas_double_complex\b", "rocblas_complex_num<double>"),
    (r"\brocblas_(float|double|int)\b", r"\1"), (r"\brocblas_stride\b|\bint64_t\b", "long"),
    (r"\bint32_t\b", "int"), (r"\brocblas_half\b|\b__half\b", "_Float16"),
)  # fmt: skip


def canonical(name: str) -> str:
    """A type's name with aliases followed and white space left out."""
    for alias, meant in _ALIASES:
        name = re.sub(alias, meant, name)
    return re.sub(r"\s+", "", name)


def binary_value(sign: str, left: int, right: int) -> int:
    """An operation on whole numbers as C++ does it; raises ``Opaque`` where it has no value."""
    if sign in ("/", "%"):
        if right == 0:
            raise Opaque("division by zero")
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return quotient if sign == "/" else left - quotient * right
    if sign in ("<<", ">>") and not 0 <= right < 63:
        raise Opaque("a wide shift")
    table = {
        "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
        "<<": lambda: left << right, ">>": lambda: left >> right, "&": lambda: left & right,
        "|": lambda: left | right, "^": lambda: left ^ right, "<": lambda: int(left < right),
        ">": lambda: int(left > right), "<=": lambda: int(left <= right),
        ">=": lambda: int(left >= right), "==": lambda: int(left == right),
        "!=": lambda: int(left != right),
    }  # fmt: skip
    if sign not in table:
        raise Opaque(sign)
    return table[sign]()


class Opaque(ValueError):
    """A value that the text does not give."""
