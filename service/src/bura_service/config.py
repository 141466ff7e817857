"""What can be set about a running service: every option once, with its meaning and its danger.

Flags, environment, file and `--print-config` are made from this table (see `settings`).
"""

# ruff: noqa: RUF009 - _option makes a field of a dataclass

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["MESSAGE_BYTES", "Config", "available_cores"]

MESSAGE_BYTES = 4 << 20
"""A thousand position lines of a few hundred bytes, with room for how others spell them."""


def available_cores() -> int:
    """Cores this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _option(
    default: Any,
    text: str,
    danger: str = "",
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> Any:
    """One option.

    Args:
        default: its value where nothing is said.
        text: what it means, with its unit.
        danger: what goes wrong where it is set badly.
        least: the smallest number.
        most: the largest number.
        above: what a number has to be larger than.
    """
    bounds = {"ge": least, "le": most, "gt": above}
    metadata = {
        "text": text,
        "danger": danger,
        "bounds": {name: bound for name, bound in bounds.items() if bound is not None},
    }
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A service's options; `_option` of each says what it means and what to beware of."""

    host: str = _option(
        "127.0.0.1",
        "address to listen on",
        "any other than the loopback address lets others in: set TLS and tokens",
    )
    port: int = _option(50051, "port of gRPC; 0: a free one", least=0, most=65535)
    web_port: int | None = _option(
        None,
        "port for browsers as well: Connect, gRPC-Web and the page; 0: a free one",
        least=0,
        most=65535,
    )
    web: str | None = _option(
        None, "the same as HOST:PORT; web_port listens on the address of host"
    )
    web_files: Path | None = _option(
        None,
        "folder of the page; without it the page that comes with the service",
        "everything in it can be read by everybody",
    )
    cors_origins: tuple[str, ...] = _option(
        (),
        "origins of pages elsewhere that may ask on the port for browsers",
        "`*` lets every page of the web ask in the name of whoever looks at it",
    )
    workers: int = _option(
        1,
        "processes on the one port",
        "connections are balanced, not calls: a client with one connection uses one of them",
        least=1,
        most=256,
    )
    search_threads: int | None = _option(
        None,
        "searches that run at once in each process; without it the cores by the workers",
        "more than the cores only makes each search slower and the event loop late",
        least=1,
        most=1024,
    )
    large_nice: int = _option(
        15,
        "by how much large searches step back for small ones: the nice of their threads, on Linux",
        "other programs of the same control group go before large searches, too",
        least=0,
        most=19,
    )
    max_queue: int = _option(
        64, "searches that may wait in each process; one more is refused", least=0, most=1_000_000
    )
    max_wait: float = _option(
        10.0,
        "seconds of estimated work ahead beyond which a search is refused",
        "too long, and clients wait for answers that come after their deadline",
        above=0,
    )
    default_time_limit: float = _option(
        30.0,
        "seconds for a search whose call brings neither a deadline nor a time budget",
        "too long, and a client that forgot them holds a thread all that time",
        above=0,
    )
    max_time_limit: float = _option(
        300.0, "most seconds a search may ask for; more is lowered to it", above=0
    )
    max_node_limit: int = _option(
        2_000_000_000, "most nodes a search may ask for; more is lowered to it", least=1
    )
    cache_mb: float = _option(
        64.0, "memory of each process for answers to equal requests, in MiB; 0: none", least=0
    )
    max_message_bytes: int = _option(
        MESSAGE_BYTES,
        "longest request; a longer one is refused unread",
        "each call may hold so much memory while it is read",
        least=1024,
        most=1 << 30,
    )
    max_positions: int = _option(
        1000, "most positions of one SolvePositions", least=1, most=1_000_000
    )
    drain_time: float = _option(
        10.0,
        "seconds that running searches are given when told to stop",
        "must be less than what kills the process (30 s in Kubernetes, 90 s in systemd)",
        least=0,
    )
    drain_delay: float = _option(
        0.0,
        "seconds in which calls are still taken after health says NOT_SERVING",
        "0 behind a load balancer: it sends calls until it has seen the health turn",
        least=0,
    )
    max_connection_age: float | None = _option(
        None,
        "seconds after which a client is asked to connect anew, which spreads old connections"
        " over new processes; without it never",
        above=0,
    )
    tls_certificate: Path | None = _option(
        None, "file of the certificate chain (PEM); read anew when it changes"
    )
    tls_key: Path | None = _option(
        None,
        "file of its private key (PEM)",
        "to be readable by the service's user alone",
    )
    tls_client_ca: Path | None = _option(
        None,
        "file of the authorities (PEM) one of which has to have signed a client's certificate",
        "without it anybody who reaches the port is let in, but for tokens",
    )
    tokens: Path | None = _option(
        None,
        "file of the tokens one of which a call has to bring (see docs/operations.md)",
        "without it every call is answered; without TLS tokens can be read on the way",
    )
    reflection: bool = _option(
        True, "answer server reflection", "tells everybody what can be asked"
    )
    metrics_port: int | None = _option(
        None, "port of Prometheus metrics; 0: a free one", least=0, most=65535
    )
    metrics_host: str = _option(
        "127.0.0.1", "address of the metrics", "they tell how much is asked, and by which tokens"
    )
    log_level: Literal["debug", "info", "warning", "error"] = _option("info", "least to be logged")
    log_format: Literal["logfmt", "json"] = _option("logfmt", "form of the log's lines")
    log_positions: bool = _option(
        False,
        "also log what was asked",
        "whoever reads the log sees players' cards while they play",
    )
    traces: bool = _option(
        False,
        "send OpenTelemetry traces, set up by its OTEL_* variables; needs bura-service[otel]",
        "each call costs some 0.1 ms more",
    )
