"""Itanium-mangled symbols: one spelling for each function."""

from __future__ import annotations

import re
from functools import lru_cache

import pydemumble

_STUB = "__device_stub__"
_MANGLED_STUB = re.compile(rf"(\d+){_STUB}")
_STUB_NAME = re.compile(rf"{_STUB}(\w+)")
_VARIANT = re.compile(r"(?:CI?|D)[0-9]")
_COMPLETE = {"C": "C1", "CI": "CI1", "D": "D1"}


@lru_cache(maxsize=200_000)
def demangle(symbol: str) -> str:
    """The C++ spelling of a symbol, or the symbol itself when it is not a C++ one."""
    return str(pydemumble.demangle(symbol)) or symbol


@lru_cache(maxsize=200_000)
def kernel_symbol(symbol: str) -> str | None:
    """The kernel that a host launch stub stands for, or None when the symbol is no stub.

    Clang mangles the stub of a kernel as the kernel, with ``__device_stub__`` before its own name;
    that name's length is part of the mangling. Substitutions count components and not characters,
    so the rest of the symbol is the same. The digits before the name may begin in the name before
    it (``_GLOBAL__N_1``), so the demangler says which of them are the length.
    """
    if symbol.startswith(_STUB):
        return symbol.removeprefix(_STUB)
    found = _MANGLED_STUB.search(symbol)
    if found is None or not symbol.startswith("_Z"):
        return None
    wanted = demangle(symbol).replace(_STUB, "")
    for start in range(found.end(1) - 1, found.start(1) - 1, -1):
        length = int(symbol[start : found.end(1)]) - len(_STUB)
        if length > 0:
            kernel = f"{symbol[:start]}{length}{symbol[found.end() :]}"
            if demangle(kernel) == wanted:
                return kernel
    return None


def kernel_name(stub: str) -> str:
    """The plain name of a stub's kernel: no namespace, no template arguments."""
    found = _STUB_NAME.search(demangle(stub))
    return found[1] if found else stub


@lru_cache(maxsize=200_000)
def canonical(symbol: str) -> str:
    """One symbol for all that the source calls one function.

    The base, deleting and allocating variants of a constructor or destructor become the complete
    one (``C1``, ``D1``), which is also what libclang answers for the declaration; a launch stub
    becomes its kernel. Whether a ``C2`` is a constructor or part of a name is asked of the
    demangler, which spells all variants of one constructor alike.
    """
    kernel = kernel_symbol(symbol)
    if kernel is not None:
        return kernel
    if not symbol.startswith("_Z"):
        return symbol
    for found in reversed(list(_VARIANT.finditer(symbol))):
        complete = _COMPLETE[found[0][:-1]]
        if found[0] != complete:
            folded = symbol[: found.start()] + complete + symbol[found.end() :]
            if demangle(folded) == demangle(symbol):
                symbol = folded
    return symbol
