"""The store: units under their content keys, whole or not there."""

from __future__ import annotations

import multiprocessing
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import DamagedStore, StoreError
from extractor.index.store import Store
from extractor.index.worker import packed

RECORDS = packed(b'{"i":1,"n":"one"}\n{"i":2,"n":"two"}\n')


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, notices: list[str]) -> Iterator[Store]:
    with Store(tmp_path / "index.sqlite", notices.append) as opened:
        yield opened


def put(store: Store, key: str, errors: tuple[str, ...] = ()) -> None:
    store.put(key, f"{key}.cpp", "host", errors, RECORDS, 1.5, 90)


def test_a_unit_comes_back_as_it_was_put(store: Store) -> None:
    put(store, "a", ("a.cpp:1: error: no",))
    (unit,) = store.units(["a"])
    assert (unit.key, unit.path, unit.errors) == ("a", "a.cpp", ("a.cpp:1: error: no",))
    records = store.functions(unit.functions)
    assert [records[one]["n"] for one in unit.functions] == ["one", "two"]


def test_units_come_in_the_order_asked_for(store: Store) -> None:
    for key in ("a", "b", "c"):
        put(store, key)
    assert [unit.key for unit in store.units(["c", "a", "c", "b"])] == ["c", "a", "c", "b"]
    assert store.known(["a", "z", "c"]) == {"a", "c"}
    with pytest.raises(KeyError):
        store.units(["z"])


def test_functions_of_several_units_are_kept_once(store: Store, tmp_path: Path) -> None:
    put(store, "a")
    put(store, "b")
    with sqlite3.connect(tmp_path / "index.sqlite") as other:
        assert other.execute("SELECT count(*) FROM function").fetchone() == (2,)
    other.close()


def test_more_units_than_one_query_holds(store: Store) -> None:
    keys = [f"k{number}" for number in range(1203)]
    for key in keys:
        store.put(key, key, "host", (), (), 0.0, 0)
    assert [unit.key for unit in store.units(keys)] == keys
    assert store.known([*keys, "more"]) == set(keys)


def test_costs(store: Store) -> None:
    put(store, "a")
    put(store, "b")
    assert store.costs(["a", "b", "a"]) == (3.0, 90)
    assert store.costs([]) == (0.0, 0)


def test_what_was_derived_is_remembered(store: Store) -> None:
    assert store.recall("x") is None
    store.remember("x", b"1")
    store.remember("x", b"2" * 1000)
    assert store.recall("x") == b"2" * 1000


def test_another_process_sees_what_was_put(store: Store, tmp_path: Path) -> None:
    put(store, "a")
    with Store(tmp_path / "index.sqlite") as other:
        assert other.known(["a"]) == {"a"}
        put(other, "b")
    assert store.known(["a", "b"]) == {"a", "b"}


def test_a_file_that_is_no_store_is_rebuilt_and_that_is_said(
    tmp_path: Path, notices: list[str]
) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"something else" * 1000)
    with Store(path, notices.append) as store:
        put(store, "a")
        assert store.known(["a"]) == {"a"}
    (notice,) = notices
    assert notice.endswith(f"is rebuilt: {path}")


def test_a_damaged_record_empties_the_store(
    store: Store, tmp_path: Path, notices: list[str]
) -> None:
    put(store, "a")
    (unit,) = store.units(["a"])
    with sqlite3.connect(tmp_path / "index.sqlite") as other:
        other.execute("UPDATE function SET data = ?", (b"no longer",))
    other.close()
    with pytest.raises(DamagedStore, match="run the command again"):
        store.functions(unit.functions)
    assert len(notices) == 1
    with Store(tmp_path / "index.sqlite") as again:
        assert again.known(["a"]) == set()


def test_a_folder_in_the_stores_place_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"cannot be used: .*; clear it with"):
        Store(tmp_path / "index.sqlite")


def test_a_record_is_its_line_compressed() -> None:
    assert [zlib.decompress(data) for _, data in RECORDS] == [
        b'{"i":1,"n":"one"}',
        b'{"i":2,"n":"two"}',
    ]
    assert packed(b"") == []


def _opens(barrier: Any, paths: list[Path], failures: Any) -> None:
    for path in paths:
        barrier.wait()
        try:
            Store(path).close()
        except Exception as error:
            failures.put(str(error))


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, failures = context.Barrier(4), context.Queue()
    paths = [tmp_path / str(number) / "index.sqlite" for number in range(60)]
    every = [context.Process(target=_opens, args=(barrier, paths, failures)) for _ in range(4)]
    for process in every:
        process.start()
    for process in every:
        process.join()
    assert [process.exitcode for process in every] == [0] * 4
    assert failures.empty()
