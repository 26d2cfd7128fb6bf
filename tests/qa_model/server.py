"""An OpenAI-compatible server in a process of its own, which misbehaves as it is told.

``python server.py SCRIPT LOG`` listens on a free port of this machine and prints it. ``SCRIPT`` is
a JSON object::

    replies  {name of the reply's schema: [content, …]}, one after another; the last one repeats
    faults   [fault or null, …], one for each request as it comes; none after the last
    usage    false to leave the figures out
    schemas  false to refuse ``response_format``
    models   names that are known; any when left out

A fault has one of: ``status`` (with ``retry_after``, ``code``), ``reset``, ``stall`` (seconds),
``broken_body``, ``break_stream``, ``content`` (sent instead of the reply), ``finish``, ``refusal``.
Every request is a line of ``LOG``.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: dict[str, Any], log: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.log = script, log
        self.lock = threading.Lock()
        self.requests = 0
        self.given: dict[str, int] = {}
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}

    def next_fault(self) -> dict[str, Any]:
        with self.lock:
            faults = self.script.get("faults", [])
            fault = faults[self.requests] if self.requests < len(faults) else None
            self.requests += 1
        return fault or {}

    def content(self, body: dict[str, Any]) -> str:
        name = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        if not name:
            system = body["messages"][0]["content"]
            name = next((n for n in self.script["replies"] if f'"title": "{n}"' in system), "")
        with self.lock:
            number = self.given.get(name, 0)
            self.given[name] = number + 1
        rows = self.script["replies"][name]
        row = rows[min(number, len(rows) - 1)]
        return row if isinstance(row, str) else json.dumps(row)

    def note(self, row: dict[str, Any]) -> None:
        with self.lock, self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", "0")))
        self.close_connection = True
        if self.path.endswith("/chat/completions"):
            self._chat(json.loads(data))
        elif self.path.endswith("/files"):
            self._upload(data)
        elif self.path.endswith("/batches"):
            self._batch(json.loads(data))
        else:
            self._error(404, "not_found")

    def do_GET(self) -> None:
        self.close_connection = True
        parts = self.path.strip("/").split("/")
        if parts[-1] == "content":
            self._send(200, self.server.files[parts[-2]], "application/jsonl")
        elif parts[-2] == "batches":
            self._send_json(self.server.batches[parts[-1]])
        else:
            self._error(404, "not_found")

    def _chat(self, body: dict[str, Any]) -> None:
        fault = self.server.next_fault()
        row = {
            "authorization": self.headers.get("authorization"), "stream": body.get("stream", False),
            "model": body["model"], "fault": fault, "messages": body["messages"],
            "reply": body.get("response_format", {}).get("json_schema", {}).get("name"),
        }  # fmt: skip
        self.server.note(row)
        if "stall" in fault:
            time.sleep(fault["stall"])
        if "reset" in fault:
            self.connection.close()
            return
        if "status" in fault:
            self._error(fault["status"], fault.get("code", "fault"), fault.get("retry_after"))
            return
        if "broken_body" in fault:
            self._send(200, b'{"id": "x", "choices": [{"mess', "application/json")
            return
        models = self.server.script.get("models")
        if models is not None and body["model"] not in models:
            self._error(404, "model_not_found")
            return
        if "response_format" in body and not self.server.script.get("schemas", True):
            self._error(400, "unsupported", message="response_format is not supported")
            return
        content = fault.get("content")
        if content is None:
            content = self.server.content(body)
        self._complete(body, content, fault)

    def _complete(self, body: dict[str, Any], content: str, fault: dict[str, Any]) -> None:
        finish = fault.get("finish", "stop")
        figures = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        usage = figures if self.server.script.get("usage", True) else None
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
        if "refusal" in fault:
            message = {"role": "assistant", "content": None, "refusal": fault["refusal"]}
        base = {"id": "chat-1", "created": 0, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
            made = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
            self._send_json(made)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        pieces = [content[i : i + 7] for i in range(0, len(content), 7)]
        if fault.get("break_stream"):
            pieces = pieces[: len(pieces) // 2]
        for piece in pieces:
            delta = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            self._event({**base, "object": "chat.completion.chunk", "choices": [delta]})
        if fault.get("break_stream"):
            self.connection.close()
            return
        last = {"index": 0, "delta": {}, "finish_reason": finish}
        self._event({**base, "object": "chat.completion.chunk", "choices": [last]})
        if usage:
            self._event({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, data: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def _upload(self, data: bytes) -> None:
        # The file is the part of the form that holds lines of JSON.
        lines = [line for line in data.splitlines() if line.startswith(b'{"')]
        name = f"file-{len(self.server.files)}"
        self.server.files[name] = b"\n".join(lines)
        self._send_json(
            {"id": name, "object": "file", "bytes": len(data), "created_at": 0,
             "filename": "requests.jsonl", "purpose": "batch", "status": "processed"}
        )  # fmt: skip

    def _batch(self, body: dict[str, Any]) -> None:
        rows = []
        for line in self.server.files[body["input_file_id"]].splitlines():
            request = json.loads(line)
            self.server.note({"batch": True, "messages": request["body"]["messages"]})
            message = {"role": "assistant", "content": self.server.content(request["body"])}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            answer = {"id": "x", "object": "chat.completion", "created": 0,
                      "model": request["body"]["model"], "choices": [choice],
                      "usage": usage}  # fmt: skip
            rows.append(
                {"custom_id": request["custom_id"], "error": None,
                 "response": {"status_code": 200, "body": answer}}
            )  # fmt: skip
        output = f"file-{len(self.server.files)}"
        self.server.files[output] = "\n".join(map(json.dumps, rows)).encode()
        name = f"batch-{len(self.server.batches)}"
        made = {
            "id": name, "object": "batch", "endpoint": "/v1/chat/completions", "created_at": 0,
            "input_file_id": body["input_file_id"], "completion_window": "24h",
            "status": "completed", "output_file_id": output,
        }  # fmt: skip
        self.server.batches[name] = made
        self._send_json({**made, "status": "in_progress", "output_file_id": None})

    def _error(
        self, status: int, code: str, retry_after: float | None = None, message: str = ""
    ) -> None:
        body = {"error": {"message": message or f"fault {code}", "code": code, "type": code}}
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self._send(status, json.dumps(body).encode(), "application/json", headers)

    def _send_json(self, data: Any) -> None:
        self._send(200, json.dumps(data).encode(), "application/json")

    def _send(
        self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    server = Server(script, Path(sys.argv[2]))
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
