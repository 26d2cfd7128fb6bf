"""Answers that were paid for, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from extractor import settings
from qa.model.budget import Usage

_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
  sent INTEGER NOT NULL, received INTEGER NOT NULL, estimated INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, server TEXT NOT NULL, rows TEXT NOT NULL);
"""


def request_key(
    messages: Sequence[Mapping[str, str]], model: str, parameters: Mapping[str, Any]
) -> str:
    """Identity of a request: prompt, model and parameters. Server and key are left out."""
    parts = {
        "version": _VERSION, "messages": list(messages), "model": model,
        "parameters": dict(parameters),
    }  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class AnswerCache:
    """Whole answers by request. Refusals and cut-off answers never come here.

    Args:
        file: SQLite file; in the cache folder when left out.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or settings.cache_folder() / "model" / f"answers-{_VERSION}.sqlite"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(self._file, timeout=60, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.executescript(_TABLES)

    def recall(self, key: str) -> tuple[str, Usage] | None:
        """The answer to a request, and what it took then."""
        with self._lock:
            row = self._database.execute(
                "SELECT text, sent, received, estimated FROM answers WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            return None
        return str(row[0]), Usage(int(row[1]), int(row[2]), 1, int(row[3]))

    def remember(self, key: str, model: str, text: str, usage: Usage) -> None:
        """Keeps an answer at once, so that an interruption cannot lose it."""
        row = (key, model, text, usage.sent, usage.received, usage.estimated)
        with self._lock, self._database:
            self._database.execute("INSERT OR REPLACE INTO answers VALUES (?,?,?,?,?,?)", row)

    def note_batch(self, name: str, server: str, rows: str) -> None:
        """Keeps that a batch was sent, so that another run can fetch what was paid for."""
        with self._lock, self._database:
            self._database.execute(
                "INSERT OR REPLACE INTO batches VALUES (?,?,?)", (name, server, rows)
            )

    def open_batches(self, server: str) -> list[tuple[str, str]]:
        """Batches of a server whose answers were not fetched yet, with their rows."""
        with self._lock:
            found = self._database.execute(
                "SELECT id, rows FROM batches WHERE server = ? ORDER BY id", (server,)
            ).fetchall()
        return [(str(name), str(rows)) for name, rows in found]

    def forget_batch(self, name: str) -> None:
        """A batch's answers are all here."""
        with self._lock, self._database:
            self._database.execute("DELETE FROM batches WHERE id = ?", (name,))

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._database.close()
