"""Judging a candidate against a task's baseline."""

from kernels.verify.judge import verify
from kernels.verify.record import Failure, Verdict

__all__ = ["Failure", "Verdict", "verify"]
