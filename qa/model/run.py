"""A run of the model author: plan, estimate, budget, many entries at once, report."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from qa.ground import Ground
from qa.judgement import Judge, Verdict
from qa.model.author import ModelAuthor, Written
from qa.model.batch import BatchClient, Postponed, rounds
from qa.model.budget import Budget, BudgetSpent, Usage, cost, tokens_of
from qa.model.cache import AnswerCache
from qa.model.client import Client, Unauthorised
from qa.model.plan import CATEGORIES, Wanted, wanted
from qa.model.replies import ReplyType
from qa.model.settings import ModelSettings, Role
from qa.records import Category, Entry

_REQUESTS_PER_ENTRY = 6
_ANSWER_SHARE = 0.5

Advance = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Estimate:
    """What a run would take.

    Attributes:
        entries: Entries that would be asked for.
        requests: Requests, when every entry goes through every stage once.
        sent: Tokens of prompts.
        received: Tokens of answers.
        price: US dollars; ``None`` where no price is known.
    """

    entries: int
    requests: int
    sent: int
    received: int
    price: float | None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "entries": self.entries, "requests": self.requests, "tokens_sent": self.sent,
            "tokens_received": self.received, "price_usd": self.price,
        }  # fmt: skip


@dataclass
class Report:
    """What came of a run.

    Attributes:
        written: Every wanted entry that was begun, in the order of the plan.
        stopped: Why the rest was not begun; empty when all was.
        left: Wanted entries that were not begun.
        usage: What the server says was used.
        price: US dollars; ``None`` where no price is known.
    """

    written: list[Written] = field(default_factory=list)
    stopped: str = ""
    left: int = 0
    usage: Usage = field(default_factory=Usage)
    price: float | None = None

    @property
    def entries(self) -> list[Entry]:
        """Accepted entries."""
        return [w.entry for w in self.written if w.stage == "accepted" and w.entry is not None]

    def as_json(self) -> dict[str, Any]:
        """Plain data: counts by stage, usage, cost of an accepted entry."""
        accepted = len(self.entries)
        return {
            "accepted": accepted,
            "stages": dict(sorted(Counter(w.stage for w in self.written).items())),
            "left": self.left, "stopped": self.stopped,
            "requests": self.usage.requests, "tokens_sent": self.usage.sent,
            "tokens_received": self.usage.received, "figures_estimated": self.usage.estimated,
            "price_usd": self.price,
            "price_per_accepted_usd": (
                None if self.price is None or not accepted else self.price / accepted
            ),
        }  # fmt: skip

    def rejects(self) -> list[dict[str, Any]]:
        """Lines for ``rejects.jsonl``."""
        return [
            {
                "id": w.entry.id if w.entry is not None else "",
                "gate": w.stage,
                "reason": w.reason,
                "wanted": {
                    "interface": w.wanted.interface, "category": w.wanted.category,
                    "level": w.wanted.level, "subject": w.wanted.subject,
                },
                "entry": w.entry.model_dump(mode="json", by_alias=True) if w.entry else None,
            }
            for w in self.written
            if w.stage != "accepted"
        ]  # fmt: skip


def plan(
    ground: Ground, interfaces: Iterable[str], categories: Sequence[Category] = CATEGORIES,
    limit: int | None = None,
) -> list[Wanted]:  # fmt: skip
    """Wanted entries of some interfaces, at most ``limit`` of each."""
    found: list[Wanted] = []
    for interface in interfaces:
        rows = list(wanted(ground.view(interface), ground, categories))
        found += rows if limit is None else rows[:limit]
    return found


def estimate(settings: ModelSettings, ground: Ground, rows: Sequence[Wanted]) -> Estimate:
    """What a run takes when every entry passes each stage once; nothing is sent.

    The prompt of the question stands for that of the answer, which shows the same source.
    """
    author = ModelAuthor(Unasked(settings), ground, lambda _entry: ({}, ""))
    sent = 0
    for one in rows:
        look = tokens_of(author.question_prompt(ground.view(one.interface), one))
        # Question and answer read the source, the second answer its evidence, the rest short texts.
        sent += 2 * look + look // 4 + (_REQUESTS_PER_ENTRY - 3) * settings.answer_tokens
    received = int(len(rows) * _REQUESTS_PER_ENTRY * settings.answer_tokens * _ANSWER_SHARE)
    usage = Usage(sent, received)
    return Estimate(
        len(rows), len(rows) * _REQUESTS_PER_ENTRY, sent, received, cost(settings, usage)
    )


@dataclass(frozen=True)
class Unasked:
    """Stands where prompts are made and nothing is sent."""

    settings: ModelSettings

    async def ask(self, role: Role, prompt: str, kind: type[ReplyType]) -> tuple[ReplyType, Usage]:
        """Sends nothing."""
        raise AssertionError("an estimate asked the model")


def run(
    settings: ModelSettings,
    ground: Ground,
    rows: Sequence[Wanted],
    judge: Judge,
    *,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    cache: AnswerCache | None = None,
    advance: Advance | None = None,
    batch_seconds: float | None = None,
) -> Report:
    """Writes the wanted entries.

    Args:
        settings: Model, server, prices.
        ground: The library.
        rows: What is wanted.
        judge: The gates.
        max_cost: US dollars at the most.
        max_tokens: Tokens at the most.
        cache: Answers that are known; those of this machine when left out.
        advance: Told how many entries are done, of how many, and what was spent.
        batch_seconds: Send requests in batches and look after them every so many seconds.

    The first Ctrl-C lets requests that are under way finish, for they are paid for; the second one
    ends at once. Every answer is kept the moment it is there.

    Raises:
        Unauthorised: The server accepts no request and nothing was written.
        KeyboardInterrupt: Interrupted; answers so far are kept.
    """
    answers = cache or AnswerCache()
    budget = Budget(settings, max_cost, max_tokens)
    try:
        return asyncio.run(
            _run(settings, ground, rows, judge, budget, answers, advance, batch_seconds)
        )
    finally:
        if cache is None:
            answers.close()


async def _run(
    settings: ModelSettings, ground: Ground, rows: Sequence[Wanted], judge: Judge, budget: Budget,
    answers: AnswerCache, advance: Advance | None, batch_seconds: float | None,
) -> Report:  # fmt: skip
    make = Client if batch_seconds is None else BatchClient
    client = make(settings, budget, answers)

    def gates(entry: Entry) -> tuple[dict[str, bool], str]:
        # Alone: entries are compared with each other afterwards, in the order of the plan.
        verdict = judge.judge_alone(entry)
        return verdict.gates, verdict.reason

    author = ModelAuthor(client, ground, gates)
    report = Report()
    done: dict[int, Written] = {}
    queue: Iterator[tuple[int, Wanted]] = iter(())
    stop = asyncio.Event()
    stopped: list[str] = []
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stopped.append("interrupted")
        stop.set()

    async def worker() -> None:
        while not stop.is_set():
            try:
                number, one = next(queue)
            except StopIteration:
                return
            try:
                view = ground.view(one.interface)
                done[number] = await author.write(view, one)
            except Postponed:
                continue
            except (BudgetSpent, Unauthorised) as error:
                if not stop.is_set():
                    stopped.append(str(error))
                    stop.set()
                return
            if advance is not None:
                advance(len(done), len(rows), budget.line())

    async def work() -> None:
        nonlocal queue
        queue = iter([(n, one) for n, one in enumerate(rows) if n not in done])
        await asyncio.gather(*(worker() for _ in range(max(1, settings.concurrency))))

    handled = _handles_interrupts(loop, interrupt)
    try:
        if isinstance(client, BatchClient) and batch_seconds is not None:
            say = advance or (lambda _done, _all, _text: None)
            await rounds(client, work, batch_seconds, lambda text: say(len(done), len(rows), text))
        else:
            await work()
    finally:
        if handled:
            loop.remove_signal_handler(signal.SIGINT)
        await client.close()
    report.written = [done[number] for number in sorted(done)]
    _among_each_other(report.written, judge)
    report.left = len(rows) - len(done)
    report.stopped = stopped[0] if stopped else ""
    report.usage = budget.spent
    report.price = cost(settings, budget.spent)
    return report


def _among_each_other(written: Iterable[Written], judge: Judge) -> None:
    for made in written:
        if made.stage != "accepted" or made.entry is None:
            continue
        alone = Verdict(made.entry.id, True, made.entry.gates, "")
        verdict = judge.compare(made.entry, alone)
        made.entry = made.entry.model_copy(update={"gates": verdict.gates})
        if not verdict.passed:
            made.stage, made.reason = "gates", verdict.reason


def _handles_interrupts(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> bool:
    try:
        loop.add_signal_handler(signal.SIGINT, action)
    except (NotImplementedError, RuntimeError, ValueError):
        return False  # not the main thread: the interruption comes as an exception
    return True
