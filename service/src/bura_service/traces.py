"""OpenTelemetry traces of both ports, by its own instrumentations; needs `bura-service[otel]`.

Where the traces go is set by the OTEL_* variables of OpenTelemetry, the exporter is OTLP over
HTTP. Spans hold the method and the status; no requests, for those are players' cards.
"""

from typing import Any

import grpc.aio
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.grpc import aio_server_interceptor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

__all__ = ["interceptor", "set_up", "tear_down", "traced"]


def set_up() -> None:
    """Sends the traces of this process; once, before there is a server."""
    resource = Resource.create({"service.name": "bura-service"})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def tear_down() -> None:
    """Sends what is left."""
    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "shutdown"):
        provider.shutdown()


def interceptor() -> grpc.aio.ServerInterceptor:
    """For the calls of grpc."""
    made: Any = aio_server_interceptor
    return made()  # type: ignore[no-any-return]


def traced(app: Any) -> Any:
    """For the port of browsers."""
    return OpenTelemetryMiddleware(app, exclude_spans=["receive", "send"])
