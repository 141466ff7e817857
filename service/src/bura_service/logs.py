"""The service's log: one event a line, in logfmt or JSON, without touching others' logging."""

import json
import logging
import sys
from typing import Any, Literal

import structlog

__all__ = ["configure", "wanted", "write"]

_NAME = "bura_service"

# What comes first in a line, in this order.
_ORDER = ("event", "rpc", "code", "ms", "client", "rules", "phase")

_logfmt = structlog.processors.LogfmtRenderer(
    key_order=_ORDER, drop_missing=True, bool_as_flag=False
)
_json: list[Any] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.JSONRenderer(),
]
_as_json = False


def _render(logger: Any, name: str, event: Any) -> Any:
    if not _as_json:
        return _logfmt(logger, name, event)
    for step in _json:
        event = step(logger, name, event)
    return event


_logger = logging.getLogger(_NAME)
_log: Any = structlog.wrap_logger(
    _logger,
    processors=[_render],
    wrapper_class=structlog.stdlib.BoundLogger,
    context_class=dict,
)


def wanted(level: int) -> bool:
    """Whether lines of this level are written."""
    return _logger.isEnabledFor(level)


def write(level: int, event: str, **fields: Any) -> None:
    """Writes one line; fields that are None are left out."""
    if wanted(level):
        told = {name: value for name, value in fields.items() if value is not None}
        _log.log(level, event, **told)


class _Json(logging.Formatter):
    """What other libraries log, as JSON too."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if record.name == _NAME and text.startswith("{"):
            return text
        told = {
            "event": text,
            "logger": record.name,
            "level": record.levelname.lower(),
            "timestamp": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
        }
        if record.exc_info:
            told["error"] = record.exc_info[0].__name__ if record.exc_info[0] else ""
        return json.dumps(told)


def configure(level: str, form: Literal["logfmt", "json"]) -> None:
    """Sends the log of this process to standard error."""
    global _as_json
    _as_json = form == "json"
    handler = logging.StreamHandler(sys.stderr)
    line = "%(asctime)s level=%(levelname)s logger=%(name)s %(message)s"
    handler.setFormatter(_Json() if _as_json else logging.Formatter(line))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # They tell of each connection, or repeat what a call's own line says.
    for noisy in ("grpc", "uvicorn", "asyncio", "urllib3", "opentelemetry"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))
