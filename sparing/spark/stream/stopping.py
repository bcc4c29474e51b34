"""A graceful stop of a stream, between two micro-batches: then a sink that is appended to has no duplicate rows."""

from __future__ import annotations

import time
from threading import Event

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from sparing.model.errors import SparingError

POLL_SECONDS = 1
FINISH_SECONDS = 30  # time limit for the running micro-batch
_INTERRUPTED = "py4j.protocol.Py4JJavaError: An error occurred while calling Thread.sleep"


class Stop(Event):
    """An event that requests the end of a stream; `stream` and `wait` share it."""

    def __init__(self) -> None:
        super().__init__()
        self.blocked = Event()  # the next micro-batch waits for the end of the query


def block_if_stopping(spark: SparkSession, stop: Stop) -> None:
    """Block a micro-batch that begins after a stop was requested, until the query is stopped.

    The micro-batch before it is committed by then. The wait is in Java, where stopping the query interrupts it: Spark
    takes that interruption for a stop, and any other error for a failure.
    """
    if not stop.is_set():
        return
    stop.blocked.set()
    try:
        spark._jvm.java.lang.Thread.sleep((FINISH_SECONDS + 1) * 1000)  # type: ignore[union-attr]
    except Py4JJavaError as error:
        # Spark searches for this text with a regular expression that overflows the stack on a whole Java trace.
        raise SparingError(f"{_INTERRUPTED}: {error.java_exception.getClass().getName()}") from None
    raise SparingError("The stream is stopped.")


def wait_or_stop(query: StreamingQuery, stop: Stop) -> bool:
    """Wait for a query to end, or stop it once `stop` is set; return whether it ended by itself.

    The running micro-batch may finish within FINISH_SECONDS; a KeyboardInterrupt stops it at once.
    """
    try:
        while not query.awaitTermination(POLL_SECONDS):
            if stop.is_set():
                _finish(query, stop)
                break
        else:
            return True
    except KeyboardInterrupt:
        stop.set()
    query.stop()
    return False


def _finish(query: StreamingQuery, stop: Stop) -> None:
    deadline = time.monotonic() + FINISH_SECONDS
    while query.status["isTriggerActive"] and not stop.blocked.is_set() and time.monotonic() < deadline:
        time.sleep(0.05)
