"""Offsets of a kernel's accesses, worked out for a thread of a launch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import Row, ordinary, plain_index
from qa.author.launch_pairs import Pair, Shape
from qa.author.launch_sizes import names_of
from qa.author.numbers import put_into, split_terms
from qa.reading.element_types import BYTES
from qa.text.arithmetic import Unknown, Value, evaluate

_BUILT_IN = re.compile(r"(?:thread|block|grid)(?:Idx|Dim)\.[xyz]")


@dataclass
class Offsets:
    """The offset expression of one access with values for its names.

    Attributes:
        row: The access's fact.
        index: Its expression.
        values: Values of names, extents of the launch among them.
        assumed: Parameters that the launch leaves open, with the value taken for each.
        rounds: Loop variables, taken at their first round.
    """

    row: Row
    index: str
    values: dict[str, Value]
    assumed: dict[str, int] = field(default_factory=dict)
    rounds: list[str] = field(default_factory=list)

    def at(self, **place: int) -> int | None:
        """The offset of a thread: ``tx``, ``ty``, ``bx``, ``by``, ``bz``."""
        try:
            value = evaluate(self.index, {**self.values, **_spots(place)})
        except Unknown:
            return None
        return int(value) if value == int(value) else None

    def worked(self, **place: int) -> str:
        """The expression with numbers for its names."""
        return put_into(self.index, {**self.values, **_spots(place)})


def _spots(place: dict[str, int]) -> dict[str, Value]:
    names: dict[str, Value] = {
        f"{kind}.{axis}": 0 for kind in ("threadIdx", "blockIdx") for axis in "xyz"
    }
    for key, value in place.items():
        names[f"{'threadIdx' if key[0] == 't' else 'blockIdx'}.{key[1]}"] = value
    return names


def offsets(pair: Pair, row: Row, shape: Shape) -> Offsets | None:
    """An access's offsets under a launch; ``None`` where a name has no value."""
    index = str(row.value.get("index"))
    buffer = str(row.value.get("buffer"))
    if not plain_index(index) or not re.fullmatch(r"\w+", buffer) or not _holds(pair, row):
        return None
    found = Offsets(row, index, {**shape.spot()})
    symbols = row.value.get("symbols") or {}
    for name in names_of(index):
        kind = (symbols.get(name) or {}).get("kind", "")
        if name in pair.constants:
            found.values[name] = pair.constants[name]
        elif kind == "loop variable":
            start = str((symbols.get(name) or {}).get("start", ""))
            if not start.isdigit():
                return None
            found.values[name] = int(start)
            found.rounds.append(name)
        elif kind == "template constant" or not _is_parameter(pair, name):
            return None
        else:
            passed = pair.passed(name, shape)
            value = _ordinary(name, shape) if passed is None else passed
            found.values[name] = value
            if passed is None:
                if shape.trace is not None and name in shape.trace["args"]:
                    return None  # another value than the call's, though it has the name
                found.assumed[name] = value
    return found


def _ordinary(name: str, shape: Shape) -> int:
    """An ordinary value for a parameter; a leading dimension no smaller than the rows."""
    value = ordinary(name)
    if re.fullmatch(r"inc[abc]", name):
        return 1  # rows of a matrix
    if name.lower().startswith("ld"):
        rows = max([v for k, v in shape.values.items() if k in ("m", "n", "k")], default=0)
        while value < rows:
            value *= 2
    return value


def _is_parameter(pair: Pair, name: str) -> bool:
    return any(parameter.name == name for parameter in pair.facts.reading.parameters)


def _holds(pair: Pair, row: Row) -> bool:
    """The fact is about this instantiation, or about one that reaches its buffers alike."""
    own = pair.kernel.instantiations[pair.number]["symbol"]
    return row.fact.get("instantiation") in (None, own) or not pair.facts.arrays(pair.number)


def accesses(pair: Pair, shape: Shape, *, stores_first: bool = True) -> list[Offsets]:
    """Accesses to global memory with offsets, those that depend on most indices first."""
    found = []
    for row in pair.facts.of("global_access"):
        one = offsets(pair, row, shape)
        if one is not None:
            found.append(one)
    found.sort(
        key=lambda o: (
            (o.row.value["access"] != "store") == stores_first,
            -len(set(_BUILT_IN.findall(o.index))), o.row.line, o.row.column,
        )
    )  # fmt: skip
    return found


def element_of(pair: Pair, row: Row) -> str:
    """What an element is in the instantiation: ``float``."""
    element = str(row.value.get("element", "")).removeprefix("element of ").strip()
    bound = pair.types.get(element, element)
    return re.sub(r"\bconst\b|[\s*]", "", bound)


def bytes_of(pair: Pair, row: Row) -> int | None:
    """Size of an element in the instantiation."""
    return BYTES.get(element_of(pair, row))


def assumed_words(*all_: Offsets, first_block: bool = False) -> str:
    """``lda`` = 1024 and zero offsets: the values that a launch leaves open, for a question.

    Args:
        all_: Accesses.
        first_block: Only block 0 is looked at, so that factors of its number do not matter.
    """
    known: dict[str, int] = {}
    for one in all_:
        terms = split_terms(one.index)
        if first_block:
            terms = [term for term in terms if "blockIdx" not in term]
        needed = set(re.findall(r"[A-Za-z_]\w*", " ".join(terms)))
        known.update({name: value for name, value in one.assumed.items() if name in needed})
    told = [f"{code(n)} = {v}" for n, v in known.items() if v]
    zero = [code(n) for n, v in known.items() if not v]
    if zero:
        told.append(f"{listed(zero)} zero")
    return listed(told)


def claim_values(draft: Draft, pair: Pair, one: Offsets) -> None:
    """Claims the constants that an offset was worked out with."""
    for name in names_of(one.index):
        if name in pair.constants:
            draft.claim("constant", name, pair.constants[name], "scope")
        elif name in one.values:
            draft.claim("number", str(one.values[name]), int(one.values[name]), "recompute")
