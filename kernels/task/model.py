"""The content of ``task.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kernels.task.element_types import ELEMENT_TYPES, ElementType
from kernels.task.expression import evaluate

SCHEMA = "rocquarry-task-1"

Number = int | float


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Parameter(_Strict):
    """One parameter of the entry, in its order.

    Attributes:
        name: As the source names it.
        kind: A value, device memory, or a stream.
        type: Element type; empty for a stream.
        components: Elements of one C++ object, for instance 4 for ``float4``.
        role: Whether a buffer is read, written, or both. An output is poisoned beforehand.
        extent: Elements of a buffer, as a size over the case's scalars; empty where each case
            has its own.
        low: Smallest value of generated content.
        high: Largest value of generated content.
    """

    name: str
    kind: Literal["scalar", "buffer", "stream"]
    type: str = ""
    components: int = Field(default=1, ge=1)
    role: Literal["input", "output", "inout"] = "input"
    extent: str = ""
    low: Number = -1
    high: Number = 1

    @model_validator(mode="after")
    def _known_type(self) -> Parameter:
        if self.kind != "stream" and self.type not in ELEMENT_TYPES:
            raise ValueError(
                f"'{self.type}' is no element type; there are {', '.join(ELEMENT_TYPES)}"
            )
        return self

    @property
    def element(self) -> ElementType:
        """Its element type."""
        return ELEMENT_TYPES[self.type]


class Launch(_Strict):
    """How an entry that is a kernel is launched; each is a size over the case's scalars."""

    grid: tuple[str, str, str]
    block: tuple[str, str, str]
    shared_bytes: str = "0"

    def values(self, scalars: Mapping[str, Number]) -> tuple[int, ...]:
        """Grid, block and bytes of dynamic LDS for one case."""
        return tuple(
            evaluate(text, scalars) for text in (*self.grid, *self.block, self.shared_bytes)
        )


class Entry(_Strict):
    """What is called.

    Attributes:
        kind: A host function, or a kernel that is launched directly.
        name: C++ expression of it, for instance ``scale<float>``.
    """

    kind: Literal["function", "kernel"]
    name: str


class Case(_Strict):
    """One set of inputs.

    Attributes:
        name: Unique in its task.
        scalars: A value for every scalar.
        seed: Of the buffers' content.
        extents: Elements of the buffers for which the task has no size, as they were measured.
        launch: Grid, block and bytes of dynamic LDS of this case, where the task's sizes do not
            give them.
    """

    name: str
    scalars: dict[str, Number]
    seed: int = 0
    extents: dict[str, int] = {}
    launch: tuple[int, int, int, int, int, int, int] | None = None


class Tolerance(_Strict):
    """How far two right results may lie apart: ``|a - b| <= absolute + relative * |b|``."""

    relative: float
    absolute: float


class Provenance(_Strict):
    """Where the baseline comes from."""

    origin: str
    name: str
    version: str = ""
    commit: str = ""
    license: str = ""
    sha256: str


class Task(_Strict):
    """A kernel to be replaced, and how a replacement is judged.

    Attributes:
        schema_: Version of this layout.
        task: Name, unique among tasks seen together.
        tool_version: Version of rocQuarry that made it.
        entry: What is called; a candidate must have it too.
        parameters: Its parameters in order.
        launch: For a kernel, how it is launched.
        cases: Inputs.
        reference: What gives the expected values.
        tolerance: By element type.
        source: Provenance of the baseline.
        flops: Operations of a call by its definition, as a size; empty where nobody counted.
        timed: What is timed on a card; one of the cases, or a larger one of the same form, where
            there is none.
    """

    schema_: Literal["rocquarry-task-1"] = Field(default="rocquarry-task-1", alias="schema")
    task: str
    tool_version: str
    entry: Entry
    parameters: tuple[Parameter, ...]
    launch: Launch | None = None
    cases: tuple[Case, ...]
    reference: Literal["baseline"] = "baseline"
    tolerance: dict[str, Tolerance]
    source: Provenance
    flops: str = ""
    timed: Case | None = None

    def geometry(self, case: Case) -> tuple[int, ...]:
        """Grid, block and bytes of dynamic LDS of a case; of a function, those of one thread.

        Raises:
            UserError: A size cannot be evaluated for this case.
        """
        if case.launch is not None:
            return case.launch
        return self.launch.values(case.scalars) if self.launch else (1, 1, 1, 1, 1, 1, 0)

    @model_validator(mode="after")
    def _whole(self) -> Task:
        if self.entry.kind == "kernel" and self.launch is None:
            raise ValueError("a kernel needs 'launch'")
        scalars = {p.name for p in self.parameters if p.kind == "scalar"}
        for case in self.cases:
            missing = scalars - set(case.scalars)
            if missing:
                raise ValueError(
                    f"case '{case.name}' gives no value for {', '.join(sorted(missing))}"
                )
            unsized = {p.name for p in self.parameters if p.kind == "buffer" and not p.extent}
            unsized -= set(case.extents)
            if unsized:
                raise ValueError(
                    f"case '{case.name}' gives no extent of {', '.join(sorted(unsized))}"
                )
        return self
