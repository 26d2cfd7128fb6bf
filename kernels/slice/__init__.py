"""Slices: one kernel instantiation of a library as one HIP file that needs no other."""

from kernels.slice.choice import Chosen, choose_kernels

__all__ = ["Chosen", "choose_kernels"]
