"""Formulas over a kernel's scalars that give grid, block and LDS of every launch that was seen.

Libraries make sizes from few forms: a constant, a scalar, a scalar divided by a tile, rounded up,
such a quotient with an upper bound, a product of two of them; and bytes of LDS that grow with a
scalar. A formula is taken only when it gives all launches, and is no proof for launches unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from extractor.errors import UserError
from kernels.launches.capture import CapturedLaunch
from kernels.task.expression import evaluate
from kernels.task.model import Number

_LARGEST_TILE = 4096
_LEAST_LAUNCHES = 3

Rows = Sequence[tuple[Mapping[str, int], int]]
"""Whole numbers of a launch, and the size to be explained."""


def fit_sizes(launches: Sequence[CapturedLaunch]) -> tuple[str, ...] | None:
    """Seven sizes, those of grid, block and LDS; ``None`` where no known form gives one of them.

    Args:
        launches: Of one kernel. Few tell nothing.
    """
    if len(launches) < _LEAST_LAUNCHES:
        return None
    numbers = [_whole(one.scalars) for one in launches]
    found = []
    for place in range(len(launches[0].geometry)):
        blocks = {size for one in launches for size in one.geometry[3:6]}
        rows = [(n, one.geometry[place]) for n, one in zip(numbers, launches, strict=True)]
        text = next((t for t in _forms(rows, blocks, place) if _gives(t, rows)), None)
        if text is None:
            return None
        found.append(text)
    return tuple(found)


def _whole(scalars: Mapping[str, Number]) -> dict[str, int]:
    return {name: value for name, value in scalars.items() if isinstance(value, int)}


def _gives(text: str, rows: Rows) -> bool:
    try:
        return all(evaluate(text, numbers) == size for numbers, size in rows)
    except UserError:
        return False


def _forms(rows: Rows, blocks: set[int], place: int) -> Iterator[str]:
    """Formulas worth a try, the plainest first."""
    sizes = {size for _, size in rows}
    if len(sizes) == 1:
        yield str(min(sizes))
        return
    # What has to do with sizes comes before what has to do with strides.
    names = [n for n in rows[0][0] if len({row[n] for row, _ in rows}) > 1]
    yield from names
    if place == 6:
        yield from _linear(rows, names)
        return
    cap = max(sizes)
    below = [row for row in rows if row[1] < cap]
    quotients = []
    for name in names:
        for part, bound in ((rows, ""), (below, str(cap))):
            tile = _tile(part, name, blocks)
            if tile is not None:
                text = _quotient(name, tile)
                yield f"min({text}, {bound})" if bound else f"max({text}, 1)"
                yield f"max(min({text}, {bound or cap}), 1)"
    for name in names:
        quotients += [name, *(_quotient(name, tile) for tile in sorted(_usual(blocks)))]
    for number, one in enumerate(quotients):
        for other in quotients[number + 1 :]:
            yield f"({one}) * ({other})"


def _usual(blocks: set[int]) -> set[int]:
    return {16, 32, 64, 128, 256} | {size for size in blocks if size > 1}


def _quotient(name: str, tile: int) -> str:
    return name if tile == 1 else f"({name} - 1) / {tile} + 1"


def _tile(rows: Rows, name: str, blocks: set[int]) -> int | None:
    """The tile by which a scalar is divided, where one explains all rows."""
    least, most = 1, _LARGEST_TILE
    for numbers, size in rows:
        before = numbers[name] - 1
        if before < 0 or size < 1:
            return None
        # size = before / tile + 1, rounded down
        least = max(least, before // size + 1)
        if size > 1:
            most = min(most, before // (size - 1))
    if least > most or not rows:
        return None
    inside = range(least, most + 1)
    known = [tile for tile in inside if tile in blocks]
    return max(known) if known else max(inside, key=lambda tile: (tile & -tile, -tile))


def _linear(rows: Rows, names: Sequence[str]) -> Iterator[str]:
    """Bytes that grow with a scalar or with the product of two."""
    terms = [(name,) for name in names]
    pairs = [(a, b) for number, a in enumerate(names) for b in names[number:]]
    for term in (*terms, *pairs):
        points = {_product(numbers, term): size for numbers, size in rows}
        if len(points) < 2:
            continue
        (x, first), (z, second) = sorted(points.items())[:: len(points) - 1]
        factor, rest = divmod(second - first, z - x)
        if rest == 0:
            yield f"{' * '.join(term)} * {factor} + {first - factor * x}".replace("+ -", "- ")


def _product(numbers: Mapping[str, int], names: Sequence[str]) -> int:
    result = 1
    for name in names:
        result *= numbers[name]
    return result
