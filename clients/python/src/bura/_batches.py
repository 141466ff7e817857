"""Many questions at once: answers in the order of the questions, in bounded memory.

One thread reads the questions, `threads` more each take a few of them at a time and ask. How many
go into one message follows from how long the last one took: easy questions travel by the hundred,
hard ones alone, and a question is never kept waiting for the next to be typed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

__all__ = ["in_order", "messages_in_order"]

Q = TypeVar("Q")
A = TypeVar("A")

# Seconds that one message should take: longer ones get fewer questions, shorter ones more.
_SHORT, _LONG = 0.05, 0.2


def in_order(
    questions: Iterable[Q],
    ask: Callable[[list[Q]], Sequence[A]],
    *,
    threads: int = 1,
    most: int = 1,
) -> Iterator[A]:
    """The answers to `questions`, in their order, as they come.

    Args:
        questions: what is asked; read ahead only a little.
        ask: answers a few questions at once, in their order; called from several threads.
        threads: how many calls of `ask` run side by side, at least 1.
        most: how many questions one call of `ask` takes, at most.

    Raises:
        Exception: whatever `questions` or `ask` raised, when its turn comes; the answers before
            it are still given, those after it are not.
    """
    for answers in messages_in_order(questions, ask, threads=threads, most=most):
        yield from answers


def messages_in_order(
    questions: Iterable[Q],
    ask: Callable[[list[Q]], Sequence[A]],
    *,
    threads: int = 1,
    most: int = 1,
) -> Iterator[Sequence[A]]:
    """As `in_order`, but the answers that came with one message together."""
    return _Batch(questions, ask, threads, most).answers()


class _Batch(Generic[Q, A]):
    def __init__(
        self,
        questions: Iterable[Q],
        ask: Callable[[list[Q]], Sequence[A]],
        threads: int,
        most: int,
    ) -> None:
        self.questions = questions
        self.ask = ask
        self.threads = threads
        self.most = most
        self.size = 1  # questions that the next message may take
        self.waiting: deque[Q] = deque()
        self.ended = False  # no more questions will come
        self.failure: BaseException | None = None  # why, if not because they were all read
        self.changed = threading.Condition()
        # The messages under way, in the order of their questions; None after the last.
        self.slots: SimpleQueue[Future[Sequence[A]] | None] = SimpleQueue()
        self.room = threading.Semaphore(2 * threads)
        self.working = threads
        self.stopped = False

    def answers(self) -> Iterator[Sequence[A]]:
        # Daemons, for a thread that waits for the next line of a terminal can't be woken up.
        for target in (self.read, *[self.work] * self.threads):
            threading.Thread(target=target, name=f"bura-{target.__name__}", daemon=True).start()
        try:
            while (slot := self.slots.get()) is not None:
                yield slot.result()
                self.room.release()
            if self.failure is not None:
                raise self.failure
        finally:
            with self.changed:
                self.stopped = True
                self.changed.notify_all()
            for _ in range(self.threads):
                self.room.release()

    def read(self) -> None:
        most_ahead = 2 * self.threads * self.most
        try:
            for question in self.questions:
                with self.changed:
                    while len(self.waiting) >= most_ahead and not self.stopped:
                        self.changed.wait()
                    if self.stopped:
                        return
                    self.waiting.append(question)
                    self.changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - it is raised where the answers are read
            self.failure = error
        finally:
            with self.changed:
                self.ended = True
                self.changed.notify_all()

    def work(self) -> None:
        while True:
            self.room.acquire()
            slot: Future[Sequence[A]] = Future()
            few = self.take(slot)
            if not few:
                break
            began = time.monotonic()
            try:
                answers = self.ask(few)
            except BaseException as error:  # noqa: BLE001 - it is raised where the answers are read
                slot.set_exception(error)
                continue
            took = time.monotonic() - began
            if took < _SHORT and len(few) >= self.size:
                self.size = min(4 * self.size, self.most)
            elif took > _LONG and len(few) > 1:
                self.size = max(1, len(few) // 4)
            slot.set_result(answers)

    def take(self, slot: Future[Sequence[A]]) -> list[Q]:
        """The next few questions, whose answers `slot` will hold; none when there are no more."""
        with self.changed:
            while not self.waiting and not self.ended and not self.stopped:
                self.changed.wait()
            if self.stopped or not self.waiting:
                self.working -= 1
                if not self.working:
                    self.slots.put(None)
                return []
            # The last questions are shared out among the threads.
            share = max(1, len(self.waiting) // self.threads) if self.ended else self.size
            few = [self.waiting.popleft() for _ in range(min(self.size, share, len(self.waiting)))]
            self.slots.put(slot)
            self.changed.notify_all()
            return few
