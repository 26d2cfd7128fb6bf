"""One case of one entry point: its buffers, the call, and what the definition says of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernels.call.case import Case
from kernels.call.content import fill, size_of
from kernels.call.layout import Placement, place, poisoned
from kernels.call.roles import Signature
from kernels.call.session import Answer, Session
from kernels.reference.operation import Instance, Parameters, Problem
from kernels.reference.precision import wide
from kernels.task.element_types import ELEMENT_TYPES, from_storage, numpy, to_storage

_OTHER = {"alpha": (1.5, -0.75), "beta": (-0.625, 0.375)}


@dataclass(frozen=True)
class Failure:
    """What is wrong with one call.

    Attributes:
        kind: See :class:`kernels.call.record.Finding`.
        problem: The first thing that is wrong.
        answer: What came of the call.
    """

    kind: str
    problem: Problem
    answer: Answer


@dataclass(frozen=True)
class Handle:
    """Functions that make, set and end what every call takes first; empty where there are none."""

    create: str = ""
    destroy: str = ""
    mode: str = ""
    modes: Mapping[str, int] | None = None


class Execution:
    """Makes calls of one entry point.

    Args:
        signature: The entry point.
        flags: Letters and values of its flags.
        handle: What it takes first.
        statuses: Names of the values it may return.
    """

    def __init__(
        self,
        signature: Signature,
        flags: Mapping[str, Mapping[str, int]],
        handle: Handle,
        statuses: Mapping[int, str],
    ) -> None:
        self._signature, self._flags = signature, flags
        self._handle, self._statuses = handle, statuses

    def fixing(self, values: Mapping[str, Any]) -> Execution:
        """The same with other values of what no case says, such as a most number of sweeps."""
        known = self._signature.fixed
        fixed = {name: values.get(name, value) for name, value in known.items()}
        signature = replace(self._signature, fixed=fixed)
        return Execution(signature, self._flags, self._handle, self._statuses)

    def run(
        self, session: Session, case: Case, *, benign: bool = False, renew: bool = True
    ) -> Failure | str | None:
        """Makes the call of a case and judges it.

        Args:
            session: Where.
            case: The input.
            benign: Fill what the definition does not speak of with zeros instead of NaN.
            renew: Make the call with a fresh handle, whose workspaces are poisoned; it costs more
                than most calls.

        Returns:
            What is wrong; ``None`` if nothing is; a word where the library says that it does not
            do this.
        """
        prepared = _Prepared(self._signature, case, benign=benign)
        message = {**self._message(prepared, case), "renew": renew}
        answer = session.call(message, prepared.flat())
        if answer.status is None or answer.error:
            slow = "did not end" in answer.error
            memory = bool(answer.findings) and "out_of_bounds" in str(answer.findings[0])
            kind = "time" if slow else "memory" if memory else "crash"
            if answer.findings and not memory:
                kind = str(answer.findings[0].get("kind", kind))
            problem = Problem("", (), "the call returns", answer.error, answer.error, float("inf"))
            return Failure(kind, problem, answer)
        if answer.status:
            name = self._statuses.get(answer.status, str(answer.status))
            if "not_implemented" in name:
                return name
            text = f"the call returned {name} for arguments that are allowed"
            return Failure("status", Problem("", (), "0", name, text, float("inf")), answer)
        for problem in prepared.touched(answer.buffers):
            return Failure("untouched", problem, answer)
        problems = list(prepared.judge(answer.buffers))
        if problems:
            return Failure("result", max(problems, key=lambda one: one.ratio), answer)
        return None

    def _message(self, prepared: _Prepared, case: Case) -> dict[str, Any]:
        handle = self._handle
        names = None
        if handle.create:
            names = {"create": handle.create, "destroy": handle.destroy, "mode": handle.mode}
        mode = (handle.modes or {}).get(case.get("mode", "host"), 0)
        return {
            "function": self._signature.prototype.name, "handle": names, "pointer_mode": mode,
            "options": {k: case[k] for k in ("schedule", "poison", "guard")},
            "arguments": list(self._arguments(prepared, case)), "tables": prepared.tables,
        }  # fmt: skip

    def _arguments(self, prepared: _Prepared, case: Case) -> Iterator[tuple[str, Any]]:
        signature = self._signature
        for argument in signature.prototype.parameters:
            name, kind = argument.name, argument.type
            if name in prepared.pointers:
                yield prepared.pointers[name]
            elif kind.base.endswith("handle"):
                yield "handle", 0
            elif name in self._flags:
                yield "enum", self._flags[name][str(case[name])]
            elif name in signature.fixed:
                value = signature.fixed[name]
                yield kind.element, value if kind.element.startswith("float") else int(value)
            else:
                yield kind.element, prepared.numbers[name]


class _Prepared:
    """The buffers of a case, before the call and to be judged after it."""

    def __init__(self, signature: Signature, case: Case, *, benign: bool) -> None:
        np = numpy()
        self._signature, self._case = signature, case
        self.batch = max(int(case.get(signature.batch, 1)), 0) if signature.batch else 1
        self.values = {**signature.fixed, **case, **self._scalars()}
        if "transA" in case and "trans" not in case:
            self.values["trans"] = case["transA"]
        self.placements = [place(array, self.values, self.batch) for array in signature.arrays]
        self.start: list[list[Any]] = []
        self.pointers: dict[str, tuple[str, Any]] = {}
        self.tables: list[list[int]] = []
        self.numbers: dict[str, int] = {n: int(case[n]) for n in signature.sizes}
        if signature.batch:
            self.numbers[signature.batch] = self.batch
        self._members = self._contents(np, benign=benign)
        for placement in self.placements:
            self._add(placement, benign=benign)
        self._scalar_buffers: list[bytes] = []
        for name, element in signature.scalars.items():
            data = to_storage(np.array([self.values[name]]), ELEMENT_TYPES[element])
            self.pointers[name] = ("buffer", self._count() + len(self._scalar_buffers))
            self._scalar_buffers.append(data)

    def flat(self) -> list[bytes]:
        """All buffers in the order in which arguments count them."""
        arrays = [bytes(buffer.tobytes()) for group in self.start for buffer in group]
        return [*arrays, *self._scalar_buffers]

    def touched(self, after: Sequence[bytes]) -> Iterator[Problem]:
        """Elements that were written although the definition forbids it."""
        np = numpy()
        at = 0
        for placement, group in zip(self.placements, self.start, strict=True):
            operand, size = placement.array.operand, _size(placement)
            for number, before in enumerate(group):
                now = np.frombuffer(after[at], dtype=np.uint8).reshape(-1, size)
                changed = (now != before.reshape(-1, size)).any(axis=1)
                at += 1
                if not changed.any():
                    continue
                if operand.direction != "in":
                    for member in range(placement.members):
                        if placement.buffer_of(member) != number:
                            continue
                        places = placement.places(member)
                        inside = placement.part
                        changed[places[inside] if operand.outside == "untouched" else places] = (
                            False
                        )
                if changed.any():
                    first = int(np.flatnonzero(changed)[0])
                    what = "an input" if operand.direction == "in" else "outside its part"
                    yield Problem(
                        placement.array.name, (first,), before.reshape(-1, size)[first].tobytes()
                        .hex(), now[first].tobytes().hex(),
                        f"element {first} of the buffer of {placement.array.name} was written, "
                        f"which is {what}", float("inf"),
                    )  # fmt: skip
        for name, data in zip(self._signature.scalars, self._scalar_buffers, strict=True):
            if after[at] != data:
                yield Problem(name, (), data.hex(), after[at].hex(), f"{name} was written",
                              float("inf"))  # fmt: skip
            at += 1

    def judge(self, after: Sequence[bytes]) -> Iterator[Problem]:
        """What the definition says to each member of the batch."""
        np = numpy()
        decoded = self._decode(after)
        parameters = Parameters({**self.values, **{
            name: wide(np.array([self.values[name]]))[0] for name in self._signature.scalars
        }})  # fmt: skip
        for member in range(self.batch):
            before: dict[str, Any] = {}
            now: dict[str, Any] = {}
            elements: dict[str, str] = {}
            parts: dict[str, Any] = {}
            for placement, old, new in zip(self.placements, self._decoded_start, decoded,
                                           strict=True):  # fmt: skip
                if not placement.present:
                    continue
                name = placement.array.operand.name
                shared = member if placement.members > member else 0
                places, buffer = placement.places(shared), placement.buffer_of(shared)
                vector = placement.array.operand.cols is None
                for target, source in ((before, old), (now, new)):
                    values = source[buffer][places]
                    target[name] = values[:, 0] if vector else values
                elements[name] = placement.array.element
                parts[name] = placement.part[:, 0] if vector else placement.part
            with np.errstate(all="ignore"):
                yield from self._signature.operation.check(
                    Instance(parameters, before, now, elements, parts)
                )

    @property
    def _decoded_start(self) -> list[list[Any]]:
        if not hasattr(self, "_kept"):
            self._kept = self._decode([b.tobytes() for group in self.start for b in group])
        return self._kept

    def _decode(self, buffers: Sequence[bytes]) -> list[list[Any]]:
        found, at = [], 0
        for placement, group in zip(self.placements, self.start, strict=True):
            element = ELEMENT_TYPES[placement.array.element]
            found.append([wide(from_storage(buffers[at + n], element)) for n in range(len(group))])
            at += len(group)
        return found

    def _scalars(self) -> dict[str, Any]:
        """Values of alpha and beta, rounded to their types."""
        np = numpy()
        found = {}
        for name, element in self._signature.scalars.items():
            word = str(self._case.get(name, "1"))
            real, imaginary = _OTHER.get(name, _OTHER["alpha"])
            kind = ELEMENT_TYPES[element]
            value: Any = {"0": 0.0, "1": 1.0, "-1": -1.0}.get(word, real)
            if word == "other" and kind.family == "complex":
                value = complex(real, imaginary)
            found[name] = from_storage(to_storage(np.array([value]), kind), kind)[0]
        return found

    def _count(self) -> int:
        return sum(len(group) for group in self.start)

    def _contents(self, np: Any, *, benign: bool) -> list[dict[str, Any]]:
        """What each member's operands hold, by operand."""
        case = self._case
        members = []
        p = Parameters(self.values)
        for member in range(max(self.batch, 1)):
            label = f"{case['seed']}/{member}/{self._signature.operation.names[0]}"
            seed = int.from_bytes(hashlib.sha256(label.encode()).digest()[:8], "little")
            random = np.random.Generator(np.random.PCG64(seed))
            arrays = {}
            for placement in self.placements:
                operand = placement.array.operand
                if operand.direction == "out" or not placement.present:
                    continue
                family = ELEMENT_TYPES[placement.array.element].family
                kind = np.complex128 if family == "complex" else np.float64
                values = str(case["values"])
                content = fill(
                    operand.content, "random" if values in ("nan", "inf") else values,
                    placement.rows, placement.cols, kind, str(self.values.get("uplo", "U")),
                    str(self.values.get("diag", "N")), random,
                )  # fmt: skip
                arrays[operand.name] = content * size_of(values, placement.array.element)
            arrays = {n: a[:, 0] if self._is_vector(n) else a for n, a in arrays.items()}
            arrays = self._signature.operation.prepare(p, arrays, random)
            _spoil(str(case["values"]), arrays, random, self.placements)
            members.append(arrays)
        return members

    def _is_vector(self, name: str) -> bool:
        operand = self._signature.operation.operand(name)
        return operand is not None and operand.cols is None

    def _add(self, placement: Placement, *, benign: bool) -> None:
        np = numpy()
        group = poisoned(placement, finite=self._case.get("poison") != "0xff")
        if benign and placement.array.operand.direction in ("in", "inout", "free"):
            for buffer in group:
                buffer[:] = 0
        element = ELEMENT_TYPES[placement.array.element]
        operand = placement.array.operand
        blank = operand.blank is not None and operand.blank(Parameters(self.values))
        if operand.direction != "out" and not blank and placement.present:
            for member in range(placement.members):
                content = np.asarray(self._members[member][operand.name])
                content = content[:, None] if content.ndim == 1 else content
                if element.family != "complex" and content.dtype.kind == "c":
                    content = content.real
                stored = np.frombuffer(to_storage(content, element), dtype=np.uint8)
                stored = stored.reshape(*content.shape, element.bytes)
                view = group[placement.buffer_of(member)].reshape(-1, element.bytes)
                chosen = placement.part
                view[placement.places(member)[chosen]] = stored[chosen]
        first = self._count()
        self.start.append(group)
        array = placement.array
        if not placement.present:
            self.pointers[array.name] = ("null", 0)
        elif array.pointers == 2:
            self.pointers[array.name] = ("table", len(self.tables))
            self.tables.append(list(range(first, first + len(group))) if placement.members else [])
        else:
            self.pointers[array.name] = ("buffer", first)
        if array.leading:
            self.numbers[array.leading] = placement.leading
        if array.increment:
            self.numbers[array.increment] = placement.increment
        if array.stride:
            self.numbers[array.stride] = placement.stride


def _spoil(
    values: str, arrays: Mapping[str, Any], random: Any, placements: Sequence[Placement]
) -> None:
    """Puts one NaN or infinity into one operand."""
    if values not in ("nan", "inf"):
        return
    names = [
        p.array.operand.name for p in placements
        if p.array.operand.content == "random" and p.array.operand.direction in ("in", "inout")
        and p.array.operand.name in arrays and arrays[p.array.operand.name].size
    ]  # fmt: skip
    if names:
        array = arrays[names[int(random.integers(0, len(names)))]]
        place = tuple(int(random.integers(0, n)) for n in array.shape)
        array[place] = float(values)


def _size(placement: Placement) -> int:
    return ELEMENT_TYPES[placement.array.element].bytes
