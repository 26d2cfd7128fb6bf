"""The launch contract of a kernel in an instruction: grid, block, LDS and arguments as they are given.

Launch bounds alone say how many threads a block may have at most, which is no contract: a kernel
whose positions have a constant for the block's extent in them needs exactly that many.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence

from qa.author.draft import code, listed
from qa.author.kernel_facts import KernelFacts
from qa.author.launch_pairs import Pair, pair_at, passed_arguments
from qa.author.launch_shapes import explained, resolved, shapes_of
from qa.author.launch_under import own_names, under
from qa.author.needs import dynamic_lds, only_where
from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import read_function
from qa.reading.function_text import without_comments
from qa.reading.template_parameters import template_parameters
from qa.scope_view import ScopeView, Site
from qa.text.arithmetic import Unknown, Value, evaluate

_MOST_CALLERS, _MOST_PASSED, _LONGEST_EXTENT, _LONGEST_VALUE = 3, 8, 150, 70
_CAPPED = re.compile(r"handle->archMajor == (\d+) \? min\((\w+), (\w+)\) : \2")
_MEMBER = re.compile(r"\)\s*(?:\.|->)\s*[A-Za-z_]|\*\s*[A-Za-z_]\w*\)")
_LOOPED = re.compile(r"\b([A-Za-z_]\w*)@\d+")
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_SIZE = re.compile(r"[mnk]|n?rows\w*|n?cols\w*|size\w*|[A-Z]")
_WORDS = frozenset(["min", "max", "int32_t", "int64_t", "size_t", "uint32_t", "sizeof", "handle"])
_BLOCK, _THREAD = r"(?:hipBlockIdx_{0}|blockIdx\.{0})", r"(?:hipThreadIdx_{0}|threadIdx\.{0})"


def launch_contract(ground: Ground, view: ScopeView, facts: KernelFacts) -> str:
    """How a kernel is launched, in sentences; empty where nothing is known.

    Args:
        ground: The library.
        view: The scope.
        facts: Of the kernel.
    """
    function = facts.function
    sites = [s for s in view.launches if s.callee.id == function.id and not s.dead]
    callers: dict[str, list[Site]] = {}
    for site in sites:
        callers.setdefault(site.caller.id, []).append(site)
    parts = []
    only = only_where(function, sites)
    told: dict[str, list[str]] = {}
    notes: dict[str, str] = {}
    for rows in list(callers.values())[:_MOST_CALLERS]:
        shape = _shape(ground, view, rows, notes)
        if shape:
            shape += "" if only else under(rows)
            told.setdefault(shape, []).append(code(rows[0].caller.name))
    for shape, names in told.items():
        names = list(dict.fromkeys(names))
        parts.append(
            f"{listed(names)} {'launches' if len(names) == 1 else 'launch'} it with {shape}"
        )
    missing = len(callers) - sum(map(len, told.values()))
    if told and missing:
        parts.append(
            f"{missing} other {'launcher is' if missing == 1 else 'launchers are'} not told here"
        )
    parts += notes.values()
    parts += dynamic_lds(sites)
    parts += filter(None, [only])
    if len(callers) == 1:
        parts += _passed(ground, facts, sites)
    pair = next((p for s in sites[:4] if (p := pair_at(view, ground, s)) is not None), None)
    parts += _exactly(ground, facts, pair)
    if function.launch_bounds:
        parts.append(_bounds(function.launch_bounds, pair))
    if not parts:
        return ""
    return "Launch contract: " + "; ".join(parts) + "."


def _bounds(bounds: str, pair: Pair | None) -> str:
    """What the launch bounds say beside the block that is launched."""
    if pair is not None:
        with contextlib.suppress(Unknown):
            known: dict[str, Value] = dict(pair.constants)
            block = math.prod(int(evaluate(e, known)) for e in pair.block)
            if int(evaluate(bounds, known)) == block:
                return f"a block has all the threads that the launch bounds {code(bounds)} allow"
    return f"the launch bounds allow at most {code(bounds)} threads a block"


def _shape(ground: Ground, view: ScopeView, sites: Sequence[Site], notes: dict[str, str]) -> str:
    """Grid and block of the launches of one launcher; empty where they cannot be told."""
    words = shapes_of(sites)
    names = explained(sites, ground, words.replace("`", " ")) if words else None
    if words and names is not None and "grid" in words and "block" in words:
        return words + where_names(names)
    found = dict.fromkeys(
        shape for site in sites
        if (pair := pair_at(view, ground, site)) is not None
        and (shape := _by_facts(ground, view, pair, notes)) is not None
    )  # fmt: skip
    if not found:
        return _as_written(sites)
    if len(found) < 4:
        rows = [f"grid {code(grid)} and block {code(block)}" for grid, block in found]
        return listed(rows, "or") + (", as the case may be" if len(rows) > 1 else "")
    blocks = list(dict.fromkeys(code(block) for _grid, block in found))
    grids = list(dict.fromkeys(code(grid) for grid, _block in found))
    if len(blocks) > 3:
        return ""
    more = len(grids) - 2
    shown = f"grid {' or '.join(grids[:2])}" + (f" or one of {more} others" if more > 0 else "")
    return f"{shown}, as the case may be, and block {listed(blocks, 'or')}"


def _by_facts(
    ground: Ground, view: ScopeView, pair: Pair, notes: dict[str, str]
) -> tuple[str, str] | None:
    """Grid and block as the facts of the launch have them, local names of the launcher followed.

    Args:
        ground: The library.
        view: The scope.
        pair: The launch.
        notes: What names in them are; added to.
    """
    launcher = pair.launcher
    assert launcher.span is not None
    reading = read_function(launcher.text, launcher.span.start_line)
    own = {p.name for p in reading.parameters} | set(template_parameters(launcher))
    varies = _varies(ground, view, pair)
    rows: list[str] = []
    for named, put_in in (*zip(pair.named, pair.grid, strict=True),
                          *zip(pair.block_named, pair.block, strict=True)):  # fmt: skip
        names = set(_NAME.findall(_LOOPED.sub(" ", _CAPPED.sub(r"\2", named))))
        unknown = names - own - _WORDS - set(ground.constants)
        if not unknown or varies or len(put_in) > _LONGEST_EXTENT:
            rows.append(named)
            for name in sorted(unknown):
                made = {re.sub(r"\s+", " ", d.value) for d in reading.definitions if d.name == name}
                value = made.pop() if len(made) == 1 else ""
                if not value or len(value) > _LONGEST_VALUE or times_set(launcher.text, name) > 1:
                    return None
                notes[name] = f"{code(name)} is {code(value)}"
        else:
            rows.append(put_in)
    if any("'" in row or _MEMBER.search(row) or len(row) > _LONGEST_EXTENT for row in rows):
        return None  # the contents of memory, by way of a copy: the launcher says it otherwise
    for row in rows:
        for match in _LOOPED.finditer(row):
            notes[match[1]] = f"{code(match[1])} is the launcher's variable at the launch"
        for name in _NAME.findall(_LOOPED.sub(" ", _CAPPED.sub(r"\2", row))):
            if name in ground.constants and name not in own:
                notes[name] = f"{code(name)} is {ground.constants[name][0]}"
        for match in _CAPPED.finditer(row):
            notes[match[2]] = (
                f"where the architecture's major version is {match[1]}, at most {code(match[3])} "
                f"blocks stand for {code(match[2])}"
            )
    shown = [_CAPPED.sub(r"\2", _LOOPED.sub(r"\1", row)) for row in rows]
    return _triple(shown[:3]), _triple(shown[3:])


def _varies(ground: Ground, view: ScopeView, pair: Pair) -> bool:
    """Instantiations of the launcher give grids or blocks of other extents at this place."""
    seen: dict[str, set[str]] = {}
    for row in ground.facts_of(view.interface, pair.launcher.id):
        value = row["value"]
        if row["fact"] not in ("launch_grid", "launch_block") or not isinstance(value, dict):
            continue
        at_it = row["span"]["start_line"] == pair.site.at.start_line
        if at_it and value.get("kernel") == pair.kernel.id:
            seen.setdefault(row["fact"], set()).add(str(value["expressions"]))
    return any(len(values) > 1 for values in seen.values())


def _triple(extents: Sequence[str]) -> str:
    shown = list(extents)
    while len(shown) > 1 and shown[-1] == "1":
        shown.pop()
    return f"({', '.join(shown)})"


def _as_written(sites: Sequence[Site]) -> str:
    """Grid and block in the launcher's words, its own names among them; empty where they differ."""
    rows = list(dict.fromkeys(resolved(site) for site in sites))
    if len(rows) != 1 or any(re.fullmatch(r"[a-z_]\w*", row) for row in rows[0]):
        return ""
    grid, block = (re.sub(r"\s+", " ", row) for row in rows[0])
    if len(grid) > _LONGEST_EXTENT or len(block) > _LONGEST_EXTENT:
        return ""
    words = f"grid {code(grid)} and block {code(block)}"
    names = own_names(sites, f"{grid} {block}")
    return "" if names is None else words + names


