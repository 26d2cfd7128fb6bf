"""Whole C calls of a library built for this machine, judged by the definition of what they do."""

from kernels.call.record import CallVerdict, EntryVerdict, Finding
from kernels.call.verify import CallOptions, verify_calls

__all__ = ["CallOptions", "CallVerdict", "EntryVerdict", "Finding", "verify_calls"]
