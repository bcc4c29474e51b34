"""An orderly end of a stream: between two micro-batches, so that a sink that is appended to holds no row twice."""

from __future__ import annotations

import time
from threading import Event

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from sparing.model.errors import SparingError

PULSE = 1  # seconds between two looks at whether a stream is to be stopped
WITHIN = 30  # seconds that the micro-batch under way is given to finish
_INTERRUPTED = "py4j.protocol.Py4JJavaError: An error occurred while calling Thread.sleep"


class Stop(Event):
    """Set it to ask a stream to end. The stream's micro-batches and whoever waits for it share it."""

    def __init__(self) -> None:
        super().__init__()
        self.held = Event()  # a micro-batch was about to begin, and waits for the end


def hold(spark: SparkSession, stop: Stop) -> None:
    """Called first in a micro-batch: after a stop was asked for, it does not begin. The one before is committed.

    It waits in Java, where stopping the query interrupts it: Spark takes that for a stop, other errors for failures.
    """
    if not stop.is_set():
        return
    stop.held.set()
    try:
        spark._jvm.java.lang.Thread.sleep((WITHIN + 1) * 1000)  # type: ignore[union-attr]
    except Py4JJavaError as error:
        # Spark looks for these words with an expression that overflows the stack on the whole of Java's trace.
        raise SparingError(f"{_INTERRUPTED}: {error.java_exception.getClass().getName()}") from None
    raise SparingError("The stream is stopped.")


def ended(query: StreamingQuery, stop: Stop) -> bool:
    """Wait for a query to end by itself, or end it once `stop` is set; whether it did so by itself.

    The micro-batch under way may finish, unless that takes too long or there is a KeyboardInterrupt.
    """
    try:
        while not query.awaitTermination(PULSE):
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
    deadline = time.monotonic() + WITHIN
    while query.status["isTriggerActive"] and not stop.held.is_set() and time.monotonic() < deadline:
        time.sleep(0.05)