def where_names(names: dict[str, str]) -> str:
    """What the launcher's names in a grid stand for."""
    if not names:
        return ""
    return f" (where {listed([f'{code(n)} is {code(value)}' for n, value in names.items()])})"


def _passed(ground: Ground, facts: KernelFacts, sites: Sequence[Site]) -> list[str]:
    """What the only launcher passes for parameters that have another name there, or none."""
    rows = [passed_arguments(ground, site, facts) for site in sites]
    caller = sites[0].caller
    if not all(rows) or caller.span is None:
        return []
    reading = read_function(caller.text, caller.span.start_line)
    found = []
    for name, argument in rows[0].items():
        if any(row.get(name) != argument for row in rows):
            continue
        value = argument
        made = [d for d in reading.definitions if d.name == argument]
        if len(made) == 1 and times_set(caller.text, argument) <= 1:
            value = re.sub(r"\s+", " ", made[0].value).strip()
        bare_value = re.sub(r"->|\(\w+\s*\*+\)", "", value)
        worked_out = re.search(r"[-+*/?(]|^\d|^(?:true|false)$", bare_value)
        other = _SIZE.fullmatch(name) and value != name
        if (
            (worked_out or other)
            and len(value) <= _LONGEST_VALUE
            and not value.startswith(("*", "{"))
        ):
            found.append(f"{code(value)} for {code(name)}")
    if not found or len(found) > _MOST_PASSED:
        return []
    return [f"it is given {listed(found)}"]


