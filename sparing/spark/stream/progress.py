"""The listener of a stream, which passes on a record of each committed micro-batch.

Spark calls a listener in a thread of its own, with a delay. Failures here are logged and do not affect the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.streaming.query import StreamingQuery

from sparing.spark.stream.logs import harmless
from sparing.spark.stream.micro_batch import MicroBatch, PlanInForce, record_of
from sparing.spark.tally import Tally

RecordHandler = Callable[[MicroBatch], None]
LISTENER_SECONDS = 10  # time limit for Spark's last calls after the end of a query

_LISTENERS: dict[str, ProgressListener] = {}  # by run id of the query


class ProgressListener(StreamingQueryListener):
    """The listener of one query, identified by its name until it has a run id."""

    def __init__(self, spark: SparkSession, query: str, hear: RecordHandler) -> None:
        self._spark, self._query, self._hear = spark, query, hear
        self._run: str | None = None
        self._lock = Lock()
        self._written: dict[int, tuple[Tally, PlanInForce]] = {}
        self.closed = Event()
        spark.streams.addListener(self)

    def batch_written(self, batch: int, tally: Tally, plan: PlanInForce) -> None:
        """Keep the counts of a written micro-batch until Spark commits it."""
        with self._lock:
            self._written[batch] = tally, plan

    def close(self) -> None:
        """Stop listening."""
        _LISTENERS.pop(self._run or "", None)
        with harmless():
            self._spark.streams.removeListener(self)
        self.closed.set()

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Note the run id; Spark calls this before `start` returns."""
        if self._run is None and event.name == self._query:
            self._run = str(event.runId)
            _LISTENERS[self._run] = self

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """Pass on the record of a committed micro-batch."""
        with harmless():
            progress = event.progress
            if str(progress.runId) != self._run:
                return
            with self._lock:
                written = self._written.pop(progress.batchId, None)
            if written is not None:
                self._hear(record_of(progress, *written))

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """Do nothing."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """Stop listening: this is Spark's last call for a query."""
        if str(event.runId) == self._run:
            self.close()


def await_listener(query: StreamingQuery) -> None:
    """Wait until the listener of an ended query has its last call, at most LISTENER_SECONDS."""
    listener = _LISTENERS.get(str(query.runId))
    if listener is not None and not listener.closed.wait(LISTENER_SECONDS):
        listener.close()
