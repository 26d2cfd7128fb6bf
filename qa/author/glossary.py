"""What the usual parameters of linear algebra mean, and why a wrong one cannot be served."""

from __future__ import annotations

import re

from qa.author.arguments import Fault, is_pointer
from qa.author.parameters import operand_of
from qa.reading.documentation import Documentation
from qa.reading.function import FunctionReading

_MEANINGS = (
    (r"batch_count", "the number of problems in the batch"),
    (r"nrhs", "the number of right-hand sides"),
    (r"ld([a-z])\d", "the step of {} along one of its dimensions"),
    (r"ld([a-z]\w*)", "the leading dimension of {}"),
    (r"inc([a-z]\w*)", "the increment of {}"),
    (r"stride_?([a-zA-Z]\w*)", "the distance from one {} of the batch to the next"),
    (r"([a-zA-Z]\w*)_stride", "the distance from one {} of the batch to the next"),
    (r"work\d*|workspace|w_mem|d_work\w*", "memory for what is worked out on the way"),
    (r"(?:offset|shift)_?([a-zA-Z]\w*)", "where {} begins in its buffer"),
    (
        r"([a-zA-Z])_st_or_of",
        "the distance between the problems of the batch where {0} is one buffer, and the offset "
        "into each where it is an array of pointers",
    ),
    (r"kl", "the number of subdiagonals"),
    (r"ku", "the number of superdiagonals"),
    (r"uplo", "the triangle in use"),
    (r"side", "whether the other operand is multiplied from the left or from the right"),
    (r"diag", "whether the diagonal is taken as ones"),
    (r"trans_?([A-C])", "whether and how {} is transposed"),
    (r"trans\w*", "whether and how the matrix is transposed"),
    (r"alpha", "the scalar alpha"),
    (r"beta", "the scalar beta"),
    (r"tau", "the scalar factors of the reflectors"),
)
_COUNT_OF = re.compile(
    r"(?:rocblas_\w+\s*\.?\s*|\[\w+\]\s*|specifies\s+|\w+ >=? [\w(), ]+\.\s+)*"
    r"(?:[tT]he )?(number of [^.,;:\[]{4,120})(?=[.,;:\[]|$)"
)
_STORED = re.compile(r"device pointer storing ((?:matrix|vector) [A-Za-z])\b")
_SPECIFIES = re.compile(
    r"(?:#?\w+\s*\.\s*)?[sS]pecifies ((?:how|whether|from which|the order|the direction)\b[^.]{6,110})\."
)
_HOLDS = re.compile(
    r".*?\b(?:[aA]rray|[vV]ector) on the GPU of (?:dimension|size) (?P<size>[^.]{1,80})\. (?P<what>.*)"
)
_ENTRY, _EXIT = (
    re.compile(rf"\bOn {w}, ([^.]{{6,260}})\.(?=\s+[A-Z(]|\s*$)") for w in ("entry", "exit")
)
_CHOICES = re.compile(r"uplo|side|diag|trans\w*")
"""Names of parameters that choose between cases, where they are no memory."""
_INTEGERS = re.compile(r"(?:rocblas_int|rocblas_stride|int(?:32|64)?(?:_t)?|I)\s*\*")
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
        "the function would go to memory that is not there",
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


def meaning(
    name: str,
    documentation: Documentation | None,
    reading: FunctionReading | None = None,
) -> str:
    """What a parameter is: in the header's words where they are short, else by custom.

    Args:
        name: The parameter.
        documentation: The header's words on the public function.
        reading: The function, whose other parameters the words may name.
    """
    said = documentation.parameters.get(name, "") if documentation is not None else ""
    kind = next((p.type for p in reading.parameters if p.name == name), "") if reading else ""
    if name == "ipiv":
        return _pivots(said, kind)
    if name == "info":
        return "where the outcome of each problem goes" if _INTEGERS.search(kind) else ""
    if _CHOICES.fullmatch(name) and re.search(r"[*\[]", kind):
        return ""  # memory that has the name of a choice: a diagonal's values, say
    match = re.match(
        r"(?:rocblas_\w+\s*\.?\s*|\[\w+\]\s*|specifies\s+)*([tT]he [^.,;:]{6,120})(?=[.,;:]|$)",
        said,
    )
    if match is None:
        counted = _COUNT_OF.match(said)
        stored = _STORED.match(said)
        if counted is not None and not re.search(r"[\\$*]", counted[1]):
            return f"the {counted[1].strip()}"
        if stored is not None and "*" in kind:
            return f"where {stored[1]} is stored"
    if match and not re.search(r"[\\$*]", match[1]) and _same_operand(name, match[1]):
        return match[1][0].lower() + match[1][1:].strip()
    chosen = _SPECIFIES.match(said)
    if chosen is not None and not re.search(r"[\\$*`]", chosen[1]):
        return f"what specifies {chosen[1].strip()}"
    for pattern, words in _MEANINGS:
        found = re.fullmatch(pattern, name.removesuffix("_64"))
        if found:
            return words.format(_operand(name, found[1], reading) if found.lastindex else "")
    return ""


