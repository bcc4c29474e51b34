"""Structured logs of streams: Python's logging, with the name and fields of an event on every record.

Loggers are named `sparing.*`. A handler of the using program gets a sentence as the message, the event's name as
`event`, and further values as `fields`. `log_to` writes one JSON object per line.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from typing import Any

from pyspark.errors import StreamingQueryException

from sparing.model.errors import SparingError

ROOT = logging.getLogger("sparing")
ROOT.addHandler(logging.NullHandler())  # print nothing unless the using program adds a handler
STREAM = logging.getLogger("sparing.stream")
STANDARD_ERROR = "-"
EVENTS = (
    "stream started",
    "plan in force",
    "micro-batch",
    "change accepted",
    "change refused",
    "plan changed",
    "micro-batch retried",
    "clock alarm",
    "stream stopped",
    "stream ended",
    "stream failed",
    "metrics failed",
)


def log(event: str, sentence: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event of a stream; never raises."""
    with harmless():
        STREAM.log(level, "%s", sentence, extra={"event": event, "fields": fields})


@contextmanager
def harmless() -> Iterator[None]:
    """Log an exception inside as a warning instead of raising it."""
    try:
        yield
    except Exception as error:
        with suppress(Exception):
            STREAM.warning("Metrics or logs failed: %s", error, exc_info=True, extra={"event": "metrics failed"})


@contextmanager
def failures_logged(what: str) -> Iterator[None]:
    """Log an exception inside and raise it again, except the failure of a running stream, which `run.wait` logs."""
    try:
        yield
    except Exception as error:
        if not isinstance(error.__cause__, StreamingQueryException):
            log("stream failed", f"{what} failed: {error}", logging.ERROR, reason=str(error))
        raise


class JsonLines(logging.Formatter):
    """A log record as one line of JSON: time, level, event, message, then the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line = {
            "time": _moment(record.created),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.name),
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in getattr(record, "fields", {}).items() if name not in line}
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def log_to(where: str | None) -> Iterator[None]:
    """Append the logs inside to a file, or write them to standard error (`-`); None: write no logs.

    If the file is moved, for example by a log rotation, a new one is created.
    """
    if where is None:
        yield
        return
    try:
        handler = logging.StreamHandler(sys.stderr) if where == STANDARD_ERROR else WatchedFileHandler(where)
    except OSError as error:
        raise SparingError(f"The log {where} cannot be written ({error.strerror}): choose another file.") from None
    handler.setFormatter(JsonLines())
    before = ROOT.level
    ROOT.setLevel(logging.INFO)
    ROOT.addHandler(handler)
    try:
        yield
    finally:
        ROOT.removeHandler(handler)
        ROOT.setLevel(before)
        handler.close()
