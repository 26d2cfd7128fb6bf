"""Which model, at which server, at which price."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from extractor.errors import UserError

Role = Literal["writer", "answerer", "critic", "second"]
"""``writer`` asks, ``answerer`` answers, ``critic`` compares, ``second`` answers again."""

ROLES: tuple[Role, ...] = ("writer", "answerer", "critic", "second")


class Secret:
    """A key that no log, record or error can show.

    Args:
        value: The key.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key, for the one place that sends it."""
        return self._value

    def hide(self, text: str) -> str:
        """A text of a server with the key blanked."""
        return text.replace(self._value, "[key]") if self._value else text

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__


@dataclass(frozen=True)
class ModelSettings:
    """How a model is asked.

    Attributes:
        model: Model of every role that names none of its own.
        roles: Models by role, where they differ.
        base_url: Address of an OpenAI-compatible server; ``None`` for the client's default.
        key: Its key.
        input_price: US dollars for a million tokens sent; ``None`` where it is not known.
        output_price: US dollars for a million tokens received.
        temperature: Sampling temperature.
        context_tokens: What the model can read and write in one request.
        answer_tokens: The most it may write in one request.
        concurrency: Requests at once at the most.
        timeout: Seconds without an answer after which a request is given up.
        attempts: Tries of one request against errors of transport and server.
        patience: Seconds that one request waits at the most while the server limits the rate.
        stream: Receive answers piece by piece, for servers that cut off silent connections.
        tries: How often an answer may be written again after a gate refused it.
    """

    model: str
    roles: Mapping[str, str] = field(default_factory=dict)
    base_url: str | None = None
    key: Secret = field(default_factory=lambda: Secret(""))
    input_price: float | None = None
    output_price: float | None = None
    temperature: float = 0.2
    context_tokens: int = 32_000
    answer_tokens: int = 2_000
    concurrency: int = 8
    timeout: float = 120.0
    attempts: int = 4
    patience: float = 600.0
    stream: bool = False
    tries: int = 2

    def of(self, role: Role) -> str:
        """The model of a role."""
        return self.roles.get(role) or self.model


def settings_from(environment: Mapping[str, str] = os.environ, **given: Any) -> ModelSettings:
    """Settings from the environment, overridden by what is given and not ``None``.

    ``ROCQUARRY_MODEL``, ``ROCQUARRY_MODEL_WRITER`` (``_ANSWERER``, ``_CRITIC``, ``_SECOND``),
    ``ROCQUARRY_BASE_URL`` or ``OPENAI_BASE_URL``, ``ROCQUARRY_API_KEY`` or ``OPENAI_API_KEY``,
    ``ROCQUARRY_INPUT_PRICE``, ``ROCQUARRY_OUTPUT_PRICE``, ``ROCQUARRY_CONTEXT_TOKENS``.

    Raises:
        UserError: No model is named, or a figure is none.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    model = chosen.pop("model", None) or environment.get("ROCQUARRY_MODEL")
    if not model:
        raise UserError("no model is named; give --model NAME or set ROCQUARRY_MODEL")
    roles: dict[str, str] = {
        role: environment[f"ROCQUARRY_MODEL_{role.upper()}"]
        for role in ROLES
        if environment.get(f"ROCQUARRY_MODEL_{role.upper()}")
    }
    key = environment.get("ROCQUARRY_API_KEY") or environment.get("OPENAI_API_KEY") or ""
    context = _figure(environment, "ROCQUARRY_CONTEXT_TOKENS")
    settings = ModelSettings(
        model=str(model),
        roles=roles,
        base_url=environment.get("ROCQUARRY_BASE_URL") or environment.get("OPENAI_BASE_URL"),
        key=Secret(key),
        input_price=_figure(environment, "ROCQUARRY_INPUT_PRICE"),
        output_price=_figure(environment, "ROCQUARRY_OUTPUT_PRICE"),
    )
    if context is not None:
        settings = replace(settings, context_tokens=int(context))
    return replace(settings, **chosen)


def _figure(environment: Mapping[str, str], name: str) -> float | None:
    text = environment.get(name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise UserError(f"{name} is {text!r}; give a number") from None
    if value < 0:
        raise UserError(f"{name} is negative; give a number of zero or more")
    return value
