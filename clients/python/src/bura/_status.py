"""gRPC statuses, turned into this package's errors: one table."""

from __future__ import annotations

from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from bura.errors import (
    BuraError,
    Fault,
    InputError,
    Overloaded,
    ServerError,
    Timeout,
    Unavailable,
    Unsupported,
)

__all__ = ["from_call", "from_status"]

# What a caller of this package calls the fields of a request.
_FIELDS = {
    "limits.max_nodes": "max_nodes",
    "limits.max_time": "time_limit",
    "report_interval": "interval",
}


def from_call(error: grpc.RpcError, target: str) -> BuraError:
    """What a failed call means; `target` is the address that was asked."""
    # A failed call is both the error and the call; grpc has no type that says so.
    call: Any = error
    status = None
    try:
        status = rpc_status.from_call(call)
    except ValueError:
        pass  # details that contradict the status: the status itself still stands
    if status is None:
        status = status_pb2.Status(code=call.code().value[0], message=call.details() or "")
    return from_status(status, target)


def from_status(status: status_pb2.Status, target: str) -> BuraError:
    """What a status with its details means."""
    code, message = status.code, status.message
    if code in (grpc.StatusCode.INVALID_ARGUMENT.value[0], grpc.StatusCode.OUT_OF_RANGE.value[0]):
        return InputError(_faults(status) or [Fault("", "", message, "")])
    if code == grpc.StatusCode.UNIMPLEMENTED.value[0]:
        return Unsupported(message or f"the service at {target} does not answer this question")
    if code == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]:
        return Timeout("no answer in the time allowed; allow more, or bound the search")
    if code == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]:
        return Overloaded(message or f"the service at {target} is busy", _retry_after(status))
    if code == grpc.StatusCode.UNAVAILABLE.value[0]:
        # Of grpc's chain of reasons the last one tells.
        return Unavailable(f"no service answers at {target}: {message.split('host: ')[-1]}")
    if code == grpc.StatusCode.CANCELLED.value[0]:
        return Unavailable("the connection was closed before the answer")
    return ServerError(f"the service at {target} failed: {message or 'it did not say why'}")


def _faults(status: status_pb2.Status) -> list[Fault]:
    faults = []
    for detail in status.details:
        request = error_details_pb2.BadRequest()
        if detail.Unpack(request):
            faults += [_fault(each) for each in request.field_violations]
    return faults


def _fault(violation: error_details_pb2.BadRequest.FieldViolation) -> Fault:
    field, text, value = violation.field, violation.description, ""
    # The service describes a fault as `'value': problem; remedy`.
    if text.startswith("'") and "': " in text:
        value, text = text[1:].split("': ", 1)
    problem, _, remedy = text.partition("; ")
    # A stream wraps the question that a single call asks.
    field = field.removeprefix("question.")
    return Fault(_FIELDS.get(field, field), value, problem, remedy)


def _retry_after(status: status_pb2.Status) -> float | None:
    for detail in status.details:
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return float(info.retry_delay.seconds + info.retry_delay.nanos / 1e9)
    return None
