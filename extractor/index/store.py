"""The store: one SQLite file (WAL) that holds every indexed unit under its content key.

A function's record is kept once however many units instantiate it: a unit is a list of hashes.
Nothing
is ever changed in place, so two runs may write at once and a killed run leaves a valid store.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor import cache, settings
from extractor.errors import DamagedStore, StoreError
from extractor.index.closure import SCHEMA

HASH_BYTES = 16
_CHUNK = 500

_TABLES = """
CREATE TABLE IF NOT EXISTS unit (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, side TEXT NOT NULL, errors TEXT NOT NULL,
    functions BLOB NOT NULL, seconds REAL NOT NULL, memory_mb INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS function (hash BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derived (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class StoredUnit:
    """One indexed unit.

    Attributes:
        key: Content key.
        path: Source file relative to the tree.
        errors: The compiler's errors; a unit with errors may lack functions.
        functions: Hashes of its function records, in the unit's order.
    """

    key: str
    path: str
    errors: tuple[str, ...]
    functions: tuple[bytes, ...]


class Store:
    """Access to the store. Use as a context manager.

    Args:
        path: The SQLite file; made when missing.
        notice: Called with one line when a corrupt store had to be rebuilt.
    """

    def __init__(self, path: Path | None = None, notice: Any = None) -> None:
        self.path = path or settings.cache_folder() / "store" / f"index-{SCHEMA}.sqlite"
        self._notice = notice or (lambda _text: None)
        self._connection = self._open()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite does not wait for another process that makes the same file write ahead.
            with cache.held(self.path.with_suffix(".lock")):
                return self._made()
        except OSError as error:
            raise cache.cannot_write(error) from error

    def _made(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not _is_damage(error):
                raise _cannot(self.path, error) from error
            self.discard(str(error))
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA mmap_size=268435456")
            connection.executescript(_TABLES)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def discard(self, why: str) -> None:
        """Throws a corrupt store away and says so; what it held is indexed again."""
        self._notice(f"the store was damaged ({why}) and is rebuilt: {self.path}")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            if _is_damage(error):
                raise self._damaged(str(error)) from error
            if "full" in str(error):
                raise StoreError(
                    f"no space left for the store {self.path}; free some, or set ROCQUARRY_CACHE"
                ) from error
            raise _cannot(self.path, error) from error
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of these units are in the store."""
        found: set[str] = set()
        for chunk in _chunks(list(keys)):
            marks = ",".join("?" * len(chunk))
            rows = self._read(f"SELECT key FROM unit WHERE key IN ({marks})", chunk)
            found.update(row[0] for row in rows)
        return found

    def put(
        self,
        key: str,
        path: str,
        side: str,
        errors: Sequence[str],
        records: Sequence[tuple[bytes, bytes]],
        seconds: float,
        memory_mb: int,
    ) -> None:
        """Adds one unit and the function records it brings; all of it or nothing."""
        with self._writing():
            self._connection.executemany("INSERT OR IGNORE INTO function VALUES (?, ?)", records)
            self._connection.execute(
                "INSERT OR REPLACE INTO unit VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    path,
                    side,
                    json.dumps(list(errors)),
                    b"".join(digest for digest, _ in records),
                    seconds,
                    memory_mb,
                ),
            )

    def units(self, keys: Sequence[str]) -> list[StoredUnit]:
        """The named units, in the order asked for; all of them have to be there."""
        found: dict[str, StoredUnit] = {}
        for chunk in _chunks(list(dict.fromkeys(keys))):
            marks = ",".join("?" * len(chunk))
            query = f"SELECT key, path, errors, functions FROM unit WHERE key IN ({marks})"
            for key, path, errors, blob in self._read(query, chunk):
                hashes = tuple(blob[i : i + HASH_BYTES] for i in range(0, len(blob), HASH_BYTES))
                found[key] = StoredUnit(key, path, tuple(json.loads(errors)), hashes)
        return [found[key] for key in keys]

    def functions(self, hashes: Iterable[bytes]) -> dict[bytes, dict[str, Any]]:
        """Function records by hash."""
        records: dict[bytes, dict[str, Any]] = {}
        wanted = sorted(set(hashes))
        for chunk in _chunks(wanted):
            marks = ",".join("?" * len(chunk))
            for digest, data in self._read(
                f"SELECT hash, data FROM function WHERE hash IN ({marks})", chunk
            ):
                records[digest] = orjson.loads(self._unpacked(data))
        if len(records) < len(wanted):
            raise self._damaged("function records are missing")
        return records

    def recall(self, key: str) -> bytes | None:
        """Something derived earlier from the same inputs, or nothing."""
        rows = self._read("SELECT data FROM derived WHERE key = ?", (key,))
        return self._unpacked(rows[0][0]) if rows else None

    def _unpacked(self, data: bytes) -> bytes:
        try:
            return zlib.decompress(data)
        except zlib.error as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> DamagedStore:
        """Empties the store and says to run again: what it held is indexed anew."""
        self.close()
        self.discard(why)
        return DamagedStore("the store was damaged and has been emptied; run the command again")

    def remember(self, key: str, data: bytes) -> None:
        """Keeps something derived, so that the next run need not derive it again."""
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO derived VALUES (?, ?)", (key, zlib.compress(data, 1))
            )

    def costs(self, keys: Sequence[str]) -> tuple[float, int]:
        """CPU seconds that indexing these units took, and the largest worker in MB."""
        seconds, memory = 0.0, 0
        for chunk in _chunks(list(dict.fromkeys(keys))):
            marks = ",".join("?" * len(chunk))
            row = self._read(
                f"SELECT sum(seconds), max(memory_mb) FROM unit WHERE key IN ({marks})", chunk
            )[0]
            seconds += row[0] or 0.0
            memory = max(memory, row[1] or 0)
        return seconds, memory

    def _read(self, query: str, values: Sequence[Any]) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                raise self._damaged(str(error)) from error
            raise _cannot(self.path, error) from error


def _chunks(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]


def _is_damage(error: Exception) -> bool:
    return "malformed" in str(error) or "not a database" in str(error)


def _cannot(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the store {path} cannot be used: {error}; clear it with: extract --clear-cache store"
    )
