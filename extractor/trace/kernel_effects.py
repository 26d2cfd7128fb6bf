"""Effects of the kernels of a shared object, read when somebody asks and kept in the store."""

from __future__ import annotations

import hashlib
import json
import mmap
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

from extractor.check.names import base_name
from extractor.facts.device.trees import NAME, SOURCES
from extractor.index import native_library
from extractor.index.pool import Pool, Task
from extractor.index.precompiled import planned
from extractor.trace.effects import Effect
from extractor.trace.shared_object import HostSide, Member, SharedObject

_MODULES = (
    "closed_expressions",
    "closed_kernels",
    "closed_values",
    "effect_values",
    "effect_worker",
    "kernel_effects",
)


class KernelEffects:
    """What the kernels of one shared object write, for those whose effect is closed.

    They are read as they are compiled for the default architecture.

    Args:
        host: Built the shared object.
        made: The shared object.
    """

    def __init__(self, host: HostSide, made: SharedObject) -> None:
        self._host, self._made = host, made
        self._known: dict[str, Effect | str] = {}

    def of(self, symbols: Iterable[str], kernels: Sequence[str]) -> dict[str, Effect | None]:
        """Effects of kernels; ``None`` for one that is open.

        Args:
            symbols: The kernels.
            kernels: All that the shared object has. Other instantiations of the same templates are
                read along, where they are in the same units.
        """
        asked = sorted(set(symbols))
        for symbol in asked:
            if symbol not in self._known:
                data = self._host.project.store.recall(self._key(symbol))
                if data is not None:
                    self._known[symbol] = json.loads(data)
        left = {symbol for symbol in asked if symbol not in self._known}
        if left:
            self._read(left, kernels)
        found = ((symbol, self._known[symbol]) for symbol in asked)
        return {symbol: None if isinstance(e, str) else e for symbol, e in found}

    def why_open(self, symbol: str) -> str | None:
        """Why a kernel that was asked for is open."""
        found = self._known.get(symbol)
        return found if isinstance(found, str) else None

    def _read(self, left: set[str], kernels: Sequence[str]) -> None:
        """Reads kernels, each in the first unit that turns out to have it."""
        names = {base_name(symbol) for symbol in left}
        alike = sorted({k for k in kernels if base_name(k) in names} | left)
        for member in self._host.members(self._made):
            if not left:
                break
            here = _named(member.object, alike)
            if not left.isdisjoint(here):
                found = self._effects(member, here)
                for symbol, effect in found.items():
                    if symbol not in self._known:
                        self._keep(symbol, effect)
                left -= set(found)
        for symbol in left:
            self._keep(symbol, "no unit has a tree for it")

    def _keep(self, symbol: str, effect: Effect | str) -> None:
        self._known[symbol] = effect
        self._host.project.store.remember(self._key(symbol), json.dumps(effect).encode())

    def _effects(self, member: Member, symbols: Sequence[str]) -> dict[str, Effect | str]:
        project = member.project
        unit = member.device
        if unit is None:
            return {}
        closures = project.indexer.closures
        plain = list(closures.relevant_arguments(unit))
        header = planned(project.rule.precompiled, unit, closures)
        request = {
            "path": str(project.tree.root / unit.path),
            "arguments": [*plain, *(header.flags() if header else ())],
            "plain": plain,
            "root": str(project.tree.root),
            "kernels": list(symbols),
            "elements": self._elements,
        }
        library = native_library.build(project.toolchain, SOURCES, NAME)
        libclang = project.toolchain.libclang
        with Pool(library, libclang, 1, "extractor.trace.effect_worker") as pool:
            (answer,) = pool.run([Task(0, request)])
        rows = () if answer.crashed else answer.records
        return {s.decode(): json.loads(zlib.decompress(data)) for s, data in rows}

    @cached_property
    def _elements(self) -> Mapping[str, str]:
        """By class, the letters of its parts."""
        trace = self._host.project.rule.trace
        return dict(sorted(trace.elements.items())) if trace else {}

    @cached_property
    def _prefix(self) -> str:
        # One symbol is one kernel in all units, as the language asks for.
        key = self._host.content_key([identity(), json.dumps(self._elements)])
        return f"kernel-effect:{key}"

    def _key(self, symbol: str) -> str:
        return f"{self._prefix}:{symbol}"


def _named(path: Path, symbols: Sequence[str]) -> list[str]:
    """Those of some kernels whose names stand in an object."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return [s for s in symbols if data.find(b"\0" + s.encode() + b"\0") >= 0]


@cache
def identity() -> str:
    """Changes with whatever decides how an effect is read."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in [*(folder / f"{name}.py" for name in _MODULES), *sorted(SOURCES.iterdir())]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:24]
