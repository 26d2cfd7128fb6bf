"""Kernels made wrong on purpose, to measure how much a verification sees."""

from kernels.mutants.operators import Mutant, mutate

__all__ = ["Mutant", "mutate"]
