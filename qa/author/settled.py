"""Tests of a function with the parts that settle them for a call, and half-sentences about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, meaning_words
from qa.author.passed_values import Within
from qa.author.sites import Test
from qa.reading.deciding import Part, deciding
from qa.reading.definitions import times_set
from qa.reading.function import Definition, FunctionReading, read_function
from qa.scope_view import FunctionView
from qa.text.brackets import split_at, unwrapped

_LONGEST_QUOTED = 130
_LONGEST_MEANING, _LONGEST_COME_TO, _LONGEST_PART = 110, 180, 50
MOST_TOLD = 5
_MOST_PARTS = 7
_MOST_MEANINGS = 3
_LONGER = "a longer test"
_BY_TYPE = " for this type"
_PLAIN_FLAG = re.compile(r"^[\w.>-]+\(?\)? == [\w:]+ \? true : false$")
_EQUAL = re.compile(r"^([\w.>-]+) == ([\w:]+)$")
_ASKS = re.compile(r"[<>=!]=|&&|\|\|| [<>] ")


@dataclass(frozen=True)
class Settled:
    """A test around a launch and the parts that make it come out as it does.

    Attributes:
        test: The test.
        parts: The parts that settle it, on every architecture of the recording.
        apart: Further parts, by the architecture that comes by them.
    """

    test: Test
    parts: tuple[Part, ...]
    apart: Mapping[str, tuple[Part, ...]]

    @property
    def texts(self) -> list[str]:
        """The parts as written."""
        rows = [*self.parts, *(part for parts in self.apart.values() for part in parts)]
        return [text for text, _holds in rows]

    @property
    def quoted(self) -> bool:
        """The test is short enough to stand in a sentence."""
        return len(self.test.condition) <= _LONGEST_QUOTED

    def can_be_told(self) -> bool:
        """Its parts are few and short."""
        return len(self.texts) <= _MOST_PARTS and all(
            len(text) <= _LONGEST_QUOTED for text in self.texts
        )


def key_of(test: Test) -> str:
    """A test and how it came out: the other call may come to the same one otherwise."""
    return f"{'not' if test.negated else 'is'}: {test.condition}"


def settle(draft: Draft, test: Test, inside: Within, trace: Trace) -> Settled:
    """What settles a test: what does so on all of the recording's architectures comes first."""
    every = [str(arch) for arch in trace["arch"]]

    line = test.span.start_line

    def everywhere(text: str) -> bool | None:
        values = {inside.truth(text, draft.ground, arch, line) for arch in every}
        return values.pop() if len(values) == 1 else None

    common: list[Part] = []
    apart: dict[str, list[Part]] = {arch: [] for arch in every}

    def by_type(text: str) -> bool | None:
        return inside.by_type(text, draft.ground)

    for text, holds in deciding(test.condition, not test.negated, everywhere, by_type):
        own = {arch: _on(draft, inside, text, holds, arch, line) for arch in every}
        if len(set(own.values())) == 1:
            common += own[every[0]]
            continue
        for arch, parts in own.items():
            apart[arch] += parts
    shared = {arch: tuple(dict.fromkeys(parts)) for arch, parts in apart.items()}
    return Settled(test, tuple(common), shared if any(apart.values()) else {})


def _on(
    draft: Draft, inside: Within, text: str, holds: bool, arch: str, line: int
) -> tuple[Part, ...]:
    def truth(piece: str) -> bool | None:
        return inside.truth(piece, draft.ground, arch, line)

    return deciding(text, holds, truth)


def nearest(
    rows: list[Settled], reading: FunctionReading, about: re.Pattern[str] | None
) -> list[Settled]:
    """Up to five tests in the order of the text: those asked for, then those next to the launch."""
    wanted = [r for r in rows if about is not None and _speaks_of(r, reading, about)][-MOST_TOLD:]
    near = [row for row in rows if row not in wanted]
    room = MOST_TOLD - len(wanted)
    chosen = [*wanted, *(near[-room:] if room else [])]
    return [row for row in rows if row in chosen]


def _speaks_of(row: Settled, reading: FunctionReading, about: re.Pattern[str]) -> bool:
    """The test names it, or a local name of the test stands for something that does."""
    if about.search(row.test.condition):
        return True
    definitions = (reading.definition(n) for n in re.findall(r"[A-Za-z_]\w*", row.test.condition))
    return any(one is not None and about.search(one.value) for one in definitions)


def not_implied(held: Sequence[Settled], failed: Sequence[Settled]) -> list[Settled]:
    """Failed tests without those that only rule out other values of what is known to be one value."""
    known = {
        match[1] for row in held for text in split_at(unwrapped(row.test.condition), "||")
        if (match := _EQUAL.match(text))
    }  # fmt: skip
    return [
        row
        for row in failed
        if not all(
            (match := _EQUAL.match(text)) and match[1] in known
            for text in split_at(unwrapped(row.test.condition), "||")
        )
    ]


def after_words(rows: list[Settled]) -> str:
    """The failed tests as things that have happened."""
    return failing_words(rows).replace(" fails", " has failed")


