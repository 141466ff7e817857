"""From a request to its answer: limits, cache, admission, the pool; the same for every method."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Hashable
from typing import Any, Protocol, Self, TypeAlias, TypeVar, cast

from google.protobuf.message import Message

from bura_core import Solver, Stop
from bura_service import convert
from bura_service.cache import AnswerCache, Stored
from bura_service.calls import Call
from bura_service.config import Config, available_cores
from bura_service.costs import SMALL, TINY, Costs, Work
from bura_service.pool import Desk, Lane, SearchPool
from bura_service.searches import Limits, RefineQuestion

__all__ = ["Question", "Searches"]

Faults: TypeAlias = Callable[[], contextlib.AbstractContextManager[None]]
M = TypeVar("M", bound=Message)
Q = TypeVar("Q", bound="Question[Any]")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# A stream ends so long before the deadline of its call, that the last answer still arrives: a
# share of the time, within bounds in seconds.
_EARLY_SHARE, _LEAST_EARLY, _MOST_EARLY = 0.1, 0.02, 0.5


class Question(Protocol[T_co]):
    """A question of bura_service.searches."""

    @property
    def limits(self) -> Limits:
        """Its bounds."""

    @property
    def key(self) -> Hashable:
        """What equal questions have in common, their time limit aside; None: none are equal."""

    @property
    def work(self) -> Work:
        """How much it asks for."""

    @property
    def facts(self) -> dict[str, str | int]:
        """For the log; never cards."""

    @property
    def line(self) -> str | None:
        """The position it is about, if it is about one."""

    def within(self, seconds: float) -> Self:
        """The same within so many seconds, if it has no bound of its own."""

    def capped(self, nodes: int, seconds: float) -> Self:
        """The same with limits of at most so many nodes and seconds, where it has any."""

    def taste(self, nodes: int = ...) -> "Self | None":
        """The same cut so short that it is small in any case; None where that is of no use.

        `nodes` are what it may visit then.
        """

    def tasted(self, answer: Any) -> bool:
        """Whether the answer to a taste is as good as the whole."""

    def answer(self, desk: Desk) -> T_co:
        """The answer, worked out on the calling thread."""


class Searches:
    """Asks questions on the pool, within the limits of the call and of the service.

    Attributes:
        pool: where searches run.
        cache: answers to earlier questions.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        threads = config.search_threads or max(1, available_cores() // config.workers)
        self.pool = SearchPool(threads, config.max_queue, config.max_wait, config.large_nice)
        self.cache = AnswerCache(int(config.cache_mb * 2**20))
        self._costs = Costs()
        # What the event loop works with itself, where to hand it over would take longer.
        self._desk: Desk | None = None

    async def answer(
        self,
        request: Message,
        call: Call,
        read: Callable[[Any], Any],
        write: Callable[[Any, Any], M],
        faults: Faults = contextlib.nullcontext,
        *,
        keep: bool = True,
    ) -> M:
        """The answer to a request, from the cache if it was given before.

        Args:
            request: the message.
            call: the call it came with.
            read: makes the question of it.
            write: makes the message of question and answer.
            faults: gives faults that are only found on the way their field.
            keep: whether the cache has anything to do with it.
        """
        caching = keep and self._config.cache_mb > 0
        asked = (request.DESCRIPTOR.full_name, b"")
        if caching:
            asked = (asked[0], request.SerializeToString(deterministic=True))
            if (stored := self.cache.asked(asked)) is not None:
                return cast("M", _from_cache(stored, call))
        question, lowered = self._lowered(read(request))
        _note(question, call)
        key = question.key if caching else None
        if key is not None and (stored := self.cache.get(key, asked)) is not None:
            return cast("M", _from_cache(stored, call))
        with faults():
            answer = await self.ask(question, call)
        response = write(question, answer)
        if lowered:
            convert.say_lowered(response, question.limits)
        if key is not None and (stored := convert.to_keep(response)) is not None:
            self.cache.put(key, asked, stored)
        return response

    def _lowered(self, question: Q) -> tuple[Q, bool]:
        """The question within what the service allows, and whether that changed it."""
        capped = question.capped(self._config.max_node_limit, self._config.max_time_limit)
        return capped, capped is not question

    async def ask(self, question: Question[T], call: Call) -> T:
        """The answer to a question: small ones first have a taste on the lane of the small."""
        remaining = call.time_remaining()
        if remaining is None:
            question = question.within(self._config.default_time_limit)
        elif remaining > self._config.max_time_limit:
            question = question.within(self._config.max_time_limit)
        work = question.work
        answer: Any = None
        if self._costs.is_tiny(work):
            answer = self._at_once(question, call)
        if answer is None:
            answer = await self._on_a_thread(question, work, call)
        nodes = _count(answer, "nodes")
        self._costs.learn(work, call.notes.compute_seconds or 0.0, nodes)
        for name, found in (("nodes", nodes), ("worlds", _count(answer, "worlds"))):
            if found is not None:
                call.notes.facts[name] = found
        return answer  # type: ignore[no-any-return]

    def _at_once(self, question: Question[T], call: Call) -> T | None:
        """The answer to a question that is expected to be tiny; None where it is not.

        Some microseconds, less than it takes to read the request: bounded, so that nobody is
        kept waiting by a question that turns out to be harder than others of its kind.
        """
        taste = question.taste(TINY)
        if taste is None or self.pool.closed or call.time_remaining() == 0:
            return None
        if self._desk is None:
            self._desk = Desk(Solver(), Stop())
        began = time.perf_counter()
        answer = taste.answer(self._desk)
        call.notes.compute_seconds = time.perf_counter() - began
        return answer if question.tasted(answer) else None

    async def _on_a_thread(self, question: Question[T], work: Work, call: Call) -> T:
        cost = self._costs.estimate(work)
        remaining = call.time_remaining()
        if remaining is not None:
            cost = min(cost, remaining)
        if cost > SMALL:
            return await self._run(question, call, "large", cost)
        if (taste := question.taste()) is None:
            return await self._run(question, call, "small", cost)
        answer = await self._run(taste, call, "small", cost)
        if question.tasted(answer):
            return answer
        return await self._run(question, call, "large", max(cost, SMALL))

    async def _run(self, question: Question[T], call: Call, lane: Lane, cost: float) -> T:
        key = question.key
        return await self.pool.run(
            question.answer,
            lane=lane,
            cost=cost,
            key=None if key is None else (key, question.limits, lane),
            expires=call.time_remaining(),
            notes=call.notes,
        )

    async def stream(
        self,
        request: Message,
        call: Call,
        read: Callable[[Any], RefineQuestion],
        write: Callable[[Any, Any, bool], M],
        faults: Faults = contextlib.nullcontext,
    ) -> AsyncGenerator[M, None]:
        """Answers to a request that get better; arguments are those of `answer`.

        `write` is also told whether the answer is the last one: exactly one is.
        """
        question, lowered = self._lowered(read(request))
        _note(question, call)
        remaining = call.time_remaining()
        loop = asyncio.get_running_loop()
        end = None
        if remaining is None:
            question = question.within(self._config.default_time_limit)
        else:
            early = min(max(_LEAST_EARLY, _EARLY_SHARE * remaining), _MOST_EARLY)
            question = question.ending(max(remaining - 2 * early, 0.001))
            # Should its thread not get round to it in time, the answer before is the last one.
            end = loop.time() + remaining - early
        news = asyncio.Event()
        latest: Any = None

        def tell(answer: Any) -> None:
            nonlocal latest
            latest = answer
            news.set()

        def refine(desk: Desk) -> Any:
            answer = None
            for answer in question.answers(desk):
                loop.call_soon_threadsafe(tell, answer)
            return answer

        cost = self._costs.estimate(question.work)  # no more than the time it has
        run = self.pool.run(refine, cost=cost, expires=call.time_remaining(), notes=call.notes)
        search = asyncio.ensure_future(run)
        search.add_done_callback(lambda _: news.set())

        def left() -> float | None:
            return None if end is None else max(0.0, end - loop.time())

        def message(answer: Any, final: bool) -> M:
            response: Any = write(question, answer, final)
            if lowered:
                convert.say_lowered(response.recommendation, question.limits)
            return response  # type: ignore[no-any-return]

        try:
            while not search.done():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), left())
                if search.done() or left() == 0:
                    break
                news.clear()
                yield message(latest, False)
                pause = question.interval
                await asyncio.wait((search,), timeout=min(pause, left() or pause))
            if search.done() or latest is None:
                with faults():
                    answer = await search
            else:
                answer = question.cut_short(latest)
            for name in ("nodes", "worlds"):
                call.notes.facts[name] = getattr(answer, name)
            yield message(answer, True)
        finally:
            search.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await search


def _count(answer: object, name: str) -> int | None:
    found = getattr(answer, name, None)
    return found if isinstance(found, int) else None


def _note(question: Question[Any], call: Call) -> None:
    call.notes.facts |= question.facts
    call.notes.position = question.line


def _from_cache(stored: Stored, call: Call) -> Any:
    call.notes.facts["cached"] = 1
    kind: Any = stored[0]
    return kind.FromString(stored[1])
