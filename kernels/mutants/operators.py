"""Small faults as people make them, put into the text of a kernel one at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*", re.S | re.M)
_INCREMENT = r"\w*inc\w*"
_LEADING = r"\w*(?:ld\w|stride\w*|lda)"


@dataclass(frozen=True)
class Mutant:
    """One changed text.

    Attributes:
        fault: Name of the kind of fault.
        line: Where it is, counted from 1.
        before: What stood there.
        after: What stands there now.
        text: The whole text.
        nth: Which one it is of those that change the same into the same on its line.
    """

    fault: str
    line: int
    before: str
    after: str
    text: str
    nth: int = 1


Change = Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Operator:
    """One kind of fault: what it looks for and what it makes of it."""

    fault: str
    pattern: re.Pattern[str]
    change: Change


def _operator(fault: str, pattern: str, change: str | Change) -> Operator:
    made = change if callable(change) else (lambda match: match.expand(change))
    return Operator(fault, re.compile(pattern), made)


OPERATORS: Sequence[Operator] = (
    _operator("bound off by one", r"(?<![<=>\-])<(?![<=>])(?=\s*[\w(]+\s*[;)&|?])", "<="),
    _operator("bound off by one", r"<=(?=\s*[\w(]+\s*[;)&|?])", "<"),
    _operator("dropped barrier", r"__syncthreads\(\)\s*;", ";"),
    _operator("swapped stride", r"\b(\w+)\s*\*\s*(\w+)\s*\+\s*(\w+)\b", r"\3 * \2 + \1"),
    _operator(
        "swapped stride", rf"\b(\w+)\s*\+\s*(\w+)\s*\*\s*({_LEADING})\b", r"\2 + \1 * \3"
    ),
    _operator("wrong conjugate", r"\b(?:hip)?[cC]onjf?\(", "("),
    _operator("wrong conjugate", r"(?<=\.y)\s*\*\s*(?=\w+(?:\[\w+\])?\.y)", " * -"),
    _operator("missing beta", r"\bbeta\s*\*\s*", ""),
    _operator("missing alpha", r"\balpha\s*\*\s*", ""),
    _operator("wrong increment sign", rf"\*\s*({_INCREMENT})\b", r"* -\1"),
    _operator("wrong increment sign", rf"\b({_INCREMENT})\s*<\s*0", r"\1 > 0"),
    _operator(
        "index in 32 bits", r"\b(?:int64_t|size_t|ptrdiff_t|long long)\b(?=\s+\w+\s*=)", "int"
    ),
    _operator(
        "reduction short by one", r"(\bfor\s*\([^;]*;\s*\w+\s*<\s*)(\w+)(\s*;)", r"\1\2 - 1\3"
    ),
    _operator("reduction short by one", r"(\bfor\s*\([^;]*=\s*[^;]*?/\s*)2(\s*;)", r"\g<1>4\2"),
    _operator("wave32 assumption", r"\bwarpSize\b", "32"),
    _operator("wave32 assumption", r"\b64\b(?=\s*[;)\]/])", "32"),
    _operator(
        "uninitialised LDS",
        r"\b(?:lds|sh|shared|tile|sdata|s_\w+|t[ab])(?:\[[^\]]*\])+\s*=\s*0(?:\.0?f?)?\s*;",
        ";",
    ),
    _operator("early return out of a batch loop", r"\bcontinue\s*;", "return;"),
    # A step of a loop would only make it endless; it ends with the loop's parenthesis.
    _operator(
        "sum overwritten",
        r"(?<=[\w\]])\s*\+=\s*(?=[^;()]*(?:\((?:[^()]|\([^()]*\))*\)[^;()]*)*;)",
        " = ",
    ),
    _operator("wrong sign", r"(?<=[\w\])])\s-\s(?=[\w(])(?!1\b)", " + "),
    _operator("wrong transpose", r"\[\s*(\w+)\s*\]\[\s*(\w+)\s*\](?=\s*[*;+)])", r"[\2][\1]"),
    _operator("atomic lost", r"\batomicAdd\((&?[^,()]+),\s*([^;]+)\)\s*;", r"*(\1) = \2;"),
)  # fmt: skip


def mutate(text: str, operators: Sequence[Operator] = OPERATORS) -> Iterator[Mutant]:
    """Every text that differs from a kernel's by one fault, in the order of operators and places.

    Comments, literals and directives stay as they are.
    """
    blank = _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    seen = {text}
    alike: Counter[tuple[int, str, str]] = Counter()
    for operator in operators:
        for match in operator.pattern.finditer(blank):
            after = operator.change(match)
            changed = text[: match.start()] + after + text[match.end() :]
            if changed in seen:
                continue
            seen.add(changed)
            line = text.count("\n", 0, match.start()) + 1
            before, now = match[0].strip(), after.strip()
            alike[line, before, now] += 1
            yield Mutant(operator.fault, line, before, now, changed, alike[line, before, now])
