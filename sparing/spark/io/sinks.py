"""Sinks: the three tables of results, written so that doing a micro-batch again changes nothing.

In file formats a stream gets one folder per table and micro-batch, `notifications/batch=7/`; a batch that is done again
after a crash replaces its folder. A replay gets `replay/notifications/` and so on, and replaces what was there. Other
formats are appended to, at least once: a crash may repeat the micro-batch that it interrupted. There every row has a
column `batch`, the number of its micro-batch.
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
BATCH = "batch"  # the column (in files: of the path) that says which micro-batch wrote a row
Counts = Mapping[str, int]


def write(delivered: Delivered, sink: Endpoint, batch: int | None, tally: Tally | None = None) -> Counts:
    """Write the tables of a micro-batch (None: of a replay); returns how many rows each got.

    `tally` is what was counted before, if it was.
    """
    rows = (tally or tally_of(delivered)).rows
    for name in TABLES:
        if rows[name]:
            _write(getattr(delivered, name), name, sink, batch)
        elif sink.format in FILE_FORMATS:
            _remove(delivered.spark, folder(sink, name, batch))
    return rows


def path_of(sink: Endpoint, replay: bool) -> str | None:
    """Where the tables are, if they are anywhere."""
    if sink.path is None or sink.format not in FILE_FORMATS:
        return sink.path
    return f"{sink.path.rstrip('/')}/replay" if replay else sink.path


def is_at_least_once(sink: Endpoint) -> bool:
    """Whether a micro-batch that is retried is written again, beside what it wrote before."""
    return sink.format not in FILE_FORMATS


def must_be_writable(spark: SparkSession, sink: Endpoint, replay: bool) -> None:
    """Tables can be written only where a folder is or can be made."""
    if sink.format in FILE_FORMATS:
        for name in TABLES:
            must_be_folder(spark, folder(sink, name, None if replay else 0), f"The sink {sink.path}")


def must_be_empty(spark: SparkSession, sink: Endpoint, checkpoint: str) -> None:
    """A stream that begins anew must not mix its tables with those of another."""
    if sink.format in FILE_FORMATS:
        for name in TABLES:
            path, files = hadoop_path(spark, f"{sink.path}/{name}")
            if files.exists(path):
                raise SparingError(
                    f"The sink {sink.path} holds results already, and the checkpoint {checkpoint} is new: name the "
                    "checkpoint that belongs to them, or choose another path for the sink."
                )


def folder(sink: Endpoint, name: str, batch: int | None) -> str:
    """Where a table of a micro-batch is (None: of a replay)."""
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
            messages(table, batch).write.format("kafka").options(**{**sink.options, "topic": topic}).save()
        else:
            writer = table.write.mode("append").format(sink.format).options(**sink.options)
            writer.save(None if sink.path is None else f"{sink.path.rstrip('/')}/{name}")
    except (PySparkException, Py4JJavaError) as error:
        if transient(error) is not None:
            raise  # nothing is wrong with the sink
        where = sink.path or f"of format {sink.format}"
        raise SparingError(f"The sink {where} cannot be written: {write_failure(error)}") from None


def messages(table: DataFrame, batch: int | None) -> DataFrame:
    """Rows as Kafka records: JSON; a notification's key is its subscriber, so that those of one stay in order.

    Headers let a consumer drop what a retried micro-batch repeats without reading the value.
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
