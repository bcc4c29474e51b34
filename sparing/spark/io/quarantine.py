"""The quarantine of a sink of files: reading its rows, and publishing corrected rows into the source again.

A file in the sink lists the rows that have been published again, so that none is published twice by mistake.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparing.deployment.deployment import Deployment
from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.spark.io import sinks, sources
from sparing.spark.io.paths import hadoop_path
from sparing.spark.pipeline.pubsub import PubSub
from sparing.spark.stream.durable import read_json, write_bytes, write_json
from sparing.spark.tally import TABLES

PUBLISHED = "quarantine-published.json"
FORMAT = 1
QUARANTINE = TABLES[2]


@dataclass(frozen=True)
class QuarantinedRows:
    """Equal rows in the quarantine of one micro-batch; `rows` is their number, `published` whether published again."""

    id: str
    batch: int
    row: str
    reason: str
    detail: str
    publisher: str | None
    rows: int
    published: bool


def quarantined_rows(
    spark: SparkSession, deployment: Deployment, reasons: Sequence[str] = (), publisher: str | None = None
) -> list[QuarantinedRows]:
    """Return the rows in a deployment's quarantine, by micro-batch."""
    path = _table(deployment)
    place, files = hadoop_path(spark, path)
    if not files.exists(place):
        return []
    table = spark.read.format(deployment.needed_sink().format).load(path)
    if "publisher" not in table.columns:
        table = table.withColumn("publisher", F.lit(None).cast("string"))
    if reasons:
        table = table.where(F.col("reason").isin(*reasons))
    if publisher is not None:
        table = table.where(F.col("publisher") == publisher)
    columns = ("batch", "row", "reason", "detail", "publisher")
    published = set(read_json(spark, _published_file(deployment), FORMAT) or ())
    rows = []
    for row in table.groupBy(*columns).count().orderBy(*columns).collect():
        id_ = _id(row["batch"], row["row"], row["reason"])
        values = {name: row[name] for name in columns}
        rows.append(QuarantinedRows(id=id_, **values, rows=row["count"], published=id_ in published))
    return rows


def publish(spark: SparkSession, deployment: Deployment, rows: Sequence[str], ids: Iterable[str] = ()) -> str:
    """Add rows to a deployment's source, if all of them would be admitted; return where they were added.

    The `ids` of `QuarantinedRows` are noted as published.
    """
    source = deployment.needed_source()
    lines = [_line(number, row) for number, row in enumerate(rows, 1)]
    if not lines:
        raise SparingError("There is no row to publish.")
    _must_be_admitted(spark, deployment, lines)
    where = _into_kafka if source.format == "kafka" else _into_folder
    target = where(spark, deployment, lines)
    published = read_json(spark, _published_file(deployment), FORMAT) or []
    write_json(spark, _published_file(deployment), sorted({*published, *ids}), FORMAT)
    return target


def _must_be_admitted(spark: SparkSession, deployment: Deployment, lines: list[str]) -> None:
    delivered = PubSub(spark, deployment).deliver(sources.read_lines(spark, deployment, lines))
    try:
        rejected = delivered.quarantine.collect()
    finally:
        delivered.forget()
    if rejected:
        first = rejected[0]
        number = lines.index(first["row"]) + 1 if first["row"] in lines else 1
        raise SparingError(
            f"Nothing is published, because {len(rejected)} of {counted(len(lines), 'row')} would be quarantined "
            f"again: correct row {number} ({first['reason']}, {first['detail']})."
        )


def _line(number: int, row: str) -> str:
    """Return a row on one line."""
    try:
        content = json.loads(row)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise SparingError(f"Nothing is published, because row {number} is not a JSON object: {row[:200]}")
    return json.dumps(content) if "\n" in row else row


def _into_folder(spark: SparkSession, deployment: Deployment, lines: list[str]) -> str:
    source = deployment.needed_source()
    place, files = hadoop_path(spark, str(source.path))
    if source.format != "json" or not files.exists(place) or not files.getFileStatus(place).isDirectory():
        raise SparingError(
            f"Rows can be published into a folder of JSON lines or into Kafka only, and the source is {source.format} "
            f"at {source.path}: export them with sparing quarantine list --json, and add them to the source yourself."
        )
    name = f"quarantine-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S.%fZ')}.json"
    path = f"{str(source.path).rstrip('/')}/{name}"
    write_bytes(spark, path, "".join(f"{line}\n" for line in lines).encode())
    return path


def _into_kafka(spark: SparkSession, deployment: Deployment, lines: list[str]) -> str:
    source = deployment.needed_source()
    topic = source.options.get("subscribe")
    if topic is None:
        raise SparingError("The source reads several Kafka topics: publish the rows yourself, into the right one.")
    rows: Any = spark.createDataFrame([(line,) for line in lines], "value string")
    servers = source.options.get("kafka.bootstrap.servers", "")
    rows.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic).save()
    return f"Kafka's topic {topic}"


def _table(deployment: Deployment) -> str:
    sink = deployment.needed_sink()
    if sink.format not in sinks.FILE_FORMATS or sink.path is None:
        raise SparingError(
            f"The quarantine can be read from a sink of format {', '.join(sinks.FILE_FORMATS)} only, and this sink is "
            f"{sink.format}: query the table {QUARANTINE} there."
        )
    return f"{sink.path.rstrip('/')}/{QUARANTINE}"


def _published_file(deployment: Deployment) -> str:
    return f"{str(deployment.needed_sink().path).rstrip('/')}/{PUBLISHED}"


def _id(batch: int, row: str, reason: str) -> str:
    return hashlib.sha256(f"{batch}\n{reason}\n{row}".encode()).hexdigest()[:12]
