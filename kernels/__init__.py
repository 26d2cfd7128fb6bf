"""Kernels that stand alone: slices, backends, verification and profiling."""
