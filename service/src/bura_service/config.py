"""What can be set about a running service."""

import os
from dataclasses import dataclass, field
from pathlib import Path


def available_cores() -> int:
    """Cores this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Config:
    """How much the service does at once, and for how long.

    Attributes:
        workers: searches that run at once, at least 1. More than the cores only makes each
            slower and the event loop late.
        max_queue: searches that may wait for a worker, at least 0.
        default_time_limit: seconds for a search whose call brings neither a deadline nor a
            time budget of its own, more than 0.
        drain_time: seconds that running searches are given at shutdown, at least 0.
        web_port: port for browsers (Connect, gRPC-Web, the page), 0 for a free one; None for no
            such port.
        web_host: the address it listens on.
        web_files: folder of the page; None for the one that comes with the service.
        cors_origins: origins of pages elsewhere that may ask there; `*` lets every page of the
            web ask in the name of whoever looks at it.
    """

    workers: int = field(default_factory=available_cores)
    max_queue: int = 64
    default_time_limit: float = 30.0
    drain_time: float = 10.0
    web_port: int | None = None
    web_host: str = "127.0.0.1"
    web_files: Path | None = None
    cors_origins: tuple[str, ...] = ()
