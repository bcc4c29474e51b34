"""Parcels of results to rows: the last stage of the pipeline. Keeps no state; starts no Spark job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from sparing.control.plan import Plan
from sparing.model.bill import Bill
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark import parcels

NOTIFICATION, BILL, QUARANTINE, METER = "notification", "bill", "quarantine", "meter"

# One schema for all records; each kind of record fills the columns that it has.
_SCHEMA = pa.schema(
    {
        "record": pa.string(),
        "topic": pa.string(),
        "time": parcels.TIMESTAMP,
        "start": parcels.TIMESTAMP,
        "end": parcels.TIMESTAMP,
        "payload": pa.string(),
        "recipients": pa.list_(pa.int32()),
        "source": pa.string(),
        "target": pa.string(),
        "kind": pa.string(),
        "messages": pa.int64(),
        "bucket": parcels.TIMESTAMP,
        "row": pa.string(),
        "reason": pa.string(),
        "detail": pa.string(),
    }
)
RESULTS = from_arrow_schema(_SCHEMA)
_RECORD = {
    parcels.EVENTS: NOTIFICATION,
    parcels.WINDOWS: NOTIFICATION,
    parcels.TOLD: NOTIFICATION,
    parcels.BILL: BILL,
    parcels.QUARANTINE: QUARANTINE,
    parcels.METER: METER,
}


_KIND = {parcels.EVENTS: "event", parcels.WINDOWS: "window", parcels.TOLD: "merged"}


def unpack(parceled: DataFrame) -> DataFrame:
    """Records of all kinds, told apart by `record`."""
    return parceled.mapInArrow(_run, RESULTS)


def _run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for parcel in batch["parcel"].to_pylist():
            tag, table = parcels.unpack(parcel)
            yield from _records(tag, table).to_batches()


def _records(tag: bytes, table: pa.Table) -> pa.Table:
    columns = {name: table[name] for name in table.column_names if name in _SCHEMA.names}
    if tag == parcels.WINDOWS:
        columns["recipients"] = _singles(table["recipient"].combine_chunks())
        columns["time"] = table["end"]
    if tag in _KIND:
        columns["kind"] = pa.array([_KIND[tag]] * table.num_rows, pa.string())
    columns["record"] = pa.array([_RECORD[tag]] * table.num_rows, pa.string())
    arrays = [columns.get(field.name, pa.nulls(table.num_rows, field.type)) for field in _SCHEMA]
    return pa.Table.from_arrays(arrays, schema=_SCHEMA)


def _singles(values: pa.Array) -> pa.Array:
    """Each value as a list of its own."""
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], pa.int32())
    return pa.ListArray.from_arrays(pa.array(np.arange(len(values) + 1), pa.int32()), values)


def notifications(spark: SparkSession, records: DataFrame, plan: Plan) -> DataFrame:
    """One row per notification, with the names of subscriber and subscription and the payload as named fields."""
    rows = [
        (number, s.subscriber, s.id, s.query.topic, s.query.every is not None)
        for number, s in enumerate(plan.subscriptions)
    ]
    names = spark.createDataFrame(
        rows, "recipient int, subscriber string, subscription string, topic string, cycle boolean"
    )
    # The payload is parsed below the explode: once per publication, not once per recipient.
    parsed = records.where(F.col("record") == NOTIFICATION).withColumn("payload", F.parse_json("payload"))
    found = parsed.select(
        F.col("kind"),
        F.col("time"),
        F.col("start"),
        F.col("end"),
        F.col("payload"),
        F.explode("recipients").alias("recipient"),
    )
    return found.join(F.broadcast(names), "recipient").select(
        "subscriber",
        "subscription",
        "topic",
        F.when((F.col("kind") == "window") & F.col("cycle"), "digest").otherwise(F.col("kind")).alias("kind"),
        "time",
        F.col("start").alias("window_start"),
        F.col("end").alias("window_end"),
        "payload",
    )


def bill(records: DataFrame) -> DataFrame:
    """Messages by link (or last hop), kind and time bucket; parts of a stream's bill add up."""
    return records.where(F.col("record") == BILL).select("source", "target", "kind", "messages", "bucket")


def bill_rows(spark: SparkSession, bill: Bill) -> DataFrame:
    """A bill as rows."""
    rows = [
        (key.source, key.target, key.kind.value, messages, None if key.bucket is None else _moment(key.bucket))
        for key, messages in bill.items()
    ]
    return spark.createDataFrame(rows, "source string, target string, kind string, messages long, bucket timestamp")


def _moment(micros: int) -> datetime:
    return EPOCH + micros * MICROSECOND


def meter(records: DataFrame) -> DataFrame:
    """What was measured on the way, besides the bill: microseconds of CPU time, fewest messages by link."""
    return records.where(F.col("record") == METER).select("source", "target", "kind", F.col("messages").alias("amount"))


def quarantine(records: DataFrame) -> DataFrame:
    """Rows that could not be processed, as they came, with reason and detail."""
    return records.where(F.col("record") == QUARANTINE).select("row", "reason", "detail")
