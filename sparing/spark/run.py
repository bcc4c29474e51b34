"""Running a deployment, as a stream or as a replay of its source in one batch."""

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
from sparing.spark.failures import transient, write_failure
from sparing.spark.io import sinks, sources
from sparing.spark.io.paths import must_be_folder
from sparing.spark.pipeline.parcels import CPU, EVENTS_OF, LEAST, SIENA, Link
from sparing.spark.pipeline.pubsub import Delivered, PubSub
from sparing.spark.stream.checkpoint import check_note, is_new, known_groups, note_for
from sparing.spark.stream.control_bill import ControlBill
from sparing.spark.stream.follow import NoticeHandler, PlanFollower
from sparing.spark.stream.journal import Journal
from sparing.spark.stream.logs import log
from sparing.spark.stream.progress import RecordHandler, await_listener
from sparing.spark.stream.stopping import Stop, block_if_stopping, wait_or_stop
from sparing.spark.stream.written_files import WrittenFiles
from sparing.spark.tally import tally_of
from sparing.spark.tools.repair.findings import check_whole, damage_in

# Seconds before each retry of a failed micro-batch. Spark keeps idle Python workers: if all of them have died, several
# retries in a row may be given a dead one.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
_ROOT = re.compile(r"[A-Za-z][\w+.-]*:(//[^/]*)?")  # a URL without a path
WrittenHandler = Callable[[int, sinks.Counts], None]  # gets the number of a written micro-batch, and its rows by table


@dataclass
class Stream:
    """A running stream: its query, and the function that starts it again after a transient failure."""

    start: Callable[[], StreamingQuery]
    tell: NoticeHandler
    diagnose: Callable[[], str | None]  # describes damage in the checkpoint, if there is any
    last_written: int = -1  # micro-batch
    query: StreamingQuery = field(init=False)


def stream(
    spark: SparkSession,
    deployment: Deployment,
    *,
    once: bool = False,
    watch: WrittenHandler | None = None,
    tell: NoticeHandler = lambda _: None,
    hear: RecordHandler | None = None,
    stop: Stop | None = None,
) -> Stream:
    """Start the stream of a deployment, from its checkpoint if there is one.

    With `once`, it processes the available data in micro-batches and ends. If the deployment was read from a file, the
    stream follows changes of publishers, subscriptions and links in that file.

    `watch` is called after each written micro-batch. `tell` gets notices as sentences: accepted and rejected changes,
    retries, clock alarms. `hear` gets the record of every committed micro-batch, with a delay and in another thread;
    the same record is logged (`stream.logs`).

    Once `stop` is set, no further micro-batch begins. Pass it to `wait`, too, which then ends the stream.
    """
    sink = deployment.needed_sink()
    sinks.must_be_writable(spark, sink, replay=False)
    checkpoint = checkpoint_of(deployment)
    must_be_folder(spark, checkpoint, f"The checkpoint {checkpoint}")
    written = WrittenFiles(spark, checkpoint)
    if is_new(spark, checkpoint):
        sinks.must_be_empty(spark, sink, checkpoint)
    else:
        check_whole(spark, checkpoint)
        written.check(sink)
    publications = sources.read(spark, deployment, streaming=True)
    pubsub = PubSub(spark, deployment, known_groups=known_groups(spark, checkpoint))
    delivered = pubsub.deliver(publications)
    check_note(spark, checkpoint, note_for(spark, deployment, pubsub.plan, pubsub.groups()))

    name = f"sparing {deployment.name}"
    journal = Journal(spark, name, tell, hear)
    follower = PlanFollower(
        spark,
        deployment,
        checkpoint,
        plan=pubsub.plan,
        fingerprint=delivered.fingerprint,
        accepted=journal.accepted,
        rejected=journal.rejected,
    )
    control_bill = ControlBill(spark, checkpoint)

    def write(records: DataFrame, batch: int) -> None:
        if stop is not None:
            block_if_stopping(spark, stop)
        journal.switch_plan(follower)
        control = partial(control_bill.due, follower.plan, batch)
        records.persist()
        try:
            part = Delivered(spark, follower.plan, records, control)
            tally = tally_of(part, journal.by_link(follower.plan))
            counts = sinks.write(part, sink, batch, tally)
        finally:
            records.unpersist()
        written.batch_written(batch, counts)
        journal.batch_written(batch, tally, follower)
        running.last_written = batch
        if watch is not None:
            watch(batch, counts)

    writer = delivered.records.writeStream.foreachBatch(write).option("checkpointLocation", checkpoint).queryName(name)

    def start() -> StreamingQuery:
        journal.listen()
        try:
            query = writer.trigger(availableNow=True).start() if once else writer.start()
        except Exception:
            journal.stop_listening()
            raise
        follower.watch(query)
        return query

    journal.begin(pubsub.plan, delivered.fingerprint, deployment=deployment.name, checkpoint=checkpoint, once=once)
    running = Stream(start, tell, partial(damage_in, spark, checkpoint))
    running.query = start()
    return running


