"""The record of one micro-batch: what Spark tells of its progress, and what Sparing knows of its contents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryProgress

from sparing.control.plan import Plan
from sparing.spark.tally import Tally

NO_TIME = "1970-01-01T00:00:00.000Z"  # what Spark says before there is a watermark


@dataclass(frozen=True)
class PlanInForce:
    """The plan that a micro-batch ran under; `version` counts from 1 since the stream was started."""

    version: int
    fingerprint: str
    subscriptions: int
    publishers: int
    refused: int = 0  # changes so far that the stream did not follow

    @classmethod
    def of(cls, plan: Plan, version: int, fingerprint: str, refused: int = 0) -> PlanInForce:
        """What of a plan is on record."""
        publishers = len({advertisement.publisher for advertisement in plan.advertisements})
        return cls(version, fingerprint, len(plan.subscriptions), publishers, refused)


@dataclass(frozen=True)
class StateSize:
    """The state of the stream, in the words of Spark; a row is an interest group or a partition.

    `rows` is missing if there are none, or Spark does not count them.
    """

    rows: int | None
    rows_updated: int
    rows_removed: int
    memory_bytes: int
    commit_ms: int
    rows_dropped_by_watermark: int


@dataclass(frozen=True)
class MicroBatch:
    """One micro-batch. Times are text as Spark gives it; `links` is missing if the overlay has too many of them.

    `clocks` has all rows since the start that were late or from the future, by publisher and reason, of publishers with
    ten or more of them.
    """

    query: str
    run: str
    batch: int
    started: str
    seconds: float
    input_rows: int
    input_rows_per_second: float | None
    processed_rows_per_second: float | None
    durations_ms: Mapping[str, int]
    watermark: str | None
    latest_event: str | None
    state: StateSize
    notifications: int
    bill_rows: int
    quarantine_rows: int
    messages: Mapping[str, int]
    quarantine: Mapping[str, int]
    plan: PlanInForce
    links: Mapping[tuple[str, str, str], int] | None = None
    clocks: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """The record as JSON can hold it, without links and clocks."""
        found = asdict(self)
        del found["links"], found["clocks"]
        return found


def record_of(progress: StreamingQueryProgress, tally: Tally, plan: PlanInForce) -> MicroBatch:
    """What Spark and Sparing know, put together."""
    event_time = progress.eventTime
    return MicroBatch(
        progress.name or "",
        str(progress.runId),
        progress.batchId,
        progress.timestamp,
        progress.batchDuration / 1_000,
        progress.numInputRows,
        _finite(progress.inputRowsPerSecond),
        _finite(progress.processedRowsPerSecond),
        dict(progress.durationMs),
        _time(event_time.get("watermark")),
        # Only rows that carry the clock have a time, so the least and the average that Spark gives mean nothing here.
        _time(event_time.get("max")),
        _size(progress),
        tally.rows["notifications"],
        tally.rows["bill"],
        tally.rows["quarantine"],
        tally.messages,
        tally.reasons,
        plan,
        tally.links,
        tally.clocks,
    )


def _size(progress: StreamingQueryProgress) -> StateSize:
    operators = progress.stateOperators
    return StateSize(
        sum(operator.numRowsTotal for operator in operators) or None,
        sum(operator.numRowsUpdated for operator in operators),
        sum(operator.numRowsRemoved for operator in operators),
        sum(operator.memoryUsedBytes for operator in operators),
        sum(operator.commitTimeMs for operator in operators),
        sum(operator.numRowsDroppedByWatermark for operator in operators),
    )


def _finite(rate: float | None) -> float | None:
    return None if rate is None or not math.isfinite(rate) else rate


def _time(text: str | None) -> str | None:
    return None if text == NO_TIME else text
