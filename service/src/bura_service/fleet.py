"""Several processes of the service on one port, and one that looks after them.

The kernel spreads connections over them (SO_REUSEPORT), not calls: a client that keeps one
connection is always answered by the same process. They are spawned, never forked, for grpc does
not survive a fork.
"""

import contextlib
import dataclasses
import logging
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from bura_service import logs
from bura_service.config import Config

__all__ = ["Fleet"]

# How long a process that has ended is waited for before the next takes its place, in seconds:
# longer each time, unless it had lived for a while.
_FIRST_PAUSE, _LONGEST_PAUSE, _LIVED = 0.2, 10.0, 30.0

_UNUSABLE = 2
_LOOK_EVERY = 0.1


def _run_worker(config: Config, parent: Any) -> None:
    """One process of the service; it tells `parent`, a pipe, when it answers, and ends with it."""
    from bura_service.__main__ import serve

    logs.configure(config.log_level, config.log_format)
    _end_with(parent)
    sys.exit(serve(config, ready=lambda: parent.send(True)))


def _end_with(parent: Any) -> None:
    """Sends this process SIGTERM when the other end of a pipe is closed."""
    import threading

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            parent.recv_bytes()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="bura-parent", daemon=True).start()


class _Worker:
    """A process, and the one after it if it ends."""

    def __init__(self, fleet: "Fleet") -> None:
        self._fleet = fleet
        self._pause = _FIRST_PAUSE
        self.process: Any = None
        self.again_at = 0.0
        self.began = 0.0
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its = context.Pipe()
        self.process = context.Process(
            target=_run_worker, args=(self._fleet.config, its), name="bura-worker"
        )
        self.began = time.monotonic()
        self.process.start()
        its.close()

    def ready(self, seconds: float) -> bool:
        """Whether it answers, or has ended, within so many seconds."""
        return bool(self._pipe.poll(seconds))

    def answers(self) -> bool:
        """Whether it has said that it answers; after `ready`."""
        try:
            return bool(self._pipe.recv())
        except EOFError:
            return False

    def look(self) -> None:
        """Begins it anew if it has ended."""
        if self.process.is_alive():
            return
        now = time.monotonic()
        if not self.again_at:
            if now - self.began > _LIVED:
                self._pause = _FIRST_PAUSE
            self.again_at = now + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            self._pipe.close()
            code = self.process.exitcode
            logs.write(logging.ERROR, "worker_ended", pid=self.process.pid, status=code)
            self._fleet.forget(self.process.pid)
        elif now >= self.again_at:
            self.again_at = 0.0
            self.start()


class Fleet:
    """The processes of a service with more than one.

    Attributes:
        config: that of each of them, with its ports settled.
        language: in which is said where they answer.
    """

    def __init__(self, config: Config, language: str) -> None:
        self.config = config
        self.language = language
        self._stops = 0

    def run(self) -> int:
        """Runs them until a signal comes; 0 after a shutdown, 2 if nothing can listen there."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        with contextlib.ExitStack() as stack:
            try:
                self.config = self._settle(stack)
            except OSError as error:
                print(f"bura serve: cannot listen: {error.strerror}", file=sys.stderr)
                return _UNUSABLE
            workers = [_Worker(self) for _ in range(self.config.workers)]
            self._await_ready(workers)
            if not self._stops and not all(each.answers() for each in workers):
                # It has said why.
                self._stop(workers)
                return _UNUSABLE
            from bura_service.__main__ import tell
            from bura_service.server import web_address

            web = web_address(self.config)
            web_port = None if web is None else web[1]
            metrics_port = self.config.metrics_port
            tell(self.config, self.config.port, web_port, metrics_port, self.language)
            while not self._stops:
                time.sleep(_LOOK_EVERY)
                if not self._stops:
                    for worker in workers:
                        worker.look()
            self._stop(workers)
        return 0

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stops += 1

    def _settle(self, stack: contextlib.ExitStack) -> Config:
        """The options with free ports chosen, which stay reserved until the end."""
        from bura_service.server import web_address

        config = self.config
        port = stack.enter_context(_reserved(config.host, config.port))
        changes: dict[str, Any] = {"port": port}
        web = web_address(config)
        if web is not None:
            web_port = stack.enter_context(_reserved(*web))
            changes |= {"web": f"{web[0]}:{web_port}", "web_port": None}
        if config.metrics_port is not None:
            folder = tempfile.mkdtemp(prefix="bura-metrics-")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            from bura_service import metrics

            server, metrics_port = metrics.serve_all(config.metrics_host, config.metrics_port)
            stack.callback(server.shutdown)
            changes["metrics_port"] = metrics_port
        return dataclasses.replace(config, **changes)

    def forget(self, pid: int) -> None:
        """Takes the gauges of a process that has ended out of the metrics."""
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            from prometheus_client import multiprocess

            mark: Any = multiprocess.mark_process_dead
            mark(pid)

    def _await_ready(self, workers: list[_Worker]) -> None:
        """Returns when every process answers, or one has ended, or a signal has come."""
        for worker in workers:
            while not self._stops and not worker.ready(_LOOK_EVERY):
                pass

    def _stop(self, workers: list[_Worker]) -> None:
        """Lets all of them drain; a second signal does not wait."""
        told = 0
        while any(worker.process.is_alive() for worker in workers):
            while told < max(1, min(self._stops, 2)):
                told += 1
                for worker in workers:
                    if worker.process.is_alive():
                        worker.process.terminate()
            time.sleep(0.02)


@contextlib.contextmanager
def _reserved(host: str, port: int) -> Iterator[int]:
    """A port kept for processes that listen on it together; a free one for 0.

    Raises OSError where it is taken.
    """
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without SO_REUSEPORT first: it would let us in beside a stranger.
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        port = probe.getsockname()[1]
    with socket.socket(family) as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        kept.bind((host, port))  # bound, but not listening: no connection comes here
        yield port