def _exactly(ground: Ground, facts: KernelFacts, pair: Pair | None) -> list[str]:
    """Extents of a block that the kernel's positions count on."""
    text = without_comments(facts.function.text)
    own = set(template_parameters(facts.function))
    extents = {}
    for axis in "xyz":
        block, thread = _BLOCK.format(axis), _THREAD.format(axis)
        product = rf"(?:{block}\s*\*\s*(\w+)|(\w+)\s*\*\s*{block})"
        match = re.search(rf"{product}\s*\+\s*{thread}(?!\s*[*/%])", text) or re.search(
            rf"{thread}\s*\+\s*{product}", text
        )
        name = next((g for g in match.groups() if g), "") if match else ""
        if match is None or not (name in own or name.isupper()) or name.isdigit():
            continue
        if pair is not None and not _agrees(ground, pair, name, axis):
            continue
        extents[axis] = (name, re.sub(r"\s+", " ", match[0]))
    if not extents:
        return []
    size = listed([f"{code(n)} threads along {axis}" for axis, (n, _at) in extents.items()])
    places = listed([code(at) for _n, at in extents.values()])
    return [
        f"a block needs exactly {size}: with any other number {places} would leave positions out or give one to two threads"
    ]


def _agrees(ground: Ground, pair: Pair, name: str, axis: str) -> bool:
    """The launch gives as many threads along an axis as a constant of the kernel says."""
    place = "xyz".index(axis)
    value = pair.constants.get(name, ground.constants.get(name, (None,))[0])
    if value is None:
        return pair.block_named[place] == name
    return pair.block[place] == str(value)
