"""The outermost layer of every call: who may ask, failures as statuses, one line of log, metrics.

Both ports go through it (`Watch`); for grpc it is an interceptor (`Guard`).
"""

from __future__ import annotations  # the generic types of grpc exist only in its stubs

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import grpc.aio
from google.protobuf.message import DecodeError

from bura_service import logs
from bura_service.calls import Call
from bura_service.status import Failure, UnreadableError, failure_of

if TYPE_CHECKING:
    from bura_service.access import Access
    from bura_service.metrics import Metrics

__all__ = ["FailedCallError", "Guard", "Watch", "item_failure", "place"]

Request = TypeVar("Request")
Response = TypeVar("Response")
Behaviour: TypeAlias = Callable[[Any, Any], Any]

_OWN_METHODS = "/bura."
_UNREADABLE = "the request is not a well-formed protobuf message of its type"


class FailedCallError(Exception):
    """A call has failed and been logged; what is left is to tell the client."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Watch:
    """Lets no exception out of a call but as a status, and logs each call once.

    The log names the method, the code, the time, the fields at fault; never what was in
    them, for that may be a player's cards.

    Attributes:
        open_calls: calls that have begun and not ended.
    """

    def __init__(
        self,
        access: Access | None = None,
        metrics: Metrics | None = None,
        log_positions: bool = False,
    ) -> None:
        """A guard.

        Args:
            access: the tokens one of which a call has to bring; None for no need of one.
            metrics: where calls are counted.
            log_positions: whether the log also tells what was asked.
        """
        self._access = access
        self._metrics = metrics
        self._log_positions = log_positions
        self.open_calls = 0

    @property
    def needs_token(self) -> bool:
        """Whether a call has to bring a token."""
        return self._access is not None

    async def answered(
        self,
        method: str,
        behaviour: Behaviour,
        request: Any,
        call: Call,
        authorization: str | None = None,
    ) -> Any:
        """What `behaviour` answers to `request`; the call is logged once, however it ends.

        Args:
            method: the full name, `/package.Service/Method`.
            behaviour: a method of one of the services.
            request: the message, or the UnreadableError that its bytes gave.
            call: what the method is told of the call.
            authorization: the header of this name.

        Raises:
            FailedCallError: for whatever else than a cancellation it raised.
        """
        with self._watched(method, request, call, authorization):
            return await behaviour(request, call)

    async def streamed(
        self,
        method: str,
        behaviour: Behaviour,
        request: Any,
        call: Call,
        authorization: str | None = None,
    ) -> AsyncIterator[Any]:
        """The same for a method with a stream of answers."""
        with self._watched(method, request, call, authorization):
            answers = behaviour(request, call)
            try:
                async for answer in answers:
                    yield answer
            finally:
                await answers.aclose()

    def refused(self, method: str, error: Exception) -> Failure:
        """How a call is answered that has not come as far as its method; counted and logged."""
        failure = failure_of(error)
        call = Call(lambda: None)
        if self._metrics is not None:
            self._metrics.begin()
            self._metrics.end(method, failure.code.name, failure.reason, None, 0.0, call.notes)
        self._write(method, failure.code.name, 0.0, call, failure, error)
        return failure

    @contextmanager
    def _watched(
        self, method: str, request: Any, call: Call, authorization: str | None
    ) -> Iterator[None]:
        started = time.perf_counter()
        client = None
        failure: Failure | None = None
        error: Exception | None = None
        code = "OK"
        self.open_calls += 1
        if self._metrics is not None:
            self._metrics.begin()
        try:
            if self._access is not None:
                client = self._access.admit(authorization)
                call.client = client.token.name
            if isinstance(request, UnreadableError):
                raise request
            yield
        except asyncio.CancelledError:
            # Whether it was the client or his deadline is told by the clock.
            code = "DEADLINE_EXCEEDED" if call.time_remaining() == 0 else "CANCELLED"
            raise
        except GeneratorExit:
            code = "CANCELLED"  # of a stream
            raise
        except Exception as caught:  # noqa: BLE001 - this is where the buck stops
            error = caught
            failure = failure_of(error)
            code = failure.code.name
            raise FailedCallError(failure) from None
        finally:
            self.open_calls -= 1
            if client is not None:
                client.end()
            seconds = time.perf_counter() - started
            reason = None if failure is None else failure.reason
            if self._metrics is not None:
                self._metrics.end(method, code, reason, call.client, seconds, call.notes)
            self._write(method, code, seconds, call, failure, error)

    def _write(
        self,
        method: str,
        code: str,
        seconds: float,
        call: Call,
        failure: Failure | None,
        error: Exception | None,
    ) -> None:
        level = logging.INFO if failure is None else failure.level
        if not logs.wanted(level):
            return
        notes = call.notes
        logs.write(
            level,
            "call",
            rpc=method,
            code=code,
            ms=_milliseconds(seconds),
            client=call.client,
            **notes.facts,
            queue_ms=_milliseconds(notes.queue_seconds),
            compute_ms=_milliseconds(notes.compute_seconds),
            position=notes.position if self._log_positions else None,
            **({} if failure is None else _whereabouts(failure, error)),
        )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 2)


class Guard(grpc.aio.ServerInterceptor):
    """The watch over the calls of grpc."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._handlers: dict[str, Any] = {}  # made once for each method, not for each call

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails],
            Awaitable[grpc.RpcMethodHandler[Request, Response] | None],
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Request, Response] | None:
        """The method's handler with the watch around it; those of others as they are."""
        method: str = handler_call_details.method
        if (known := self._handlers.get(method)) is not None:
            return known  # type: ignore[no-any-return]
        handler: Any = await continuation(handler_call_details)
        if handler is None or not method.startswith(_OWN_METHODS):
            return handler  # type: ignore[no-any-return]
        made: Any
        if handler.unary_stream is not None:
            made = grpc.unary_stream_rpc_method_handler
            behaviour = self._stream(method, handler.unary_stream)
        else:
            made = grpc.unary_unary_rpc_method_handler
            behaviour = self._unary(method, handler.unary_unary)
        guarded = self._handlers[method] = made(
            behaviour,
            request_deserializer=_tolerant(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )
        return guarded  # type: ignore[no-any-return]

    def _unary(self, method: str, behaviour: Behaviour) -> Any:
        async def answer(request: Any, context: Any) -> Any:
            call = Call(context.time_remaining)
            try:
                return await self._watch.answered(
                    method, behaviour, request, call, self._authorization(context)
                )
            except FailedCallError as error:
                failure = error.failure
            return await _abort(context, failure)

        return answer

    def _stream(self, method: str, behaviour: Behaviour) -> Any:
        async def answer(request: Any, context: Any) -> Any:
            call = Call(context.time_remaining)
            answers = self._watch.streamed(
                method, behaviour, request, call, self._authorization(context)
            )
            try:
                async for message in answers:
                    yield message
                return
            except FailedCallError as error:
                failure = error.failure
            finally:
                await answers.aclose()  # type: ignore[attr-defined]
            await _abort(context, failure)

        return answer

    def _authorization(self, context: Any) -> str | None:
        if not self._watch.needs_token:
            return None
        for name, value in context.invocation_metadata() or ():
            if name == "authorization":
                return value if isinstance(value, str) else None
        return None


async def _abort(context: Any, failure: Failure) -> None:
    """Ends a call of grpc as failed."""
    try:
        await context.abort(failure.code, failure.message, failure.trailing_metadata())
    except grpc.aio.AbortError:
        raise
    except grpc.aio.BaseError:
        # The call is over, by its deadline or its client: there is nobody left to tell. Let out,
        # this error would be a page of log for each.
        raise asyncio.CancelledError from None


def _tolerant(deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """`deserialize`, but with the error as its result: raised, it would be an INTERNAL one."""

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return UnreadableError(_UNREADABLE)

    return read


def item_failure(method: str, error: Exception) -> Failure:
    """How one item of a message has failed that is answered all the same.

    Logged only if the service is at fault: the call has a line of its own.
    """
    failure = failure_of(error)
    if failure.is_bug:
        told = _whereabouts(failure, error)
        logs.write(failure.level, "item", rpc=method, code=failure.code.name, **told)
    return failure


def _whereabouts(failure: Failure, error: Exception | None) -> dict[str, str]:
    told = {"reason": failure.reason}
    if failure.fields:
        told["fields"] = ",".join(failure.fields)
    if failure.is_bug and error is not None:
        # The text of an unexpected error may hold anything; where it happened does not.
        told |= {"error": type(error).__name__, "at": place(error)}
    return told


def place(error: BaseException) -> str:
    """The calls that led to the error, innermost first, as file:line:function."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return "<".join(f"{PurePath(f.filename).name}:{f.lineno}:{f.name}" for f in frames)
