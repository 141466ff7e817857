"""The client for asyncio: the calls of `bura.Client`, to be awaited.

    >>> async with bura.aio.connect("localhost:50051") as client:
    ...     advice = await client.recommend("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")

Cancelling the task that awaits a call cancels the call, and with it the search.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Iterable,
    Iterator,
)
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from bura.client import Client
from bura.errors import BuraError
from bura.results import (
    ClaimEstimate,
    HandReview,
    Objective,
    Perft,
    PlayedPosition,
    Position,
    RaiseAdvice,
    Recommendation,
    RecordCheck,
    Replay,
    RuleSet,
    Solution,
)

if TYPE_CHECKING:
    import grpc

    from bura._calls import Calls

__all__ = ["AsyncClient", "connect"]

T = TypeVar("T")
M = TypeVar("M")


def connect(
    target: str | None = None,
    *,
    timeout: float | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    token: str | None = None,
    retries: int = 3,
) -> AsyncClient:
    """Connects to a service; arguments and errors are those of `bura.connect`."""
    from bura._calls import Calls

    return AsyncClient(Calls(target, timeout, credentials, token, retries))


class AsyncClient:
    """A connection to a service, for one event loop; made by `connect`.

    Each method asks what the method of `bura.Client` of the same name asks, takes the same
    arguments, gives the same result and raises the same errors.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<bura.aio.AsyncClient of {self.target}>"

    @property
    def target(self) -> str:
        """The address that is asked."""
        return self._calls.target

    async def close(self) -> None:
        """Ends the connection, and with it the embedded service if there is one."""
        await asyncio.to_thread(self._calls.close)

    async def recommend(self, position: str | Position, **options: Any) -> Recommendation:
        """What to play, from what one player has seen; see `Client.recommend`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.recommend(str(position), **options)
        return _convert.recommendation(await self._answer(call))

    async def recommend_stream(
        self, position: str | Position, **options: Any
    ) -> AsyncGenerator[Recommendation, None]:
        """What to play, better and better; see `Client.recommend_stream`.

        Leaving the loop ends the search once the generator is closed: at once where nobody holds
        it (`async for hint in client.recommend_stream(line)`), else with `contextlib.aclosing`.
        """
        from bura import _convert

        stream = self._calls.recommend_stream(str(position), **options)
        loop = asyncio.get_running_loop()
        answers: asyncio.Queue[Any] = asyncio.Queue()

        def read() -> None:
            try:
                for answer in stream:
                    loop.call_soon_threadsafe(answers.put_nowait, answer)
                loop.call_soon_threadsafe(answers.put_nowait, None)
            except BuraError as error:
                loop.call_soon_threadsafe(answers.put_nowait, error)
            except RuntimeError:
                pass  # the loop is gone, and with it whoever wanted to know

        # A thread of its own: those of the loop's pool are few, and others wait for them.
        threading.Thread(target=read, name="bura-stream", daemon=True).start()
        try:
            while (answer := await answers.get()) is not None:
                if isinstance(answer, BuraError):
                    raise answer
                yield _convert.recommendation(answer.recommendation, answer.final)
        finally:
            stream.close()

    async def estimate_claim(self, position: str | Position, **options: Any) -> ClaimEstimate:
        """The exact chance that a claim would hold; see `Client.estimate_claim`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.estimate_claim(str(position), **options)
        return _convert.claim_estimate(await self._answer(call))

    async def advise_raise(self, position: str | Position, **options: Any) -> RaiseAdvice:
        """Whether to raise, and how to answer a raise; see `Client.advise_raise`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.advise_raise(str(position), **options)
        return _convert.raise_advice(await self._answer(call))

    async def solve(self, position: str | Position, **options: Any) -> Solution:
        """The value of a position and of each move; see `Client.solve`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.solve(str(position), **options)
        return _convert.solution(await self._answer(call))

    async def solve_many(
        self,
        positions: Iterable[str | Position] | AsyncIterable[str | Position],
        *,
        objective: Objective = "outcome",
        value_only: bool = False,
        line: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        threads: int = 1,
    ) -> AsyncIterator[Solution | BuraError]:
        """Solves many positions, in their order; see `Client.solve_many`.

        `positions` may be an asynchronous iterable, too. It is read ahead only a little.
        """
        loop = asyncio.get_running_loop()
        if isinstance(positions, AsyncIterable):
            questions: Iterable[str | Position] = _blocking(positions, loop)
        else:
            questions = positions
        answers = Client(self._calls).solve_many(
            questions,
            objective=objective,
            value_only=value_only,
            line=line,
            max_nodes=max_nodes,
            time_limit=time_limit,
            threads=threads,
        )
        end = object()
        try:
            while (answer := await asyncio.to_thread(next, answers, end)) is not end:
                yield cast("Solution | BuraError", answer)
        finally:
            cast("Any", answers).close()

    async def perft(
        self, position: str | Position, depth: int, divide: bool = False, **options: Any
    ) -> Perft:
        """Counts move sequences; see `Client.perft`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.perft(str(position), depth, divide=divide, **options)
        return _convert.perft(await self._answer(call))

    async def review(self, record: str, **options: Any) -> HandReview:
        """What each move of a finished hand cost; see `Client.review`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.review(record, **options)
        return _convert.hand_review(await self._answer(call))

    async def check_record(self, record: str) -> RecordCheck:
        """Everything wrong with a hand record; see `Client.check_record`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.check_record(record)
        return _convert.record_check(await self._answer(call))

    async def replay(self, record: str, seat: int | None = None) -> Replay:
        """The position before each move of a record; see `Client.replay`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.replay(record, seat=seat)
        return _convert.replay(await self._answer(call))

    async def play(
        self, position: str | Position, moves: Iterable[str] = (), *, seat: int | None = None
    ) -> PlayedPosition:
        """A position after some moves, with what is legal then; see `Client.play`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.describe(str(position), tuple(moves), seat=seat)
        return _convert.played_position(await self._answer(call))

    async def draw(
        self, position: str | Position, moves: Iterable[str] = (), **options: Any
    ) -> str:
        """A picture of a position; see `Client.draw`."""
        with self._calls.awaited():
            call = self._calls.draw(str(position), tuple(moves), **options)
        return (await self._answer(call)).svg

    async def rule_sets(self, language: str = "en") -> tuple[RuleSet, ...]:
        """The rule sets that the service knows by name; see `Client.rule_sets`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.rule_sets(language)
        return tuple(map(_convert.rule_set, (await self._answer(call)).rule_sets))

    async def rule_set(self, rules: str, language: str = "en") -> RuleSet:
        """One rule set in words; see `Client.rule_set`."""
        from bura import _convert

        with self._calls.awaited():
            call = self._calls.rule_set(rules, language)
        return _convert.rule_set((await self._answer(call)).rule_set)

    def _answer(self, call: M) -> Awaitable[M]:
        """The answer to a call under way: within `awaited`, that is what a method gives."""
        return self._calls.answer_of(call)


def _blocking(items: AsyncIterable[T], loop: asyncio.AbstractEventLoop) -> Iterator[T]:
    """The items one by one, for a thread beside the event loop."""
    iterator = aiter(items)
    while True:
        try:
            yield asyncio.run_coroutine_threadsafe(_next(iterator), loop).result()
        except StopAsyncIteration:
            return


async def _next(iterator: AsyncIterator[T]) -> T:
    return await anext(iterator)
