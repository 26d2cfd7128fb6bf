"""Inputs of a call as plain values: boundary cases, random ones, and smaller ones of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from extractor.errors import UserError
from kernels.call.roles import Signature

Case = dict[str, Any]
"""Sizes and flags by parameter; ``ld:A``, ``inc:x``, ``gap:A`` by array; ``values``, ``alpha``,
``mode`` (host or device scalars), ``schedule``, ``guard``, ``poison`` and ``seed``."""

SCHEDULES = ("together", "ascending", "descending", "random:1", "ahead", "behind")
WORDS = {"mode": ("host", "device"), "guard": ("end", "start")}
"""What parts of a case that all entry points have may say."""
_LINE = (0, 1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1024, 1025, 2049,
         4097, 10007)  # fmt: skip
_PLANE = (0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 255, 257, 300,
          513, 1025)  # fmt: skip
_SPACE = (0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 72, 95, 97, 127, 128, 129,
          150, 161, 193, 257)  # fmt: skip
_SMALL = (1, 2, 3, 4, 5, 7, 9, 12, 17)
_SCALARS = ("0", "1", "-1", "other")
_BATCHES = (0, 1, 2, 3, 5)
_INCREMENTS = (1, 2, 3, -1, -2)


def boundary_cases(
    signature: Signature, flags: Mapping[str, Sequence[str]], seed: int
) -> list[Case]:
    """Cases that hold every boundary value of every parameter at least once, cheapest first.

    The parameters that a case is not about take values of a small pool, so that boundary values
    meet flags, layouts and schedules in many combinations.

    Args:
        signature: The call.
        flags: Letters of its flags.
        seed: Of the choice of the others.
    """
    chooser = random.Random(f"{seed}/{signature.prototype.name}")
    cases = []
    for about in _axes(signature, flags):
        case = _background(signature, flags, chooser)
        case.update(about)
        cases.append(case)
    for number, case in enumerate(cases):
        case["schedule"] = SCHEDULES[number % len(SCHEDULES)]
        case["guard"] = "start" if number % 3 == 2 else "end"
        case["poison"] = "0x7b" if number % 4 == 3 else "0xff"
        case["seed"] = number
    cases = [settled(signature, case) for case in cases]
    unique = {describe(case): case for case in cases}
    return sorted(unique.values(), key=lambda case: work(signature, case))


def random_case(signature: Signature, flags: Mapping[str, Sequence[str]], draw: Any) -> Case:
    """One case out of the whole domain; ``draw`` chooses one of a sequence, simplest first."""
    menu = _menu(signature)
    case: Case = {name: draw(menu) for name in signature.sizes}
    for name, letters in flags.items():
        case[name] = draw(tuple(letters))
    for name in signature.scalars:
        case[name] = draw(_SCALARS)
    if signature.batch:
        case[signature.batch] = draw((1, 2, 3, 5))
    for array in signature.arrays:
        if array.leading:
            case[f"ld:{array.name}"] = draw((0, 1, 3, 8))
        if array.increment:
            case[f"inc:{array.name}"] = draw(_allowed_increments(signature, array.name))
        if array.stride:
            zero = (-1,) if array.operand.direction == "in" else ()
            case[f"gap:{array.name}"] = draw((0, 1, 7, *zero))
    case["values"] = draw(tuple(signature.operation.values))
    case["mode"] = draw(("host", "device"))
    case["schedule"] = draw(SCHEDULES)
    case["guard"] = draw(("end", "start"))
    case["poison"] = draw(("0xff", "0x7b"))
    case["seed"] = draw(tuple(range(10)))
    return settled(signature, case)


def smaller_cases(signature: Signature, case: Case) -> Iterator[Case]:
    """Cases one step simpler than a failing one, the largest steps first."""
    names = [*signature.sizes, *([signature.batch] if signature.batch else [])]
    for name in names:
        value = int(case[name])
        for simple in dict.fromkeys((0, 1, 2, value // 2, value - 16, value - 4, value - 1)):
            if 0 <= simple < value:
                yield settled(signature, {**case, name: simple})
    for key, value in case.items():
        kind = key.partition(":")[0]
        plain: tuple[Any, ...] = ()
        if kind in ("ld", "gap"):
            plain = (0,)
        elif kind == "inc":
            plain = (1, -1, 2)
        elif key in signature.scalars:
            plain = ("1", "other")
        elif key in signature.flags:
            plain = tuple(sorted(signature.flags[key], key=lambda letter: letter != "N"))
        elif key == "values":
            plain = tuple(signature.operation.values)
        elif key == "mode":
            plain = ("host",)
        elif key == "guard":
            plain = ("end",)
        elif key == "poison":
            plain = ("0xff",)
        for simple in plain:
            if simple == value:
                break
            yield settled(signature, {**case, key: simple})


def settled(signature: Signature, case: Case) -> Case:
    """A case whose sizes are as the definition allows."""
    return signature.operation.settle(dict(case))


def work(signature: Signature, case: Case) -> float:
    """About how many operations a case takes, to put cases in order and leave out the dearest."""
    sizes = sorted((int(case[name]) for name in signature.sizes), reverse=True)
    degree = _degree(signature)
    used = [max(size, 1) for size in sizes[:3]]
    if degree == 3 and used:
        used = [*used, used[0], used[0]][:3]
    total = 1.0
    for size in used:
        total *= size
    increments = [abs(int(v)) for k, v in case.items() if k.startswith("inc:")]
    members = max(int(case.get(signature.batch, 1)), 1) if signature.batch else 1
    return total * members * (1 + 0.1 * max(increments, default=1))


def describe(case: Mapping[str, Any]) -> str:
    """A case in one line, as ``--case`` takes it."""
    return ",".join(f"{key}={value}" for key, value in case.items())


def parse(text: str) -> Case:
    """The case of a line.

    Raises:
        UserError: It is no such line.
    """
    case: Case = {}
    for part in text.split(","):
        key, found, value = part.partition("=")
        if not found:
            raise UserError(f"--case: '{part}' is not NAME=VALUE; copy the line of a finding")
        try:
            case[key.strip()] = int(value)
        except ValueError:
            case[key.strip()] = value.strip()
    for name in signature_free_strings(case):
        case[name] = str(case[name])
    return case


def completed(case: Case, pattern: Case, letters: Mapping[str, Sequence[str]]) -> Case:
    """A case that somebody typed, with what it leaves out taken from another.

    Args:
        case: What was typed.
        pattern: A case of the same entry point, with everything.
        letters: Of its flags, and other words that a part of the case may be.

    Raises:
        UserError: A name that no case of the entry point has, a word for a number, or a
            letter that a flag does not take.
    """
    for name, value in case.items():
        if name not in pattern:
            raise UserError(f"--case: there is no '{name}'; known: {', '.join(sorted(pattern))}")
        if isinstance(pattern[name], int) and not isinstance(value, int):
            raise UserError(f"--case: {name} is a whole number, not '{value}'")
        if name in letters and value not in letters[name]:
            raise UserError(f"--case: {name} is one of {', '.join(letters[name])}, not '{value}'")
    return {**pattern, **case}


def signature_free_strings(case: Mapping[str, Any]) -> list[str]:
    """Keys whose values are words although they may look like numbers."""
    return [name for name in ("alpha", "beta", "itype") if name in case]


def _degree(signature: Signature) -> int:
    """1 for vectors, 2 for a matrix and vectors, 3 for matrices and factorisations."""
    matrices = [a for a in signature.arrays if a.operand.cols is not None]
    vectors = [a for a in signature.arrays if a.increment]
    if not matrices:
        # Packed matrices have no columns of their own, and tridiagonal problems iterate.
        packed = any(a.name.lower() == "ap" for a in signature.arrays)
        return 2 if packed else 1
    return 2 if vectors else 3


def _menu(signature: Signature) -> tuple[int, ...]:
    return {1: _LINE, 2: _PLANE, 3: _SPACE}[_degree(signature)]


def _allowed_increments(signature: Signature, name: str) -> tuple[int, ...]:
    array = next(a for a in signature.arrays if a.name == name)
    whole = array.element.startswith("int")
    if whole:
        return (1, -1)
    # A reduction looks at elements in no particular order; a negative increment means nothing.
    reduction = any(a.operand.name == "result" for a in signature.arrays)
    single = len([a for a in signature.arrays if a.increment]) == 1
    matrix = any(a.operand.cols is not None or a.name.lower() == "ap" for a in signature.arrays)
    return (1, 2, 3) if single and (reduction or not matrix) else _INCREMENTS


def _axes(signature: Signature, flags: Mapping[str, Sequence[str]]) -> Iterator[Case]:
    """What each case is about."""
    menu = _menu(signature)
    combinations: list[Case] = [{}]
    for name, letters in flags.items():
        combinations = [{**c, name: x} for c in combinations for x in letters]
    middle = {name: 9 + 4 * place for place, name in enumerate(signature.sizes)}
    for combination in combinations[:64]:
        yield {**middle, **combination, "values": "random"}
        yield {**dict.fromkeys(signature.sizes, 67), **combination}
    for size in menu:
        yield dict.fromkeys(signature.sizes, size)
        for name in signature.sizes if len(signature.sizes) > 1 else ():
            yield {name: size}
    for name in signature.scalars:
        for value in _SCALARS:
            yield {name: value}
            yield {name: value, "mode": "device"}
    if len(signature.scalars) == 2:
        one, two = signature.scalars
        for left in _SCALARS:
            for right in _SCALARS:
                yield {one: left, two: right}
    for value in signature.operation.values:
        for name in ("host", "device"):
            yield {"values": value, "mode": name}
        yield {"values": value, **dict.fromkeys(signature.sizes, 40)}
    if signature.batch:
        for count in _BATCHES:
            yield {signature.batch: count}
    for array in signature.arrays:
        if array.leading:
            for extra in (0, 1, 5):
                yield {f"ld:{array.name}": extra}
        if array.increment:
            for increment in _allowed_increments(signature, array.name):
                yield {f"inc:{array.name}": increment}
                yield {f"inc:{array.name}": increment, **dict.fromkeys(signature.sizes, 70)}
        if array.stride:
            zero = (-1,) if array.operand.direction == "in" else ()
            for gap in (0, 1, 9, *zero):
                yield {f"gap:{array.name}": gap, signature.batch: 3}


def _background(signature: Signature, flags: Mapping[str, Sequence[str]], chooser: Any) -> Case:
    def draw(choices: Sequence[Any]) -> Any:
        return chooser.choice(list(choices))

    case = random_case(signature, flags, draw)
    for name in signature.sizes:
        case[name] = draw(_SMALL)
    for name in signature.scalars:
        case[name] = draw(("other", "other", "1", "0"))
    case["values"] = draw(("random", *signature.operation.values))
    if signature.batch:
        case[signature.batch] = draw((1, 2, 3))
    return case
