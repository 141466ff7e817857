"""The whole service inside another Python process, for clients that have no server to ask."""

import asyncio
import atexit
import logging
import os
import shutil
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Self

from bura_service.config import Config
from bura_service.server import Server

_log = logging.getLogger("bura_service")

# One caller waits for each answer himself: there is nothing to keep, nobody to step back for.
_USUAL = Config(cache_mb=0, large_nice=0)

# Paths of Unix sockets are at most 107 bytes long (103 on some systems).
_MAX_SOCKET_PATH = 100


class EmbeddedServer:
    """A service on a thread of this process, reached at `target`; `close` ends it.

    It is the same server as in a process of its own, and its searches run beside the
    interpreter. It listens on a Unix socket in a private directory, or, where there is none to
    be had, on a free port of the loopback address.

    Attributes:
        target: what `grpc.insecure_channel` connects to.
        web_port: the port for browsers, if the config asks for one.
    """

    def __init__(self, config: Config | None = None) -> None:
        """Returns when the server answers; raises RuntimeError if it can't listen."""
        self._directory: Path | None = None
        self.web_port: int | None = None
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        started: Future[str] = Future()
        # A daemon, so that a program that forgets to close it ends all the same.
        self._thread = threading.Thread(
            target=self._run,
            args=(config or _USUAL, started),
            name="bura-service",
            daemon=True,
        )
        self._thread.start()
        self.target = started.result()
        atexit.register(self.close)

    def _run(self, config: Config, started: Future[str]) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(config, started))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for it
            if started.done():
                _log.critical("the embedded service has failed: %s", type(error).__name__)
            else:
                started.set_exception(error)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
            if self._directory is not None:
                shutil.rmtree(self._directory, ignore_errors=True)

    async def _serve(self, config: Config, started: Future[str]) -> None:
        server, target = await self._listen(config)
        self.web_port = server.web_port
        started.set_result(target)
        await self._closing.wait()
        await server.stop(drain_time=0)

    async def _listen(self, config: Config) -> tuple[Server, str]:
        if os.name == "posix":
            self._directory = Path(tempfile.mkdtemp(prefix="bura-"))
            path = self._directory / "socket"
            if len(os.fsencode(path)) <= _MAX_SOCKET_PATH:
                target = f"unix:{path}"
                server, _ = await Server.start(target, config)
                return server, target
        server, port = await Server.start("127.0.0.1:0", config)
        return server, f"127.0.0.1:{port}"

    def close(self) -> None:
        """Stops the service, running searches too. May be called more than once."""
        atexit.unregister(self.close)
        if self._thread.is_alive() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def start(config: Config | None = None) -> EmbeddedServer:
    """Starts a service in this process; see EmbeddedServer."""
    return EmbeddedServer(config)
