"""What the index calls dead, put to the optimiser.

Unoptimised IR keeps a launch behind ``x && false``, and so cannot tell a launch that no run can
come to from one that the index was wrong to drop. Optimised IR can: a call that is still there
is not dead. (One that is gone need not be dead, if the callee does nothing that can be seen; a
launch always does.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from extractor.check import unit_cache
from extractor.check.answer import Answer, CallKey
from extractor.check.compile import OPTIMISED, compile_unit
from extractor.check.link import Program
from extractor.check.mangled import canonical
from extractor.check.symbols import UnitSymbols
from extractor.errors import UnitError
from extractor.toolchain.model import Toolchain
from extractor.units import Unit


def find_alive(
    index: Answer, program: Program, units: Sequence[Unit], root: Path, toolchain: Toolchain
) -> frozenset[CallKey]:
    """Calls that the index gives as dead and that optimised code still has.

    Args:
        index: The index's answer.
        program: The linked program; says which unit's copy of a caller counts.
        units: The units that were linked. Only those with a caller of a dead call are compiled.
        root: Root of the source tree.
        toolchain: Compiler and its flags.

    Raises:
        UnitError: A unit that compiled without optimisation does not compile with it.
    """
    dead: dict[str, set[CallKey]] = defaultdict(set)
    for key, call in index.calls.items():
        if call.dead:
            dead[key.caller.symbol].add(key)
    wanted: dict[str, set[CallKey]] = defaultdict(set)
    for bound in program.bound:
        if bound.definition.kind == "function":
            for key in dead.get(canonical(bound.definition.symbol), ()):
                wanted[program.units[bound.unit]].add(key)
    known = {unit.path: unit for unit in units}
    alive: set[CallKey] = set()
    for path in sorted(wanted):
        pairs = _pairs(_optimised(known[path], root, toolchain))
        alive |= {k for k in wanted[path] if (k.caller.symbol, k.callee.symbol) in pairs}
    return frozenset(alive)


def _optimised(unit: Unit, root: Path, toolchain: Toolchain) -> UnitSymbols:
    record = unit_cache.find(unit, root, toolchain, OPTIMISED)
    if record is None:
        try:
            compiled = compile_unit(unit, root, toolchain, OPTIMISED)
        except UnitError as error:
            raise UnitError(f"with optimisation: {error}") from error
        record = unit_cache.keep(unit, root, toolchain, compiled, OPTIMISED)
    return unit_cache.load(record)


def _pairs(unit: UnitSymbols) -> set[tuple[str, str]]:
    return {
        (canonical(each.symbol), canonical(mention.symbol))
        for each in unit.definitions
        if each.kind == "function"
        for mention in each.mentions
    }
