"""Gates: each says why an entry must not pass, or that it may."""

from qa.gates.case import Case
from qa.gates.gate import GATES, Gate

__all__ = ["GATES", "Case", "Gate"]
