"""Listening to a stream: Spark tells of each micro-batch once it is committed, and a record of it is passed on.

Spark tells a listener in a thread of its own, some time later. Whatever goes wrong here is logged; the stream does not
notice.
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

Hear = Callable[[MicroBatch], None]
PATIENCE = 10  # seconds that the end of a stream waits for what Spark still has to tell

_LISTENING: dict[str, Progress] = {}  # by run of a query


class Progress(StreamingQueryListener):
    """Listens to one query, known by its name until it runs."""

    def __init__(self, spark: SparkSession, query: str, hear: Hear) -> None:
        self._spark, self._query, self._hear = spark, query, hear
        self._run: str | None = None
        self._lock = Lock()
        self._written: dict[int, tuple[Tally, PlanInForce]] = {}
        self.over = Event()
        spark.streams.addListener(self)

    def wrote(self, batch: int, tally: Tally, plan: PlanInForce) -> None:
        """A micro-batch has been written; Spark has not committed it yet."""
        with self._lock:
            self._written[batch] = tally, plan

    def leave(self) -> None:
        """Listen no longer."""
        _LISTENING.pop(self._run or "", None)
        with harmless():
            self._spark.streams.removeListener(self)
        self.over.set()

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Spark tells this before `start` returns."""
        if self._run is None and event.name == self._query:
            self._run = str(event.runId)
            _LISTENING[self._run] = self

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """A micro-batch is committed."""
        with harmless():
            progress = event.progress
            if str(progress.runId) != self._run:
                return
            with self._lock:
                found = self._written.pop(progress.batchId, None)
            if found is not None:
                self._hear(record_of(progress, *found))

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """Nothing to do."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """The last that is told of a query."""
        if str(event.runId) == self._run:
            self.leave()


def settle(query: StreamingQuery) -> None:
    """Once a query has ended: wait until everything about it has been heard, but not for ever."""
    listening = _LISTENING.get(str(query.runId))
    if listening is not None and not listening.over.wait(PATIENCE):
        listening.leave()
