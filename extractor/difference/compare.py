"""Holds two inventories against each other."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from extractor import __version__
from extractor.difference.inventory import EntryPoint, Inventory, Kernel, Launch
from extractor.difference.records import (
    KINDS,
    Change,
    Difference,
    How,
    Kind,
    Place,
    Property,
    SideInfo,
)
from extractor.records import FailedUnit, Source

_T = TypeVar("_T")
_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")', re.S)


def compare(project: str, old: Inventory, new: Inventory, labels: tuple[str, str]) -> Difference:
    """Lists everything in which two sides differ.

    Kernels are paired by name, and of several with one name first those in files of the same
    name; launches by caller and kernel, and of several first those that are equal. Comments and
    white space are no difference.

    Args:
        project: Name of the project.
        old: The old side.
        new: The new side.
        labels: What the user called them.
    """
    changes = [
        *_entry_points(old, new),
        *_kernels(old, new),
        *_launches(old, new),
    ]
    changes.sort(key=lambda c: (KINDS.index(c.kind), c.name, c.change, _line(c)))
    counts: dict[str, dict[str, int]] = {
        kind: {
            how: sum(1 for c in changes if c.kind == kind and c.change == how)
            for how in ("appeared", "vanished", "changed")
        }
        for kind in KINDS
    }
    return Difference(
        tool_version=__version__,
        project=project,
        old=_info(labels[0], old),
        new=_info(labels[1], new),
        counts=counts,
        changes=tuple(changes),
        conditions_compared=bool(old.conditions and new.conditions),
    )


def _entry_points(old: Inventory, new: Inventory) -> Iterable[Change]:
    for name in sorted({*old.entry_points, *new.entry_points}):
        before, after = old.entry_points.get(name), new.entry_points.get(name)
        if before is None or after is None:
            one = before or after
            assert one is not None
            fields = [_property("signature", before, after, lambda e: e.signature)]
            yield _change("entry_point", name, before, after, fields)
            continue
        fields = []
        if before.signature != after.signature:
            fields.append(Property(name="signature", old=before.signature, new=after.signature))
        if _code(before.place) != _code(after.place):
            fields.append(Property(name="text", old="", new=""))
        if fields:
            yield _change("entry_point", name, before, after, fields)
        for config in sorted(before.kernels.keys() & after.kernels.keys()):
            gone = before.kernels[config] - after.kernels[config]
            come = after.kernels[config] - before.kernels[config]
            if gone or come:
                field = Property(name=f"kernels ({config})", old=_listed(gone), new=_listed(come))
                yield _change("reach", name, before, after, [field])
        if not before.kernels.keys() & after.kernels.keys():
            # Two configurations of one source: each has its own.
            gone = set().union(*before.kernels.values()) - set().union(*after.kernels.values())
            come = set().union(*after.kernels.values()) - set().union(*before.kernels.values())
            if gone or come:
                field = Property(name="kernels", old=_listed(gone), new=_listed(come))
                yield _change("reach", name, before, after, [field])


def _kernels(old: Inventory, new: Inventory) -> Iterable[Change]:
    pairs = _paired(
        old.kernels.values(),
        new.kernels.values(),
        lambda kernel: kernel.name,
        (
            lambda kernel: (kernel.qualified_name, kernel.place.file if kernel.place else ""),
            lambda kernel: kernel.place.file.rpartition("/")[2] if kernel.place else "",
        ),
    )
    for before, after in pairs:
        one = before or after
        assert one is not None
        name = one.name
        if before is None or after is None:
            count = Property(
                name="instantiations",
                old=str(len(before.instantiations)) if before else "",
                new=str(len(after.instantiations)) if after else "",
            )
            yield _change("kernel", name, before, after, [count])
            continue
        fields = [
            Property(name=title, old=one, new=two)
            for title, one, two in (
                ("qualified name", before.qualified_name, after.qualified_name),
                ("launch bounds", before.bounds, after.bounds),
                ("file", _file(before.place), _file(after.place)),
            )
            if one != two
        ]
        if _code(before.place) != _code(after.place):
            fields.append(Property(name="text", old="", new=""))
        if fields:
            yield _change("kernel", name, before, after, fields)
        for how, texts in (
            ("vanished", before.instantiations - after.instantiations),
            ("appeared", after.instantiations - before.instantiations),
        ):
            if texts:
                owner = before if how == "vanished" else after
                field = Property(
                    name=f"{len(texts)} of {len(owner.instantiations)}",
                    old="\n".join(sorted(texts)) if how == "vanished" else "",
                    new="\n".join(sorted(texts)) if how == "appeared" else "",
                )
                gone, come = (before, None) if how == "vanished" else (None, after)
                yield _change("instantiation", name, gone, come, [field])


def _launches(old: Inventory, new: Inventory) -> Iterable[Change]:
    pairs = _paired(
        old.launches.values(),
        new.launches.values(),
        lambda launch: (launch.caller, launch.kernel),
        (
            lambda launch: (launch.parts.items(), launch.condition, launch.place.file),
            lambda launch: (launch.parts.items(), launch.condition),
            lambda launch: tuple(launch.parts.items()),
            lambda launch: launch.place.file,
        ),
    )
    with_conditions = bool(old.conditions and new.conditions)
    for before, after in pairs:
        one = before or after
        assert one is not None
        name = f"{one.caller} -> {one.kernel}"
        if before is None or after is None:
            fields = [
                Property(
                    name=part,
                    old=before.parts[part] if before else "",
                    new=after.parts[part] if after else "",
                )
                for part in one.parts
            ]
            yield _change("launch", name, before, after, fields)
            continue
        parts = dict.fromkeys([*before.parts, *after.parts])
        fields = [
            Property(name=part, old=before.parts.get(part, ""), new=after.parts.get(part, ""))
            for part in parts
            if before.parts.get(part) != after.parts.get(part)
        ]
        if fields:
            yield _change("launch", name, before, after, fields)
        if with_conditions and before.condition != after.condition:
            field = Property(name="condition", old=before.condition, new=after.condition)
            yield _change("dispatch", name, before, after, [field])


def _paired(
    old: Iterable[_T],
    new: Iterable[_T],
    name: Callable[[_T], Hashable],
    keys: Sequence[Callable[[_T], object]],
) -> list[tuple[_T | None, _T | None]]:
    """Pairs of one name, by the first key on which two agree, then in the order they stand in."""
    groups: dict[Hashable, tuple[list[_T], list[_T]]] = {}
    for side, items in enumerate((old, new)):
        for item in items:
            groups.setdefault(name(item), ([], []))[side].append(item)
    pairs: list[tuple[_T | None, _T | None]] = []
    for before, after in groups.values():
        for key in keys:
            waiting: dict[str, deque[_T]] = {}
            for item in after:
                waiting.setdefault(repr(key(item)), deque()).append(item)
            taken: set[int] = set()
            unpaired: list[_T] = []
            for one in before:
                equal = waiting.get(repr(key(one)))
                if not equal:
                    unpaired.append(one)
                    continue
                two = equal.popleft()
                taken.add(id(two))
                pairs.append((one, two))
            before[:] = unpaired
            after[:] = [item for item in after if id(item) not in taken]
        shared = min(len(before), len(after))
        pairs += list(zip(before[:shared], after[:shared], strict=True))
        pairs += [(one, None) for one in before[shared:]]
        pairs += [(None, two) for two in after[shared:]]
    return pairs


_Item = TypeVar("_Item", EntryPoint, Kernel, Launch)


def _change(
    kind: Kind, name: str, old: _Item | None, new: _Item | None, fields: Sequence[Property]
) -> Change:
    how: How = "vanished" if new is None else "appeared" if old is None else "changed"
    interfaces = (old.interfaces if old else set()) | (new.interfaces if new else set())
    return Change(
        kind=kind,
        change=how,
        name=name,
        interfaces=tuple(sorted(interfaces)),
        fields=tuple(fields),
        old=old.place if old else None,
        new=new.place if new else None,
    )


def _property(
    title: str, old: _Item | None, new: _Item | None, value: Callable[[_Item], str]
) -> Property:
    return Property(name=title, old=value(old) if old else "", new=value(new) if new else "")


def _code(place: Place | None) -> str:
    if place is None:
        return ""
    return " ".join(_COMMENT.sub(lambda match: match[1] or " ", place.text).split())


def _file(place: Place | None) -> str:
    return place.file if place else ""


def _line(change: Change) -> tuple[str, int]:
    place = change.new or change.old
    return (place.file, place.start_line) if place else ("", 0)


def _listed(names: Iterable[str]) -> str:
    return "\n".join(sorted(names))


def _info(label: str, side: Inventory) -> SideInfo:
    return SideInfo(
        label=label,
        source=Source.model_validate(side.source) if side.source else None,
        configs=tuple(side.configs),
        interfaces=len(side.interfaces),
        entry_points=len(side.entry_points),
        kernels=len(side.kernels),
        instantiations=sum(len(kernel.instantiations) for kernel in side.kernels.values()),
        launches=len(side.launches),
        failed_units=tuple(
            FailedUnit.model_validate({**unit, "errors": tuple(unit["errors"])})
            for _, unit in sorted(side.failed_units.items())
        ),
    )
