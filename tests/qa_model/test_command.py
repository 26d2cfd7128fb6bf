"""``qa build --author model`` and ``qa compare`` as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Library

from qa_model.conftest import KEY, ModelServer, StartServer
from qa_model.test_author import REPLIES

DECLINED = {"Question": [{"declined": "nothing", "question": "", "architectures": []}]}


def command(server: ModelServer, out: Path, *arguments: str) -> list[str]:
    return [
        sys.executable, "-m", "qa.cli", "build", str(SMALL_LIBRARY), "--interface", "reduce",
        "--author", "model", "--model", "small", "--base-url", server.url, "--reuse-only",
        "--out", str(out), *arguments,
    ]  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "ROCQUARRY_API_KEY": KEY}


def qa(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment())


def test_an_estimate_prints_a_price_and_sends_nothing(
    small_library: Library, start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server(replies=REPLIES)
    made = qa(
        command(server, tmp_path, "--estimate", "--json", "--input-price", "1",
                "--output-price", "3", "--limit", "4")
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    [row] = json.loads(made.stdout)
    assert row["entries"] == 4
    assert row["price_usd"] > 0
    assert server.requests == []
    assert not (tmp_path / "model").exists()


def test_entries_rejects_and_report_are_written(
    small_library: Library, start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server(replies=DECLINED)
    made = qa(command(server, tmp_path, "--limit", "3", "--category", "dispatch"))
    assert made.returncode == 1, made.stderr
    lines = (tmp_path / "model/rejects.jsonl").read_text().splitlines()
    rejects = [json.loads(line) for line in lines]
    assert {row["gate"] for row in rejects} == {"declined"}
    assert all(row["wanted"]["category"] == "dispatch" for row in rejects)
    assert (tmp_path / "model/entries.jsonl").read_bytes() == b""
    assert KEY not in made.stdout + made.stderr
    report = json.loads((tmp_path / "model/report.json").read_bytes())
    assert report[0]["stages"] == {"declined": len(rejects)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--category", "speed"], "unknown category"),
        (["--max-cost", "1"], "--max-cost needs prices"),
    ],
)
def test_what_the_user_must_mend_is_one_line(
    small_library: Library, start_server: StartServer, tmp_path: Path, arguments: list[str],
    message: str,
) -> None:  # fmt: skip
    made = qa(command(start_server(), tmp_path, *arguments))
    assert made.returncode == 2
    assert message in made.stderr
    assert made.stderr.count("\n") == 1


def test_an_interruption_keeps_what_was_answered(
    small_library: Library, start_server: StartServer, tmp_path: Path
) -> None:
    faults = [None, *[{"stall": 1.0}] * 40]
    server = start_server(replies=DECLINED, faults=faults)
    # A category of its own: tests share the cache, and with it the answers.
    arguments = command(
        server, tmp_path, "--concurrency", "1", "--limit", "5",
        "--category", "correctness_constraints",
    )  # fmt: skip
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    while len(server.requests) < 2:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    before = len(server.requests)
    again = qa(arguments)
    assert again.returncode == 1, again.stderr
    # The one under way was waited for, and neither is asked for again.
    assert before == 2
    prompts = [row["messages"][0]["content"] for row in server.requests]
    assert len(prompts) == len(set(prompts)) > before


def test_two_authors_beside_each_other(
    small_library: Library, start_server: StartServer, tmp_path: Path
) -> None:
    from qa.ground import Ground
    from qa.judgement import Judge
    from qa.model.cache import AnswerCache
    from qa.model.plan import wanted
    from qa.model.run import run

    ground = Ground(small_library.project)
    rows = wanted(ground.view("reduce"), ground, ("synchronization",))
    one = next(w for w in rows if w.level == 1 and "partial_kernel" in w.subject)
    judge = Judge(lambda _name: ground.project)
    judge.adopt(ground)
    cache = AnswerCache(tmp_path / "answers.sqlite")
    report = run(start_server(replies=REPLIES).settings(), ground, [one], judge, cache=cache)
    cache.close()
    line = report.entries[0].model_dump_json(by_alias=True) + "\n"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "entries.jsonl").write_text(line)
    (tmp_path / "b" / "rejects.jsonl").write_text('{"gate": "numbers"}\n')
    files = [str(tmp_path / name / "entries.jsonl") for name in ("a", "b")]
    made = qa([sys.executable, "-m", "qa.cli", "compare", *files, "--json"])
    assert made.returncode == 0, made.stderr
    figures = json.loads(made.stdout)
    assert figures["interfaces"] == {"common": 1, "first_only": 0, "second_only": 0}
    assert (figures["first"]["pass_rate"], figures["second"]["pass_rate"]) == (1.0, 0.5)
    assert figures["second"]["rejects_by_gate"] == {"numbers": 1}
    assert figures["first"]["cost_per_accepted_usd"] > 0
    assert len(figures["near_duplicates"]) == 1
    shown = qa([sys.executable, "-m", "qa.cli", "compare", *files])
    assert "near-duplicates between them: 1" in shown.stdout
