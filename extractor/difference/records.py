"""Records of a difference: one for each thing that appeared, vanished or changed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from extractor.records import FailedUnit, Source

DIFFERENCE_SCHEMA = "rocquarry.difference/1"

Kind = Literal["entry_point", "reach", "kernel", "instantiation", "launch", "dispatch"]
KINDS: tuple[Kind, ...] = (
    "entry_point", "reach", "kernel", "instantiation", "launch", "dispatch",
)  # fmt: skip
How = Literal["appeared", "vanished", "changed"]


class Record(BaseModel):
    """Base of the records."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Place(Record):
    """Source of one side.

    Attributes:
        file: File relative to that side's tree.
        start_line: First line, from 1.
        end_line: Last line, inclusive.
        text: The exact text.
    """

    file: str
    start_line: int
    end_line: int
    text: str


class Property(Record):
    """One property that differs.

    Attributes:
        name: Which.
        old: Its value on the old side.
        new: Its value on the new side.
    """

    name: str
    old: str
    new: str


class Change(Record):
    """One thing that is not the same on both sides.

    Attributes:
        kind: ``entry_point``; ``reach``, the kernels an entry point can launch; ``kernel``, its
            text and bounds; ``instantiation`` of a kernel; ``launch``, what is launched from where
            and its configuration; ``dispatch``, the conditions of a launch.
        change: Whether it appeared, vanished or changed.
        name: Its name: an entry point, a kernel, or ``caller -> kernel``.
        interfaces: Interfaces that reach it, on either side.
        fields: What differs, where both sides have it, or what there was.
        old: Source of the old side; ``null`` where it has none.
        new: Source of the new side; ``null`` where it has none.
    """

    kind: Kind
    change: How
    name: str
    interfaces: tuple[str, ...]
    fields: tuple[Property, ...] = ()
    old: Place | None = None
    new: Place | None = None


class SideInfo(Record):
    """One side of a difference.

    Attributes:
        label: As the user named it.
        source: Where it came from; ``null`` where it had nothing to read.
        configs: Configurations covered.
        interfaces: How many.
        entry_points: How many.
        kernels: How many definitions, those that no launch can reach left out.
        instantiations: Of those kernels.
        launches: Places that launch.
        failed_units: Units with errors; what they define may be missing on this side.
    """

    label: str
    source: Source | None
    configs: tuple[str, ...]
    interfaces: int
    entry_points: int
    kernels: int
    instantiations: int
    launches: int
    failed_units: tuple[FailedUnit, ...]


class Difference(Record):
    """Two sides, and everything in which they differ.

    Attributes:
        schema_version: ``rocquarry.difference/1``; the key in JSON is ``schema``.
        tool_version: rocQuarry that wrote it.
        project: Rule file.
        old: The old side.
        new: The new side.
        counts: For each kind how many appeared, vanished and changed.
        changes: In the order of kinds, then names.
        conditions_compared: Both sides had facts of launch conditions.
    """

    schema_version: str = Field(default=DIFFERENCE_SCHEMA, alias="schema")
    tool_version: str
    project: str
    old: SideInfo
    new: SideInfo
    counts: dict[str, dict[str, int]]
    changes: tuple[Change, ...]
    conditions_compared: bool
