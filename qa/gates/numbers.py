"""Numbers that something proves."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product

from qa.gates.case import Case
from qa.gates.claims import CHECKS
from qa.gates.launches import _numbers_of as numbers_of
from qa.records import Claim
from qa.text.arithmetic import (
    Unknown,
    Value,
    bindings,
    equations,
    evaluate,
    holds,
)
from qa.text.prose import Number, numbers, plain

_ALWAYS = {0, 1, 2}
_WIDTHS = {8, 16, 32, 64, 128}
_DEEP = 1024
WORDS = {
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "sixteen": 16, "thirty-two": 32, "sixty-four": 64, "thrice": 3,
}  # fmt: skip
"""Numbers that are spelled; smaller ones are words of every sentence."""
_SPELLED = re.compile(
    rf"\b({'|'.join(WORDS)}) (?:(?:consecutive|neighbouring|adjacent|different|more|single|whole|"
    r"such) )?(threads?|elements?|blocks?|bytes?|rows?|columns?|batches|lanes?|wavefronts?|bits|"
    r"values|floats|doubles|rounds?|steps|tiles?|pairs?|entries|matrices|vectors?|times)\b",
    re.I,
)
_SUPPOSED = re.compile(
    r"(?:^|[;,:(] ?)(?:[Bb]ut |[Aa]nd )?"
    r"(?:[Ww]ith|[Ii]f|[Ff]or|[Aa]t|[Ww]ere|[Gg]iven|[Ll]aunched with)\b"
    r"[^,;:]{0,30}$"
)
"""Before a number that a sentence supposes."""
_THREAD = re.compile(r"thread\s+(\d+)\s+(?:of|in)\s+(?:the\s+)?block\s+(\d+)", re.I)
_BLOCK_FIRST = re.compile(r"block\s+(\d+),?\s+(?:and\s+)?thread\s+(\d+)", re.I)


def justified(case: Case) -> str | None:
    """Every number stands in the source, the question, a fact or a trace, or follows from them."""
    if case.is_code:
        return _numbers_of_code(case)
    why = _equations(case)
    if why:
        return why
    base = {number.value for number in numbers(case.entry.question)} | case.evidence_numbers
    claimed: set[int | float] = set()
    for claim in case.entry.claims:
        if claim.type not in CHECKS:
            continue
        claimed |= _values(claim)
        if claim.type == "number":
            inputs = {number.value for number in numbers(claim.subject)}
            stray = inputs - base - _ALWAYS - _claimed_values(case) - _WIDTHS
            if stray:
                return f"nothing proves {sorted(stray)[0]}, from which a claim is recomputed"
            claimed |= inputs
    free = not case.statements
    grown: list[int | float] = [n.value for n in numbers(case.entry.question)]
    for sentence in case.sentences:
        text = plain(sentence)
        here = {n.value for n in numbers(text)}
        results = {_value(e.right) for e in equations(sentence)} if free else set()
        for number in numbers(text):
            value = number.value
            if (
                value in base or value in claimed or value in _ALWAYS or value in results
                or (value in _WIDTHS and _is_width(text, number))
                or (free and _reachable(value, grown, here))
                or (free and _SUPPOSED.search(text[: number.start]))
            ):  # fmt: skip
                if free and value not in grown and len(grown) < 24:
                    grown.append(value)
                continue
            return f"nothing proves the number {value}: {sentence[:90]}"
        for word, noun in _SPELLED.findall(text):
            value = WORDS[word.lower()]
            if value not in base | claimed | results and value not in grown:
                return f"nothing proves that there are {word} {noun}: {sentence[:80]}"
    return None


def _claimed_values(case: Case) -> set[int | float]:
    return {
        value for claim in case.entry.claims if claim.type in CHECKS for value in _values(claim)
    }


def _values(claim: Claim) -> set[int | float]:
    """Numbers that a claim vouches for; those of a fact's expressions are facts as well."""
    found = numbers_of(claim.value)
    if claim.type == "fact":
        found |= {number.value for number in numbers(json.dumps(claim.value))}
    return found


def _numbers_of_code(case: Case) -> str | None:
    allowed = case.evidence_numbers | {n.value for n in numbers(case.entry.question)} | _ALWAYS
    if case.entry.kind != "kernel_implementation":
        return None
    bare = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", " ", case.entry.answer, flags=re.S)
    stray = sorted({n.value for n in numbers(bare)} - allowed - _WIDTHS)
    return f"the code has the number {stray[0]}, which no cited line has" if stray else None


def _is_width(text: str, number: Number) -> bool:
    after, before = (
        text[number.end : number.end + 14],
        text[max(0, number.start - 14) : number.start],
    )
    return bool(
        re.match(r"[- ]?(?:bits?|lanes?)\b", after) or re.search(r"wave(?:front)?\W*$", before)
    )


def _value(text: str) -> int | float | None:
    try:
        value = evaluate(text)
    except Unknown:
        return None
    return int(value) if value == int(value) else float(value)


def _reachable(target: int | float, base: list[int | float], here: set[int | float]) -> bool:
    """One operation on what is known gives the number, two where it is a large one.

    Sums count where both parts stand in the sentence: any number is the neighbour of some other.
    """
    goal = Fraction(target)
    near = {Fraction(n) for n in (here & set(base)) - {target}}
    if any(
        abs(goal - a) == 1 or goal in (a + b, a - b) for a in near for b in near | {Fraction(0)}
    ):
        return True
    known = {Fraction(b) for b in base} | {Fraction(2)}
    if any(goal in (a * b, b and a / b, b and a // b, b and -(-a // b), b and a % b)
           for a, b in product(known, known) if b not in (0, 1)):  # fmt: skip
        return True
    wide = known | {Fraction(n) for n in _ALWAYS}
    return target >= _DEEP and len(base) < 12 and goal in _combined(_combined(wide, wide), wide)


def _combined(left: set[Fraction], right: set[Fraction]) -> set[Fraction]:
    found = set()
    for a, b in product(left, right):
        found |= {a + b, a - b, a * b}
        if b:
            found |= {a / b, Fraction(a // b), Fraction(-(-a // b)), a % b}
    return found


def _equations(case: Case) -> str | None:
    """Equations that the answer states must hold."""
    values: dict[str, Value] = bindings(case.entry.question)
    for claim in case.entry.claims:
        if claim.type == "constant" and isinstance(claim.value, int):
            values.setdefault(claim.subject, claim.value)
    defined: dict[str, str] = {}
    for sentence in case.sentences:
        local = dict(values)
        for pattern, swap in ((_THREAD, False), (_BLOCK_FIRST, True)):
            spot = pattern.search(sentence)
            if spot:
                thread, block = (spot[2], spot[1]) if swap else (spot[1], spot[2])
                local |= {"threadIdx.x": int(thread), "blockIdx.x": int(block)}
        for equation in equations(sentence):
            left, right = equation.left, equation.right
            bare = re.fullmatch(r"[A-Za-z_][\w.]*", left) is not None
            if bare and re.fullmatch(r"-?[\d,']+", right):
                if left in defined and "threadIdx.x" in local and (
                    holds(type(equation)(defined[left], right), local) is False
                ):  # fmt: skip
                    return f"{left} is not {right} there: {sentence[:90]}"
                continue
            if bare:
                defined.setdefault(left, right)
                if left in values:
                    continue
            if holds(equation, local) is False:
                return f"the equation {left} = {right} is wrong"
    return None
