"""Where searches run: a small executor behind a queue of limited length.

The event loop stays free for fast calls, since the core releases the interpreter's lock while
it searches. There are no more threads than cores, each with a solver of its own, and whoever
comes when the queue is full is told so at once instead of waiting past his deadline.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from bura_core import Solver, Stop
from bura_service.status import ExpiredError, OverloadedError, ShuttingDownError

T = TypeVar("T")

# A rough guess at when a place in the queue is free again, in seconds. It only has to keep
# clients from coming back in a tight loop.
_RETRY_AFTER = 1.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What a job works with: its thread's solver, and the flag that tells it to stop."""

    solver: Solver
    stop: Stop


class SearchPool:
    """Runs searches for the coroutines of one event loop; see the module's docstring."""

    def __init__(self, workers: int, max_queue: int) -> None:
        self._local = threading.local()
        self._executor = ThreadPoolExecutor(
            workers, thread_name_prefix="bura-search", initializer=self._make_solver
        )
        self._capacity = workers + max_queue
        self._lock = threading.Lock()
        self._stops: dict[int, Stop] = {}  # of the searches admitted and not yet over, by number
        self._admitted = 0
        self._closed = False

    def _make_solver(self) -> None:
        self._local.solver = Solver()

    @property
    def busy(self) -> int:
        """Searches that run or wait."""
        with self._lock:
            return len(self._stops)

    async def run(self, job: Callable[[Desk], T], expires: float | None = None) -> T:
        """What `job` returns, run on a worker thread.

        When the awaiting coroutine is cancelled, which grpc does when the client cancels, goes
        away or lets the deadline pass, a waiting job is dropped and a running one told to
        stop. The same after `expires` seconds, should the word of it not come.

        Raises:
            ExpiredError: `expires` seconds have passed.
            OverloadedError: the queue is full.
            ShuttingDownError: the pool is closed.
        """
        number, stop = self._admit()
        future = self._executor.submit(self._work, job, stop)
        # The place is free when the thread is, which may be later than the coroutine's end.
        future.add_done_callback(lambda _: self._leave(number))
        try:
            async with asyncio.timeout(expires):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise ExpiredError from None
        finally:
            stop.set()  # which does nothing to a search that is over

    def _admit(self) -> tuple[int, Stop]:
        with self._lock:
            if self._closed:
                raise ShuttingDownError
            if len(self._stops) >= self._capacity:
                raise OverloadedError(_RETRY_AFTER)
            self._admitted += 1
            stop = self._stops[self._admitted] = Stop()
            return self._admitted, stop

    def _leave(self, number: int) -> None:
        with self._lock:
            del self._stops[number]

    def _work(self, job: Callable[[Desk], T], stop: Stop) -> T:
        try:
            return job(Desk(self._local.solver, stop))
        except StopIteration as error:
            # A future refuses to carry this one, and the call would wait for ever.
            raise RuntimeError("a search ran off the end of something") from error

    def stop_searches(self) -> None:
        """Admits no more searches and tells all to stop; they answer with what they have."""
        with self._lock:
            self._closed = True
            for stop in self._stops.values():
                stop.set()

    def close(self) -> None:
        """Stops every search and waits for the threads to end."""
        self.stop_searches()
        self._executor.shutdown(wait=True, cancel_futures=True)
