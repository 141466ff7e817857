"""Runs the service: options, log, signals; with several workers, as many processes."""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence

from bura_service import logs
from bura_service.access import TokenFileError
from bura_service.config import Config
from bura_service.languages import LANGUAGES, preferred, say
from bura_service.pool import be_quick
from bura_service.server import Server, web_address
from bura_service.tls import TlsError

# What a command says that can't do what its arguments ask for.
_UNUSABLE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the service until a signal comes.

    Args:
        argv: the arguments after the program's name; None for those of this process.

    Returns:
        0 after a shutdown, 2 if the options can't be used or nothing can listen there.
    """
    # The processes of --workers are given their options, and start faster without this.
    from bura_service.settings import UnusableError, describe, load

    try:
        config, printing, chosen = load(argv)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else _UNUSABLE
    except UnusableError as error:
        for fault in error.faults:
            print(f"bura serve: {fault}", file=sys.stderr)
        return _UNUSABLE
    if printing:
        sys.stdout.write(describe(config))
        return 0
    # Programs wait for these lines: only for a person his surroundings choose the language.
    language = LANGUAGES[0]
    try:
        if chosen or sys.stderr.isatty():
            language = preferred(chosen)
    except ValueError as error:
        print(f"bura serve: {error}", file=sys.stderr)
        return _UNUSABLE
    logs.configure(config.log_level, config.log_format)
    if config.workers > 1:
        from bura_service.fleet import Fleet  # one process needs none of it

        return Fleet(config, language).run()
    return serve(config, language=language)


def serve(
    config: Config, ready: Callable[[], None] | None = None, *, language: str = LANGUAGES[0]
) -> int:
    """Runs one process of the service until a signal comes; see `main`.

    Args:
        config: its options.
        ready: called when it answers; None to say so on standard error.
        language: in which it says so.
    """
    be_quick()
    if not config.traces:
        return asyncio.run(_serve(config, ready, language))
    try:
        from bura_service import traces
    except ImportError:
        print("bura serve: --traces needs bura-service[otel]", file=sys.stderr)
        return _UNUSABLE
    traces.set_up()
    try:
        return asyncio.run(_serve(config, ready, language))
    finally:
        traces.tear_down()


def bracketed(host: str) -> str:
    """A host as it stands before a port."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


async def _serve(config: Config, ready: Callable[[], None] | None, language: str) -> int:
    host = bracketed(config.host)
    # A second signal has to find its handler while the first one is being dealt with.
    signals: asyncio.Queue[None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, signals.put_nowait, None)
        except NotImplementedError:  # no such thing on Windows: Ctrl-C ends the process there
            break
    try:
        server, port = await Server.start(f"{host}:{config.port}", config)
    except (RuntimeError, OSError, TlsError, TokenFileError) as error:
        for line in why_not(error, config):
            print(f"bura serve: {line}", file=sys.stderr)
        return _UNUSABLE
    if ready is None:
        tell(config, port, server.web_port, server.metrics_port, language)
    else:
        ready()
    await signals.get()
    draining = asyncio.ensure_future(server.stop())
    again = asyncio.ensure_future(signals.get())
    await asyncio.wait((draining, again), return_when=asyncio.FIRST_COMPLETED)
    if not draining.done():
        await server.stop(drain_time=0)
    again.cancel()
    await draining
    return 0


def tell(
    config: Config, port: int, web_port: int | None, metrics_port: int | None, language: str
) -> None:
    """Says on standard error where the service answers."""
    lines = [say(language, "serve", address=f"{bracketed(config.host)}:{port}")]
    web = web_address(config)
    if web is not None:
        scheme = "http" if config.tls_certificate is None else "https"
        address = f"{scheme}://{bracketed(web[0])}:{web_port}"
        lines.append(say(language, "serve_web", address=address))
    if metrics_port is not None:
        address = f"http://{bracketed(config.metrics_host)}:{metrics_port}/metrics"
        lines.append(say(language, "serve_metrics", address=address))
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def why_not(error: Exception, config: Config) -> list[str]:
    """Why the service does not start, in words."""
    if isinstance(error, TlsError | TokenFileError):
        return str(error).splitlines()
    places = {"--host and --port": f"{bracketed(config.host)}:{config.port}"}
    if isinstance(error, OSError):  # grpc says it by a RuntimeError
        web = web_address(config)
        places = {}
        if web is not None:
            places["--web-port"] = f"{bracketed(web[0])}:{web[1]}"
        if config.metrics_port is not None:
            places["--metrics-host and --metrics-port"] = (
                f"{bracketed(config.metrics_host)}:{config.metrics_port}"
            )
    where = " or ".join(f"{place} ({option})" for option, place in places.items())
    return [
        f"cannot listen on {where}: the port is taken or the address is not one of this machine"
    ]


if __name__ == "__main__":
    sys.exit(main())
