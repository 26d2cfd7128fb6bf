"""Values that a sentence gives to names, against every value that the source gives them."""

from __future__ import annotations

import re

from qa.author.subjects import types_of
from qa.gates.case import Case
from qa.reading.function import read_function
from qa.text.prose import numbers, plain

_TOLD = re.compile(
    r"(?<![<>=*/+%-] )`?\b([A-Za-z_]\w*)`? ?(?:=|is|of|equals|being) ?`?(\d[\d,']*)`?"
    r"(?![\w.]|\s*[-+*/%(<>=])"
)
_LITERAL = re.compile(r"[\s()?:!<>=&|\w.+*/-]*")
_FEWEST = 2


def possible(case: Case) -> str | None:
    """A name that has fixed values in the cited functions has one of them in the answer."""
    if case.is_code:
        return None
    known: dict[str, set[int]] | None = None
    asked = {name for name, _value in _TOLD.findall(plain(case.entry.question))}
    for sentence in case.sentences:
        for name, shown in _TOLD.findall(plain(sentence)):
            if len(name) < _FEWEST or name in asked or not re.search(r"[A-Z]", name):
                continue
            known = known if known is not None else _fixed(case)
            value = int(re.sub(r"[,']", "", shown))
            if name in known and value not in known[name]:
                some = ", ".join(str(v) for v in sorted(known[name])[:4])
                return f"{name} is {some} in the source, not {value}: {sentence[:80]}"
    return None


def _fixed(case: Case) -> dict[str, set[int]]:
    """Constants and template parameters of the cited functions with all that they can be."""
    found: dict[str, set[int]] = {}
    dark: set[str] = set()
    for function in case.evidence_functions:
        if function.span is None:
            continue
        for number in range(len(function.instantiations)):
            for name, value in types_of(function, number).items():
                if value.isdigit():
                    found.setdefault(name, set()).add(int(value))
                else:
                    dark.add(name)
        reading = read_function(function.text, function.span.start_line)
        dark |= {p.name for p in reading.parameters}
        for one in reading.definitions:
            inside = {int(n.value) for n in numbers(one.value) if isinstance(n.value, int)}
            if not inside or not re.search(r"constexpr|const\b", one.text):
                dark.add(one.name)
            elif re.fullmatch(r"\(?\d+\)?|.*\?\s*\d+\s*:\s*\d+", one.value.strip(), re.S):
                chosen = re.findall(r"(?:^\(?|[?:]\s*)(\d+)", one.value.strip())
                found.setdefault(one.name, set()).update(int(c) for c in chosen)
            else:
                dark.add(one.name)
    return {name: values for name, values in found.items() if name not in dark}
