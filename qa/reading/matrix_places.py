"""Which names of a function stand for rows of a matrix, and which for columns.

Matrices of BLAS and LAPACK lie column by column: in ``A[i + j * lda]`` what is multiplied by the
leading dimension numbers columns, and what stands beside it rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from qa.reading.function_text import without_comments
from qa.text.brackets import split_at

_LEADING = r"(?:\w+\()?\bld[a-zA-Z]*(?:_64)?\b\)?"
_OPERAND = r"(?:\w+\([^()]*\)|\w+|\([^()]*\))"
_TIMES = re.compile(rf"(?P<before>{_OPERAND}) \* {_LEADING}|{_LEADING} \* (?P<behind>{_OPERAND})")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_PLACE = re.compile(
    r"(?:ld|inc|offset|shift|stride|batch)\w*|(?:size_t|int64_t|int|T_Index|I|threadIdx|blockIdx|"
    r"blockDim|x|y|z)"
)
_BOUND = re.compile(r"\b([A-Za-z_]\w*) < ([A-Za-z_]\w*)\b(?! ?[-+*/%(.])")


@dataclass(frozen=True)
class Places:
    """Names that number or count rows, and those of columns; never one in both."""

    rows: frozenset[str]
    columns: frozenset[str]


def places_in(texts: list[str]) -> Places:
    """The names of some functions by what they stand for.

    Args:
        texts: Definitions.
    """
    rows: set[str] = set()
    columns: set[str] = set()
    bounds: list[tuple[str, str]] = []
    for text in texts:
        bare = re.sub(r"\s+", " ", without_comments(text))
        bounds += _BOUND.findall(bare)
        for index in re.findall(r"\[([^\[\]]+)\]", bare):
            if not _TIMES.search(index):
                continue
            for term in split_at(index, "+"):
                factor = _TIMES.search(term)
                if factor is None:
                    rows |= _names(term)
                else:
                    columns |= _names(factor["before"] or factor["behind"])
    only_rows, only_columns = rows - columns, columns - rows
    counted = {end for name, end in bounds if name in only_rows}
    walked = {end for name, end in bounds if name in only_columns}
    other = {end for name, end in bounds if name not in only_rows | only_columns}
    return Places(
        frozenset(only_rows | (counted - walked - columns - (other & rows))) - only_columns,
        frozenset(only_columns | (walked - counted - rows)) - only_rows,
    )


def _names(text: str) -> set[str]:
    return {name for name in _NAME.findall(text) if not _NO_PLACE.fullmatch(name)}
