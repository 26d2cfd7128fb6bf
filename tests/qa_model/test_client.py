"""One request, whatever the server does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from qa.model.budget import Budget, BudgetSpent, Usage
from qa.model.cache import AnswerCache
from qa.model.client import Client, CutOff, GaveUp, ModelRefused, Unauthorised
from qa.model.replies import Comparison
from qa_model.conftest import KEY, ModelServer, StartServer

GOOD = {"agree": True, "difference": ""}
REPLIES = {"Comparison": [GOOD]}


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite")


def ask(
    server: ModelServer, cache: AnswerCache, prompts: tuple[str, ...] = ("same?",), **changes: Any
) -> tuple[list[Any], Budget]:
    limits = {name: changes.pop(name) for name in ("max_cost", "max_tokens") if name in changes}
    settings = server.settings(**changes)
    budget = Budget(settings, **limits)

    async def run() -> list[Any]:
        client = Client(settings, budget, cache)
        asked = [client.ask("critic", prompt, Comparison) for prompt in prompts]
        try:
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await client.close()

    return asyncio.run(run()), budget


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_and_what_the_server_says_it_took(
    start_server: StartServer, cache: AnswerCache, stream: bool
) -> None:
    server = start_server(replies=REPLIES)
    [(reply, usage)], budget = ask(server, cache, stream=stream)
    assert reply.agree
    assert usage == budget.spent == Usage(100, 20, 1, 0)
    assert server.requests[0]["stream"] is stream


def test_figures_are_estimated_and_that_is_counted(
    start_server: StartServer, cache: AnswerCache
) -> None:
    [(_, usage)], _ = ask(start_server(replies=REPLIES, usage=False), cache)
    assert (usage.requests, usage.estimated) == (1, 1)
    assert usage.sent > 0


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"status": 503},
        {"status": 429, "retry_after": 0.05},
        {"status": 429},
        {"reset": True},
        {"broken_body": True},
    ],
    ids=str,
)
def test_what_passes_is_tried_again(
    start_server: StartServer, cache: AnswerCache, fault: dict[str, Any]
) -> None:
    server = start_server(replies=REPLIES, faults=[fault])
    [(reply, usage)], _ = ask(server, cache)
    assert reply.agree
    assert usage.requests == 1
    assert [bool(row["fault"]) for row in server.requests] == [True, False]


def test_a_stream_that_breaks_off_is_tried_again(
    start_server: StartServer, cache: AnswerCache
) -> None:
    server = start_server(replies=REPLIES, faults=[{"break_stream": True}])
    [(reply, _)], _ = ask(server, cache, stream=True)
    assert reply.agree
    assert len(server.requests) == 2


def test_a_stalled_answer_is_given_up_and_tried_again(
    start_server: StartServer, cache: AnswerCache
) -> None:
    server = start_server(replies=REPLIES, faults=[{"stall": 30}])
    [(reply, _)], _ = ask(server, cache, timeout=1.0)
    assert reply.agree


def test_errors_that_stay_end_the_request_alone(
    start_server: StartServer, cache: AnswerCache
) -> None:
    server = start_server(replies=REPLIES, faults=[{"status": 500}] * 2)
    [error], budget = ask(server, cache, attempts=2)
    assert isinstance(error, GaveUp)
    assert budget.spent == Usage()


@pytest.mark.parametrize("wrong", ["no json", '{"agree": true}', '{"agree": 1, "x": 2}', "[1]"])
def test_a_reply_of_another_shape_is_asked_for_once_more(
    start_server: StartServer, cache: AnswerCache, wrong: str
) -> None:
    server = start_server(replies=REPLIES, faults=[{"content": wrong}])
    [(reply, usage)], _ = ask(server, cache)
    assert reply.agree
    assert usage.requests == 2
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]


def test_a_reply_that_stays_unreadable_gives_up(
    start_server: StartServer, cache: AnswerCache
) -> None:
    server = start_server(replies={"Comparison": ["{"]})
    [error], _ = ask(server, cache)
    assert isinstance(error, GaveUp)
    assert "no JSON" in str(error)


def test_a_server_without_structured_output_gets_the_schema_as_text(
    start_server: StartServer, cache: AnswerCache
) -> None:
    server = start_server(replies=REPLIES, schemas=False)
    [(reply, _)], _ = ask(server, cache)
    assert reply.agree
    assert server.requests[1]["messages"][0]["role"] == "system"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [({"refusal": "no"}, ModelRefused), ({"finish": "content_filter"}, ModelRefused),
     ({"finish": "length"}, CutOff)],
)  # fmt: skip
def test_refusals_and_cut_off_answers_cost_and_are_not_kept(
    start_server: StartServer, cache: AnswerCache, fault: dict[str, Any], kind: type[Exception]
) -> None:
    server = start_server(replies=REPLIES, faults=[fault])
    [error], budget = ask(server, cache)
    assert isinstance(error, kind)
    assert budget.spent == Usage(100, 20, 1, 0)
    [(reply, _)], _ = ask(server, cache)
    assert reply.agree
    assert len(server.requests) == 2


def test_no_answer_is_paid_for_twice(start_server: StartServer, cache: AnswerCache) -> None:
    server = start_server(replies=REPLIES)
    first, budget = ask(server, cache, ("a", "a", "b"))
    again, nothing = ask(server, cache, ("b", "a"))
    assert all(reply.agree for reply, _ in [*first, *again])
    assert len(server.requests) == 2
    assert (budget.spent.requests, nothing.spent.requests) == (2, 0)


@pytest.mark.parametrize(
    "fault",
    [{"status": 401}, {"status": 403}, {"status": 429, "code": "insufficient_quota"}],
    ids=str,
)
def test_a_server_that_accepts_nothing_is_asked_once(
    start_server: StartServer, cache: AnswerCache, fault: dict[str, Any]
) -> None:
    server = start_server(replies=REPLIES, faults=[fault] * 9)
    errors, _ = ask(server, cache, tuple("abcdef"), concurrency=1)
    assert all(isinstance(error, Unauthorised) for error in errors)
    assert len(server.requests) == 1


def test_an_unknown_model_ends_the_run(start_server: StartServer, cache: AnswerCache) -> None:
    [error], _ = ask(start_server(replies=REPLIES, models=["other"]), cache)
    assert isinstance(error, Unauthorised)
    assert "no model small" in str(error)


@pytest.mark.parametrize("limit", [{"max_tokens": 3_000}, {"max_cost": 0.005}])
def test_what_may_be_spent_is_never_passed(
    start_server: StartServer, cache: AnswerCache, limit: dict[str, Any]
) -> None:
    server = start_server(replies=REPLIES)
    results, budget = ask(server, cache, tuple("abcdef"), **limit)
    spent = [result for result in results if isinstance(result, BudgetSpent)]
    assert spent
    assert len(server.requests) == 6 - len(spent)
    assert budget.spent.tokens <= 3_000


def test_the_key_is_sent_and_shown_nowhere(
    start_server: StartServer, cache: AnswerCache, tmp_path: Path
) -> None:
    fault = {"status": 401, "code": f"bad key {KEY}"}
    server = start_server(replies=REPLIES, faults=[None, fault])
    [_, error], _ = ask(server, cache, ("a", "b"), concurrency=1)
    assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(error)
    assert KEY not in repr(server.settings())
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.glob("answers.sqlite*"))


def test_a_limited_rate_lowers_what_is_under_way(
    start_server: StartServer, cache: AnswerCache
) -> None:
    faults = [{"status": 429, "retry_after": 0.2}] * 3
    server = start_server(replies=REPLIES, faults=faults)
    results, _ = ask(server, cache, tuple("abcdef"), concurrency=4)
    assert all(reply.agree for reply, _ in results)
    assert len(server.requests) == 9


def test_the_schema_is_strict(start_server: StartServer, cache: AnswerCache) -> None:
    server = start_server(replies=REPLIES)
    ask(server, cache)
    assert server.requests[0]["reply"] == "Comparison"
    assert json.dumps(server.requests[0]["messages"])
