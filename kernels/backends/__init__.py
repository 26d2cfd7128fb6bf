"""What can build and run a kernel here, and what each of these proves."""

from extractor.code_object.resources import KernelResources
from kernels.backends.model import Availability, Backend, Compilation, Program
from kernels.backends.registry import all_backends, get_backend

__all__ = [
    "Availability",
    "Backend",
    "Compilation",
    "KernelResources",
    "Program",
    "all_backends",
    "get_backend",
]
