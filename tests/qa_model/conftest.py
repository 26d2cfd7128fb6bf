from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from qa.model.settings import ModelSettings, Secret

KEY = "sk-test-0123456789"


@dataclass
class ModelServer:
    """A running server.

    Attributes:
        url: Its address.
        log: File with a line for each request.
    """

    url: str
    log: Path

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Requests so far."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def settings(self, **changes: Any) -> ModelSettings:
        """Settings that ask this server."""
        values: dict[str, Any] = {
            "model": "small", "base_url": self.url, "key": Secret(KEY), "input_price": 1.0,
            "output_price": 2.0, "timeout": 20.0, "concurrency": 2, **changes,
        }  # fmt: skip
        return ModelSettings(**values)


StartServer = Callable[..., ModelServer]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Starts servers; each is ended after the test."""
    running: list[subprocess.Popen[str]] = []

    def start(**script: Any) -> ModelServer:
        folder = tmp_path / f"server{len(running)}"
        folder.mkdir()
        file, log = folder / "script.json", folder / "log.jsonl"
        file.write_text(json.dumps({"replies": {}, **script}))
        command = [sys.executable, str(Path(__file__).parent / "server.py"), str(file), str(log)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        return ModelServer(f"http://127.0.0.1:{port}/v1", log)

    yield start
    for process in running:
        process.terminate()
        process.communicate(timeout=30)
