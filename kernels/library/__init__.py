"""A library's own host code and kernels on this machine, behind its real C interface."""

from kernels.library.make import LibraryBuild, build_library

__all__ = ["LibraryBuild", "build_library"]
