"""Writes the thin Python binding that stands beside a built library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_TEXT = '''\
"""{library}: the C interface, and arrays in device memory. Written by rocQuarry.

>>> from {module} import library, DeviceArray
>>> x = DeviceArray(numpy.ones(10, numpy.float32))
>>> library.{example}(…, x.pointer, …)
>>> x.numpy()
"""

import ctypes
from pathlib import Path

_folder = Path(__file__).resolve().parent
runtime = ctypes.CDLL(str(_folder / "libhipcpu.so"), mode=ctypes.RTLD_GLOBAL)
# Every core runs blocks; kernels of this library may return before a barrier.
_settings = [("threads", "0"), ("exited", "allow"){schedule}]
for _name, _value in _settings:
    runtime.hipcpu_set_option(_name.encode(), _value.encode())
library = ctypes.CDLL(str(_folder / "{library}"))

ENTRY_POINTS = {entries}


class DeviceArray:
    """A numpy array's content in device memory, with guard pages around it."""

    def __init__(self, array):
        import numpy

        self._like = numpy.asfortranarray(array)
        self.pointer = ctypes.c_void_p()
        size = ctypes.c_size_t(self._like.nbytes)
        _check(runtime.hipMalloc(ctypes.byref(self.pointer), size))
        data = self._like.ctypes.data_as(ctypes.c_void_p)
        _check(runtime.hipMemcpy(self.pointer, data, size, 1))

    def numpy(self):
        """What the device holds now, in the shape and order it came in."""
        import numpy

        result = numpy.empty_like(self._like)
        size = ctypes.c_size_t(result.nbytes)
        _check(runtime.hipMemcpy(result.ctypes.data_as(ctypes.c_void_p), self.pointer, size, 2))
        return result

    def __del__(self):
        if self.pointer:
            runtime.hipFree(self.pointer)


def synchronize():
    """Raises if a kernel failed."""
    _check(runtime.hipDeviceSynchronize())


def _check(error):
    if error:
        runtime.hipGetErrorString.restype = ctypes.c_char_p
        raise RuntimeError(runtime.hipGetErrorString(error).decode())
'''


def write_binding(path: Path, library: Path, entries: Sequence[str], *, lockstep: bool) -> None:
    """Writes a Python module that loads a library and its runtime.

    Args:
        path: The module.
        library: The shared object; the runtime lies beside it.
        entries: Entry points of the interface.
        lockstep: Whether its wavefronts run in lockstep; they then take turns, too.
    """
    text = _TEXT.format(
        library=library.name,
        module=path.stem,
        schedule=', ("schedule", "together")' if lockstep else "",
        example=entries[0] if entries else "…",
        entries="[\n" + "".join(f'    "{name}",\n' for name in entries) + "]",
    )
    path.write_text(text, encoding="utf-8")
