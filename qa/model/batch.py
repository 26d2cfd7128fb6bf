"""Batch mode: the same requests, sent together to servers that have the batch interface.

An entry's requests depend on one another, so batches go in rounds: every entry goes as far as
known answers take it; what it would ask next is put into one batch; its answers go into the cache,
and the next round goes further. What is sent and kept is the same as in the direct mode. A batch
that was under way when a run ended is fetched by the next one.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from extractor.errors import UserError
from qa.model.budget import Budget, Usage, tokens_of
from qa.model.cache import AnswerCache
from qa.model.client import Client, GaveUp, Message, ModelRefused
from qa.model.replies import Reply, schema_of
from qa.model.settings import ModelSettings

_ENDPOINT: Final = "/v1/chat/completions"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


class Postponed(Exception):
    """The answer is not known yet: the request waits for the next batch."""


@dataclass(frozen=True)
class _Waiting:
    key: str
    model: str
    body: dict[str, Any]
    reserved: Usage


class BatchClient(Client):
    """Answers from the cache; collects what the cache does not have.

    Args:
        settings: Model, server, prices.
        budget: What may be spent.
        cache: Answers that are known already.
    """

    def __init__(self, settings: ModelSettings, budget: Budget, cache: AnswerCache) -> None:
        super().__init__(settings, budget, cache)
        self.waiting: dict[str, _Waiting] = {}
        self._failed: dict[str, Exception] = {}

    async def _unknown(
        self, key: str, model: str, messages: Sequence[Message], kind: type[Reply]
    ) -> Any:
        if key in self._failed:
            raise self._failed[key]
        if key not in self.waiting:
            sent = sum(tokens_of(message["content"]) for message in messages)
            reserved = Usage(sent, self.settings.answer_tokens, 1)
            self.budget.reserve(reserved)
            body = {
                "model": model, "messages": list(messages),
                "temperature": self.settings.temperature,
                "max_tokens": self.settings.answer_tokens,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {
                        "name": kind.__name__, "strict": True, "schema": schema_of(kind)
                    },
                },
            }  # fmt: skip
            self.waiting[key] = _Waiting(key, model, body, reserved)
        raise Postponed

    async def send(self, poll_seconds: float, told: Callable[[str], None]) -> None:
        """Sends what waits as one batch and keeps its answers.

        Args:
            poll_seconds: Pause between two looks at the batch.
            told: Told the batch's state.

        Raises:
            UserError: The server has no batch interface, or gave the batch up.
        """
        waiting, self.waiting = self.waiting, {}
        lines = [
            json.dumps({"custom_id": key, "method": "POST", "url": _ENDPOINT, "body": one.body})
            for key, one in sorted(waiting.items())
        ]
        data = io.BytesIO("\n".join(lines).encode())
        with self._named_errors():
            file = await self._client.files.create(file=("requests.jsonl", data), purpose="batch")
            batch = await self._client.batches.create(
                input_file_id=file.id, endpoint=_ENDPOINT, completion_window="24h"
            )
        rows = [[one.key, one.model, one.reserved.sent] for one in waiting.values()]
        self.cache.note_batch(batch.id, self._server, json.dumps(rows))
        await self._fetch(batch.id, waiting, poll_seconds, told)

    async def collect(self, poll_seconds: float, told: Callable[[str], None]) -> None:
        """Fetches batches that an earlier run sent and did not wait for."""
        for name, rows in self.cache.open_batches(self._server):
            waiting = {
                key: _Waiting(key, model, {}, Usage(sent, self.settings.answer_tokens, 1))
                for key, model, sent in json.loads(rows)
            }
            for one in waiting.values():
                self.budget.reserve(one.reserved)
            await self._fetch(name, waiting, poll_seconds, told)

    @property
    def _server(self) -> str:
        return str(self._client.base_url)

    async def _fetch(
        self, name: str, waiting: dict[str, _Waiting], poll_seconds: float,
        told: Callable[[str], None],
    ) -> None:  # fmt: skip
        with self._named_errors():
            batch = await self._client.batches.retrieve(name)
            while batch.status not in _ENDED:
                told(f"batch {name}: {batch.status}")
                await asyncio.sleep(poll_seconds)
                batch = await self._client.batches.retrieve(name)
            if batch.output_file_id is None:
                self.cache.forget_batch(name)
                raise UserError(f"the server ended batch {name} as {batch.status}; run again")
            answers = await self._client.files.content(batch.output_file_id)
        for line in answers.text.splitlines():
            if line.strip():
                self._keep(json.loads(line), waiting)
        for key in waiting.keys() - self._failed.keys():
            if self.cache.recall(key) is None:
                self._failed[key] = GaveUp("the batch has no answer to this request")
        self.cache.forget_batch(name)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        import openai

        try:
            yield
        except openai.NotFoundError:
            raise UserError("the server has no such batch interface; run without --batch") from None
        except openai.APIError as error:
            raise UserError(f"batch: {self._said(error)}; run again to go on") from None

    def _keep(self, row: dict[str, Any], waiting: dict[str, _Waiting]) -> None:
        one = waiting.get(row["custom_id"])
        if one is None:
            return
        body = (row.get("response") or {}).get("body") or {}
        figures = body.get("usage") or {}
        usage = Usage(
            int(figures.get("prompt_tokens", one.reserved.sent)),
            int(figures.get("completion_tokens", 0)), 1, 0 if figures else 1,
        )  # fmt: skip
        self.budget.settle(one.reserved, usage)
        choices = body.get("choices") or []
        message = choices[0]["message"] if choices else {}
        if message.get("refusal"):
            self._failed[one.key] = ModelRefused(message["refusal"])
        elif choices and choices[0].get("finish_reason") == "stop" and message.get("content"):
            self.cache.remember(one.key, one.model, message["content"], usage)
        else:
            self._failed[one.key] = GaveUp(str(row.get("error") or "an unfinished answer"))


async def rounds(
    client: BatchClient, step: Callable[[], Awaitable[None]], poll_seconds: float,
    told: Callable[[str], None],
) -> int:  # fmt: skip
    """Runs ``step`` until it leaves nothing waiting; returns how many batches it sent."""
    await client.collect(poll_seconds, told)
    batches = 0
    while True:
        await step()
        if not client.waiting:
            return batches
        await client.send(poll_seconds, told)
        batches += 1
