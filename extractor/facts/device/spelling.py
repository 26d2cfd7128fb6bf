"""Names of loop variables as a reader expects them."""

from __future__ import annotations

import re
from typing import Any


def simplified(value: dict[str, Any]) -> dict[str, Any]:
    """Drops the numbers behind names where nothing else in a fact has the name.

    Within a kernel the variables of different loops are told apart (``i``, ``i'2``); within one
    fact there is mostly one of each name.

    Example:
        >>> simplified({"index": "i'2*n", "symbols": {"i'2": {"kind": "loop variable"}, "n": {}}})
        {'index': 'i*n', 'symbols': {'i': {'kind': 'loop variable'}, 'n': {}}}
    """
    names = value.get("symbols", {})
    plain = [name.partition("'")[0] for name in names]
    changes = {
        name: base
        for name, base in zip(names, plain, strict=True)
        if name != base and plain.count(base) == 1
    }
    own = value.get("symbol", "")
    if "'" in own and own.partition("'")[0] not in plain:
        changes[own] = own.partition("'")[0]
    if not changes:
        return value
    longest = sorted(changes, key=len, reverse=True)
    pattern = re.compile(r"(?<![\w.'])(?:" + "|".join(map(re.escape, longest)) + r")(?!\d)")

    def renamed(item: Any) -> Any:
        if isinstance(item, str):
            return pattern.sub(lambda match: changes[match[0]], item)
        if isinstance(item, list):
            return [renamed(one) for one in item]
        if isinstance(item, dict):
            return {renamed(key): renamed(one) for key, one in item.items()}
        return item

    result: dict[str, Any] = renamed(value)
    return {**result, **({"symbols": dict(sorted(result["symbols"].items()))} if names else {})}
