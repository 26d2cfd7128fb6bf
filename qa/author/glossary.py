"""What the usual parameters of linear algebra mean, and why a wrong one cannot be served."""

from __future__ import annotations

import re

from qa.author.arguments import Fault
from qa.reading.documentation import Documentation

_MEANINGS = (
    (r"batch_count", "the number of problems in the batch"),
    (r"nrhs", "the number of right-hand sides"),
    (r"ld([a-z]\w*)", "the leading dimension of {}"),
    (r"inc([a-z]\w*)", "the increment of {}"),
    (r"stride_?([a-zA-Z]\w*)", "the distance from one {} of the batch to the next"),
    (r"(?:offset|shift)_?([a-zA-Z]\w*)", "where {} begins in its buffer"),
    (r"kl", "the number of subdiagonals"),
    (r"ku", "the number of superdiagonals"),
    (r"uplo", "the triangle in use"),
    (r"side", "the side on which the matrix stands"),
    (r"diag", "whether the diagonal is taken as ones"),
    (r"trans\w*", "the transposition"),
    (r"alpha", "the scalar alpha"),
    (r"beta", "the scalar beta"),
    (r"info", "where the outcome of each problem goes"),
    (r"ipiv", "the pivot indices"),
    (r"tau|ipiv", "the scalar factors of the reflectors"),
)
_FAULTS = {
    "negative": (
        "a size below zero describes nothing",
        "no vector or matrix has a negative extent",
        "a negative count cannot be meant",
    ),
    "small": (
        "columns of that length would overlap in memory",
        "a column would run into the next one",
        "the rows of a column would not fit between two columns",
    ),
    "null": (
        "there would be nothing to read or write",
        "nothing can be fetched from there",
        "no memory stands behind it",
    ),
    "enumerator": (
        "that enumerator belongs to no case the function knows",
        "the function has no case for that enumerator",
        "none of the accepted enumerators is that one",
    ),
    "zero": (
        "nothing is left to do",
        "the problem is empty",
        "there is no element to touch",
    ),
}


def meaning(name: str, documentation: Documentation | None) -> str:
    """What a parameter is: in the header's words where they are short, else by custom."""
    if documentation is not None:
        said = documentation.parameters.get(name, "")
        match = re.match(
            r"(?:rocblas_\w+\s*\.?\s*|\[\w+\]\s*|specifies\s+)*([tT]he [^.,;:]{6,70})", said
        )
        if match and not re.search(r"[\\$*]", match[1]):
            return match[1][0].lower() + match[1][1:].strip()
    for pattern, words in _MEANINGS:
        found = re.fullmatch(pattern, name.removesuffix("_64"))
        if found:
            letter = found[1] if found.lastindex else ""
            matrix = len(letter) == 1 and letter in "abcABC"
            return words.format(letter.upper() if matrix else letter)
    return ""


def told(fault: Fault) -> str:
    """A fault in words: ``lda = 3``, ``a null A``."""
    if fault.kind == "null":
        return f"a null `{fault.name}`"
    if isinstance(fault.value, str):
        return f"`{fault.name}` = `{fault.value}`"
    return f"`{fault.name}` = {fault.value}"


def reasons(fault: Fault) -> tuple[str, ...]:
    """Why such an argument cannot be served, in several ways."""
    if fault.kind == "zero" and re.match(r"inc", fault.name):
        return (
            "every step would land on the same element",
            "a vector with increment zero has one element only",
        )
    if fault.kind == "zero" and re.match(r"ld", fault.name):
        return ("a leading dimension of zero would lay all columns on top of each other",)
    return _FAULTS.get(fault.kind, ("",))
