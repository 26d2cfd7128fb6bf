"""Values for the names of a launch's formulas: those of a recorded call, or ones that fit."""

from __future__ import annotations

import contextlib
import re
from itertools import product
from typing import Any

from qa.author.launch_pairs import Pair, Shape
from qa.author.sites import launching
from qa.ground import Ground
from qa.scope_view import ScopeView
from qa.text.arithmetic import Unknown, evaluate, names_in

_SIZES = (1000, 300, 100, 768, 37, 20, 10, 2000, 4096, 5000, 20000, 64, 50000, 6, 3)
_SECOND = (700, 200, 1000, 256, 90, 50, 20, 10, 6, 3)
_OF_THE_LIBRARY = re.compile(r"->|\.|^(?:handle|alpha|beta)")
_MOST_THREADS = 1024
_MOST_ARGUMENTS = 11
_BLOCK_NAMES = frozenset(("m", "n", "k", "nrhs", "batch_count"))
_LDS_OF_A_BLOCK = 65536
_PLAIN = re.compile(r"[A-Za-z_]\w*")


def shape_of(pair: Pair, values: dict[str, int]) -> Shape | None:
    """The launch's shape for values of the launcher's names; ``None`` where a block is open."""
    grid: list[int | None] = []
    for expression in pair.grid:
        try:
            grid.append(int(evaluate(expression, values)))
        except Unknown:
            grid.append(None)
    try:
        block = [int(evaluate(expression, values)) for expression in pair.block]
    except Unknown:
        return None
    if not 1 <= block[0] * block[1] * block[2] <= _MOST_THREADS or min(block) < 1:
        return None
    if any(extent is not None and extent < 1 for extent in grid):
        return None
    return Shape(values, (grid[0], grid[1], grid[2]), (block[0], block[1], block[2]))


def open_names(pair: Pair) -> list[str]:
    """Names of sizes in the formulas of grid and block, those of handles left out."""
    found = names_in(" + ".join(f"({e})" for e in (*pair.grid[:2], *pair.block)))
    return [name for name in found if not _OF_THE_LIBRARY.search(name)]


def exact_divisions(pair: Pair) -> list[tuple[str, int]]:
    """Sizes that a grid divides without rounding up, and by what."""
    found = []
    for expression in pair.grid:
        match = re.fullmatch(r"\(?(\w+) / (\d+)\)?", expression)
        if match:
            found.append((match[1], int(match[2])))
    return found


def allowed(pair: Pair, values: dict[str, int]) -> bool:
    """No condition of the launch that the values decide is against them."""
    if any(values.get(name, 0) % by for name, by in exact_divisions(pair)):
        return False  # the grid would leave a rest out
    shared = (pair.rows.get("launch_shared_bytes") or {"value": {}})["value"].get("expression")
    with contextlib.suppress(Unknown):
        if shared and evaluate(shared, values) > _LDS_OF_A_BLOCK:
            return False  # no block can have so much
    for condition in pair.conditions:
        try:
            if not evaluate(condition, values):
                return False
        except Unknown:
            continue
    return True


def choose_shape(pair: Pair, *wanted: str) -> Shape | None:
    """Values for the launcher's names under which the launch is made, with a shape worth a look.

    Args:
        pair: Launcher and kernel.
        wanted: Further names that values are needed for, of parameters that bound positions.
    """
    names = [n for n in dict.fromkeys((*open_names(pair), *wanted)) if _PLAIN.fullmatch(n)]
    sizes = [n for n in names if n not in ("batch_count", "batches")]
    if len(sizes) > 4 or any("[" in e or "'" in e for e in (*pair.grid[:2], *pair.block)):
        return None
    if not set(names_in(" + ".join(f"({e})" for e in pair.block))) <= _BLOCK_NAMES:
        return None
    first = _SIZES if sizes else (0,)
    sizes.sort(key=lambda name: name not in names_in(pair.grid[0]))
    second = _SECOND if len(sizes) > 1 else (0,)
    for one, two in product(first, second):
        many = "batch_count" in names_in(pair.grid[0]) and pair.block[0] != "1"
        values = {"batch_count": 300 if many else 3} if "batch_count" in names else {}
        for position, name in enumerate(sizes):
            values[name] = (one, two, 300, 150)[position]
        if not allowed(pair, values):
            continue
        shape = shape_of(pair, values)
        if shape is not None and all(g is None or g < 5000 for g in shape.grid[:2]):
            return shape
    return None


def recorded_shape(view: ScopeView, ground: Ground, pair: Pair) -> Shape | None:
    """The shape of a recorded launch that the launcher's formulas give for the call's arguments."""
    symbol = pair.kernel.instantiations[pair.number]["symbol"]
    names = list(open_names(pair))
    best: tuple[tuple[Any, ...], Shape] | None = None
    for trace in ground.traces(view.interface):
        for launch in trace["launches"]:
            if launch.get("symbol", "").split("@")[0] != symbol or launch["repeat"] != 1:
                continue
            values = {k: v for k, v in trace["args"].items() if isinstance(v, int)}
            if not all(name in values for name in names) or not names:
                continue
            if min(values.values()) < 0:
                continue  # origins are moved for a negative increment
            shape = shape_of(pair, values)
            if shape is None or list(shape.block) != launch["block"]:
                continue
            known = [
                g == w for g, w in zip(shape.grid, launch["grid"], strict=True) if g is not None
            ]
            if not all(known) or shape.grid[0] is None or shape.grid[1] is None:
                continue
            if not allowed(pair, values) or max(launch["grid"][:2]) > 5000:
                continue
            grid = (launch["grid"][0], launch["grid"][1], launch["grid"][2])
            # What the formulas do not have is not known to keep its value down to here.
            proved = {name: values[name] for name in names}
            one = Shape(proved, grid, shape.block, trace, launch)
            if re.search(r"_64$|_ex$", trace["entry"]) or len(trace["args"]) > _MOST_ARGUMENTS:
                continue
            score = (
                max(grid[:2]) < 2, len(trace["launches"]) > 1, trace["entry"].endswith("_64"),
                trace["entry"].count("_"), len(trace["args"]), trace["pointer_mode"] != "host",
                trace["entry"], sorted(values.items()),
            )  # fmt: skip
            if best is None or score < best[0]:
                best = (score, one)
    if best is None:
        return None
    call = best[1].trace
    assert call is not None
    sites = launching(view, call["entry"], call.get("config", "source"), symbol)
    return best[1] if any(s.caller.id == pair.launcher.id for s in sites) else None
