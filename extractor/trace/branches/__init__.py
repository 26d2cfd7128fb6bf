"""What each test of a library's host code came out as in a call, and how often each line ran.

objects with counters ──> counted shared object ──> worker ──counts──> regions of the source
                                                        coverage map ──┘
"""

from extractor.trace.branches.executed import Executed, Function, Region, Test
from extractor.trace.branches.look import Branches, executed

__all__ = ["Branches", "Executed", "Function", "Region", "Test", "executed"]
