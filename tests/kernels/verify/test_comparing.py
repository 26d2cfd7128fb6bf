"""When two results agree: tolerance, NaN, infinities, and complex numbers of which one part is."""

from __future__ import annotations

import pytest

from kernels.task.inputs import Value
from kernels.task.model import Case, Entry, Parameter, Provenance, Task, Tolerance
from kernels.verify.compare import first_difference

np = pytest.importorskip("numpy")
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        (1 + 2j, 1.0000001 + 2j, True),
        (1 + 2j, 1 + 2.1j, False),
        (complex(INF, 0.25), complex(INF, 0.2500001), True),
        (complex(INF, 0.25), complex(INF, 0.3), False),
        (complex(INF, 0.25), complex(-INF, 0.25), False),
        (complex(0.25, -INF), complex(0.2500001, -INF), True),
        (complex(NAN, 1), complex(NAN, 1.0000001), True),
        (complex(NAN, 1), complex(1, 1), False),
        (complex(NAN, INF), complex(NAN, INF), True),
        (complex(NAN, INF), complex(NAN, NAN), False),
        (1 + 1j, complex(INF, 1), False),
        (1 + 1j, complex(NAN, 1), False),
    ],
)
def test_parts_of_a_complex_number_that_is_not_finite_are_compared_alone(
    kind: str, expected: complex, got: complex, *, same: bool
) -> None:
    parameter = Parameter(name="A", kind="buffer", type=kind, role="inout", extent="3")
    task = Task(
        task="t", tool_version="0", entry=Entry(kind="function", name="f"),
        parameters=(parameter,), cases=(Case(name="only", scalars={}),),
        tolerance={kind: Tolerance(relative=1e-5, absolute=1e-6)},
        source=Provenance(origin="file", name="f", sha256=""),
    )  # fmt: skip
    around = [2 + 1j, 0, 1 - 1j]
    before = np.array(around, dtype=kind).tobytes()
    left, right = (np.array([2 + 1j, value, 1 - 1j], dtype=kind) for value in (expected, got))
    found = first_difference(
        task, [Value(parameter, before)], [left.tobytes()], [right.tobytes()]
    )  # fmt: skip
    assert (found is None) == same
