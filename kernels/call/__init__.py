"""Whole C calls of a library built for this machine, judged by the definition of what they do."""

from kernels.call.options import CallOptions
from kernels.call.record import CallVerdict, EntryVerdict, Finding
from kernels.call.verify import verify_calls

__all__ = ["CallOptions", "CallVerdict", "EntryVerdict", "Finding", "verify_calls"]
