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
from extractor.check.build import Built, ask_compiler, build
from extractor.check.compare import compare
from extractor.check.comparison import Comparison, Difference, Score
from extractor.check.dead import find_alive
from extractor.check.mangled import canonical
from extractor.check.prove import prove
from extractor.check.reach import answer_of
from extractor.check.report import table, to_json

__all__ = [
    "Answer",
    "Built",
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
    "answer_of",
    "ask_compiler",
    "build",
    "canonical",
    "compare",
    "find_alive",
    "prove",
    "table",
    "to_json",
]
