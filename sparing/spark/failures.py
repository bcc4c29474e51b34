"""Failures of Spark in one line: what lies at the bottom of pages of Python and Java stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from sparing.model.errors import SparingError

# An error as Python prints it, or as Java does, with or without a cause of its own.
_RAISED = re.compile(r"(?:Caused by: |: )?(?:[\w$]+\.)*(?P<name>\w*(?:Error|Exception)): (?P<message>.+)")
_SAYS_NOTHING = re.compile(
    r"Traceback \(most recent|An exception was (?:thrown|raised)|An error occurred while calling|Job aborted"
)
_SPARES = re.compile(r"\[STREAM_FAILED\].*terminated with exception: |(?: SQLSTATE: \w+)+$")
_READING = re.compile(r"Encountered error while reading file (\S+?)\.?\s")
_CSV = "univocity.parsers.common.TextParsingException"
_PLAIN = ("SparingError", "SparkException", "IOException", "RuntimeException")  # names that add nothing to what is said


def cause(failure: object) -> str:
    """The line of a failure that says most: the file that cannot be read, the last error raised, else the first line.

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
    return (raised or lines or ["for a reason that Spark does not tell"])[-1 if raised else 0]


_WRITING = {
    "No space left on device": "the disk is full; free some space and run again",
    "Disk quota exceeded": "the disk quota is used up; free some space and run again",
    "Read-only file system": "the file system is read-only; make it writable, or choose another path",
    "Permission denied": "permission is denied; give this user the right to write there, or choose another path",
    "AccessControlException": "permission is denied; give this user the right to write there, or choose another path",
    "Mkdirs failed to create": "the folder cannot be made; check the path, its permissions and the disk",
}
_PASSING = {
    re.compile(r"Python worker (?:exited|failed)|port number from pyspark\.daemon"): "a Python worker died",
    re.compile(r"ExecutorLostFailure|Executor heartbeat timed out"): "an executor was lost",
    re.compile(
        r"FetchFailed|Connection re(?:set|fused)|Broken pipe|(?:Stream|Socket) closed|ClosedChannelException"
    ): "a connection broke",
}


def write_trouble(failure: object) -> str:
    """Why something cannot be written, and what to do about it."""
    text = str(failure)
    known = next((told for said, told in _WRITING.items() if said in text), None)
    return f"{known}." if known is not None else cause(failure)


def passing(failure: object) -> str | None:
    """What happened, if the same work may well succeed when it is tried again; None if it would fail again.

    >>> passing("SparkException: Python worker exited unexpectedly (crashed)"), passing("ValueError: 3")
    ('a Python worker died', None)
    """
    text = str(failure)
    return next((told for pattern, told in _PASSING.items() if pattern.search(text)), None)


@contextmanager
def damage_told() -> Iterator[None]:
    """A file that cannot be read is a mistake that a user can put right; other failures stay as they are."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        if (damage := _damage(str(error))) is not None:
            raise SparingError(f"{damage}; replace the file, or take it out of the source.") from None
        raise


def _damage(text: str) -> str | None:
    """Which file cannot be read, and why."""
    if (reading := _READING.search(text)) is None:
        return None
    file = reading[1]
    if file.startswith("file:"):
        file = unquote(re.sub("^file:/+", "/", file))
    if _CSV in text:
        return f"{file} cannot be read: it has a CSV line that is far too long, or with far too many columns"
    why = [said for said in _raised(_lines(text[reading.end() :])) if "Encountered error while reading" not in said]
    return f"{file} cannot be read: {(why or ['Spark does not say why'])[-1].rstrip('.')}"


def _lines(text: str) -> list[str]:
    lines = (_SPARES.sub("", line.strip()) for line in text.splitlines())
    return [line for line in lines if line]


def _raised(lines: list[str]) -> list[str]:
    """What errors say that are named in some lines."""
    found = (_RAISED.fullmatch(line) for line in lines)
    errors = [error for error in found if error is not None and not _SAYS_NOTHING.match(error["message"])]
    return [_told(error["name"], error["message"]) for error in errors]


def _told(name: str, message: str) -> str:
    return message if name in _PLAIN or message.startswith("[") else f"{name}: {message}"
