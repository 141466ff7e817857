"""The browser's port: the same services over Connect and gRPC-Web, and the files of the page.

Beside grpc in the same process and event loop, so there is no proxy to run. What is answered,
checked, refused and logged is what the port of gRPC answers, checks, refuses and logs: only the
bytes differ. connectrpc speaks the protocols, uvicorn HTTP, Starlette knows CORS and files.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias

import uvicorn
from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.interceptor import MetadataInterceptor
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError
from protobuf.wkt import Any as AnyMessage
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bura_core import UnsupportedError
from bura_service import logs
from bura_service.calls import Call
from bura_service.guard import FailedCallError, Watch, place
from bura_service.status import (
    ExpiredError,
    Failure,
    TooLargeError,
    UnreadableError,
    failure_of,
)

__all__ = ["PAGE", "WebServer", "application"]

# Where the page lies that comes with the service.
PAGE = Path(__file__).parent / "web"

# What the three protocols send beyond what a page may send anyway, and what it has to read.
_REQUEST_HEADERS = (
    "Authorization",
    "Connect-Protocol-Version",
    "Connect-Timeout-Ms",
    "Content-Type",
    "Grpc-Timeout",
    "X-Grpc-Web",
    "X-User-Agent",
)
_RESPONSE_HEADERS = ("Grpc-Message", "Grpc-Status", "Grpc-Status-Details-Bin")
# Most browsers keep a preflight's answer no longer than this, in seconds.
_PREFLIGHT_KEPT = 7200

# The page is a program of its own origin that may ask any service; nobody frames it.
_PAGE_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; connect-src *; img-src 'self' data:;"
        b" style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)

Services: TypeAlias = Sequence[tuple[ServiceDescriptor, object]]


def _call(context: RequestContext[Any, Any]) -> Call:
    """A call over HTTP, as the methods see one."""

    def time_remaining() -> float | None:
        milliseconds = context.timeout_ms
        return None if milliseconds is None else milliseconds / 1000

    return Call(time_remaining)


class _Codec(Codec[Any, Any]):
    """Reads and writes messages; what can't be read becomes an error for the guard to answer."""

    def __init__(
        self,
        name: str,
        encode: Callable[[Any], bytes],
        decode: Callable[[bytes, Any], Any],
    ) -> None:
        self._name = name
        self._encode = encode
        self._decode = decode

    def name(self) -> str:
        return self._name

    def encode(self, message: Any) -> bytes:
        return self._encode(message)

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> Any:
        try:
            return self._decode(bytes(data), message_class)
        except DecodeError:
            return UnreadableError("the request is not a well-formed protobuf message of its type")
        except json_format.ParseError as error:
            # It speaks of what the client wrote, and of nothing else.
            return UnreadableError(f"the request is not JSON of its type: {error}")
        except (RecursionError, ValueError):
            return UnreadableError("the request is not well-formed JSON")


def _to_json(message: Any) -> bytes:
    return json_format.MessageToJson(message, indent=None).encode()


def _from_json(data: bytes, kind: type[Any]) -> Any:
    # A field or a value unknown here is refused: most are slips of the pen, and to leave one out
    # would be to answer another question than was asked.
    return json_format.Parse(data, kind())


def _codecs() -> list[_Codec]:
    binary = google_protobuf_binary_codec()
    return [_Codec("proto", binary.encode, binary.decode), _Codec("json", _to_json, _from_json)]


def _error(failure: Failure) -> ConnectError:
    """The failure as Connect puts it; the details are those that grpc's trailers hold."""
    name = failure.code.name.lower()
    return ConnectError(
        Code.CANCELED if name == "cancelled" else Code(name),
        failure.message,
        [
            ErrorDetail(AnyMessage(type_url=detail.type_url, value=detail.value))
            for detail in failure.details.details
        ],
    )


async def _unary(
    watch: Watch,
    method: str,
    behaviour: Callable[[Any, Call], Any],
    request: Any,
    context: RequestContext[Any, Any],
) -> Any:
    authorization = context.request_headers.get("authorization")
    try:
        return await watch.answered(method, behaviour, request, _call(context), authorization)
    except FailedCallError as error:
        raise _error(error.failure) from None


