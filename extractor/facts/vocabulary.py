"""The facts there are: what each says, and the shape of its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

_ACCESS = ("access", "index", "symbols", "class", "stride")
_LAUNCH = ("kernel",)
_LAUNCH_MORE = ("symbol", "launcher", "through")


@dataclass(frozen=True)
class Shape:
    """How a fact's value looks where it is not ``null``.

    Attributes:
        meaning: What it says, and of which subject.
        kind: ``number``, ``list`` or ``record``.
        keys: Of a record, those that are always there.
        more: Of a record, those that are there where they say something.
    """

    meaning: str
    kind: Literal["number", "list", "record"]
    keys: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value; ``None`` where nothing is."""
        expected = {"number": int, "list": list, "record": dict}[self.kind]
        if not isinstance(value, expected) or isinstance(value, bool):
            return f"no {self.kind}: {value!r}"
        if isinstance(value, dict):
            missing = [key for key in self.keys if key not in value]
            unknown = sorted(value.keys() - {*self.keys, *self.more})
            if missing or unknown:
                return f"missing {missing}, unknown {unknown}"
        return None


def _record(meaning: str, *keys: str, more: tuple[str, ...] = ()) -> Shape:
    return Shape(meaning, "record", keys, more)


def _number(meaning: str) -> Shape:
    return Shape(meaning, "number")


# fmt: off
VOCABULARY: dict[str, Shape] = {
    # Kernels and device functions, from the AST. `through` lists the calls that lead to the place.
    "launch_bounds": _record("threads a block may have; both null where the kernel states none",
                             "max_threads", "min_waves"),
    "instantiations_read": _record("how many instantiations were read, and for how many shapes of "
                                   "template arguments they stand: numbers apart, for they stay "
                                   "symbols", "shapes", "instantiations"),
    "lds_array": _record("an array in LDS; subject is the array", "type", "elements", "bytes",
                         more=("dynamic",)),
    "lds_bytes": _number("static LDS that a kernel declares; a compiler may pad it, and drops what "
                         "nothing needs"),
    "barrier": _record("whether threads of a block part before it; subject is file:line",
                       "divergent", "condition", more=("line", "assumes", "through")),
    "shuffle": _record("subject is file:line", "function", "width", "offset", more=("through",)),
    "atomic": _record("subject is file:line", "function", "target", more=("through",)),
    "wavefront_assumption": _record("a number of lanes the code relies on; subject is file:line",
                                    "width", "how", more=("through",)),
    "loop": _record("subject is file:line", "variable", "start", "bound", "step", "trip_count",
                    "unroll", "symbols", more=("through",)),
    "guard": _record("an `if` that makes threads return, skip, break or continue; subject is "
                     "file:line", "condition", "effect", more=("resolved", "through")),
    "scalar_handling": _record("what a comparison of a scalar with 0 or 1 (`equals`) decides; both "
                               "sides have reads, writes and returns, those of the whole condition "
                               "`together` where it has more tests; subject is the scalar",
                               "equals", "then", "else", more=("together",)),
    "device_calls": Shape("ids of the device functions called", "list"),
    "global_access": _record("one access to device memory: coalesced, strided, broadcast or "
                             "irregular along threadIdx.x; `matrix` says row, column, batch; "
                             "`overflow` names a product of sizes computed in 32 bits, "
                             "`one_too_many` a bound that counts from 0 up to and including a "
                             "parameter; what is passed by constant reference is read where it "
                             "is passed; subject is file:line:column",
                             "buffer", *_ACCESS, "element", "vector_bytes",
                             more=("through", "parameter", "irregular_because", "member", "matrix",
                                   "run", "index_unit_bytes", "overflow", "one_too_many")),
    "lds_access": _record("one access to LDS; `passes` names the smallest threads of a block that "
                          "would leave the array; `conflict_ways` says for each architecture how "
                          "many words of one bank lanes served together want, null where that is "
                          "not known, in instantiations with the numbers of `conflicts_if`; "
                          "subject is file:line:column", "array", *_ACCESS,
                          "conflict_ways", more=("run", "through", "passes", "conflicts_if")),
    # Host functions, from the AST; of a launch the subject is its file:line.
    "argument_check": _record("subject is file:line", "condition", "conditions", "returns"),
    "quick_return": _record("subject is file:line", "condition", "conditions", "returns"),
    "workspace_bytes": _record("bytes given to others: `expression` where they are written through "
                               "a parameter, the subject, or returned, the subject then being the "
                               "function; `expressions` where `call` is given them under "
                               "conditions, at file:line; `f(a).argument_2` is what a function of "
                               "another library leaves behind its second argument", "named",
                               more=("expression", "expressions", "conditions", "call")),
    "launch_condition": _record("all conditions hold where it is launched, `text` joins them "
                                "where it is there; `assumes` is what only a run can tell; `loops` "
                                "are around it", "conditions", "named", "assumes", "loops",
                                *_LAUNCH, more=("text", *_LAUNCH_MORE)),
    "launch_grid": _record("blocks along x, y, z", "expressions", "named", *_LAUNCH,
                           more=_LAUNCH_MORE),
    "launch_block": _record("threads along x, y, z", "expressions", "named", *_LAUNCH,
                            more=_LAUNCH_MORE),
    "launch_shared_bytes": _record("dynamic LDS", "expression", "named", *_LAUNCH,
                                   more=_LAUNCH_MORE),
    # From the compiler, for an architecture and an instantiation.
    "vgprs": _number("vector registers"),
    "agprs": _number("accumulation registers"),
    "sgprs": _number("scalar registers"),
    "vgpr_spills": _number("vector registers kept in memory"),
    "sgpr_spills": _number("scalar registers kept elsewhere"),
    "scratch_bytes": _number("memory of a thread beyond its registers"),
    "code_object_lds_bytes": _number("static LDS of a block"),
    "occupancy": _number("waves on a SIMD"),
    "code_bytes": _number("machine code"),
    "instruction_mix": _record("instructions by kind", "mfma", "lds", "global", "flat", "scratch",
                               "barrier", "wait", "valu", "salu", "other"),
}
# fmt: on
"""Name of a fact: what it says and how its value looks."""
