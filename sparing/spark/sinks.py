"""Sinks: the three tables of results, written so that doing a micro-batch again changes nothing.

File formats get one folder per table and micro-batch, `notifications/batch=7/`; a batch that is done again after a
crash replaces its folder. Other formats are appended to, so there a crash may repeat the batch that it interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.admit_stage import TIMESTAMP_TEXT
from sparing.spark.pipeline import Delivered
from sparing.spark.unpack_stage import BILL, NOTIFICATION, QUARANTINE

FOLDERS = ("parquet", "json", "orc", "avro")
Counts = Mapping[str, int]


def write(delivered: Delivered, sink: Endpoint, batch: int) -> Counts:
    """Write the tables of one (micro-)batch; returns how many rows each got."""
    tables = {
        "notifications": (NOTIFICATION, delivered.notifications),
        "bill": (BILL, delivered.bill),
        "quarantine": (QUARANTINE, delivered.quarantine),
    }
    size = F.when(F.col("record") == NOTIFICATION, F.size("recipients")).otherwise(1)
    found = delivered.records.groupBy("record").agg(F.sum(size).alias("rows")).collect()
    rows = {row["record"]: int(row["rows"]) for row in found}
    for name, (record, table) in tables.items():
        if rows.get(record):
            _write(table, name, sink, batch)
    return {name: rows.get(record, 0) for name, (record, _) in tables.items()}


def _write(table: DataFrame, name: str, sink: Endpoint, batch: int) -> None:
    try:
        if sink.format in FOLDERS:
            if sink.path is None:
                raise SparingError(f"Sink format {sink.format} needs a path: add path: to the sink.")
            folder = f"{sink.path.rstrip('/')}/{name}/batch={batch}"
            options = {**(TIMESTAMP_TEXT if sink.format == "json" else {}), **sink.options}
            table.write.mode("overwrite").format(sink.format).options(**options).save(folder)
        elif sink.format == "console":
            table.show(truncate=False)
        elif sink.format == "kafka":
            message = table.select(F.to_json(F.struct("*")).alias("value"))
            topic = f"{sink.options.get('topic', 'sparing')}.{name}"
            message.write.format("kafka").options(**{**sink.options, "topic": topic}).save()
        else:
            writer = table.write.mode("append").format(sink.format).options(**sink.options)
            writer.save(None if sink.path is None else f"{sink.path.rstrip('/')}/{name}")
    except AnalysisException as error:
        raise SparingError(f"Sink format {sink.format} cannot be written: {str(error).splitlines()[0]}") from None
