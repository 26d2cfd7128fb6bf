"""Kernels that stand alone: slices, backends, verification and profiling."""

DISTRIBUTION = "rocquarry"
"""Whose package this is; another project ships one of this name. See :mod:`kernels.identity`."""
