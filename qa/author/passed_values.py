"""What the arguments of a public call are within a function further down its way.

A launcher's ``n`` may be the size of one tile and not that of the call. Tests of a launcher are told
only where the numbers of the call, as far as they get there under their names, do not speak against
them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from extractor.records import Span
from qa.author.sites import Test
from qa.executed import Run
from qa.ground import Ground
from qa.reading.architecture_calls import answers
from qa.reading.definitions import times_set
from qa.reading.execution import follow
from qa.reading.function import Call, Guard, read_function
from qa.reading.outcome import Value
from qa.scope_view import FunctionView, ScopeView
from qa.text.brackets import unwrapped

_NAME = re.compile(r"[A-Za-z_]\w*")
_WHOLE = re.compile(r"int|long|size_t|stride", re.I)


@dataclass(frozen=True)
class Passed:
    """What a function gives for a parameter of the one that it calls.

    Attributes:
        texts: Arguments as written, one for each way in which the call is made.
        function: Who calls.
        lines: First and last line of the calls.
        own: At another place the function gives the name itself.
        guards: What stands around that place, where it is one.
    """

    texts: tuple[str, ...]
    function: FunctionView
    lines: tuple[tuple[int, int], ...]
    own: bool = False
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True)
class Within:
    """Names of a function, against the arguments of the call.

    Attributes:
        values: Arguments of the call that have the same name there.
        other: Parameters that share an argument's name and are something else, with what they are
            given on the way.
        types: Template parameters of the instantiation that the call comes to.
        definitions: Local names that are set once, outside of branches, in the order of the text.
        numbers: Parameters that the functions on the way give a number as it stands.
        function: Whose names they are.
        runs: By architecture, the call as it ran; none where it was not made again.
    """

    values: Mapping[str, Value]
    other: Mapping[str, Passed] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    definitions: tuple[tuple[str, str], ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    function: FunctionView | None = None
    runs: Mapping[str, Run] = field(default_factory=dict, compare=False, repr=False)
    _fixed: dict[str, bool | None] = field(default_factory=dict, compare=False, repr=False)
    _truths: dict[tuple[str, str, int], bool | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def truth(self, condition: str, ground: Ground, arch: str = "", line: int = 0) -> bool | None:
        """Whether a condition holds; ``None`` where that is not settled.

        How it came out when the call was made says so, on all of its architectures where none is
        named; where it was not asked then, the values do.

        Args:
            condition: As written.
            ground: The library.
            arch: Architecture that the handle answers with, if that is known.
            line: Line of the condition, where the same text may stand at several.
        """
        key = (condition, arch, line)
        if key not in self._truths:
            self._truths[key] = self._came_out(condition, ground, arch, line)
        return self._truths[key]

    def _came_out(self, condition: str, ground: Ground, arch: str, line: int) -> bool | None:
        if self.function is None or not self.runs:
            return self._truth(condition, ground, arch)
        own = {a: run for a, run in self.runs.items() if a == arch} or self.runs
        truths = {
            run.truth(self.function, condition, line, partial(self._truth, ground=ground, arch=a))
            for a, run in own.items()
        }
        return truths.pop() if len(truths) == 1 else None

    def by_type(self, condition: str, ground: Ground) -> bool | None:
        """Whether a condition holds for the types alone, whatever the arguments are."""
        if condition not in self._fixed:
            bare = Within({}, self.other, self.types, self.definitions)
            self._fixed[condition] = bare.truth(condition, ground)
        return self._fixed[condition]

    def _truth(self, condition: str, ground: Ground, arch: str) -> bool | None:
        known: dict[str, Value] = dict(self.numbers)
        known |= {name: value for name, value in self.values.items() if name not in self.other}
        names = set(_NAME.findall(condition))
        needed: list[str] = []
        for name, text in reversed(self.definitions):
            if name in names:
                names |= set(_NAME.findall(text))
                needed.insert(0, f"auto {name} = {text};")
        for name in names & set(ground.constants) - set(known) - set(self.other):
            known[name] = ground.constants[name][0]
        body = f"{' '.join(needed)} auto r = {condition};"
        known |= answers(body, arch)
        outcome = follow(
            f"void f() {{ {body} }}", 1, known, dict(self.types),
            enumerators=ground.enumerators,
        )  # fmt: skip
        value = outcome.values.get("r")
        return bool(value) if isinstance(value, int) else None


def other_names(
    steps: Iterable[FunctionView],
    arguments: Iterable[str],
    places: Sequence[Span | None] = (),
) -> dict[str, Passed]:
    """Parameters of the last function that need not have the value of the argument of their name.

    A call hands an argument on where it gives the name itself, with or without a cast; a name that
    is only a part of what is given, as in ``n - j``, is another value.

    Args:
        steps: Functions on the way, the entry point first.
        arguments: Names of the entry point's arguments.
        places: For each step the place at which it is called, where that is known for a call that
            was made again; else every place counts.
    """
    names = {re.sub(r"_64$", "", name) for name in arguments} | set(arguments)
    names |= {f"{name}_64" for name in names}
    other: dict[str, Passed] = {}
    for number, (function, following) in enumerate(pairwise(steps), start=1):
        if function.span is None or following.span is None or function.id == following.id:
            continue
        reading = read_function(function.text, function.span.start_line)
        at = places[number] if number < len(places) else None
        calls = _calls_at(reading.calls_of(following.name), at)
        parameters = read_function(following.text, following.span.start_line).parameters
        made = {d.name for d in reading.definitions} - {p.name for p in reading.parameters}
        found: dict[str, Passed] = {}
        for index, name in enumerate(parameter.name for parameter in parameters):
            if name not in names:
                continue
            given = [(c, c.arguments[index]) for c in calls if index < len(c.arguments)]
            # A piece of the work may have the name of the whole.
            own_texts = {text for _c, text in given if hands_on(text, name) and text not in made}
            foreign = [row for row in given if row[1] not in own_texts]
            if foreign:
                own = [call for call, text in given if text in own_texts]
                found[name] = Passed(
                    tuple(dict.fromkeys(text for _call, text in foreign)), function,
                    tuple((call.first, call.last) for call, _text in given),
                    own=bool(own), guards=own[0].guards if len(own) == 1 else (),
                )  # fmt: skip
            elif given and name in other:
                found[name] = other[name]
        other = found
    return other


def _calls_at(calls: Sequence[Call], at: Span | None) -> Sequence[Call]:
    """Those of some calls that stand at a place; all of them where none does."""
    here = [c for c in calls if at is not None and c.first <= at.start_line <= c.last]
    return here or calls


_CAST = re.compile(
    r"^(?:\(\s*[\w:]+\s*\)|(?:static_cast\s*<[^<>]*>|[\w:]*int\w*|[\w:]*size_t|[\w:]*stride)\s*(?=\())\s*"
)


def hands_on(given: str, name: str) -> bool:
    """What a call gives for a parameter is the name itself, be it as a number or as a pointer to it:
    ``n``, ``n_64``, ``rocblas_int(n)``, ``*alpha``."""
    text = unwrapped(given)
    while (bare := unwrapped(_CAST.sub("", text)).lstrip("*&")) != text:
        text = bare
    return text.removesuffix("_64") == name.removesuffix("_64")


def is_constant(text: str, ground: Ground) -> bool:
    """A number, an enumerator or a flag as it stands."""
    return text in ground.enumerators or re.fullmatch(r"true|false|\d+", text) is not None


def fixed_parameters(
    steps: Iterable[FunctionView],
    ground: Ground,
    known: Mapping[str, Mapping[str, str]] | None = None,
    places: Sequence[Span | None] = (),
) -> dict[str, set[str]]:
    """Parameters of the last function that every call on the way gives a number, enumerator or flag,
    as it stands or by a local name that is set to it once.

    Args:
        steps: Functions on the way, the entry point first.
        ground: The library.
        known: For a function's id, what tests around its call say that names of its own are.
        places: For each step the place at which it is called, as for ``other_names``.

    Returns:
        For each such parameter the constants that it may be.
    """
    fixed: dict[str, set[str]] = {}
    for step, (function, following) in enumerate(pairwise(steps), start=1):
        if function.span is None or following.span is None or function.id == following.id:
            continue
        calls = read_function(function.text, function.span.start_line).calls_of(following.name)
        calls = list(_calls_at(calls, places[step] if step < len(places) else None))
        parameters = read_function(following.text, following.span.start_line).parameters
        found: dict[str, set[str]] = {}
        own = {name: {text} for name, text in _definitions(function) if is_constant(text, ground)}
        fixed |= own | {name: {text} for name, text in (known or {}).get(function.id, {}).items()}
        for number, parameter in enumerate(parameters):
            given = [call.arguments[number] for call in calls if number < len(call.arguments)]
            values: set[str] = set()
            for text in given:
                if is_constant(text, ground):
                    values.add(text)
                elif text in fixed:
                    values |= fixed[text]
                else:
                    break
            else:
                anew = times_set(following.text, parameter.name) > 0
                if given and len(given) == len(calls) and not anew:
                    found[parameter.name] = values
        fixed = found
    return fixed


def within(
    view: ScopeView, ground: Ground, trace: Mapping[str, Any], symbol: str, caller: FunctionView
) -> Within:
    """What the arguments of a recorded call are in the function that makes one of its launches."""
    config = trace.get("config", "source")
    call = repr((
        "within", trace["entry"], config, trace["args"], trace.get("arch"), trace.get("pointer_mode"),
        trace.get("atomics"), symbol, caller.id,
    ))  # fmt: skip
    return view.once(call, lambda: _within(view, ground, trace, symbol, caller))


def way_of(
    view: ScopeView,
    ground: Ground,
    trace: Mapping[str, Any],
    symbol: str,
    through: str | None = None,
) -> list[tuple[str, Span | None]]:
    """The way that a recorded call took to a launch; a shortest one where it was not made again.

    Args:
        view: The scope.
        ground: The library.
        trace: The call.
        symbol: Of the kernel.
        through: Id of the definition that launches it, if that is known.
    """
    config = trace.get("config", "source")
    for run in ground.runs(view, trace).values():
        if way := run.way(trace["entry"], config, symbol, through):
            return way
    return view.path(trace["entry"], config, symbol, through=through)


def _within(
    view: ScopeView, ground: Ground, trace: Mapping[str, Any], symbol: str, caller: FunctionView
) -> Within:
    runs = ground.runs(view, trace)
    taken = way_of(view, ground, trace, symbol, caller.id)[:-1]
    way = [i for i, _at in taken]
    steps = [view.owner[i] for i in way]
    places = [at for _i, at in taken] if runs else []
    given: Mapping[str, Any] = trace["args"]
    other = other_names(steps, given, places)
    types: dict[str, str] = {}
    made = next((one for one in caller.instantiations if way and one["id"] == way[-1]), None)
    if made is not None:
        from qa.author.subjects import types_of

        types = types_of(caller, caller.instantiations.index(made))
    values: dict[str, Value] = {}
    parameters = (
        read_function(caller.text, caller.span.start_line).parameters if caller.span else ()
    )
    for parameter in parameters:
        value = given.get(parameter.name, given.get(parameter.name.removesuffix("_64")))
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int):
            # A number for a pointer is what it points at, and a scalar may be one by its type.
            bare = re.sub(r"\bconst\b", "", parameter.type).strip()
            kind_ = types.get(bare, bare)
            if "*" not in kind_ and _WHOLE.search(kind_):
                values[parameter.name] = value
        elif isinstance(value, str):
            kind = _NAME.findall(parameter.type)
            named = [
                e for e in letters(ground).get(value, ()) if kind and e.startswith(f"{kind[-1]}_")
            ]
            if len(named) == 1:
                values[parameter.name] = named[0]
    fixed = fixed_parameters(steps, ground, places=places)
    numbers = {
        name: int(text) for name, texts in fixed.items()
        if len(texts) == 1 and (text := min(texts)).isdigit()
    }  # fmt: skip
    return Within(values, other, types, _definitions(caller), numbers, caller, runs)


def _definitions(function: FunctionView) -> tuple[tuple[str, str], ...]:
    if function.span is None:
        return ()
    return _set_once(function.text, function.span.start_line)


@functools.lru_cache(maxsize=1 << 12)
def _set_once(text: str, first_line: int) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one.name, one.value) for one in read_function(text, first_line).definitions
        if one.value and not one.guards and not one.loops and times_set(text, one.name) <= 1
    )  # fmt: skip


def letters(ground: Ground) -> dict[str, list[str]]:
    """Enumerators by the letter that stands for them in a trace."""
    traced = getattr(ground.project.rule, "trace", None)
    found: dict[str, list[str]] = {}
    for name, letter in (traced.letters if traced is not None else {}).items():
        found.setdefault(letter, []).append(name)
    return found


def not_denied(
    tests: list[Test], inside: Within, ground: Ground
) -> tuple[list[Test], dict[str, Passed]]:
    """Tests that the call's own values do not speak against, and names that are not the call's.

    A name in a test that is denied is another one than the call's, so that every other test on it
    is left out as well.
    """
    denied: set[str] = set()
    for test in tests:
        truth = inside.truth(test.condition, ground, line=test.span.start_line)
        if truth is not None and truth == test.negated:
            denied |= set(_NAME.findall(test.condition)) & set(inside.values)
    kept = [
        test for test in tests if not denied & set(_NAME.findall(test.condition))
    ]  # fmt: skip
    used = {
        name: inside.other[name]
        for test in kept for name in _NAME.findall(test.condition) if name in inside.other
    }  # fmt: skip
    return kept, used