async def _stream(
    watch: Watch,
    method: str,
    behaviour: Callable[[Any, Call], Any],
    request: Any,
    context: RequestContext[Any, Any],
) -> AsyncIterator[Any]:
    authorization = context.request_headers.get("authorization")
    answers = watch.streamed(method, behaviour, request, _call(context), authorization)
    try:
        async for answer in answers:
            yield answer
    except FailedCallError as error:
        raise _error(error.failure) from None
    finally:
        await answers.aclose()  # type: ignore[attr-defined]


def _endpoints(services: Services, watch: Watch) -> dict[str, Any]:
    """Path to endpoint, for every method that `services` have."""
    endpoints: dict[str, Any] = {}
    for descriptor, servicer in services:
        for method in descriptor.methods:
            path = f"/{descriptor.full_name}/{method.name}"
            handler: Any = _stream if method.server_streaming else _unary
            made: Any = Endpoint.server_stream if method.server_streaming else Endpoint.unary
            behaviour = partial(handler, watch, path, getattr(servicer, method.name))
            endpoints[path] = made(_method_info(method), behaviour)
    return endpoints


def _method_info(method: MethodDescriptor) -> MethodInfo[Any, Any]:
    return MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=message_factory.GetMessageClass(method.input_type),
        output=message_factory.GetMessageClass(method.output_type),
        # No reads by GET, although there would be nothing against it but this: they put a
        # player's cards into the address, and so into the logs of everything on the way.
        idempotency_level=IdempotencyLevel.IDEMPOTENT,
        stream_type=StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY,
    )


# What connectrpc itself refuses, as a failure of ours.
_REFUSALS: Mapping[Code, Callable[[str], Exception]] = {
    Code.INVALID_ARGUMENT: UnreadableError,
    Code.RESOURCE_EXHAUSTED: TooLargeError,
    Code.UNIMPLEMENTED: UnsupportedError,
    Code.DEADLINE_EXCEEDED: lambda _: ExpiredError(),
}


class _Refusals(MetadataInterceptor[None]):
    """Gives what connectrpc refuses before a method sees it the details of all failures."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def on_start(self, ctx: RequestContext[Any, Any]) -> None:
        """Nothing yet."""

    async def on_end(
        self, token: None, ctx: RequestContext[Any, Any], error: Exception | None, /
    ) -> None:
        """Raises the failure instead of the refusal."""
        del token
        if error is not None:
            method = f"/{ctx.method.service_name}/{ctx.method.name}"
            told = self.told(error, method)
            if told is not error:
                raise told

    def told(self, error: Exception, method: str) -> Exception:
        """The failure, or the error itself where it is not a refusal."""
        if not isinstance(error, ConnectError) or error.details or error.code not in _REFUSALS:
            return error
        refusal = _REFUSALS[error.code](error.message)
        if isinstance(refusal, ExpiredError):  # the call has been logged
            return _error(failure_of(refusal))
        return _error(self._watch.refused(method, refusal))


class _Rpc(ConnectASGIApplication[Mapping[str, Any]]):
    """All services over Connect and gRPC-Web."""

    def __init__(self, refusals: _Refusals, **more: Any) -> None:
        super().__init__(interceptors=(refusals,), **more)
        self._refusals = refusals

    @property
    def path(self) -> str:
        return "/"

    async def _handle_error(self, exc: Exception, ctx: Any, protocol: Any, send: Any) -> bool:
        # Of a request whose head can't be understood, interceptors are not told.
        return await super()._handle_error(self._refusals.told(exc, "/"), ctx, protocol, send)


class _Pages(StaticFiles):
    """The files of the page; its start page is asked for anew each time, for it names the rest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.raw_headers.extend(_PAGE_HEADERS)
        if response.headers.get("content-type", "").startswith("text/html"):
            response.headers["cache-control"] = "no-cache"
        return response


