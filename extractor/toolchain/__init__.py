"""The compiler, libclang and headers that parse HIP here."""

from extractor.toolchain.find import find
from extractor.toolchain.model import Toolchain

__all__ = ["Toolchain", "find"]
