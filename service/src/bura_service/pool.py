"""Where searches run: few threads behind a queue that is bounded by what it will cost.

The event loop stays free for fast calls, since the core releases the interpreter's lock while it
searches. There are two lanes, so that small searches do not wait behind large ones; the large ones
have as many threads as cores. All threads have one priority: one of a lower would hold up
everybody while it holds the interpreter's lock and is not let run. Whoever comes when there is
more work ahead than he or the service will wait for is told so at once: by what jobs are expected
to take, and by how much longer than that they took of late. And searches that are equal
share one computation.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from bura_core import Solver, Stop
from bura_service.calls import Notes
from bura_service.status import ExpiredError, OverloadedError, ShuttingDownError

__all__ = ["Desk", "Lane", "SearchPool"]

T = TypeVar("T")
Lane: TypeAlias = Literal["small", "large"]

# What a refused client is told to wait, in seconds: half of what is ahead, within bounds that
# keep it from coming back in a tight loop, or never.
_LEAST_RETRY, _MOST_RETRY = 0.1, 30.0

# How much the newest job counts for how much longer than expected jobs take, how long a job is
# expected to take at least, in seconds, to count, and how much longer is believed at most.
_WEIGHT, _LEAST_EXPECTED, _MOST_STRETCH = 0.1, 0.02, 5.0

# A job is not begun if it would be late should it be this much later than expected, in mean
# deviations of how late jobs were.
_DEVIATIONS = 2.0

# How long Python code may hold the interpreter's lock while others wait for it, in seconds.
# Python's own 5 ms would be most of what a small search may take.
_SWITCH_INTERVAL = 0.0005


@dataclass(frozen=True, slots=True)
class Desk:
    """What a job works with: its thread's solver, and the flag that tells it to stop."""

    solver: Solver
    stop: Stop


class _Job:
    """A search that is admitted and not yet over, and those who wait for it."""

    __slots__ = ("began", "cost", "ended", "expected", "future", "stop", "submitted", "waiters")

    def __init__(self, cost: float) -> None:
        self.cost = cost
        self.expected = cost  # seconds from now to its end
        self.stop = Stop()
        self.waiters = 0
        self.submitted = time.perf_counter()
        self.began = self.ended = 0.0
        self.future: asyncio.Future[Any]


class _Threads:
    """The threads of one lane, and the jobs before them."""

    def __init__(self, lane: Lane, threads: int, nice: int = 0) -> None:
        self.threads = threads
        self._nice = nice
        self.jobs: set[_Job] = set()
        # Seconds that go by for each that jobs are expected to wait and take: more than one where
        # others are at work on the machine, or the mixture of jobs is not that of before.
        self.stretch = 1.0
        self._deviation = 0.1
        self._local = threading.local()
        self.executor = ThreadPoolExecutor(
            threads, thread_name_prefix=f"bura-search-{lane}", initializer=self._prepare
        )

    def _prepare(self) -> None:
        self._local.solver = Solver()
        # Elsewhere the number of a thread means nothing to setpriority.
        if self._nice and sys.platform == "linux":
            thread = threading.get_native_id()
            usual = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, min(19, usual + self._nice))

    @property
    def backlog(self) -> float:
        """Seconds of a thread that the jobs are expected to take yet."""
        now = time.perf_counter()
        return sum(
            max(0.0, job.cost - (now - job.began)) if job.began else job.cost for job in self.jobs
        )

    @property
    def wait(self) -> float:
        """Seconds until a job admitted now is expected to begin."""
        return self.backlog / self.threads if len(self.jobs) >= self.threads else 0.0

    def learn(self, job: _Job) -> None:
        """Takes into account how long a job took, or has taken when it was given up."""
        if job.expected < _LEAST_EXPECTED:
            return
        ratio = min((time.perf_counter() - job.submitted) / job.expected, _MOST_STRETCH)
        if not job.stop.is_set or ratio > self.stretch:
            self._deviation += _WEIGHT * (abs(ratio - self.stretch) - self._deviation)
            self.stretch = max(1.0, self.stretch + _WEIGHT * (ratio - self.stretch))

    def late(self, cost: float, expires: float | None) -> bool:
        """Whether a job admitted now may well not be done in so many seconds."""
        if expires is None:
            return False
        return (self.stretch + _DEVIATIONS * self._deviation) * (self.wait + cost) > expires

    def work(self, task: Callable[[Desk], T], job: _Job) -> T:
        """Does a job on a thread of this lane."""
        job.began = time.perf_counter()
        try:
            return task(Desk(self._local.solver, job.stop))
        except StopIteration as error:
            # A future refuses to carry this one, and the call would wait for ever.
            raise RuntimeError("a search ran off the end of something") from error
        finally:
            job.ended = time.perf_counter()


