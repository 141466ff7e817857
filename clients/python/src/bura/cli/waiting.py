"""Progress of what takes longer than a second: on standard error, in a terminal alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed

__all__ = ["Waiting"]

PATIENCE = 1.0
"""Seconds before anything is shown."""


class Waiting:
    """Shows that something is under way while the block runs, and nothing of it afterwards."""

    def __init__(self, text: str, total: int | None = None) -> None:
        """Args: what is under way, and in how many steps, where that is known."""
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        columns = [SpinnerColumn("line"), TextColumn("{task.description}", markup=False)]
        if total is not None:
            columns += [BarColumn(bar_width=24), MofNCompleteColumn()]
        self._progress = Progress(
            *columns, Elapsed(), console=console, transient=True, redirect_stdout=False,
            redirect_stderr=False,
        )  # fmt: skip
        self._task = self._progress.add_task(text, total=total)
        self._shows = console.is_terminal and not console.is_dumb_terminal
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._started = False

    def __enter__(self) -> Self:
        self._wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hide()

    def step(self) -> None:
        """One step more is done."""
        self._progress.advance(self._task)

    def say(self, text: str) -> None:
        """Something else is under way, or is known."""
        self._progress.update(self._task, description=text)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Out of the way, while something is written to what may be the same terminal."""
        self._hide()
        try:
            yield
        finally:
            self._wait()

    def _wait(self) -> None:
        if self._shows:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._progress.start()
                self._started = True

    def _hide(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._started:
                self._progress.stop()
                self._started = False
