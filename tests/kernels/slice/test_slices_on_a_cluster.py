"""Slices cut by the workers of a Ray cluster are those that this machine cuts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.project import Project
from extractor.spread import Engine
from extractor.spread.cluster import Cluster
from kernels.slice import choose_kernels
from kernels.slice.job import Plan
from kernels.slice.many import slice_kernels

# Two workers of this machine are one cluster for all tests that need one.
pytestmark = pytest.mark.xdist_group("ray")

RULES = Path(__file__).parent / "library" / "rules.toml"


@pytest.fixture
def ray() -> Iterator[None]:
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        Cluster(2)
    yield
    ray.shutdown()


def test_a_cluster_cuts_the_same_slices(ray: None, tmp_path: Path, own_cache: Path) -> None:
    engines: tuple[Engine, ...] = ("local", "ray")
    files = {}
    for engine in engines:
        project = Project(RULES, jobs=2, engine=engine)
        chosen = choose_kernels(project, project.configurations())[:2]
        slice_kernels(project, chosen, tmp_path / engine, Plan(("gfx942",), ("gfx942",)))
        project.store.close()
        folder = tmp_path / engine / "maze" / "slices"
        shutil.rmtree(own_cache / "kernel-builds")  # or one would find what the other has made
        files[engine] = {
            path.relative_to(folder): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()
        }  # fmt: skip
    assert len(files["local"]) >= 4
    assert files["ray"] == files["local"]
