"""The independent check: the same units through the compiler, and its symbols against the index.

Nothing here is shared with the index but the list of units and their flags, and the form in which
both sides answer.

    units ─> compile (IR text) ─> ir (symbols) ─> link (program) ─> reach (Answer) ─┐
                                                              index (Answer) ───────┴─> compare
"""

from extractor.check.answer import (
    Answer,
    Call,
    CallKey,
    Divergence,
    EntryAnswer,
    Function,
    FunctionKey,
    KernelKey,
    ReachedKernel,
)
from extractor.check.build import ask_compiler
from extractor.check.compare import compare
from extractor.check.comparison import Comparison, Difference, Score
from extractor.check.mangled import canonical
from extractor.check.report import table, to_json

__all__ = [
    "Answer",
    "Call",
    "CallKey",
    "Comparison",
    "Difference",
    "Divergence",
    "EntryAnswer",
    "Function",
    "FunctionKey",
    "KernelKey",
    "ReachedKernel",
    "Score",
    "ask_compiler",
    "canonical",
    "compare",
    "table",
    "to_json",
]
