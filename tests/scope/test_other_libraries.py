"""Libraries that only a rule file describes: what is known to be right of them."""

from __future__ import annotations

import json

import pytest
from scope_reader import ScopeReader

from extractor.api import scope_bytes
from extractor.project import Project
from extractor.trace.run import run

pytestmark = pytest.mark.xdist_group("real libraries")


@pytest.fixture(scope="module")
def sparse() -> Project:
    return Project("rocsparse")


def test_a_sparse_update_reaches_one_kernel(sparse: Project) -> None:
    scope = json.loads(scope_bytes(sparse, "axpyi", ("source",)))
    assert scope["source"]["version"] == "6.4.3"
    assert (scope["unresolved"], scope["failed_units"]) == ([], [])
    reader = ScopeReader(scope)
    kernels = {
        f["name"]: len(f["instantiations"]) for f in scope["functions"] if f["kind"] == "kernel"
    }
    # Four types, each with the scalar on the host and on the device.
    assert kernels == {"axpyi_kernel": 8}
    assert sorted(reader.scope["entry_points"]) == [f"rocsparse_{letter}axpyi" for letter in "cdsz"]
    assert all(len(rows["source"]) == 2 for rows in scope["per_entry"].values())


def test_its_host_side_is_called_as_the_rule_says(sparse: Project) -> None:
    from extractor.trace.case import Case

    cases = [Case({"nnz": nnz}) for nnz in (0, 1, 257)]
    traces = run(sparse, "axpyi", cases={"rocsparse_saxpyi": cases})
    found = [[(x.kernel, x.grid[0], x.block[0]) for x in trace.launches] for trace in traces]
    assert found == [[], [("axpyi_kernel", 1, 256)], [("axpyi_kernel", 2, 256)]]
    assert {trace.status for trace in traces} == {"success"}
