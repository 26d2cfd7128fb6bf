"""The backends by name."""

from __future__ import annotations

from extractor.errors import UnknownName
from kernels.backends.model import Backend


def all_backends() -> tuple[Backend, ...]:
    """Every backend, usable here or not."""
    from kernels.backends.amd import AmdBackend
    from kernels.backends.code_objects import CompileBackend
    from kernels.backends.cpu import CpuBackend
    from kernels.backends.cuda import CudaBackend

    return (CompileBackend(), CpuBackend(), CudaBackend(), AmdBackend())


def get_backend(name: str) -> Backend:
    """A backend by name.

    Raises:
        UnknownName: There is none of that name.
    """
    known = {backend.name: backend for backend in all_backends()}
    if name not in known:
        raise UnknownName("backend", name, known, hint=f"there are {', '.join(known)}")
    return known[name]
