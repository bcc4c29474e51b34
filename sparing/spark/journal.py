"""The journal of a stream: which plan is in force, what changed, and the record of every micro-batch."""

from __future__ import annotations

import logging
from dataclasses import asdict, replace
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.spark.clock_alarm import ClockAlarms
from sparing.spark.follow import Following, Tell
from sparing.spark.logs import STREAM, harmless, log
from sparing.spark.micro_batch import MicroBatch, PlanInForce
from sparing.spark.progress import Hear, Progress
from sparing.spark.tally import Tally, has_few_links


class Journal:
    """Of one stream. Keeps records only if somebody wants them: `hear`, or a handler of the loggers `sparing.*`."""

    def __init__(self, spark: SparkSession, query: str, tell: Tell, hear: Hear | None) -> None:
        self._query, self._tell, self._hear = query, tell, hear
        self._version, self._refused = 1, 0
        self._sentences: list[str] = []
        self._clocks = ClockAlarms()
        wanted = hear is not None or STREAM.isEnabledFor(logging.INFO)
        self._progress = Progress(spark, query, self._record) if wanted else None

    def tell(self, sentence: str) -> None:
        """A change of the deployment was followed or refused."""
        self._sentences.append(sentence)
        self._tell(sentence)

    def begin(self, plan: Plan, fingerprint: str, **about: Any) -> None:
        """The stream is about to start."""
        log("stream started", f"{self._query} starts.", query=self._query, **about)
        self._in_force(plan, fingerprint)

    def catch_up(self, following: Following) -> None:
        """Before a micro-batch: follow what has changed, and write it down."""
        before = following.plan
        self._sentences.clear()
        following.catch_up()
        changed = following.plan is not before
        for sentence in self._sentences:
            what, level = ("plan changed", logging.INFO) if changed else ("change refused", logging.WARNING)
            log(what, sentence, level, query=self._query)
        if changed:
            self._version += 1
            self._in_force(following.plan, following.fingerprint)
        else:
            self._refused += len(self._sentences)

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
