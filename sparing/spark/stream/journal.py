"""The journal of a stream: the plans in force, their changes, and the record of every micro-batch."""

from __future__ import annotations

import logging
from dataclasses import asdict, replace
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.spark.stream.clock_alarm import ClockAlarms
from sparing.spark.stream.follow import NoticeHandler, PlanFollower
from sparing.spark.stream.logs import STREAM, harmless, log
from sparing.spark.stream.micro_batch import MicroBatch, PlanInForce
from sparing.spark.stream.progress import ProgressListener, RecordHandler
from sparing.spark.tally import Tally, has_few_links


class Journal:
    """The journal of one stream. Records are made only for `hear` or for a handler of the loggers `sparing.*`."""

    def __init__(self, spark: SparkSession, query: str, tell: NoticeHandler, hear: RecordHandler | None) -> None:
        self._query, self._tell, self._hear = query, tell, hear
        self._version, self._rejected = 1, 0
        self._clocks = ClockAlarms()
        self._spark = spark
        self._is_read = hear is not None or STREAM.isEnabledFor(logging.INFO)
        self._listener: ProgressListener | None = None

    def accepted(self, sentence: str) -> None:
        """Report an accepted change of the deployment."""
        log("change accepted", sentence, query=self._query)
        self._tell(sentence)

    def rejected(self, sentence: str) -> None:
        """Report a rejected change of the deployment."""
        self._rejected += 1
        log("change refused", sentence, logging.WARNING, query=self._query)
        self._tell(sentence)

    def listen(self) -> None:
        """Listen to the query, before each of its starts."""
        self._listener = ProgressListener(self._spark, self._query, self._record) if self._is_read else None

    def begin(self, plan: Plan, fingerprint: str, **about: Any) -> None:
        """Log the start of the stream."""
        log("stream started", f"{self._query} starts.", query=self._query, **about)
        self._in_force(plan, fingerprint)

    def switch_plan(self, follower: PlanFollower) -> None:
        """Run the next micro-batch under the newest plan, and log a change."""
        if (difference := follower.switch_plan()) is not None:
            self._version += 1
            log("plan changed", f"{self._query} follows a change: {difference}.", query=self._query)
            self._in_force(follower.plan, follower.fingerprint)

    def by_link(self, plan: Plan) -> bool:
        """Return whether to count messages by link."""
        return self._hear is not None and has_few_links(plan)

    def batch_written(self, batch: int, tally: Tally, follower: PlanFollower) -> None:
        """Note a written micro-batch, and raise clock alarms."""
        for alarm in self._clocks.count(tally.clocks):
            self._tell(str(alarm))
            log("clock alarm", str(alarm), logging.WARNING, query=self._query, **asdict(alarm))
        if self._listener is not None:
            with harmless():
                plan = PlanInForce.of(follower.plan, self._version, follower.fingerprint, self._rejected)
                self._listener.batch_written(batch, replace(tally, clocks=self._clocks.totals()), plan)

    def stop_listening(self) -> None:
        """Close the listener, if the query did not start."""
        if self._listener is not None:
            self._listener.close()

    def _in_force(self, plan: Plan, fingerprint: str) -> None:
        in_force = PlanInForce.of(plan, self._version, fingerprint)
        fields = {name: value for name, value in asdict(in_force).items() if name != "refused"}
        log("plan in force", f"{self._query} runs under plan {in_force.version}.", query=self._query, **fields)

    def _record(self, record: MicroBatch) -> None:
        log("micro-batch", f"{self._query} has committed micro-batch {record.batch}.", **record.fields())
        if self._hear is not None:
            self._hear(record)
