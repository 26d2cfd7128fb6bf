"""Kernels that stand alone: slices, backends, verification and profiling."""

DISTRIBUTION = "rocquarry"
"""Whose package this is; another project ships one of the same name. See :mod:`kernels.identity`."""
