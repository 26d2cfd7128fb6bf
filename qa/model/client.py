"""Requests to an OpenAI-compatible server: patient, counted, and never paid for twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from extractor.errors import UserError
from qa.model.budget import Budget, Usage, tokens_of
from qa.model.cache import AnswerCache, request_key
from qa.model.limiter import Limiter
from qa.model.prompts import render
from qa.model.replies import Reply, ReplyType, Unreadable, read, schema_of
from qa.model.settings import ModelSettings, Role

Message = dict[str, str]
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "quota_exceeded")
_LONGEST_BACKOFF = 20.0


class ModelRefused(Exception):
    """The model would not answer."""


class CutOff(Exception):
    """The answer ended at the limit of its length."""


class GaveUp(Exception):
    """The server gave no usable answer in the tries it had."""


class Unauthorised(UserError):
    """The server does not accept the key, or its quota is spent: no request can succeed."""


@dataclass(frozen=True)
class Answered:
    """A whole answer.

    Attributes:
        text: What the model wrote.
        usage: What it took; nothing when it was known already.
        known: It came from the cache.
    """

    text: str
    usage: Usage
    known: bool


class Client:
    """Asks a model.

    Args:
        settings: Model, server, prices.
        budget: What may be spent.
        cache: Answers that are known already.
    """

    def __init__(self, settings: ModelSettings, budget: Budget, cache: AnswerCache) -> None:
        from openai import AsyncOpenAI

        self.settings, self.budget, self.cache = settings, budget, cache
        self._client = AsyncOpenAI(
            base_url=settings.base_url, api_key=settings.key.reveal() or "none",
            max_retries=0, timeout=settings.timeout,
        )  # fmt: skip
        self._limiter = Limiter(settings.concurrency)
        self._under_way: dict[str, asyncio.Future[Answered]] = {}
        self._closed: Unauthorised | None = None
        self._schemas = True
        self.stopping = False

    async def close(self) -> None:
        """Ends the connections."""
        await self._client.close()

    async def ask(self, role: Role, prompt: str, kind: type[ReplyType]) -> tuple[ReplyType, Usage]:
        """One reply of a given shape; a reply that cannot be read is asked for once more.

        Raises:
            ModelRefused: The model would not answer.
            CutOff: Its answer was too long.
            GaveUp: No usable answer came.
            BudgetSpent: It could go past the limit.
            Unauthorised: No request can succeed.
        """
        messages: list[Message] = [{"role": "user", "content": prompt}]
        total = Usage()
        problem = ""
        for _ in range(2):
            answered = await self._answer(role, messages, kind)
            total += answered.usage
            try:
                return read(kind, answered.text), total
            except Unreadable as error:
                problem = str(error)
                schema = json.dumps(schema_of(kind), sort_keys=True)
                again = render("repair", problem=problem, schema=schema)
                messages = [
                    *messages,
                    {"role": "assistant", "content": answered.text},
                    {"role": "user", "content": again},
                ]
        raise GaveUp(f"the reply could not be read: {problem}")

    async def _answer(self, role: Role, messages: Sequence[Message], kind: type[Reply]) -> Answered:
        model = self.settings.of(role)
        parameters = {
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.answer_tokens,
            "reply": kind.__name__,
            "schema": schema_of(kind),
        }
        key = request_key(messages, model, parameters)
        kept = self.cache.recall(key)
        if kept is not None:
            return Answered(kept[0], Usage(), True)
        return await self._unknown(key, model, messages, kind)

    async def _unknown(
        self, key: str, model: str, messages: Sequence[Message], kind: type[Reply]
    ) -> Answered:
        """Asks for what the cache does not have; the same request twice at once is sent once."""
        running = self._under_way.get(key)
        if running is not None:
            return replace(await asyncio.shield(running), usage=Usage(), known=True)
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            answered = await self._send(model, messages, kind)
            self.cache.remember(key, model, answered.text, answered.usage)
            future.set_result(answered)
            return answered
        except BaseException as error:
            if not future.done():
                future.set_exception(error)
                future.exception()  # somebody has looked, even where nobody waits
            raise
        finally:
            del self._under_way[key]

    async def _send(self, model: str, messages: Sequence[Message], kind: type[Reply]) -> Answered:
        reserved = Usage(
            sum(tokens_of(message["content"]) for message in messages),
            self.settings.answer_tokens, 1,
        )  # fmt: skip
        used = Usage()
        self.budget.reserve(reserved)
        try:
            text, used = await self._patiently(model, messages, kind)
        except (ModelRefused, CutOff) as error:
            used = error.args[1]
            raise
        finally:
            self.budget.settle(reserved, used)
        return Answered(text, used, False)

    async def _patiently(
        self, model: str, messages: Sequence[Message], kind: type[Reply]
    ) -> tuple[str, Usage]:
        """Tries again: after errors of transport and server a few times, while limited by time."""
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt
        from tenacity import wait_random_exponential as backoff

        tries = AsyncRetrying(
            retry=retry_if_exception(_passes), stop=stop_after_attempt(self.settings.attempts),
            wait=backoff(multiplier=0.5, max=_LONGEST_BACKOFF), reraise=True,
        )  # fmt: skip
        try:
            async for attempt in tries:
                with attempt:
                    return await self._within_limits(model, messages, kind)
        except Exception as error:
            if not _passes(error):
                raise
            raise GaveUp(self._said(error)) from None
        raise AssertionError("tenacity either returns or raises")

    async def _within_limits(
        self, model: str, messages: Sequence[Message], kind: type[Reply]
    ) -> tuple[str, Usage]:
        import openai

        waited = 0.0
        while True:
            if self._closed is not None:
                raise self._closed
            async with self._limiter.slot():
                if self._closed is not None:
                    raise self._closed
                try:
                    made = await self._once(model, messages, kind)
                    await self._limiter.succeeded()
                    return made
                except openai.RateLimitError as error:
                    if str(getattr(error, "code", "")) in _QUOTA:
                        raise self._close(f"its quota is spent: {self._said(error)}") from None
                    pause = await self._limiter.limited(_retry_after(error))
                except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                    raise self._close(f"it refuses the key: {self._said(error)}") from None
                except openai.NotFoundError as error:
                    raise self._close(f"it has no model {model}: {self._said(error)}") from None
                except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                    if self._schemas and "response_format" in str(error):
                        self._schemas = False  # a server without structured output
                        continue
                    raise GaveUp(self._said(error)) from None
            waited += pause
            if waited > self.settings.patience:
                raise GaveUp(f"the server limited the rate for {waited:.0f} s")

    def _close(self, why: str) -> Unauthorised:
        self._closed = Unauthorised(
            f"the server accepts no request, {why}; mend that and run again"
        )
        return self._closed

    def _said(self, error: Exception) -> str:
        return self.settings.key.hide(f"{type(error).__name__}: {error}")[:300]

    async def _once(
        self, model: str, messages: Sequence[Message], kind: type[Reply]
    ) -> tuple[str, Usage]:
        sent: list[Mapping[str, str]] = list(messages)
        values: dict[str, Any] = {
            "model": model, "temperature": self.settings.temperature,
            "max_tokens": self.settings.answer_tokens,
        }  # fmt: skip
        if self._schemas:
            values["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": kind.__name__, "strict": True, "schema": schema_of(kind)},
            }
        else:
            asked = render("schema", schema=json.dumps(schema_of(kind), sort_keys=True))
            sent = [{"role": "system", "content": asked}, *sent]
        values["messages"] = sent
        gather = self._streamed if self.settings.stream else self._whole
        text, refusal, finish, usage = await gather(values)
        if usage is None:
            figures = sum(tokens_of(message["content"]) for message in sent)
            usage = Usage(figures, tokens_of(text), 1, 1)
        if refusal or finish == "content_filter":
            raise ModelRefused(refusal or "a filter of the server", usage)
        if finish == "length":
            raise CutOff(f"cut off after {self.settings.answer_tokens} tokens", usage)
        return text, usage

    async def _whole(self, values: Mapping[str, Any]) -> tuple[str, str, str | None, Usage | None]:
        made = await self._client.chat.completions.create(**values)
        if not made.choices:
            return "", "", None, _usage(made.usage)
        choice = made.choices[0]
        refusal = getattr(choice.message, "refusal", None) or ""
        return choice.message.content or "", refusal, choice.finish_reason, _usage(made.usage)

    async def _streamed(
        self, values: Mapping[str, Any]
    ) -> tuple[str, str, str | None, Usage | None]:
        text, refusal, finish, usage = "", "", None, None
        stream = await self._client.chat.completions.create(
            **values, stream=True, stream_options={"include_usage": True}
        )
        async for chunk in stream:
            usage = _usage(chunk.usage) or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                refusal += getattr(choice.delta, "refusal", None) or ""
                finish = choice.finish_reason or finish
        return text, refusal, finish, usage


def _passes(error: BaseException) -> bool:
    """Whether another try may succeed: errors of transport and server, and broken bodies."""
    import openai

    named = (
        openai.APIConnectionError, openai.InternalServerError, openai.ConflictError,
        openai.APIResponseValidationError, json.JSONDecodeError,
    )  # fmt: skip
    # A stream that breaks off raises the transport's own errors.
    return isinstance(error, named) or type(error).__module__.startswith(("httpx", "httpcore"))


def _usage(figures: Any) -> Usage | None:
    if figures is None:
        return None
    return Usage(int(figures.prompt_tokens), int(figures.completion_tokens), 1)


def _retry_after(error: Any) -> float | None:
    headers = error.response.headers
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    return None


Outcome = Literal["refused", "cut off", "gave up"]
OUTCOMES: dict[type[Exception], Outcome] = {
    ModelRefused: "refused", CutOff: "cut off", GaveUp: "gave up"
}  # fmt: skip
"""What ended a request without an answer."""
