"""Structured logs of streams: Python's own logging, with an event's name and fields on every record.

Loggers are named `sparing.*`, so a program that uses Sparing sees them through its own handlers: a sentence as the
message, the event's name as `event` and everything else as `fields`. `log_to` writes one JSON object per line.
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
ROOT.addHandler(logging.NullHandler())  # without a handler of somebody's own, nothing is printed
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
    """Log an event of a stream. Never fails."""
    with harmless():
        STREAM.log(level, "%s", sentence, extra={"event": event, "fields": fields})


@contextmanager
def harmless() -> Iterator[None]:
    """What fails inside is logged as a warning, and no more."""
    try:
        yield
    except Exception as error:
        with suppress(Exception):
            STREAM.warning("Metrics or logs failed: %s", error, exc_info=True, extra={"event": "metrics failed"})


@contextmanager
def failures_logged(what: str) -> Iterator[None]:
    """Log whatever ends what is inside; the failure of a stream that ran is logged where it is waited for."""
    try:
        yield
    except Exception as error:
        if not isinstance(error.__cause__, StreamingQueryException):
            log("stream failed", f"{what} failed: {error}", logging.ERROR, reason=str(error))
        raise


class JsonLines(logging.Formatter):
    """A log record as one line of JSON: time, level, event, message, then the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told = {
            "time": _moment(record.created),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.name),
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in getattr(record, "fields", {}).items() if name not in told}
        if record.exc_info and record.exc_info[1] is not None:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def log_to(where: str | None) -> Iterator[None]:
    """Write the logs of everything inside to a file, which is added to, or to standard error (`-`); None: nowhere.

    The file may be moved away at any time: another one is begun.
    """
    if where is None:
        yield
        return
    try:
        handler = logging.StreamHandler(sys.stderr) if where == STANDARD_ERROR else WatchedFileHandler(where)
    except OSError as error:
        raise SparingError(f"The log {where} cannot be written to ({error.strerror}): choose another file.") from None
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
