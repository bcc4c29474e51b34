"""The record of one micro-batch: Spark's progress report, and Sparing's counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryProgress

from sparing.control.plan import Plan
from sparing.spark.tally import Tally

NO_TIME = "1970-01-01T00:00:00.000Z"  # Spark's value before there is a watermark


@dataclass(frozen=True, kw_only=True)
class PlanInForce:
    """The plan of a micro-batch; `version` counts plans from 1 since the start of the stream."""

    version: int
    fingerprint: str
    subscriptions: int
    publishers: int
    refused: int = 0  # rejected changes since the start

    @classmethod
    def of(cls, plan: Plan, version: int, fingerprint: str, refused: int = 0) -> PlanInForce:
        """Return the record of a plan."""
        return cls(
            version=version,
            fingerprint=fingerprint,
            subscriptions=len(plan.subscriptions),
            publishers=len({advertisement.publisher for advertisement in plan.advertisements}),
            refused=refused,
        )


@dataclass(frozen=True, kw_only=True)
class StateSize:
    """Size of the stream's state, in Spark's terms; a row is an interest group or an event partition.

    `rows` is None if there are none, or if Spark does not count them.
    """

    rows: int | None
    rows_updated: int
    rows_removed: int
    memory_bytes: int
    commit_ms: int
    rows_dropped_by_watermark: int


@dataclass(frozen=True, kw_only=True)
class MicroBatch:
    """One micro-batch. Times are text in Spark's format.

    `links` has messages by source, target and kind; it is None if the overlay has too many links. `clocks` has the rows
    since the start that were late or from the future, by publisher and reason, for publishers with ten or more of them.
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
        """Return the record for JSON, without links and clocks."""
        record = asdict(self)
        del record["links"], record["clocks"]
        return record


def record_of(progress: StreamingQueryProgress, tally: Tally, plan: PlanInForce) -> MicroBatch:
    """Return the record of a micro-batch, from Spark's progress report and Sparing's counts."""
    event_time = progress.eventTime
    return MicroBatch(
        query=progress.name or "",
        run=str(progress.runId),
        batch=progress.batchId,
        started=progress.timestamp,
        seconds=progress.batchDuration / 1_000,
        input_rows=progress.numInputRows,
        input_rows_per_second=_finite(progress.inputRowsPerSecond),
        processed_rows_per_second=_finite(progress.processedRowsPerSecond),
        durations_ms=dict(progress.durationMs),
        watermark=_time(event_time.get("watermark")),
        # One row per task carries an event time, the latest one: Spark's minimum and average have no meaning here.
        latest_event=_time(event_time.get("max")),
        state=_state_size(progress),
        notifications=tally.rows["notifications"],
        bill_rows=tally.rows["bill"],
        quarantine_rows=tally.rows["quarantine"],
        messages=tally.messages,
        quarantine=tally.reasons,
        plan=plan,
        links=tally.links,
        clocks=tally.clocks,
    )


def _state_size(progress: StreamingQueryProgress) -> StateSize:
    operators = progress.stateOperators
    return StateSize(
        rows=sum(operator.numRowsTotal for operator in operators) or None,
        rows_updated=sum(operator.numRowsUpdated for operator in operators),
        rows_removed=sum(operator.numRowsRemoved for operator in operators),
        memory_bytes=sum(operator.memoryUsedBytes for operator in operators),
        commit_ms=sum(operator.commitTimeMs for operator in operators),
        rows_dropped_by_watermark=sum(operator.numRowsDroppedByWatermark for operator in operators),
    )


def _finite(rate: float | None) -> float | None:
    return None if rate is None or not math.isfinite(rate) else rate


def _time(text: str | None) -> str | None:
    return None if text == NO_TIME else text
