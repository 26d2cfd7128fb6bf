"""LAPACK itself, out of scipy: routines by name, with arrays in column-major order."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack

_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_POINTER.restype = ctypes.c_void_p
_POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]
_NAME = ctypes.pythonapi.PyCapsule_GetName
_NAME.restype = ctypes.c_char_p
_NAME.argtypes = [ctypes.py_object]


def lapack(name: str, *arguments: Any) -> None:
    """Calls a routine; arrays are changed in place, numbers and letters are passed by address."""
    capsule = cython_lapack.__pyx_capi__[name]
    address = _POINTER(capsule, _NAME(capsule))
    kept = []
    for one in arguments:
        if isinstance(one, np.ndarray):
            assert one.flags.f_contiguous
            kept.append(one)
        else:
            kind = "S1" if isinstance(one, str) else np.int32 if isinstance(one, int) else float
            kept.append(np.array([one.encode() if isinstance(one, str) else one], dtype=kind))
    pointers = [ctypes.c_void_p(one.ctypes.data) for one in kept]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(address)(*pointers)