def checkpoint_of(deployment: Deployment) -> str:
    """Return the path of a stream's checkpoint: as the deployment says, else beside the sink.

    It is not inside the sink, so that either can be deleted without the other.
    """
    if deployment.checkpoint is not None:
        return deployment.checkpoint
    path = (deployment.needed_sink().path or "").rstrip("/")
    if not path or _ROOT.fullmatch(path):
        raise SparingError("The stream needs a path for its checkpoint: add checkpoint: PATH to the deployment file.")
    return f"{path}-checkpoint"


def wait(running: Stream, stop: Stop | None = None) -> None:
    """Wait for a stream to end, or end it once `stop` is set; raises `SparingError` if the stream fails.

    A micro-batch with a transient failure (a dead process, a broken connection) is retried after growing pauses.
    """
    stop = stop or Stop()
    failures, last_written = 0, running.last_written
    while True:
        query = running.query
        try:
            by_itself = wait_or_stop(query, stop)
            break
        except StreamingQueryException as error:
            await_listener(query)
            failures = failures + 1 if running.last_written == last_written else 1
            last_written = running.last_written
            why = transient(error)
            if why is not None and failures <= len(PAUSES):
                _retry(running, why, PAUSES[failures - 1], stop)
                continue
            reason = running.diagnose() or (f"{why}." if why is not None else write_failure(error))
            if failures > 1:
                reason = f"a micro-batch failed {failures} times in a row; the last error: {reason}"
            log("stream failed", f"{query.name} failed: {reason}", logging.ERROR, query=query.name, reason=reason)
            raise SparingError(f"The stream failed: {reason}") from error
    await_listener(query)
    if by_itself:
        log("stream ended", f"{query.name} has processed all available data.", query=query.name)
    else:
        log("stream stopped", f"{query.name} is stopped.", query=query.name)


def _retry(running: Stream, why: str, pause: float, stop: Stop) -> None:
    sentence = f"A micro-batch failed because {why}; retrying in {pause:g} s."
    log("micro-batch retried", sentence, logging.WARNING, query=running.query.name, reason=why, pause=pause)
    running.tell(sentence)
    stop.wait(pause)
    running.query = running.start()


@dataclass(frozen=True)
class MergedTraffic:
    """Messages of merged topics over each link: without merging (`siena`), and those sent, by kind."""

    siena: dict[Link, int]
    sent: dict[Link, dict[str, int]]


@dataclass(frozen=True, kw_only=True)
class ReplayResult:
    """Results and bill of a batch run, and the CPU seconds of matching and walking.

    `least` has the fewest messages that any policy must send over each link, if requested and known. `merged` is None
    without merged topics. `remark` is a sentence about the source, for example that it has no files.
    """

    delivered: Delivered
    bill: Bill
    seconds: float
    least: dict[Link, int] | None = None
    merged: MergedTraffic | None = None
    remark: str | None = None


def replay(spark: SparkSession, deployment: Deployment, bound: bool = False) -> ReplayResult:
    """Run a deployment's source through the pipeline as one batch.

    With `bound`, also compute the fewest possible messages per link, except for a policy that sends everything at once:
    its walk does not hold the windows from which the bound is computed.
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
    remark = None if amounts else sources.no_file_remark(spark, deployment.needed_source(), publications)
    return ReplayResult(
        delivered=delivered,
        bill=bill,
        seconds=seconds,
        least=least if known else None,
        merged=_merged_traffic(pubsub.plan, amounts),
        remark=remark,
    )


def _merged_traffic(plan: Plan, amounts: dict[tuple[str, str, str], int]) -> MergedTraffic | None:
    if all(topic.merge is None for topic in plan.topics.values()):
        return None
    siena = {(source, target): n for (kind, source, target), n in amounts.items() if kind == SIENA}
    sent: dict[Link, dict[str, int]] = {}
    for (kind, source, target), n in amounts.items():
        if kind.startswith(EVENTS_OF):
            sent.setdefault((source, target), {})[kind.removeprefix(EVENTS_OF)] = n
    return MergedTraffic(siena, sent)


def collect_bill(bill: DataFrame) -> Bill:
    """Return the bill in a DataFrame of bill rows."""
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
