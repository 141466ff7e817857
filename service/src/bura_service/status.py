"""What a failure looks like from outside: one table from exceptions to gRPC status and log level.

Whatever is not in the table is a bug of the service. Its text may hold anything, so neither
the client nor the log is given it.
"""

import logging
from dataclasses import dataclass

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from bura_core import (
    Fault,
    HiddenCardsError,
    IllegalMoveError,
    InputError,
    UnsupportedError,
)

__all__ = [
    "ExpiredError",
    "Failure",
    "NotReachedError",
    "OverloadedError",
    "RateLimitedError",
    "ShuttingDownError",
    "TooLargeError",
    "UnauthenticatedError",
    "UnreadableError",
    "failure_of",
]

_DOMAIN = "bura"

# Trailing metadata are limited to 8 KiB by default, and a longer status never arrives. Text
# counts up to three times (percent-encoded) in the message, four thirds in the details.
_MAX_MESSAGE_BYTES = 800
_MAX_DETAILS_BYTES = 3000
_MAX_VALUE_CHARACTERS = 80
# Nobody mends more faults than these at a time.
_MAX_VIOLATIONS = 50


class ExpiredError(Exception):
    """The deadline of the call has passed."""

    def __init__(self) -> None:
        super().__init__("the deadline of the call passed before there was an answer")


class OverloadedError(Exception):
    """There is more work ahead than is allowed; try again after `retry_after` seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("the service is busy and its queue is full, try again later")
        self.retry_after = retry_after


class RateLimitedError(Exception):
    """A token has used up what it may; try again after `retry_after` seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("this token has used up what it may ask for now, try again later")
        self.retry_after = retry_after


class UnauthenticatedError(Exception):
    """The call brings no token, or one that is not known."""

    def __init__(self) -> None:
        super().__init__("bring a token that is known here, as `authorization: Bearer TOKEN`")


class NotReachedError(Exception):
    """The time of a message was over before this one of its questions."""

    retry_after = 0.0

    def __init__(self) -> None:
        super().__init__("the time of the message was over before this position, ask again")


class ShuttingDownError(Exception):
    """The service is stopping and starts no more searches."""

    def __init__(self) -> None:
        super().__init__("the service is shutting down, try another instance")


class UnreadableError(Exception):
    """The bytes of a request are not the message they should be; the text says in what way."""


class TooLargeError(Exception):
    """A request is longer than allowed; the text says how long it may be."""


@dataclass(frozen=True, slots=True)
class _Row:
    """How exceptions of one kind are answered."""

    code: grpc.StatusCode
    reason: str
    level: int
    text: str | None = None  # what the client reads instead of the exception's text


# The first row that fits counts: kinds before the kind they belong to.
_TABLE: tuple[tuple[type[Exception], _Row], ...] = (
    (
        HiddenCardsError,
        _Row(grpc.StatusCode.INVALID_ARGUMENT, "HIDDEN_CARDS", logging.INFO),
    ),
    (
        IllegalMoveError,
        _Row(grpc.StatusCode.INVALID_ARGUMENT, "ILLEGAL_MOVE", logging.INFO),
    ),
    (
        InputError,
        _Row(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_INPUT", logging.INFO),
    ),
    (
        UnreadableError,
        _Row(grpc.StatusCode.INVALID_ARGUMENT, "UNREADABLE", logging.INFO),
    ),
    (
        TooLargeError,
        _Row(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE", logging.INFO),
    ),
    (
        UnsupportedError,
        _Row(grpc.StatusCode.UNIMPLEMENTED, "UNSUPPORTED", logging.INFO),
    ),
    (
        ExpiredError,
        _Row(grpc.StatusCode.DEADLINE_EXCEEDED, "EXPIRED", logging.INFO),
    ),
    (
        OverloadedError,
        _Row(grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", logging.WARNING),
    ),
    (
        RateLimitedError,
        _Row(grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED", logging.INFO),
    ),
    (
        UnauthenticatedError,
        _Row(grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", logging.INFO),
    ),
    (
        NotReachedError,
        _Row(grpc.StatusCode.RESOURCE_EXHAUSTED, "NOT_REACHED", logging.INFO),
    ),
    (
        ShuttingDownError,
        _Row(grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN", logging.INFO),
    ),
    (
        Exception,
        _Row(
            grpc.StatusCode.INTERNAL,
            "INTERNAL_ERROR",
            logging.ERROR,
            "internal error of the service; it has been logged",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call: what the client is told, and what the log says."""

    code: grpc.StatusCode
    message: str
    reason: str
    level: int
    fields: tuple[str, ...]
    details: status_pb2.Status

    @property
    def is_bug(self) -> bool:
        """Whether the service itself is at fault."""
        return self.level >= logging.ERROR

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        """The rich error model's form of the failure (what grpc_status.rpc_status reads)."""
        return (("grpc-status-details-bin", self.details.SerializeToString()),)


def failure_of(error: Exception) -> Failure:
    """How `error` is answered and logged."""
    row = next(row for kind, row in _TABLE if isinstance(error, kind))
    faults = error.faults if isinstance(error, InputError) else ()
    message = row.text if row.text is not None else _message(error, faults)
    details = status_pb2.Status(code=row.code.value[0], message=message)
    details.details.add().Pack(error_details_pb2.ErrorInfo(reason=row.reason, domain=_DOMAIN))
    for detail in _more_details(error, faults):
        details.details.add().Pack(detail)
    return Failure(
        code=row.code,
        message=message,
        reason=row.reason,
        level=row.level,
        fields=tuple(dict.fromkeys(fault.field for fault in faults)),
        details=details,
    )


def _more_details(error: Exception, faults: tuple[Fault, ...]) -> list[Message]:
    if faults:
        return [_bad_request(faults)]
    if isinstance(error, OverloadedError | RateLimitedError | NotReachedError):
        info = error_details_pb2.RetryInfo()
        info.retry_delay.FromMilliseconds(round(1000 * error.retry_after))
        return [info]
    return []


def _bad_request(faults: tuple[Fault, ...]) -> error_details_pb2.BadRequest:
    """One violation a fault; where there are too many, the last says how many more."""
    answer = error_details_pb2.BadRequest()
    for count, fault in enumerate(faults):
        violation = answer.field_violations.add(field=fault.field, description=_description(fault))
        if count == _MAX_VIOLATIONS or answer.ByteSize() > _MAX_DETAILS_BYTES:
            violation.description = _and_more(len(faults) - count)
            break
    return answer


def _message(error: Exception, faults: tuple[Fault, ...]) -> str:
    if not faults:
        return _clipped(str(error))
    lines: list[str] = []
    size = 0
    for count, fault in enumerate(faults):
        line = f"{fault.field} {_description(fault)}"
        size += len(line.encode()) + 1
        if lines and size > _MAX_MESSAGE_BYTES:
            lines.append(_and_more(len(faults) - count))
            break
        lines.append(_clipped(line))
    return "\n".join(lines)


def _and_more(count: int) -> str:
    return f"and {count} more fault{'s' if count > 1 else ''}"


def _description(fault: Fault) -> str:
    return f"{_quoted(fault.value)}: {fault.problem}; {fault.remedy}"


def _quoted(value: str) -> str:
    """The value on one line, without control characters, and not too long."""
    if len(value) > _MAX_VALUE_CHARACTERS:
        value = value[: _MAX_VALUE_CHARACTERS - 3] + "..."
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value) + "'"


def _clipped(text: str) -> str:
    return text.encode()[:_MAX_MESSAGE_BYTES].decode(errors="ignore")
