"""Sinks: the tables of notifications, bill and quarantine.

File formats are exactly once: a stream writes one folder per table and micro-batch, `notifications/batch=7/`, and a
retried micro-batch replaces its folder. A replay writes and replaces `replay/notifications/` and so on. Other formats
are appended to, at least once: a retried micro-batch may repeat rows. There every row has a column `batch` with the
number of its micro-batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.failures import transient, write_failure
from sparing.spark.io.paths import hadoop_path, must_be_folder
from sparing.spark.pipeline.admit_stage import TIMESTAMP_TEXT
from sparing.spark.pipeline.pubsub import Delivered
from sparing.spark.tally import TABLES, Tally, tally_of

FILE_FORMATS = ("parquet", "json", "avro")
BATCH = "batch"  # the column (in files: part of the path) with a row's micro-batch
Counts = Mapping[str, int]


def write(delivered: Delivered, sink: Endpoint, batch: int | None, tally: Tally | None = None) -> Counts:
    """Write the tables of a micro-batch (None: of a replay); return the rows of each table.

    `tally` saves the count if the results have been counted before.
    """
    rows = (tally or tally_of(delivered)).rows
    for name in TABLES:
        if rows[name]:
            _write(getattr(delivered, name), name, sink, batch)
        elif sink.format in FILE_FORMATS:
            _remove(delivered.spark, folder(sink, name, batch))
    return rows


def path_of(sink: Endpoint, replay: bool) -> str | None:
    """Return the path of the tables, None for a sink without a path."""
    if sink.path is None or sink.format not in FILE_FORMATS:
        return sink.path
    return f"{sink.path.rstrip('/')}/replay" if replay else sink.path


def is_at_least_once(sink: Endpoint) -> bool:
    """Return whether a retried micro-batch may repeat rows."""
    return sink.format not in FILE_FORMATS


def must_be_writable(spark: SparkSession, sink: Endpoint, replay: bool) -> None:
    """Check that the folders of the tables exist or can be created."""
    if sink.format in FILE_FORMATS:
        for name in TABLES:
            must_be_folder(spark, folder(sink, name, None if replay else 0), f"The sink {sink.path}")


def must_be_empty(spark: SparkSession, sink: Endpoint, checkpoint: str) -> None:
    """Check that a new stream does not mix its tables with those of another stream."""
    if sink.format in FILE_FORMATS:
        for name in TABLES:
            path, files = hadoop_path(spark, f"{sink.path}/{name}")
            if files.exists(path):
                raise SparingError(
                    f"The sink {sink.path} already has results, and the checkpoint {checkpoint} is new: use the "
                    "checkpoint of these results, or choose another path for the sink."
                )


def folder(sink: Endpoint, name: str, batch: int | None) -> str:
    """Return the path of a table of a micro-batch (None: of a replay)."""
    if sink.path is None:
        raise SparingError(f"Sink format {sink.format} needs a path: add path: to the sink.")
    return f"{path_of(sink, batch is None)}/{name}" + ("" if batch is None else f"/batch={batch}")


def _remove(spark: SparkSession, place: str) -> None:
    path, files = hadoop_path(spark, place)
    files.delete(path, True)


def _write(table: DataFrame, name: str, sink: Endpoint, batch: int | None) -> None:
    try:
        if sink.format in FILE_FORMATS:
            options = {**(TIMESTAMP_TEXT if sink.format == "json" else {}), **sink.options}
            table.write.mode("overwrite").format(sink.format).options(**options).save(folder(sink, name, batch))
            return
        table = table.withColumn(BATCH, F.lit(batch).cast("long"))
        if sink.format == "console":
            table.show(truncate=False)
        elif sink.format == "kafka":
            topic = f"{sink.options.get('topic', 'sparing')}.{name}"
            kafka_records(table, batch).write.format("kafka").options(**{**sink.options, "topic": topic}).save()
        else:
            writer = table.write.mode("append").format(sink.format).options(**sink.options)
            writer.save(None if sink.path is None else f"{sink.path.rstrip('/')}/{name}")
    except (PySparkException, Py4JJavaError) as error:
        if transient(error) is not None:
            raise  # not a fault of the sink: the micro-batch is retried
        where = sink.path or f"of format {sink.format}"
        raise SparingError(f"The sink {where} cannot be written: {write_failure(error)}") from None


def kafka_records(table: DataFrame, batch: int | None) -> DataFrame:
    """Return rows as Kafka records in JSON; the key of a notification is its subscriber, which keeps their order.

    Headers let a consumer drop rows repeated by a retry without parsing the value.
    """
    headers = {"id": F.col("id")} if "id" in table.columns else {}
    if batch is not None:
        headers[BATCH] = F.lit(str(batch))
    columns = [F.to_json(F.struct("*"), TIMESTAMP_TEXT).alias("value")]
    if "subscriber" in table.columns:
        columns.append(F.col("subscriber").alias("key"))
    if headers:
        pairs = [F.struct(F.lit(k).alias("key"), v.cast("binary").alias("value")) for k, v in headers.items()]
        columns.append(F.array(*pairs).alias("headers"))
    return table.select(*columns)