def _pages(folder: Path) -> ASGIApp:
    files = _Pages(directory=folder, html=True, check_dir=False)
    missing = (
        "There is no page here: the service was installed without one. Programs ask it by POST"
        " to /bura.v1.AdvisorService/RecommendMove and the like, over Connect or gRPC-Web.\n"
        "A folder of files to serve is named by --web-files.\n"
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response: ASGIApp = files
        if scope["method"] not in ("GET", "HEAD"):
            allow = {"allow": "GET, HEAD"}
            response = PlainTextResponse("Only files are here.\n", 405, headers=allow)
        elif not (folder / "index.html").is_file():
            response = PlainTextResponse(missing, HTTPStatus.NOT_FOUND)
        try:
            await response(scope, receive, send)
        except HTTPException as error:
            text = f"{HTTPStatus(error.status_code).phrase}.\n"
            await PlainTextResponse(text, error.status_code)(scope, receive, send)

    return app


def application(
    services: Services,
    watch: Watch,
    *,
    files: Path | None,
    origins: Sequence[str],
    max_request_bytes: int,
    ready: Callable[[], bool],
) -> ASGIApp:
    """The whole port as an ASGI application.

    Args:
        services: descriptors, and what answers their methods.
        watch: the guard over the calls.
        files: the folder of the page; None for the page that comes with the service.
        origins: of pages elsewhere that may ask, such as `https://play.example`; `*` for all.
        max_request_bytes: the longest request.
        ready: whether `/healthz` answers 200, not 503.
    """
    rpc: Any = _Rpc(
        _Refusals(watch),
        service={},
        endpoints=lambda _: _endpoints(services, watch),
        codecs=_codecs(),
        read_max_bytes=max_request_bytes,
    )
    pages = _pages(PAGE if files is None else files)
    prefixes = tuple(f"/{descriptor.full_name}/" for descriptor, _ in services)

    async def healthz(scope: Scope, receive: Receive, send: Send) -> None:
        response = (
            PlainTextResponse("serving\n")
            if ready()
            else PlainTextResponse("not serving\n", HTTPStatus.SERVICE_UNAVAILABLE)
        )
        await response(scope, receive, send)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(prefixes):
            await rpc(scope, receive, send)
        else:
            await (healthz if scope["path"] == "/healthz" else pages)(scope, receive, send)

    app: ASGIApp = dispatch
    if origins:
        app = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=("GET", "POST"),
            allow_headers=_REQUEST_HEADERS,
            expose_headers=_RESPONSE_HEADERS,
            max_age=_PREFLIGHT_KEPT,
        )
    return _guarded(app)


def _guarded(app: ASGIApp) -> ASGIApp:
    """The outermost layer: what no layer below has made an answer of is a bug, and kept quiet."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        if not all(value.isascii() for _, value in scope["headers"]):
            refusal = "Headers have to be ASCII.\n"
            await PlainTextResponse(refusal, HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        try:
            await app(scope, receive, noting)
        except Exception as error:  # noqa: BLE001 - uvicorn would log its text
            kind = type(error).__name__
            logs.write(logging.ERROR, "http", method=scope["method"], error=kind, at=place(error))
            if started:
                raise ConnectionAbortedError("the answer broke off") from None
            text = "internal error of the service; it has been logged\n"
            await PlainTextResponse(text, HTTPStatus.INTERNAL_SERVER_ERROR)(scope, receive, send)

    return guarded


class _Uvicorn(uvicorn.Server):
    """uvicorn, but for signals: they are the whole service's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WebServer:
    """The port, open. Made by `start`, within the event loop that runs it."""

    def __init__(
        self, app: ASGIApp, listener: socket.socket, tls: Callable[[], ssl.SSLContext] | None
    ) -> None:
        settings = uvicorn.Config(
            app,
            ssl_context_factory=None if tls is None else lambda *_: tls(),
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        self._listener = listener
        self._server = _Uvicorn(settings)
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[listener]))

    @classmethod
    async def start(
        cls,
        app: ASGIApp,
        host: str,
        port: int,
        tls: Callable[[], ssl.SSLContext] | None = None,
        reuse: bool = False,
    ) -> tuple["WebServer", int]:
        """Serves `app` on a port, 0 for a free one; also gives the port.

        Args:
            app: the application.
            host: the address.
            port: the port.
            tls: gives the certificates; None for plain HTTP.
            reuse: whether other processes may listen there too.

        Raises OSError where nothing can listen there.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server(
            (host.strip("[]"), port), family=family, backlog=1024, reuse_port=reuse
        )
        listener.setblocking(False)
        port = listener.getsockname()[1]
        self = cls(app, listener, tls)
        while not self._server.started and not self._serving.done():
            await asyncio.sleep(0.002)
        return self, port

    async def stop(self, seconds: float) -> None:
        """Takes no more connections, and ends what is open after so many seconds at most."""
        self._server.should_exit = True
        await asyncio.wait((self._serving,), timeout=seconds)
        self._server.force_exit = True
        for task in list(self._server.server_state.tasks):
            task.cancel()
        for connection in list(self._server.server_state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()
        await self._serving
