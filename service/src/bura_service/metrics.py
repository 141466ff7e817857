"""What Prometheus is told; docs/operations.md says what each of them means."""

import os
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    multiprocess,
    start_http_server,
)
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from bura_service.calls import Notes
from bura_service.pool import SearchPool

__all__ = ["Metrics", "serve", "serve_all"]

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_LANES = ("small", "large")


class Metrics:
    """The measures of one server, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def make(kind: Any, name: str, text: str, *labels: str, **more: Any) -> Any:
            return kind(f"bura_{name}", text, labels, registry=self.registry, **more)

        self._calls = make(Counter, "calls", "Calls that have ended.", "method", "code")
        self._clients = make(Counter, "client_calls", "Calls by token.", "client", "code")
        self._reasons = make(Counter, "failures", "Failed calls by reason.", "reason")
        self._seconds = make(
            Histogram, "call_seconds", "Time of a call in the service.", "method", buckets=_SECONDS
        )
        self._queue = make(
            Histogram, "queue_seconds", "Time a call waited for a thread.", buckets=_SECONDS
        )
        self._compute = make(
            Histogram, "compute_seconds", "Time a call took of a thread.", buckets=_SECONDS
        )
        self._nodes = make(Counter, "nodes", "Positions visited by searches.")
        self._worlds = make(Counter, "worlds", "Worlds valued for hints.")
        self._cached = make(Counter, "cached_calls", "Calls answered from the cache.")
        self._shared = make(
            Gauge,
            "shared_calls",
            "Calls so far that were answered by the computation of an equal one.",
            multiprocess_mode="livesum",
        )
        gauge: dict[str, Any] = {"multiprocess_mode": "livesum"}
        self._open = make(Gauge, "open_calls", "Calls that run now.", **gauge)
        self._running = make(Gauge, "running_searches", "Searches that run now.", "lane", **gauge)
        self._waiting = make(Gauge, "waiting_searches", "Searches that wait now.", "lane", **gauge)
        self._backlog = make(
            Gauge,
            "backlog_seconds",
            "Work expected of the searches that run or wait now.",
            "lane",
            **gauge,
        )
        self._cache_bytes = make(Gauge, "cache_bytes", "Memory of the cache.", **gauge)

    def begin(self) -> None:
        """Counts a call that begins."""
        self._open.inc()

    def end(
        self,
        method: str,
        code: str,
        reason: str | None,
        client: str | None,
        seconds: float,
        notes: Notes,
    ) -> None:
        """Counts a call that has ended."""
        self._open.dec()
        name = method.rpartition(".")[2]
        self._calls.labels(name, code).inc()
        self._seconds.labels(name).observe(seconds)
        if client is not None:
            self._clients.labels(client, code).inc()
        if reason is not None:
            self._reasons.labels(reason).inc()
        if notes.queue_seconds is not None:
            self._queue.observe(notes.queue_seconds)
        if notes.compute_seconds is not None:
            self._compute.observe(notes.compute_seconds)
        facts = notes.facts
        if "cached" in facts:
            self._cached.inc()
        else:
            self._nodes.inc(int(facts.get("nodes", 0)))
            self._worlds.inc(int(facts.get("worlds", 0)))

    def load(self, pool: SearchPool, cache_bytes: int) -> None:
        """Tells how much there is to do now."""
        for lane in _LANES:
            running, waiting, backlog = pool.load(lane)  # type: ignore[arg-type]
            self._running.labels(lane).set(running)
            self._waiting.labels(lane).set(waiting)
            self._backlog.labels(lane).set(backlog)
        self._shared.set(pool.coalesced)
        self._cache_bytes.set(cache_bytes)


def serve(metrics: Metrics, host: str, port: int) -> tuple[Any, int]:
    """Answers Prometheus on a port, on a thread; gives what to shut down, and the port."""
    ProcessCollector(registry=metrics.registry)
    PlatformCollector(registry=metrics.registry)
    server, _ = start_http_server(port, host, metrics.registry)
    return server, server.server_port


def serve_all(host: str, port: int) -> tuple[Any, int]:
    """The same for all processes that write below PROMETHEUS_MULTIPROC_DIR together."""
    registry = CollectorRegistry()
    collect: Any = multiprocess.MultiProcessCollector
    collect(registry, os.environ["PROMETHEUS_MULTIPROC_DIR"])
    server, _ = start_http_server(port, host, registry)
    return server, server.server_port
