"""Work over a Ray cluster of two workers: the same bytes, whoever is lost on the way."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from opened_libraries import TESTS

from extractor.check import unit_cache
from extractor.check.build import build
from extractor.commands import trace
from extractor.errors import MissingExtra, UserError
from extractor.index import native_library
from extractor.index.pool import Answer, Pool, Task
from extractor.index.ray_pool import RayPool
from extractor.project import Project
from extractor.spread import Engine, spread
from extractor.spread import cluster as cluster_module
from extractor.spread.cluster import Cluster, LostCall
from extractor.trace import objects
from extractor.trace.calls import Effort

# Two workers of this machine are one cluster for the whole module.
pytestmark = pytest.mark.xdist_group("ray")

RULE = """
name = "pond"
[source]
folder = "src"
[[units]]
files = ["*.cpp"]
[entry_points]
names = ["pond_*"]
"""
UNITS = 5


def text(number: int) -> str:
    # No HIP header: what is asked is who reads a unit, and this one is read in no time.
    return f"""
template <int depth> int drop(int x) {{ return depth ? drop<(depth ? depth - 1 : 0)>(x) : x; }}
extern "C" int pond_{number}(int x) {{ return drop<{number + 1}>(x); }}
"""


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A cluster of two workers on this machine."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(TESTS))  # the functions below, by their module's name
        patch.delenv("RAY_ADDRESS", raising=False)
        assert Cluster(2).processors == 2
    yield ray
    ray.shutdown()


@pytest.fixture
def project(own_cache: Path, tmp_path: Path) -> Callable[[str], Project]:
    """Opens one small library, for one machine or for the cluster."""
    (tmp_path / "src").mkdir()
    for number in range(UNITS):
        (tmp_path / "src" / f"pond_{number}.cpp").write_text(text(number))
    (tmp_path / "pond.toml").write_text(RULE)
    return lambda engine: Project(
        tmp_path / "pond.toml",
        jobs=2,
        precompiled=False,
        engine="ray" if engine == "ray" else "local",
    )


def square(number: int) -> int:
    return number * number


def fall(where: tuple[Path, int]) -> int:
    """Ends its worker the first time, as a machine that is taken away does."""
    folder, number = where
    mark = folder / str(number)
    if number % 3 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fall_always(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def refuse(number: int) -> int:
    raise ValueError(f"not {number}")


def who(_: int) -> int:
    time.sleep(0.3)
    return os.getpid()


def test_every_call_is_answered_once(ray: Any) -> None:
    found = dict(spread(square, range(20), jobs=2, engine="ray"))
    assert found == dict(spread(square, range(20), jobs=1)) == {n: n * n for n in range(20)}


def test_calls_of_lost_workers_are_made_again(ray: Any, tmp_path: Path) -> None:
    items = [(tmp_path, number) for number in range(7)]
    assert dict(spread(fall, items, jobs=2, engine="ray")) == {n: n for n in range(7)}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "3", "6"]


def test_a_call_that_no_worker_survives_is_reported(
    ray: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "RETRIES", 0)
    with pytest.raises(LostCall, match="lost on the cluster"):
        list(spread(fall_always, [0], jobs=2, engine="ray"))
    told = list(Cluster(2).spread(fall_always, [0], lambda number, reason: -1))
    assert told == [(0, -1)]


def test_an_error_of_the_call_is_the_callers(ray: Any) -> None:
    with pytest.raises(ValueError, match="not 3"):
        list(spread(refuse, [3], jobs=2, engine="ray"))


def test_units_are_indexed_to_the_same_bytes_though_a_worker_is_killed(
    ray: Any, project: Callable[[str], Project]
) -> None:
    opened = project("local")
    library = native_library.build(opened.toolchain)
    tasks = requests(opened)
    with Pool(library, opened.toolchain.libclang, 2) as pool:
        expected = content(pool.run(tasks))
    victim = next(pid for _, pid in spread(who, range(2), jobs=2, engine="ray"))
    answers = []
    with RayPool(library, opened.toolchain.libclang, 2) as pool_of_cluster:
        for answer in pool_of_cluster.run(tasks):
            answers.append(answer)
            if len(answers) == 1:
                os.kill(victim, signal.SIGKILL)
    assert len(answers) == len(tasks)
    assert content(answers) == expected
    assert all(records for records, _, _ in expected.values())


def test_a_cluster_makes_the_same_scope_checks_and_objects(
    ray: Any, project: Callable[[str], Project], own_cache: Path
) -> None:
    made = {}
    for engine in ("local", "ray"):
        opened = project(engine)
        units = opened.units("source", "host")
        scope = opened.builder(("source",), None).build("pond_3", ["pond_3"]).model_dump_json()
        built = build(units, opened.tree.root, opened.toolchain, jobs=2, engine=opened.engine)
        assert (built.failed, built.compiled) == ({}, UNITS)
        object_files = objects.compile_units(opened, units)
        assert (object_files.failed, object_files.compiled) == ({}, UNITS)
        records = sorted((own_cache / unit_cache.KIND).rglob("*.ir"))
        made[engine] = (
            scope,
            [(record.name, record.read_bytes()) for record in records],
            {path: path.read_bytes() for path in object_files.paths.values()},
        )
        opened.store.close()
        for kind in ("store", unit_cache.KIND, objects.KIND):
            shutil.rmtree(own_cache / kind)
    assert made["ray"] == made["local"]
    assert len(made["local"][1]) == UNITS


def test_a_cluster_that_is_not_there_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nowhere:
        tries = 0

        def is_initialized(self) -> bool:
            return False

        def init(self, **_: object) -> None:
            self.tries += 1
            raise ConnectionError("Could not find any running Ray instance.\nPlease specify")

        def shutdown(self) -> None:
            return

    nowhere = Nowhere()
    monkeypatch.setitem(sys.modules, "ray", nowhere)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    with pytest.raises(UserError, match=r"^no Ray cluster at 10.0.0.1:6379: Could not .* --engine"):
        Cluster(2)
    assert nowhere.tries == cluster_module.STARTS


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'rocquarry\[distributed\]'"):
        cluster_module.load_ray()


def requests(project: Project) -> list[Task]:
    rows = []
    for unit in project.units("source", "host"):
        plain = list(project.indexer.closures.relevant_arguments(unit))
        rows.append(
            {
                "path": str(project.tree.root / unit.path),
                "arguments": plain,
                "plain": plain,
                "root": str(project.tree.root),
                "device": False,
            }
        )
    return [Task(number, row) for number, row in enumerate(rows)]


def content(answers: Sequence[Answer] | Iterator[Answer]) -> dict[int, Any]:
    return {answer.name: (answer.records, answer.errors, answer.crashed) for answer in answers}


def test_traces_are_the_same_from_a_cluster(
    ray: Any, own_cache: Path, shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Path(__file__).parents[1] / "trace" / "weir" / "rules.toml"
    engines: tuple[tuple[Engine, Path], ...] = (("ray", own_cache), ("local", shared_cache))
    effort, outputs = Effort(draws=1, budget=1, search=30), []
    for engine, folder in engines:
        monkeypatch.setenv("ROCQUARRY_CACHE", str(folder))
        opened = Project(rules, jobs=1, engine=engine)
        out = tmp_path / engine
        summaries = trace.run(opened, ["lift", "lock"], ("source",), out, ("gfx942",), effort)
        opened.store.close()
        assert all(found["configs"]["source"]["calls"] > 0 for found in summaries)
        outputs.append([Path(found["written"]).read_bytes() for found in summaries])
    assert outputs[0] == outputs[1]
