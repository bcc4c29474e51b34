"""Parcels of results to rows: the last stage of the pipeline. Keeps no state; starts no Spark job.

Each table unpacks its own parcels when it is read. Until then Spark stores parcels, which are few large values, and not
their rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from sparing.control.plan import Plan
from sparing.flow.deliver.identity import DIGITS
from sparing.flow.packing import unpack
from sparing.model.bill import Bill
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark.pipeline import parcels


def rows_of(records: DataFrame, what: str) -> DataFrame:
    """Return the rows in parcels of one kind."""
    packed = records.where(F.col("what") == what).select("parcel")
    if what != parcels.NOTIFICATIONS:  # few rows: coalesce to avoid one task per partition
        packed = packed.coalesce(records.sparkSession.sparkContext.defaultParallelism)
    return packed.mapInArrow(_unpack, _SCHEMAS[what])


_SCHEMAS = {what: from_arrow_schema(schema) for what, schema in parcels.SCHEMAS.items()}


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for contents in batch["parcel"]:
            yield from unpack(contents.as_buffer()).to_batches()


def notifications(spark: SparkSession, records: DataFrame, plan: Plan) -> DataFrame:
    """Return one row per notification, with subscriber, subscription and the payload as named fields."""
    rows = [
        (number, s.subscriber, s.id, s.query.topic, s.query.every is not None)
        for number, s in enumerate(plan.subscriptions)
    ]
    names = spark.createDataFrame(
        rows, "recipient int, subscriber string, subscription string, topic string, cycle boolean"
    )
    # Compute digests before the explode: once for all recipients, not once for each.
    identified = rows_of(records, parcels.NOTIFICATIONS).withColumn("digest", _digest())
    exploded = identified.select(
        F.col("digest"),
        F.col("publisher"),
        F.col("publication"),
        F.col("kind"),
        F.col("time"),
        F.col("start"),
        F.col("end"),
        F.col("payload"),
        F.explode("recipients").alias("recipient"),
    )
    return exploded.join(F.broadcast(names), "recipient").select(
        F.concat("subscription", F.lit(":"), "digest").alias("id"),
        "subscriber",
        "subscription",
        "topic",
        "publisher",
        "publication",
        F.when((F.col("kind") == parcels.WINDOW) & F.col("cycle"), "digest").otherwise(F.col("kind")).alias("kind"),
        "time",
        F.col("start").alias("window_start"),
        F.col("end").alias("window_end"),
        "payload",
    )


def _digest() -> Column:
    """Return the digest in the ids of notifications, as `flow.deliver.identity` defines it."""
    event = F.concat(F.length("publisher").cast("string"), F.lit(":"), "publisher", "publication")
    window = F.concat(F.unix_micros("start").cast("string"), F.lit(" "), F.unix_micros("end").cast("string"))
    return F.left(F.sha2(F.coalesce("about", event, window), 256), F.lit(DIGITS))


def bill(records: DataFrame) -> DataFrame:
    """Return messages by link (or last hop), kind and time bucket; the bills of micro-batches add up."""
    return rows_of(records, parcels.BILL)


def bill_rows(spark: SparkSession, bill: Bill) -> DataFrame:
    """Return a bill as rows."""
    rows = [
        (key.source, key.target, key.kind.value, messages, None if key.bucket is None else _moment(key.bucket))
        for key, messages in bill.items()
    ]
    return spark.createDataFrame(rows, "source string, target string, kind string, messages long, bucket timestamp")


def _moment(micros: int) -> datetime:
    return EPOCH + micros * MICROSECOND


def meter(records: DataFrame) -> DataFrame:
    """Return measurements besides the bill: microseconds of CPU time, fewest messages by link."""
    return rows_of(records, parcels.METER)


def quarantine(records: DataFrame) -> DataFrame:
    """Return the rows that were not processed, unchanged, with reason and detail."""
    return rows_of(records, parcels.QUARANTINE)
