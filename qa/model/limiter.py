"""How many requests are under way: more while all is well, fewer when the server says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0


class Limiter:
    """Additive increase, multiplicative decrease, and pauses that the server asks for.

    Args:
        most: Requests at once at the most.
    """

    def __init__(self, most: int) -> None:
        self._most = float(max(1, most))
        self.allowed = self._most
        self._under_way = 0
        self._pause_until = 0.0
        self._next_pause = _FIRST_PAUSE
        self._change = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for its turn, and holds it."""
        loop = asyncio.get_running_loop()
        async with self._change:
            while True:
                wait = self._pause_until - loop.time()
                if wait <= 0 and self._under_way < int(self.allowed):
                    break
                try:
                    await asyncio.wait_for(self._change.wait(), wait if wait > 0 else None)
                except TimeoutError:
                    continue
            self._under_way += 1
        try:
            yield
        finally:
            async with self._change:
                self._under_way -= 1
                self._change.notify_all()

    async def succeeded(self) -> None:
        """A request came through: one more at once after as many as are allowed now."""
        async with self._change:
            self.allowed = min(self._most, self.allowed + 1.0 / self.allowed)
            self._next_pause = _FIRST_PAUSE
            self._change.notify_all()

    async def limited(self, retry_after: float | None) -> float:
        """The server limits the rate: half as many, after a pause; returns the pause in seconds."""
        loop = asyncio.get_running_loop()
        async with self._change:
            self.allowed = max(1.0, self.allowed / 2)
            pause = self._next_pause if retry_after is None else retry_after
            self._next_pause = min(_LONGEST_PAUSE, self._next_pause * 2)
            self._pause_until = max(self._pause_until, loop.time() + pause)
            self._change.notify_all()
        return pause
