"""Repairs without loss of results.

Notes are restored from their copies, and the stream is rewound to the last intact micro-batch.
"""

from __future__ import annotations

import json
import uuid

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.stream.durable import restore, write_bytes
from sparing.spark.stream.written_files import FILE, WrittenFiles
from sparing.spark.tools.repair.findings import findings, notes_of
from sparing.spark.tools.repair.rewind import last_intact, redo
from sparing.spark.tools.repair.set_aside import SetAsideFolder
from sparing.spark.tools.repair.spark_logs import COMMITS, OFFSETS, spark_log


def fix(spark: SparkSession, checkpoint: str, sink: Endpoint) -> list[str]:
    """Repair a checkpoint; return what was done, in sentences."""
    done = _restore(spark, checkpoint) + _query_id(spark, checkpoint)
    if not findings(spark, checkpoint):
        return done
    kept = last_intact(spark, checkpoint)
    done += _clear_before(spark, checkpoint, kept)
    if findings(spark, checkpoint):
        done += redo(spark, checkpoint, sink, kept + 1)
    if left := findings(spark, checkpoint):
        raise SparingError(f"{left[0]}, and cannot be repaired: start with a new checkpoint and a new sink path.")
    return done


def _restore(spark: SparkSession, checkpoint: str) -> list[str]:
    damaged = {finding.file for finding in findings(spark, checkpoint)}
    done = []
    for path, format_ in notes_of(checkpoint).items():
        if path not in damaged:
            continue
        if restore(spark, path, format_):
            done.append(f"{path} is restored from its copy.")
        elif path.endswith(FILE):
            WrittenFiles(spark, checkpoint).replace({})
            done.append(f"{path} is reset: results written before are no longer compared with the sink.")
        else:
            raise SparingError(
                f"{path} is damaged, and so is its copy: restore either from a backup, or start with a new checkpoint "
                "and a new sink path."
            )
    return done


def _query_id(spark: SparkSession, checkpoint: str) -> list[str]:
    path = f"{checkpoint.rstrip('/')}/metadata"
    if path not in {finding.file for finding in findings(spark, checkpoint)}:
        return []
    write_bytes(spark, path, json.dumps({"id": str(uuid.uuid4())}).encode())
    return [f"{path} has a new id."]


def _clear_before(spark: SparkSession, checkpoint: str, kept: int) -> list[str]:
    """Set aside log entries up to a damaged one before the last intact micro-batch: Spark no longer needs them."""
    damaged = {finding.file for finding in findings(spark, checkpoint)}
    aside, moved = SetAsideFolder.of(spark, checkpoint), False
    for name in (OFFSETS, COMMITS):
        some = spark_log(spark, checkpoint, name)
        old = [n for n in range(min(some.names, default=0), kept) if some.path(n) in damaged]
        for number in some.names:
            if old and number <= old[-1]:
                aside.move(some.path(number))
                moved = True
    return [f"Old entries that are no longer needed are in {aside.path}."] if moved else []
