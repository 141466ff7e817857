"""Runs the service: flags, log, signals."""

import argparse
import asyncio
import logging
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bura_service.config import Config
from bura_service.server import Server

_LEVELS = ("debug", "info", "warning", "error")
_MOST_WORKERS = 1024
_MOST_QUEUED = 1_000_000

# What a command says that can't do what its arguments ask for.
_UNUSABLE = 2


def _whole(least: int, most: int) -> Callable[[str], int]:
    """An argument type: a whole number within bounds."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and least <= int(text[:10]) <= most:
            return int(text[:10])
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")

    return read


def _seconds(text: str) -> float:
    """An argument type: a time in seconds, 0 or more."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 <= value < math.inf:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")


def _time_limit(text: str) -> float:
    """An argument type: a time in seconds, more than 0."""
    if value := _seconds(text):
        return value
    raise argparse.ArgumentTypeError("a limit of 0 seconds would leave no time to search")


def _address(text: str) -> tuple[str, int]:
    """An argument type: HOST:PORT."""
    host, colon, port = text.rpartition(":")
    if not host or not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host, _whole(0, 65535)(port)


def _folder(text: str) -> Path:
    """An argument type: a folder that is there."""
    if Path(text).is_dir():
        return Path(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no folder")


def _origin(text: str) -> str:
    """An argument type: what a browser calls the origin of a page."""
    if text == "*" or re.fullmatch(r"https?://[^/\s?#@]+", text):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is no origin, such as https://play.example")


def _parser() -> argparse.ArgumentParser:
    defaults = Config()
    parser = argparse.ArgumentParser(
        prog="bura serve",
        description="Answers gRPC calls about hands of Bura.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--port", type=_whole(0, 65535), default=50051, help="port to listen on; 0: a free one"
    )
    parser.add_argument(
        "--workers",
        type=_whole(1, _MOST_WORKERS),
        default=defaults.workers,
        help="searches that run at once",
    )
    parser.add_argument(
        "--max-queue",
        type=_whole(0, _MOST_QUEUED),
        default=defaults.max_queue,
        help="searches that may wait; one more is refused",
    )
    parser.add_argument(
        "--default-time-limit",
        type=_time_limit,
        default=defaults.default_time_limit,
        metavar="SECONDS",
        help="for a search whose call brings neither a deadline nor a time budget",
    )
    parser.add_argument(
        "--drain-time",
        type=_seconds,
        default=defaults.drain_time,
        metavar="SECONDS",
        help="for running searches when told to stop",
    )
    parser.add_argument(
        "--web-port",
        type=_whole(0, 65535),
        metavar="PORT",
        help="port for browsers as well: Connect, gRPC-Web and the page; 0: a free one",
    )
    parser.add_argument(
        "--web",
        type=_address,
        metavar="HOST:PORT",
        help="the same with an address of its own; --web-port listens on that of --host",
    )
    parser.add_argument(
        "--web-files",
        type=_folder,
        metavar="FOLDER",
        help="the page to serve there; default: the one that comes with the service",
    )
    parser.add_argument(
        "--cors-origin",
        action="append",
        type=_origin,
        default=[],
        metavar="ORIGIN",
        help="a page elsewhere that may ask there, such as https://play.example; may be given"
        " more than once; '*' lets every page of the web ask",
    )
    parser.add_argument("--log-level", choices=_LEVELS, default="info", help="least to be logged")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the service until a signal comes.

    Args:
        argv: the arguments after the program's name; None for those of this process.

    Returns:
        0 after a shutdown, 2 if the arguments can't be used or nothing can listen there.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else _UNUSABLE
    logging.basicConfig(
        stream=sys.stderr,
        level=arguments.log_level.upper(),
        format="%(asctime)s level=%(levelname)s logger=%(name)s %(message)s",
    )
    web_host, web_port = arguments.web or (arguments.host, arguments.web_port)
    config = Config(
        workers=arguments.workers,
        max_queue=arguments.max_queue,
        default_time_limit=arguments.default_time_limit,
        drain_time=arguments.drain_time,
        web_port=web_port,
        web_host=web_host,
        web_files=arguments.web_files,
        cors_origins=tuple(arguments.cors_origin),
    )
    return asyncio.run(_serve(arguments.host, arguments.port, config))


async def _serve(host: str, port: int, config: Config) -> int:
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"  # an IPv6 address
    try:
        server, port = await Server.start(f"{host}:{port}", config)
    except RuntimeError:
        print(
            f"bura serve: cannot listen on {host}:{port}: the port is taken or the address is"
            " not one of this machine; use another --port or --host",
            file=sys.stderr,
        )
        return _UNUSABLE
    except OSError as error:
        print(
            f"bura serve: cannot listen on {config.web_host}:{config.web_port} for browsers:"
            f" {os.strerror(error.errno) if error.errno else 'no such address'};"
            " use another --web-port or --web",
            file=sys.stderr,
        )
        return _UNUSABLE
    signals: asyncio.Queue[None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, signals.put_nowait, None)
        except NotImplementedError:  # no such thing on Windows: Ctrl-C ends the process there
            break
    print(f"listening on {host}:{port}", file=sys.stderr, flush=True)
    if server.web_port is not None:
        web = f"{config.web_host}:{server.web_port}"
        print(f"listening for browsers on http://{web}", file=sys.stderr, flush=True)
    await signals.get()
    draining = asyncio.ensure_future(server.stop())
    again = asyncio.ensure_future(signals.get())
    await asyncio.wait((draining, again), return_when=asyncio.FIRST_COMPLETED)
    if not draining.done():
        await server.stop(drain_time=0)
    again.cancel()
    await draining
    return 0


if __name__ == "__main__":
    sys.exit(main())
