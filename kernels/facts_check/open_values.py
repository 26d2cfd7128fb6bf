"""Index maps that hold for some value of what a recording does not tell.

What a kernel loads, or carries from one turn of a loop to the next, has a value that nobody wrote
down. Every value of a range is tried: an access agrees where one of them leads to its address. That
says something only where most addresses are led to by none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from kernels.facts_check.expression import Unsupported

OPEN = frozenset({"loaded", "loop-carried", "condition", "result"})
"""Kinds of symbols whose values are open."""

_RANGE = range(-1, 300)
_TRUTHS = range(2)
_MOST_TRUTHS = 3
_MOST_INDICES = 24_000
_DENSE = 4
"""Of so many neighbouring indices one may be led to; with more of them nothing is shown."""


def open_symbols(symbols: Mapping[str, Mapping[str, Any]]) -> dict[str, range]:
    """Symbols whose values are open, with the values tried.

    Raises:
        Unsupported: There are too many.
    """
    found = {
        name: _TRUTHS if symbol["kind"] == "condition" else _RANGE
        for name, symbol in symbols.items()
        if symbol["kind"] in OPEN
    }
    numbers = [name for name, values in found.items() if values is _RANGE]
    if len(numbers) > 1 or len(found) - len(numbers) > _MOST_TRUTHS:
        kinds = sorted({symbols[name]["kind"] for name in found})
        raise Unsupported(f"several open values: {', '.join(kinds)}")
    return found


def plainly_named(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An access fact whose open symbols have names that an expression can have.

    Example:
        >>> plainly_named({"index": "p[i]*n", "symbols": {"p[i]": {"kind": "loaded"}, "n": {}}})
        {'index': 'open0*n', 'symbols': {'open0': {'kind': 'loaded'}, 'n': {}}}
    """
    names = [name for name, one in value["symbols"].items() if one.get("kind") in OPEN]
    # Longer ones may have shorter ones in them.
    changes = {name: f"open{n}" for n, name in enumerate(sorted(names, key=len, reverse=True))}

    def renamed(item: Any) -> Any:
        if isinstance(item, str):
            for name, plain in changes.items():
                item = re.sub(rf"(?<![\w.'@]){re.escape(name)}(?![\w'@])", plain, item)
            return item
        if isinstance(item, dict):
            return {changes.get(key, key): renamed(one) for key, one in item.items()}
        return item

    changed = {key: renamed(value[key]) for key in ("index", "symbols")}
    return {**value, **changed}


def led_to(
    values: Mapping[str, range],
    scope: Mapping[str, int],
    indices: Callable[[dict[str, int]], Iterable[int]],
) -> set[int]:
    """Every index that some values lead to.

    Args:
        values: Of open symbols.
        scope: Of the others.
        indices: All indices for values of all symbols.

    Raises:
        Unsupported: They are so many that an access would hardly miss them.
    """
    found: set[int] = set()
    left = _MOST_INDICES
    for chosen in product(*values.values()):
        own = {**scope, **dict(zip(values, chosen, strict=True))}
        for index in indices(own):
            found.add(index)
            left -= 1
            if left < 0:
                raise Unsupported("too many open values and turns of loops")
    if len(found) > 1 and (max(found) - min(found)) < _DENSE * len(found):
        raise Unsupported("some open value leads almost anywhere")
    return found
