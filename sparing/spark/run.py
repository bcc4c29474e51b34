"""Running a deployment: as a stream that goes on until it is stopped, or as a batch over what is there."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.errors import SparingError
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark.failures import passing, write_trouble
from sparing.spark.io import sinks, sources
from sparing.spark.io.paths import must_be_folder
from sparing.spark.pipeline.parcels import CPU, EVENTS_OF, LEAST, SIENA, Link
from sparing.spark.pipeline.pubsub import Delivered, PubSub
from sparing.spark.stream.checkpoint import check_in, is_new, known_groups, note_for
from sparing.spark.stream.control_bill import ControlBill
from sparing.spark.stream.follow import Following, Tell
from sparing.spark.stream.journal import Journal
from sparing.spark.stream.logs import log
from sparing.spark.stream.progress import Hear, settle
from sparing.spark.stream.stopping import Stop, ended, hold
from sparing.spark.stream.written_files import WrittenFiles
from sparing.spark.tally import tally_of
from sparing.spark.tools.repair.findings import check_whole, damage_in

# Seconds before a failed micro-batch is tried again; then it is given up. Spark keeps idle Python workers: if all have
# died at once, each try may meet another dead one.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
_ROOT = re.compile(r"[A-Za-z][\w+.-]*:(//[^/]*)?")  # a URL without a path
Watcher = Callable[[int, sinks.Counts], None]  # told the number of each micro-batch and the rows that it wrote


@dataclass
class Stream:
    """A stream that runs: its query, and how it is started again after a failure that may pass."""

    start: Callable[[], StreamingQuery]
    tell: Tell
    diagnose: Callable[[], str | None]  # what is damaged in the checkpoint, if anything is
    done: int = -1  # the last micro-batch that was written
    query: StreamingQuery = field(init=False)


def stream(
    spark: SparkSession,
    deployment: Deployment,
    once: bool = False,
    watch: Watcher | None = None,
    tell: Tell = lambda _: None,
    hear: Hear | None = None,
    stop: Stop | None = None,
) -> Stream:
    """Start the streaming pipeline of a deployment, going on from its checkpoint if there is one.

    With `once` it works through what is there, in micro-batches, and stops. If the deployment was read from a file, the
    stream follows changes of its publishers, subscriptions and links; `tell` is told of them. `hear` gets the record of
    every micro-batch that Spark has committed, a little later and in another thread. The same is logged (`logs`).

    Once `stop` is set, no other micro-batch begins; give it to `wait` as well, which ends the stream then.
    """
    sink = deployment.needed_sink()
    sinks.must_be_writable(spark, sink, replay=False)
    checkpoint = checkpoint_of(deployment)
    must_be_folder(spark, checkpoint, f"The checkpoint {checkpoint}")
    written = WrittenFiles(spark, checkpoint)
    if is_new(spark, checkpoint):
        sinks.must_be_free(spark, sink, checkpoint)
    else:
        check_whole(spark, checkpoint)
        written.check(sink)
    publications = sources.read(spark, deployment, streaming=True)
    pubsub = PubSub(spark, deployment, known_groups=known_groups(spark, checkpoint))
    delivered = pubsub.deliver(publications)
    check_in(spark, checkpoint, note_for(spark, deployment, pubsub.plan, pubsub.groups()))

    name = f"sparing {deployment.name}"
    journal = Journal(spark, name, tell, hear)
    following = Following(
        spark, deployment, pubsub.plan, checkpoint, journal.accepted, journal.refused, delivered.fingerprint
    )
    book = ControlBill(spark, checkpoint)

    def write(records: DataFrame, batch: int) -> None:
        if stop is not None:
            hold(spark, stop)
        journal.catch_up(following)
        control = partial(book.due, following.plan, batch)
        records.persist()
        try:
            part = Delivered(spark, following.plan, records, control)
            tally = tally_of(part, journal.by_link(following.plan))
            counts = sinks.write(part, sink, batch, tally)
        finally:
            records.unpersist()
        written.wrote(batch, counts)
        journal.wrote(batch, tally, following)
        running.done = batch
        if watch is not None:
            watch(batch, counts)

    writer = delivered.records.writeStream.foreachBatch(write).option("checkpointLocation", checkpoint).queryName(name)

    def start() -> StreamingQuery:
        journal.listen()
        try:
            query = writer.trigger(availableNow=True).start() if once else writer.start()
        except Exception:
            journal.give_up()
            raise
        following.watch(query)
        return query

    journal.begin(pubsub.plan, delivered.fingerprint, deployment=deployment.name, checkpoint=checkpoint, once=once)
    running = Stream(start, tell, partial(damage_in, spark, checkpoint))
    running.query = start()
    return running


def checkpoint_of(deployment: Deployment) -> str:
    """Where a deployment's stream keeps its progress: where its file says, else beside the sink.

    Not in the sink: whoever clears away results must not take the progress with them, or the other way round.
    """
    if deployment.checkpoint is not None:
        return deployment.checkpoint
    path = (deployment.needed_sink().path or "").rstrip("/")
    if not path or _ROOT.fullmatch(path):
        raise SparingError("The stream needs a place for its checkpoint: add checkpoint: PATH to the deployment file.")
    return f"{path}-checkpoint"


def wait(running: Stream, stop: Stop | None = None) -> None:
    """Wait for a stream to end, or end it once `stop` is set; its failure becomes one sentence.

    A micro-batch in which a process died or a connection broke is tried again, after pauses that grow.
    """
    stop = stop or Stop()
    failures, done = 0, running.done
    while True:
        query = running.query
        try:
            by_itself = ended(query, stop)
            break
        except StreamingQueryException as error:
            settle(query)
            failures = failures + 1 if running.done == done else 1
            done = running.done
            why = passing(error)
            if why is not None and failures <= len(PAUSES):
                _retry(running, why, PAUSES[failures - 1], stop)
                continue
            reason = running.diagnose() or (f"{why}." if why is not None else write_trouble(error))
            if failures > 1:
                reason = f"a micro-batch failed {failures} times in a row, at last because {reason}"
            log("stream failed", f"{query.name} failed: {reason}", logging.ERROR, query=query.name, reason=reason)
            raise SparingError(f"The stream failed: {reason}") from error
    settle(query)
    end = ("stream ended", "has worked through what was there") if by_itself else ("stream stopped", "is stopped")
    log(end[0], f"{query.name} {end[1]}.", query=query.name)


def _retry(running: Stream, why: str, pause: float, stop: Stop) -> None:
    sentence = f"A micro-batch failed because {why}; it is tried again in {pause:g} s."
    log("micro-batch retried", sentence, logging.WARNING, query=running.query.name, reason=why, pause=pause)
    running.tell(sentence)
    stop.wait(pause)
    running.query = running.start()


@dataclass(frozen=True)
class Suppressed:
    """Messages of merged topics over each link: if nobody merged, and those that there were, by kind."""

    siena: dict[Link, int]
    taken: dict[Link, dict[str, int]]


@dataclass(frozen=True)
class Replayed:
    """A batch run: what was delivered, the bill, and the CPU seconds of matching and walking.

    `least` has the fewest messages that any policy must send over each link, if that was asked for and is known.
    `merged` is about merged topics, if there are any. `remark` is a sentence about the source, if there is one to make.
    """

    delivered: Delivered
    bill: Bill
    seconds: float
    least: dict[Link, int] | None = None
    merged: Suppressed | None = None
    remark: str | None = None


def replay(spark: SparkSession, deployment: Deployment, bound: bool = False) -> Replayed:
    """Run a deployment's source through the pipeline as one batch.

    With `bound` the fewest possible messages are worked out, too, unless the policy sends everything at once: it never
    gets to see which publications had to be sent raw.
    """
    publications = sources.read(spark, deployment, streaming=False)
    pubsub = PubSub(spark, deployment)
    delivered = pubsub.deliver(publications, bound)
    bill = collect_bill(delivered.bill)
    amounts = {
        (row["kind"], row["source"], row["target"]): int(row["sum(amount)"])
        for row in delivered.meter.groupBy("kind", "source", "target").sum("amount").collect()
    }
    known = bound and not pubsub.plan.policy.decision.raw
    least = {(source, target): n for (kind, source, target), n in amounts.items() if kind == LEAST}
    seconds = amounts.get((CPU, "", ""), 0) / 1_000_000
    remark = None if amounts else sources.no_file(spark, deployment.needed_source(), publications)
    return Replayed(delivered, bill, seconds, least if known else None, _suppressed(pubsub.plan, amounts), remark)


def _suppressed(plan: Plan, amounts: dict[tuple[str, str, str], int]) -> Suppressed | None:
    """What merged topics took and would have taken, if there are any."""
    if all(topic.merge is None for topic in plan.topics.values()):
        return None
    siena = {(source, target): n for (kind, source, target), n in amounts.items() if kind == SIENA}
    taken: dict[Link, dict[str, int]] = {}
    for (kind, source, target), n in amounts.items():
        if kind.startswith(EVENTS_OF):
            taken.setdefault((source, target), {})[kind.removeprefix(EVENTS_OF)] = n
    return Suppressed(siena, taken)


def collect_bill(bill: DataFrame) -> Bill:
    """A bill's DataFrame as a bill."""
    rows = bill.groupBy("source", "target", "kind", "bucket").sum("messages").collect()
    return Bill(
        {
            BillKey(r["source"], r["target"], MessageKind(r["kind"]), _micros(r["bucket"])): int(r["sum(messages)"])
            for r in rows
        }
    )


def _micros(time: object) -> int | None:
    from datetime import UTC, datetime

    if time is None:
        return None
    assert isinstance(time, datetime)
    moment = time.astimezone(UTC) if time.tzinfo is None else time
    return (moment - EPOCH) // MICROSECOND