class SearchPool:
    """Runs searches for the coroutines of one event loop; see the module's docstring.

    All but `run` may be called from any thread.

    Attributes:
        coalesced: calls that were answered by the computation of another so far.
    """

    def __init__(self, threads: int, max_queue: int, max_wait: float, large_nice: int = 0) -> None:
        """Makes the threads when they are needed.

        Args:
            threads: large searches that run at once.
            max_queue: searches of a lane that may wait.
            max_wait: seconds of expected work ahead beyond which a search is refused.
            large_nice: nice of the threads of large searches, so that small ones and the event
                loop go before them; 0 to 19.
        """
        self._lanes: dict[Lane, _Threads] = {
            "small": _Threads("small", max(1, threads // 2)),
            "large": _Threads("large", threads, large_nice),
        }
        self._max_queue = max_queue
        self._max_wait = max_wait
        self._lock = threading.Lock()
        self._shared: dict[Hashable, _Job] = {}
        self._closed = False
        self.coalesced = 0

    @property
    def closed(self) -> bool:
        """Whether searches are admitted no more."""
        return self._closed

    @property
    def busy(self) -> int:
        """Searches that run or wait."""
        with self._lock:
            return sum(len(lane.jobs) for lane in self._lanes.values())

    def load(self, lane: Lane) -> tuple[int, int, float]:
        """Searches of a lane that run, that wait, and the seconds of work expected of both."""
        threads = self._lanes[lane]
        with self._lock:
            running = min(len(threads.jobs), threads.threads)
            return running, len(threads.jobs) - running, threads.backlog

    async def run(
        self,
        task: Callable[[Desk], T],
        *,
        lane: Lane = "large",
        cost: float = 0.0,
        key: Hashable = None,
        expires: float | None = None,
        notes: Notes | None = None,
    ) -> T:
        """What `task` returns, run on a thread of the lane.

        When the awaiting coroutine is cancelled, which grpc does when the client cancels, goes
        away or lets the deadline pass, a waiting job is dropped and a running one told to
        stop, unless others wait for it too. The same after `expires` seconds, should the word
        of it not come.

        Args:
            task: the search.
            lane: where to.
            cost: seconds of a thread that it is expected to take.
            key: of its question; while it runs, others of the same key share it. None: none do.
            expires: seconds until the deadline of the call, None for no deadline.
            notes: where its times are added.

        Raises:
            ExpiredError: `expires` seconds have passed.
            OverloadedError: there is too much work ahead.
            ShuttingDownError: the pool is closed.
        """
        job = None if key is None else self._shared.get(key)
        if job is None:
            job = self._submit(self._lanes[lane], task, cost, key, expires)
        else:
            self.coalesced += 1
        job.waiters += 1
        joined = time.perf_counter()
        try:
            async with asyncio.timeout(expires):
                return await asyncio.shield(job.future)
        except TimeoutError:
            raise ExpiredError from None
        finally:
            job.waiters -= 1
            if not job.waiters:
                self._forget(key, job)
                job.stop.set()  # which does nothing to a search that is over
                job.cost = 0.0  # it is as good as gone
                job.future.cancel()
            if notes is not None:
                _note_times(notes, job, joined)

    def _submit(
        self,
        lane: _Threads,
        task: Callable[[Desk], T],
        cost: float,
        key: Hashable,
        expires: float | None,
    ) -> _Job:
        job = _Job(cost)
        with self._lock:
            if self._closed:
                raise ShuttingDownError
            wait = lane.stretch * lane.wait
            if (
                len(lane.jobs) >= lane.threads + self._max_queue
                or wait > self._max_wait
                or (wait and lane.late(cost, expires))
            ):
                raise OverloadedError(min(max(_LEAST_RETRY, wait / 2), _MOST_RETRY))
            job.expected = lane.wait + cost
            lane.jobs.add(job)
        future: Future[T] = lane.executor.submit(lane.work, task, job)
        # The place is free when the thread is, which may be later than the coroutine's end.
        future.add_done_callback(lambda _: self._leave(lane, job))
        job.future = asyncio.wrap_future(future)
        if key is not None:
            self._shared[key] = job
            job.future.add_done_callback(lambda _: self._forget(key, job))
        return job

    def _leave(self, lane: _Threads, job: _Job) -> None:
        with self._lock:
            lane.jobs.remove(job)
            lane.learn(job)

    def _forget(self, key: Hashable, job: _Job) -> None:
        if key is not None and self._shared.get(key) is job:
            del self._shared[key]

    def stop_searches(self) -> None:
        """Admits no more searches and tells all to stop; they answer with what they have."""
        with self._lock:
            self._closed = True
            for lane in self._lanes.values():
                for job in lane.jobs:
                    job.stop.set()

    def close(self) -> None:
        """Stops every search and waits for the threads to end."""
        self.stop_searches()
        for lane in self._lanes.values():
            lane.executor.shutdown(wait=True, cancel_futures=True)


def _note_times(notes: Notes, job: _Job, joined: float) -> None:
    """Adds what a job took of a call's time since it joined."""
    now = time.perf_counter()
    began = job.began or now
    notes.queue_seconds = (notes.queue_seconds or 0.0) + max(0.0, began - joined)
    if job.began:
        ended = job.ended or now
        spent = max(0.0, ended - max(began, joined))
        notes.compute_seconds = (notes.compute_seconds or 0.0) + spent


def be_quick() -> None:
    """Lets no thread of this process hold the interpreter's lock for long while others wait."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
