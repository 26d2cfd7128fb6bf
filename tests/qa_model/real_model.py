"""The model author against a small model that runs here: ``make model MODEL=FILE.gguf``.

Not part of ``make test``: it needs a model file and minutes. Any instruction-tuned model in GGUF
form does; model hubs offer many of one to four thousand million parameters, and what it writes is
expected to be refused often. ``pip install xllamacpp`` brings the server (the target does that).

What is checked is the protocol, not the prose: answers are read, refused or kept with a reason,
figures come from the server, and a second run asks for nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def build(address: str, out: Path) -> dict[str, object]:
    command = [
        sys.executable, "-m", "qa.cli", "build", "rocblas", "--interface", "axpy", "--author",
        "model", "--model", "local", "--base-url", address, "--limit", "2", "--concurrency", "1",
        "--out", str(out), "--reuse-only", "--json",
    ]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode not in (0, 1):
        sys.exit(made.stderr)
    row: dict[str, object] = json.loads(made.stdout)[0]
    return row


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit("give a model: make model MODEL=FILE.gguf")
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = 32_768
    server = xllamacpp.Server(parameters)
    address = f"{server.listening_address}/v1"
    with tempfile.TemporaryDirectory() as folder:
        first, again = build(address, Path(folder)), build(address, Path(folder))
    print(json.dumps(first, indent=1))
    assert first["requests"], "nothing was asked"
    assert not first["figures_estimated"], "the server gave no figures"
    assert not again["requests"], "a second run asked again"


if __name__ == "__main__":
    main()
