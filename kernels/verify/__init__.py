"""Judging a candidate against a task's baseline."""

from kernels.verify.judge import Standard, judge, set_standard, verify
from kernels.verify.record import Failure, Verdict

__all__ = ["Failure", "Standard", "Verdict", "judge", "set_standard", "verify"]
