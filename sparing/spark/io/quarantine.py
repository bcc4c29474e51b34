"""The quarantine of a sink of files: what is in it, and how rows get back into the source after they were corrected.

Which rows have been published again is noted in the sink, so that they are not published twice by mistake.
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
    """Rows in quarantine that are equal: in which micro-batch they came, how many, why, and whether published again."""

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
    """What is in a deployment's quarantine, by micro-batch."""
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
    found = table.groupBy(*columns).count().orderBy(*columns).collect()
    known = set(read_json(spark, _ledger(deployment), FORMAT) or ())
    rows = []
    for row in found:
        id_ = _id(row["batch"], row["row"], row["reason"])
        said = (row["batch"], row["row"], row["reason"], row["detail"], row["publisher"])
        rows.append(QuarantinedRows(id_, *said, rows=row["count"], published=id_ in known))
    return rows


def publish(spark: SparkSession, deployment: Deployment, rows: Sequence[str], ids: Iterable[str] = ()) -> str:
    """Add rows to a deployment's source, if all of them would be admitted; returns where to.

    `ids` of `QuarantinedRows` are noted as published.
    """
    source = deployment.needed_source()
    lines = [_line(number, row) for number, row in enumerate(rows, 1)]
    if not lines:
        raise SparingError("There is no row to publish.")
    _must_be_admitted(spark, deployment, lines)
    where = _into_kafka if source.format == "kafka" else _into_folder
    target = where(spark, deployment, lines)
    known = read_json(spark, _ledger(deployment), FORMAT) or []
    write_json(spark, _ledger(deployment), sorted({*known, *ids}), FORMAT)
    return target


def _must_be_admitted(spark: SparkSession, deployment: Deployment, lines: list[str]) -> None:
    delivered = PubSub(spark, deployment).deliver(sources.read_lines(spark, deployment, lines))
    try:
        again = delivered.quarantine.collect()
    finally:
        delivered.forget()
    if again:
        number = lines.index(again[0]["row"]) + 1 if again[0]["row"] in lines else 1
        raise SparingError(
            f"Nothing is published, because {len(again)} of {counted(len(lines), 'row')} would be set aside again; "
            f"row {number}: {again[0]['reason']}, {again[0]['detail']}."
        )


def _line(number: int, row: str) -> str:
    """A row on one line."""
    try:
        found = json.loads(row)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SparingError(f"Nothing is published, because row {number} is not a JSON object: {row[:200]}")
    return json.dumps(found) if "\n" in row else row


def _into_folder(spark: SparkSession, deployment: Deployment, lines: list[str]) -> str:
    source = deployment.needed_source()
    place, files = hadoop_path(spark, str(source.path))
    if source.format != "json" or not files.exists(place) or not files.getFileStatus(place).isDirectory():
        raise SparingError(
            f"Rows can be published into a folder of JSON lines or into Kafka, and the source is {source.format} "
            f"at {source.path}: write them to a file with sparing quarantine list --json, and add them yourself."
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
            f"The quarantine of a sink of format {sink.format} is where that writes it: look there; only that of "
            f"{', '.join(sinks.FILE_FORMATS)} can be read from here."
        )
    return f"{sink.path.rstrip('/')}/{QUARANTINE}"


def _ledger(deployment: Deployment) -> str:
    return f"{str(deployment.needed_sink().path).rstrip('/')}/{PUBLISHED}"


def _id(batch: int, row: str, reason: str) -> str:
    return hashlib.sha256(f"{batch}\n{reason}\n{row}".encode()).hexdigest()[:12]
