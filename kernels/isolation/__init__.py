"""Running programs that are not trusted to end, to be quiet, or to behave."""

from kernels.isolation.limits import BUILD, EXECUTION, Limits
from kernels.isolation.process import Ending, Outcome, run
from kernels.isolation.waiting import waiting_threads

__all__ = ["BUILD", "EXECUTION", "Ending", "Limits", "Outcome", "run", "waiting_threads"]
