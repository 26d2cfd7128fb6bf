"""Inputs at the borders: what is made for a task, and what a wrong guess of the names cannot do."""

from __future__ import annotations

import pytest

from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Entry, Parameter, Provenance, Task, Tolerance
from kernels.verify.boundaries import boundaries, consistent
from kernels.verify.contents import refilled
from kernels.verify.roles import role_of

np = pytest.importorskip("numpy")


def _task(**scalars: int | float) -> Task:
    whole = [
        Parameter(name=name, kind="scalar", type="float64" if name == "beta" else "int32")
        for name in scalars
    ]
    buffer = Parameter(name="A", kind="buffer", type="float64", role="inout", extent="lda*n")
    return Task(
        task="t", tool_version="0", entry=Entry(kind="function", name="f"),
        parameters=(*whole, buffer), cases=(Case(name="plain", scalars=dict(scalars)),),
        tolerance={"float64": Tolerance(relative=1e-10, absolute=1e-10)},
        source=Provenance(origin="file", name="f", sha256=""),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("n", "size"), ("incx", "increment"), ("lda", "leading"), ("stride_x", "stride"),
        ("strideA", "stride"), ("batch_count", "batch"), ("offset_y", "offset"),
        ("shifta", "offset"), ("blocks", "size"),
    ],
)  # fmt: skip
def test_a_name_says_what_a_number_is_for(name: str, role: str) -> None:
    assert role_of(name) == role


def test_leading_dimensions_hold_every_size() -> None:
    task = _task(m=4, n=9, lda=4, beta=1.5)
    for one in boundaries(task):
        if not one.far:
            scalars = one.case.scalars
            assert scalars["lda"] >= scalars["m"] or scalars == task.cases[0].scalars
    assert consistent(task, {"m": 4, "n": 9, "lda": 1, "beta": 0})["lda"] == 9


def test_factors_sizes_and_contents_are_all_there_once() -> None:
    made = boundaries(_task(m=4, n=9, lda=4, beta=1.5))
    keys = [(tuple(one.case.scalars.items()), one.content, one.far) for one in made]
    assert len(set(keys)) == len(keys)
    assert len({one.case.name for one in made}) == len(made)
    assert {0, 1, -1, 1.5} <= {one.case.scalars["beta"] for one in made}
    assert {0, 1, 64, 65} <= {one.case.scalars["n"] for one in made}
    assert {"overwritten", "nan:A", "infinity:A", "ties", "zeros"} <= {one.content for one in made}
    assert all(one.lenient == (one.content in ("overwritten", "nan:A") and
                               one.case.scalars["beta"] == 0) for one in made)  # fmt: skip


def _launched(**scalars: int | float) -> Task:
    task = _task(**scalars)
    fixed = task.cases[0].model_copy(update={"launch": (1, 1, 3, 64, 1, 1, 0)})
    return task.model_copy(update={"cases": (fixed,)})


def test_with_the_grid_of_another_launch_no_size_is_changed() -> None:
    made = boundaries(_launched(m=4, n=9, lda=4, incx=1, beta=1.5))
    for one in made:
        assert {k: one.case.scalars[k] for k in ("m", "n")} == {"m": 4, "n": 9}
        assert one.case.launch == (1, 1, 3, 64, 1, 1, 0)
    # Where elements lie does not depend on a grid.
    assert {-1, 1, 2, -3} <= {one.case.scalars["incx"] for one in made}
    assert any(not one.far and one.case.scalars["lda"] > 9 for one in made)


def test_members_of_a_batch_lie_far_apart_also_in_the_grid_of_another_launch() -> None:
    made = boundaries(_launched(m=4, n=9, lda=4, strideA=36, beta=1.5))
    far = [one for one in made if one.far and one.case.scalars["strideA"] > 1 << 28]
    assert any(2 * int(one.case.scalars["strideA"]) > 1 << 31 for one in far)


def test_a_vector_that_runs_backwards_reaches_as_far() -> None:
    made = boundaries(_task(n=9, incx=1, lda=9, beta=1.5))
    steps = [int(one.case.scalars["incx"]) for one in made if one.far]
    assert any(8 * step > 1 << 31 for step in steps)
    assert any(8 * step < -(1 << 31) for step in steps)