def failing_words(rows: list[Settled]) -> str:
    """The failed tests; the second of those that are too long to quote is another one."""
    words = [_failing_word(row) for row in rows]
    long = [number for number, one in enumerate(words) if one.startswith(_LONGER)]
    for number in long[1:]:
        words[number] = words[number].replace(_LONGER, "another one", 1)
    return listed(words)


def _failing_word(row: Settled) -> str:
    """``X fails``, and by which of its parts."""
    parts = _unique(row.parts)
    every = set(split_at(unwrapped(row.test.condition), "||"))
    if not row.apart and (set(parts) == every or row.parts == ((row.test.condition, False),)):
        return f"{code(row.test.condition)} fails"
    name = code(row.test.condition) if row.quoted else _LONGER
    if row.apart:
        where = [
            f"on {arch} at {listed([code(text) for text in (*parts, *_unique(own))])}"
            for arch, own in row.apart.items()
        ]
        return f"{name} fails, {listed(where)}"
    if len(parts) == 1:
        return f"{name} fails at {code(parts[0])}"
    if len(parts) == 2:
        return f"{name} fails since neither {code(parts[0])} nor {code(parts[1])} holds"
    return f"{name} fails since none of {listed([code(text) for text in parts])} holds"


def holding_words(row: Settled) -> list[str]:
    """The test where it is short, else the parts by which it holds."""
    if row.quoted:
        return [code(row.test.condition)]
    apart = [
        f"{listed([code(text) for text in _unique(own)])} on {arch}"
        for arch, own in row.apart.items() if own
    ]  # fmt: skip
    return [*(code(text) for text in _unique(row.parts)), *apart]


def _unique(parts: Sequence[Part]) -> list[str]:
    return list(dict.fromkeys(text for text, _holds in parts))


def shown_code(row: Settled) -> str:
    """The code of a test that a sentence quotes."""
    return " ".join(
        ([row.test.condition] if row.quoted else [])
        + (row.texts if row.test.negated or not row.quoted else [])
    )


def _meant(meanings: Sequence[str]) -> str:
    """What names stand for, in a sentence; what the type settles is said to be so once."""
    bare = [one.removesuffix(_BY_TYPE) for one in meanings]
    if all(one.endswith(_BY_TYPE) for one in meanings):
        return f"For this type {listed(bare)}."
    return f"There {listed(meanings)}."


def _definition(
    reading: FunctionReading, function: FunctionView, name: str, inside: Within
) -> Definition | None:
    """What a local name is made from: its only definition, or the only one that the call came to."""
    every = [d for d in reading.definitions if d.name == name]
    made = [
        d for d in every
        if inside.runs and all(run.count(function, d.first) for run in inside.runs.values())
    ]  # fmt: skip
    if len(made) == 1 and times_set(function.text, name) <= len(every):
        return made[0]
    return every[0] if every and not every[0].guards else None


def _by_what(draft: Draft, value: str, truth: bool, inside: Within) -> str:
    """The parts by which a definition comes out, where it has others."""

    def known(text: str) -> bool | None:
        return inside.truth(text, draft.ground)

    parts = [text for text, _holds in deciding(value, truth, known)]
    every = {text for one in split_at(unwrapped(value), "||") for text in split_at(one, "&&")}
    short = 0 < len(parts) < len(every) and all(len(p) <= _LONGEST_PART for p in parts)
    return f" by {listed([code(part) for part in parts])}" if short else ""


def tell_meanings(
    draft: Draft,
    function: FunctionView,
    shown: str,
    inside: Within,
    told: set[str],
    about: re.Pattern[str] | None = None,
) -> list[str]:
    """What the local names of the tests stand for; flags of the device where they are asked for."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    rows: list[tuple[bool, str, str, Span]] = []
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", shown)):
        key = f"meant: {function.id} {name}"
        if inside.runs and key not in told and inside.types.get(name, "").isdigit():
            told.add(key)
            rows.append(
                (False, name, f"{inside.types[name]} in this instantiation", draft.head(function))
            )
    longest = _LONGEST_COME_TO if inside.runs else _LONGEST_MEANING
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", shown)):
        definition = _definition(reading, function, name, inside)
        if (
            definition is None
            or f"meant: {function.id} {name}" in told
            or len(definition.value) > longest
        ):
            continue
        if not re.search(r"[(<&|=]", definition.value):
            continue
        truth = inside.truth(definition.value, draft.ground)
        words = meaning_words(definition.value, truth)
        if words.startswith("`") and inside.runs and truth is not None and _ASKS.search(words):
            words += (
                f" ({str(truth).lower()} here{_by_what(draft, definition.value, truth, inside)})"
            )
        flag = _PLAIN_FLAG.match(definition.value) is not None
        asked = about is not None and about.search(name)
        if words and (asked or not flag or inside.runs):
            span = draft.lines(function, definition.first, definition.last)
            rows.append((flag, name, words, span))
    chosen = sorted(rows, key=lambda row: row[0])[:_MOST_MEANINGS]
    chosen = [row for row in rows if row in chosen]
    meanings = [f"{code(name)} is {words}" for _flag, name, words, _span in chosen]
    for _flag, name, words, _span in chosen:
        told.update((f"meant: {function.id} {name}", name, words.split("` (")[0].strip("`")))
    if meanings:
        draft.say(_meant(meanings), *[span for *_rest, span in chosen])
    return meanings
