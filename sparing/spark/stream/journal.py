"""The journal of a stream: which plan is in force, what changed, and the record of every micro-batch."""

from __future__ import annotations

import logging
from dataclasses import asdict, replace
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.spark.stream.clock_alarm import ClockAlarms
from sparing.spark.stream.follow import Following, Tell
from sparing.spark.stream.logs import STREAM, harmless, log
from sparing.spark.stream.micro_batch import MicroBatch, PlanInForce
from sparing.spark.stream.progress import Hear, Progress
from sparing.spark.tally import Tally, has_few_links


class Journal:
    """Of one stream. Keeps records only if somebody wants them: `hear`, or a handler of the loggers `sparing.*`."""

    def __init__(self, spark: SparkSession, query: str, tell: Tell, hear: Hear | None) -> None:
        self._query, self._tell, self._hear = query, tell, hear
        self._version, self._refused = 1, 0
        self._clocks = ClockAlarms()
        self._spark = spark
        self._wanted = hear is not None or STREAM.isEnabledFor(logging.INFO)
        self._progress: Progress | None = None

    def accepted(self, sentence: str) -> None:
        """A change of the deployment is going to be followed."""
        log("change accepted", sentence, query=self._query)
        self._tell(sentence)

    def refused(self, sentence: str) -> None:
        """A change of the deployment is not followed."""
        self._refused += 1
        log("change refused", sentence, logging.WARNING, query=self._query)
        self._tell(sentence)

    def listen(self) -> None:
        """The query is about to be started, for the first time or again."""
        self._progress = Progress(self._spark, self._query, self._record) if self._wanted else None

    def begin(self, plan: Plan, fingerprint: str, **about: Any) -> None:
        """The stream is about to start."""
        log("stream started", f"{self._query} starts.", query=self._query, **about)
        self._in_force(plan, fingerprint)

    def catch_up(self, following: Following) -> None:
        """Before a micro-batch: follow what has changed, and write it down."""
        if (difference := following.catch_up()) is not None:
            self._version += 1
            log("plan changed", f"{self._query} follows a change: {difference}.", query=self._query)
            self._in_force(following.plan, following.fingerprint)

    def by_link(self, plan: Plan) -> bool:
        """Whether messages are to be counted link by link."""
        return self._hear is not None and has_few_links(plan)

    def wrote(self, batch: int, tally: Tally, following: Following) -> None:
        """A micro-batch has been written."""
        for alarm in self._clocks.count(tally.clocks):
            self._tell(str(alarm))
            log("clock alarm", str(alarm), logging.WARNING, query=self._query, **asdict(alarm))
        if self._progress is not None:
            with harmless():
                plan = PlanInForce.of(following.plan, self._version, following.fingerprint, self._refused)
                self._progress.wrote(batch, replace(tally, clocks=self._clocks.totals()), plan)

    def give_up(self) -> None:
        """The stream did not start."""
        if self._progress is not None:
            self._progress.leave()

    def _in_force(self, plan: Plan, fingerprint: str) -> None:
        found = PlanInForce.of(plan, self._version, fingerprint)
        told = {name: value for name, value in asdict(found).items() if name != "refused"}
        log("plan in force", f"{self._query} runs under plan {found.version}.", query=self._query, **told)

    def _record(self, found: MicroBatch) -> None:
        log("micro-batch", f"{self._query} has done micro-batch {found.batch}.", **found.fields())
        if self._hear is not None:
            self._hear(found)