def contents(said: str) -> str:
    """What the header says that an array holds before and after the public call, in one clause."""
    match = _HOLDS.match(said)
    if match is None:
        return ""
    entry, end = _ENTRY.search(match["what"]), _EXIT.search(match["what"])
    if any(f"On {w}," in said and m is None for w, m in (("entry", entry), ("exit", end))):
        return ""  # half of it would mislead
    parts = [f"on {w}, {m[1].strip()}" for w, m in (("entry", entry), ("exit", end)) if m]
    if not parts:
        plain = re.match(r"(The [^.]{6,110})\.", match["what"])
        parts = [plain[1][0].lower() + plain[1][1:].strip()] if plain else []
    text = "; ".join(parts)
    return "" if re.search(r"[\\$`]|\b(?:e\.g|i\.e)\b", text) else text


def _pivots(said: str, kind: str) -> str:
    """LAPACK's ``ipiv`` holds row numbers; rocSOLVER gives factors of reflectors that name too."""
    if "ouseholder" in said or not (_INTEGERS.search(kind) or "pivot" in said):
        return "the scalar factors of the reflectors" if "ouseholder" in said or "*" in kind else ""
    return "the pivot indices"


def _same_operand(name: str, words: str) -> bool:
    """The words speak of the operand in the parameter's name (headers mix them up at times)."""
    own = re.fullmatch(r"(?:inc|ld|stride_?)([a-zA-Z])", name)
    told = re.search(r"\b(?:of|in|for) (?:the )?(?:matrix |vector )?([A-Za-z])\b", words)
    return own is None or told is None or own[1].lower() == told[1].lower()


def _operand(name: str, letters: str, reading: FunctionReading | None) -> str:
    """The parameter that an offset, a stride or a leading dimension belongs to.

    The one with its letters, else the pointer that stands before it in the parameter list.
    """
    matrix = letters in "abcABC" or name.startswith("ld")
    plain = letters.upper() if len(letters) == 1 and matrix else letters
    if reading is None:
        return plain
    loaded = operand_of(name, reading)
    if loaded:
        return f"`{loaded}`"
    names = [p.name for p in reading.parameters]
    wanted = letters.lower().removesuffix("in")
    for other in names:
        if other != name and wanted in _letters(other):
            return f"`{other}`"
    before = [
        p.name for p in reading.parameters[: names.index(name) if name in names else 0]
        if is_pointer(p.name, p.type, reading)
    ]  # fmt: skip
    spoken = wanted in ("alpha", "beta")  # a scalar that is handed in by another name
    near = before and not spoken and re.match(r"stride|offset|shift", name)
    return f"`{before[-1]}`" if near else plain


def _letters(name: str) -> set[str]:
    """What a parameter's name may say of its operand: ``dA_array_new`` has ``a_new``."""
    name = re.sub(r"^d(?=[A-Z])", "", name)  # dA is A on the device, and no D
    bare = re.sub(r"_(?:device_host|device|array|input|ptr|arg|in)(?=_|$)", "", name.lower())
    found = {bare, re.sub(r"^([a-z])[ap]$", r"\1", bare), re.sub(r"^([a-z])\1$", r"\1", bare)}
    return found | {re.sub(r"^d(?=[a-z]$)", "", bare)}


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
