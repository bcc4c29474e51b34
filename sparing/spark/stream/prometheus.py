"""Metrics of a stream for Prometheus, updated after every micro-batch and served over HTTP.

Names and units follow Prometheus' conventions. A registry of its own keeps out metrics of the using program. Gauges are
NaN until their value is known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from sparing.model.errors import SparingError
from sparing.spark.stream.micro_batch import MicroBatch

SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250)  # bounds of the histogram's buckets


class Metrics:
    """Counters, gauges and a histogram of one stream."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._batches = self._counter("micro_batches", "Micro-batches committed.")
        self._input = self._counter("input_rows", "Rows read from the source.")
        self._notifications = self._counter("notifications", "Notifications written.")
        self._messages = self._counter("messages", "Messages on the bill, by kind.", "kind")
        self._links = self._counter(
            "link_messages", "Messages of all kinds on links, by link and kind.", "source", "target", "kind"
        )
        self._quarantine = self._counter("quarantine_rows", "Rows in quarantine, by reason.", "reason")
        self._untimely = self._counter(
            "untimely_rows",
            "Rows late or from the future, by publisher and reason, of publishers with ten or more of them.",
            "publisher",
            "reason",
        )
        self._untimely_before: dict[tuple[str, str], int] = {}
        self._dropped = self._counter("rows_dropped_by_watermark", "Rows that Spark dropped as late.")
        self._seconds = Histogram(
            "sparing_micro_batch_seconds", "Duration of micro-batches.", buckets=SECONDS, registry=self.registry
        )
        self._last = self._gauge("last_micro_batch_seconds", "Duration of the last micro-batch.")
        self._watermark = self._gauge("watermark_timestamp_seconds", "The watermark, in seconds since 1970.")
        self._lag = self._gauge("watermark_lag_seconds", "Difference between the clock and the watermark.")
        self._event = self._gauge("latest_event_timestamp_seconds", "The latest event time of the last rows.")
        self._state_rows = self._gauge("state_rows", "Interest groups and partitions with state, if Spark counts them.")
        self._state_bytes = self._gauge("state_memory_bytes", "Memory of the state stores.")
        self._commit = self._gauge("state_commit_seconds", "Time of all tasks to commit state, summed.")
        self._subscriptions = self._gauge("subscriptions", "Subscriptions of the plan in force.")
        self._publishers = self._gauge("publishers", "Publishers of the plan in force.")
        self._version = self._gauge("plan_version", "Version of the plan: 1 at the start, plus 1 for every change.")
        self._refused = self._gauge("plan_changes_refused", "Rejected changes of the deployment.")
        self._reached = math.nan
        self._lag.set_function(lambda: time.time() - self._reached)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"sparing_{name}", about, labels, registry=self.registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        gauge = Gauge(f"sparing_{name}", about, registry=self.registry)
        gauge.set(math.nan)
        return gauge

    def record(self, batch: MicroBatch) -> None:
        """Update all metrics with a micro-batch."""
        self._batches.inc()
        self._input.inc(batch.input_rows)
        self._notifications.inc(batch.notifications)
        for kind, messages in batch.messages.items():
            self._messages.labels(kind).inc(messages)
        for ends, messages in (batch.links or {}).items():
            self._links.labels(*ends).inc(messages)
        for reason, rows in batch.quarantine.items():
            self._quarantine.labels(reason).inc(rows)
        for which, rows in batch.clocks.items():
            self._untimely.labels(*which).inc(rows - self._untimely_before.get(which, 0))
            self._untimely_before[which] = rows
        self._dropped.inc(batch.state.rows_dropped_by_watermark)
        self._seconds.observe(batch.seconds)
        self._last.set(batch.seconds)
        if batch.watermark is not None:
            self._reached = _seconds(batch.watermark)
            self._watermark.set(self._reached)
        if batch.latest_event is not None:
            self._event.set(_seconds(batch.latest_event))
        self._state_rows.set(math.nan if batch.state.rows is None else batch.state.rows)
        self._state_bytes.set(batch.state.memory_bytes)
        self._commit.set(batch.state.commit_ms / 1_000)
        self._subscriptions.set(batch.plan.subscriptions)
        self._publishers.set(batch.plan.publishers)
        self._version.set(batch.plan.version)
        self._refused.set(batch.plan.refused)


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@contextmanager
def serve(metrics: Metrics, host: str, port: int) -> Iterator[int]:
    """Serve metrics while inside, and yield the port: the given one, or a free one if that is 0."""
    try:
        server, thread = start_http_server(port, host, metrics.registry)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or "not a valid port"
        raise SparingError(
            f"Metrics cannot be served on {host}:{port} ({why}): choose another port with --metrics-port."
        ) from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
