"""Failures of Spark in one line: the cause in pages of Python and Java stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from sparing.model.errors import SparingError

# An error as Python or Java prints it, with or without "Caused by".
_RAISED = re.compile(r"(?:Caused by: |: )?(?:[\w$]+\.)*(?P<name>\w*(?:Error|Exception)): (?P<message>.+)")
_SAYS_NOTHING = re.compile(
    r"Traceback \(most recent|An exception was (?:thrown|raised)|An error occurred while calling|Job aborted"
)
_SPARES = re.compile(r"\[STREAM_FAILED\].*terminated with exception: |(?: SQLSTATE: \w+)+$")
_READING = re.compile(r"Encountered error while reading file (\S+?)\.?\s")
_CSV = "univocity.parsers.common.TextParsingException"
_PLAIN = ("SparingError", "SparkException", "IOException", "RuntimeException")  # names that add nothing to the message


def cause(failure: object) -> str:
    """Return the most useful line of a failure: the damaged file, else the last error raised, else the first line.

    >>> cause("An error occurred while calling o1.collect.\\n: java.io.IOException: disk full\\n\\tat java.io")
    'disk full'
    >>> cause("[STREAM_FAILED] Query [id = 1] terminated with exception: it ended SQLSTATE: XXKST")
    'it ended'
    """
    text = str(failure).partition("=== Streaming Query ===")[0]
    if (damage := _damage(text)) is not None:
        return damage
    lines = _lines(text)
    raised = _raised(lines)
    return (raised or lines or ["Spark gives no reason"])[-1 if raised else 0]


_WRITING = {
    "No space left on device": "the disk is full; free some space and run again",
    "Disk quota exceeded": "the disk quota is used up; free some space and run again",
    "Read-only file system": "the file system is read-only; make it writable, or choose another path",
    "Permission denied": "permission is denied; give this user the right to write there, or choose another path",
    "AccessControlException": "permission is denied; give this user the right to write there, or choose another path",
    "Mkdirs failed to create": "the folder cannot be created; check the path, its permissions and the disk",
}
_TRANSIENT = {
    re.compile(r"Python worker (?:exited|failed)|port number from pyspark\.daemon"): "a Python worker died",
    re.compile(r"ExecutorLostFailure|Executor heartbeat timed out"): "an executor was lost",
    re.compile(
        r"FetchFailed|Connection re(?:set|fused)|Broken pipe|(?:Stream|Socket) closed|ClosedChannelException"
    ): "a connection broke",
}


def write_failure(failure: object) -> str:
    """Return the reason why a write failed, with a remedy if it is a known one."""
    text = str(failure)
    known = next((remedy for error, remedy in _WRITING.items() if error in text), None)
    return f"{known}." if known is not None else cause(failure)


def transient(failure: object) -> str | None:
    """Return a description of a transient failure, None if a retry would fail again.

    >>> transient("SparkException: Python worker exited unexpectedly (crashed)"), transient("ValueError: 3")
    ('a Python worker died', None)
    """
    text = str(failure)
    return next((description for pattern, description in _TRANSIENT.items() if pattern.search(text)), None)


@contextmanager
def report_damaged_file() -> Iterator[None]:
    """Raise `SparingError` for a damaged source file, which a user can replace; other errors pass unchanged."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        if (damage := _damage(str(error))) is not None:
            raise SparingError(f"{damage}; replace the file, or remove it from the source.") from None
        raise


def _damage(text: str) -> str | None:
    """Return which file cannot be read and why, None if the failure is another one."""
    if (reading := _READING.search(text)) is None:
        return None
    file = reading[1]
    if file.startswith("file:"):
        file = unquote(re.sub("^file:/+", "/", file))
    if _CSV in text:
        return f"{file} cannot be read: it has a CSV line that is far too long, or with far too many columns"
    why = [line for line in _raised(_lines(text[reading.end() :])) if "Encountered error while reading" not in line]
    return f"{file} cannot be read: {(why or ['Spark gives no reason'])[-1].rstrip('.')}"


def _lines(text: str) -> list[str]:
    lines = (_SPARES.sub("", line.strip()) for line in text.splitlines())
    return [line for line in lines if line]


def _raised(lines: list[str]) -> list[str]:
    """Return the messages of the errors that are named in lines of output."""
    matches = (_RAISED.fullmatch(line) for line in lines)
    errors = [error for error in matches if error is not None and not _SAYS_NOTHING.match(error["message"])]
    return [_described(error["name"], error["message"]) for error in errors]


def _described(name: str, message: str) -> str:
    return message if name in _PLAIN or message.startswith("[") else f"{name}: {message}"
