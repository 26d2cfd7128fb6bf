"""Larger calls of the form of a given one, so that what is timed is work and not a launch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from extractor.trace.arguments import Value
from kernels.verify.roles import role_of

_DOUBLINGS = 20
_LARGEST = 1 << 28


def larger_arguments(
    args: Mapping[str, Value], sizes: Collection[str]
) -> Iterator[dict[str, Value]]:
    """The arguments of a call with its sizes doubled, again and again.

    Leading dimensions grow with the sizes, and strides with their square: members of a batch stay
    as far apart as they were.

    Args:
        args: All arguments of the call.
        sizes: Names of those that are sizes.
    """
    for power in range(1, _DOUBLINGS + 1):
        factor = 1 << power
        larger = {n: _grown(n, v, factor, sizes) for n, v in args.items()}
        numbers = [larger[n] for n in larger if n in sizes]
        if not numbers or any(isinstance(n, int) and n > _LARGEST for n in numbers):
            return
        yield larger


def _grown(name: str, value: Value, factor: int, sizes: Collection[str]) -> Value:
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if name in sizes:
        return value * factor
    return value * {"stride": factor * factor, "leading": factor}.get(role_of(name), 1)
