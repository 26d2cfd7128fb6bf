"""A cache of its own for each test, archives made by hand, and a mirror on this machine."""

from __future__ import annotations

import io
import lzma
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from extractor import settings
from extractor.rules import Rule, load_rule

TarEntry = tuple[str, bytes] | tarfile.TarInfo


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no mirror but one that a test starts."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ROCQUARRY_CACHE", str(folder))
    monkeypatch.delenv("ROCQUARRY_FILES", raising=False)
    monkeypatch.setattr(settings, "mirrors", lambda: ())
    return folder


def make_tar(*entries: TarEntry, mode: str = "w:gz") -> bytes:
    """A tar archive of files, given as name and content, and of members made by hand."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:  # type: ignore[call-overload]
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                tar.addfile(entry)
            else:
                member = tarfile.TarInfo(entry[0])
                member.size = len(entry[1])
                tar.addfile(member, io.BytesIO(entry[1]))
    return out.getvalue()


def make_link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """A link as a tar member."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def make_deb(*entries: TarEntry, name: bytes = b"data.tar.xz") -> bytes:
    """A Debian package with these files."""
    data = lzma.compress(make_tar(*entries, mode="w"))
    out = b"!<arch>\n"
    for member, content in ((b"debian-binary", b"2.0\n"), (b"control.tar", b"odd"), (name, data)):
        head = (
            member.ljust(16) + b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"100644".ljust(8)
        )
        out += head + str(len(content)).encode().ljust(10) + b"`\n" + content
        out += b"\n" * (len(content) % 2)
    return out


@dataclass
class Mirror:
    """A package mirror on this machine.

    Attributes:
        address: Its address.
        files: Path to content.
        break_after: Bytes after which each answer breaks off; never when ``None``.
        requests: Method, path and ``Range`` header of each request.
    """

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    break_after: int | None = None
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    """A mirror that the settings name."""
    state = Mirror()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            wanted = self.headers.get("Range")
            state.requests.append((self.command, self.path, wanted))
            content = state.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            if start >= len(content) and wanted:
                self.send_error(416)
                return
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            if body:
                end = None if state.break_after is None else start + state.break_after
                self.wfile.write(content[start:end])

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr(settings, "mirrors", lambda: (state.address,))
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


RuleMaker = Callable[[str], Rule]


@pytest.fixture
def make_rule(tmp_path: Path) -> RuleMaker:
    """Loads a rule from text; units and name are added."""

    def make(text: str) -> Rule:
        path = tmp_path / "tiny.toml"
        path.write_text(
            'name = "tiny"\nlicense = "MIT"\n' + text + '\n[[units]]\nfiles = ["src/**/*.hip"]\n',
            encoding="utf-8",
        )
        return load_rule(path)

    return make