def test_a_negative_increment_comes_with_the_place_of_its_first_element_too() -> None:
    made = boundaries(_task(n=9, incx=1, offset_x=0, lda=9, beta=1.5))
    pairs = {(one.case.scalars["incx"], one.case.scalars["offset_x"]) for one in made}
    assert {(-1, 0), (-1, 9), (-3, 27)} <= pairs


def test_factors_of_zero_are_tried_on_every_way_that_few_values_choose() -> None:
    task = _task(n=9, uplo=121, incx=1, lda=9, beta=1.5)
    other = [
        task.cases[0].model_copy(
            update={"name": f"{uplo} {incx}",
                    "scalars": {**task.cases[0].scalars, "uplo": uplo, "incx": incx}}
        )
        for uplo, incx in ((121, 1), (122, 1), (121, -2))
    ]  # fmt: skip
    made = boundaries(task.model_copy(update={"cases": tuple(other)}))
    zero = {(o.case.scalars["uplo"], o.case.scalars["incx"]) for o in made
            if o.case.scalars["beta"] == 0}  # fmt: skip
    assert {(122, 1), (121, -2)} <= zero


def test_letters_are_turned_into_those_of_blas() -> None:
    task = _task(n=9, lda=9, beta=1.5)
    letter = Parameter(name="uplo", kind="scalar", type="int8")
    case = task.cases[0]
    case = case.model_copy(update={"scalars": {**case.scalars, "uplo": ord("U")}})
    made = boundaries(
        task.model_copy(update={"parameters": (letter, *task.parameters), "cases": (case,)})
    )
    assert {ord("L"), ord("T"), ord("C")} <= {one.case.scalars["uplo"] for one in made}


def test_far_inputs_pass_what_32_bits_count() -> None:
    far = [one for one in boundaries(_task(m=4, n=9, lda=4, beta=1.5)) if one.far]
    assert far
    for one in far:
        assert one.case.extents == {"A": 36}
        assert any(v > 1 << 26 for v in one.case.scalars.values())
    assert any((one.case.scalars["n"] - 1) * one.case.scalars["lda"] > 1 << 31 for one in far)


def test_a_heavy_diagonal_lies_on_the_diagonal() -> None:
    task = _task(n=5, lda=7)
    case = task.cases[0]
    (value,) = [v for v in refilled(make_inputs(task, case), "dominant", case)
                if v.parameter.name == "A"]  # fmt: skip
    a = np.frombuffer(value.data).reshape(5, 7).T
    assert (np.diagonal(a) >= 4).all()
    assert (abs(a[~np.eye(7, 5, dtype=bool)]) <= 1).all()


def test_nan_stands_in_one_element_of_the_buffer_that_is_named() -> None:
    task = _task(n=5, lda=7)
    case = task.cases[0]
    plain = make_inputs(task, case)
    assert np.isnan(np.frombuffer(refilled(plain, "nan:A", case)[-1].data)).sum() == 1
    assert refilled(plain, "nan:B", case)[-1].data == plain[-1].data


def test_every_third_member_of_a_mixed_batch_is_zero() -> None:
    task = _task(n=5, lda=5, strideA=32, batches=5, beta=1.5)
    wide = task.parameters[-1].model_copy(update={"extent": "strideA*batches"})
    small = wide.model_copy(update={"name": "tau", "extent": "batches"})
    task = task.model_copy(update={"parameters": (*task.parameters[:-1], wide, small)})
    filled = refilled(make_inputs(task, task.cases[0]), "mixed", task.cases[0])
    a, tau = (np.frombuffer(v.data) for v in filled[-2:])
    members = a.reshape(5, 32)
    assert [bool(m.any()) for m in members] == [False, True, True, False, True]
    assert (np.diagonal(members[1][:25].reshape(5, 5)) >= 4).all()
    assert [bool(t) for t in tau] == [False, True, True, False, True]
    assert any(
        one.content == "mixed" and one.case.scalars["batches"] == 5 for one in boundaries(task)
    )
