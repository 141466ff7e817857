"""The outermost layer of every call: failures become statuses, and each call a line of log."""

from __future__ import annotations  # the generic types of grpc exist only in its stubs

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Any, TypeAlias, TypeVar, cast

import grpc.aio
from google.protobuf.message import DecodeError

from bura_service.calls import Call
from bura_service.status import Failure, UnreadableError, failure_of

Request = TypeVar("Request")
Response = TypeVar("Response")
Behaviour: TypeAlias = Callable[[Any, Any], Awaitable[Any]]

_log = logging.getLogger("bura_service")

_OWN_METHODS = "/bura."


class FailedCallError(Exception):
    """A call has failed and been logged; what is left is to tell the client."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Guard(grpc.aio.ServerInterceptor):
    """Lets no exception out of a call but as a status, and logs each call once.

    The log names the method, the code, the time, the fields at fault; never what was in
    them, for that may be a player's cards.
    """

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails],
            Awaitable[grpc.RpcMethodHandler[Request, Response] | None],
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Request, Response] | None:
        """The method's handler with the guard around it; streams (not ours) as they are."""
        handler: Any = await continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler  # type: ignore[no-any-return]
        return grpc.unary_unary_rpc_method_handler(
            _guarded(handler_call_details.method, handler.unary_unary),
            request_deserializer=_tolerant(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )


def _tolerant(deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """`deserialize`, but with the error as its result: raised, it would be an INTERNAL one."""

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return UnreadableError("the request is not a well-formed protobuf message of its type")

    return read


def _guarded(method: str, behaviour: Behaviour) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await answered(method, behaviour, request, context)
        except FailedCallError as error:
            failure = error.failure
        return await context.abort(failure.code, failure.message, failure.trailing_metadata())

    return call


async def answered(method: str, behaviour: Behaviour, request: Any, call: Call) -> Any:
    """What `behaviour` answers to `request`; the call is logged once, however it ends.

    Args:
        method: the full name, `/package.Service/Method`.
        behaviour: a method of one of the services.
        request: the message, or the UnreadableError that its bytes gave.
        call: what the method is told of the call.

    Raises:
        FailedCallError: for whatever else than a cancellation it raised.
    """
    started = time.perf_counter()
    try:
        if isinstance(request, UnreadableError):
            raise request
        response = await behaviour(request, call)
    except asyncio.CancelledError:
        # Whether it was the client or his deadline is told by the clock.
        expired = call.time_remaining() == 0
        _write(method, "DEADLINE_EXCEEDED" if expired else "CANCELLED", started)
        raise
    except grpc.aio.AbortError:  # of the health service, which speaks to grpc itself
        _write(method, cast("Any", call).code().name, started)
        raise
    except Exception as error:  # noqa: BLE001 - this is where the buck stops
        failure = failure_of(error)
        _write(method, failure.code.name, started, failure, error)
        raise FailedCallError(failure) from None
    _write(method, "OK", started)
    return response


def item_failure(method: str, error: Exception) -> Failure:
    """How one item of a message has failed that is answered all the same.

    Logged only if the service is at fault: the call has a line of its own.
    """
    failure = failure_of(error)
    if failure.is_bug:
        words = [f"rpc={method}", f"item_code={failure.code.name}", *_whereabouts(failure, error)]
        _log.log(failure.level, " ".join(words))
    return failure


def _write(
    method: str,
    code: str,
    started: float,
    failure: Failure | None = None,
    error: Exception | None = None,
) -> None:
    level = logging.INFO if failure is None else failure.level
    if not method.startswith(_OWN_METHODS):
        level = logging.DEBUG  # health probes come every few seconds
    if not _log.isEnabledFor(level):
        return
    words = [f"rpc={method}", f"code={code}", f"ms={1000 * (time.perf_counter() - started):.2f}"]
    if failure is not None:
        words += _whereabouts(failure, error)
    _log.log(level, " ".join(words))


def _whereabouts(failure: Failure, error: Exception | None) -> list[str]:
    words = [f"reason={failure.reason}"]
    if failure.fields:
        words.append(f"fields={','.join(failure.fields)}")
    if failure.is_bug and error is not None:
        # The text of an unexpected error may hold anything; where it happened does not.
        words += [f"error={type(error).__name__}", f"at={_place(error)}"]
    return words


def _place(error: Exception) -> str:
    """The calls that led to the error, innermost first, as file:line:function."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return "<".join(f"{PurePath(f.filename).name}:{f.lineno}:{f.name}" for f in frames)
