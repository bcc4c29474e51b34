"""Skipping the running micro-batch or one of its files; the skipped rows are set aside."""

from __future__ import annotations

import json
from dataclasses import replace

from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream.durable import write_bytes
from sparing.spark.tools.repair.set_aside import SetAsideFolder
from sparing.spark.tools.repair.spark_logs import (
    COMMITS,
    LOG_OFFSET,
    NO_OFFSET,
    OFFSETS,
    SparkLog,
    source_logs,
    spark_log,
)


def _running_batch(spark: SparkSession, checkpoint: str) -> tuple[SparkLog, int]:
    """Return the log of planned micro-batches, and the one that is planned and not committed."""
    offsets = spark_log(spark, checkpoint, OFFSETS)
    planned = offsets.last
    if planned is None or planned == spark_log(spark, checkpoint, COMMITS).last:
        raise SparingError(f"All micro-batches of the checkpoint {checkpoint} are committed: there is none to skip.")
    return offsets, planned


def skip_batch(spark: SparkSession, checkpoint: str) -> list[str]:
    """Skip the running micro-batch; return what was done, in sentences.

    The micro-batch before it gets its end offsets, so Spark treats its rows as read.
    """
    offsets, batch = _running_batch(spark, checkpoint)
    if batch == 0:
        raise SparingError(
            "Micro-batch 0 cannot be skipped, because there is none before it: skip the file with --skip-file, or "
            "start with a new checkpoint."
        )
    before, planned = offsets.lines(batch - 1), offsets.lines(batch)
    aside = SetAsideFolder.of(spark, checkpoint)
    skipped: list[str] = []
    for number, some in enumerate(source_logs(spark, checkpoint)):
        first, last = (_entry(lines[1 + number]) for lines in (before, planned))
        for entry in range(first + 1, last + 1):
            files = [file["path"] for file in some.records(entry) if file.get("batchId", entry) == entry]
            for file in files:
                aside.copy(file, f"rows/{len(skipped):04}-{hadoop_path(spark, file)[0].getName()}")
                skipped.append(file)
    about = {"batch": batch, "from": before[1:], "to": planned[1:], "files": skipped}
    write_bytes(spark, f"{aside.path}/skipped.json", json.dumps(about, indent=1).encode())
    aside.copy(offsets.path(batch - 1), f"{OFFSETS}/{batch - 1}")
    offsets.write(batch - 1, [before[0], *planned[1:]])
    aside.move(offsets.path(batch))
    rows = "copies of its files are" if skipped else "the offsets of its rows are"
    return [f"Micro-batch {batch} is skipped; {rows} in {aside.path}."]


def skip_file(spark: SparkSession, checkpoint: str, path: str) -> list[str]:
    """Remove a file from the source and from the running micro-batch; return what was done, in sentences."""
    place, files = hadoop_path(spark, path)
    wanted = files.makeQualified(place).toUri().getPath()
    aside = SetAsideFolder.of(spark, checkpoint)
    committed = _committed_entries(spark, checkpoint)
    taken = False
    for number, some in enumerate(source_logs(spark, checkpoint)):
        for entry in some.names:
            if entry <= committed[number]:
                continue
            lines = some.lines(entry)
            left = [
                line for line in lines if hadoop_path(spark, json.loads(line)["path"])[0].toUri().getPath() != wanted
            ]
            if len(left) < len(lines):
                aside.copy(some.path(entry), f"sources/{number}/{entry}")
                replace(some).write(entry, left)
                taken = True
    if not files.exists(place):
        raise SparingError(f"{path} does not exist: choose a file of the source.")
    aside.move(path, f"rows/{place.getName()}")
    done = "removed from the running micro-batch and " if taken else ""
    return [f"{path} is {done}moved to {aside.path}/rows/{place.getName()}."]


def _committed_entries(spark: SparkSession, checkpoint: str) -> list[int]:
    """Return for each source of files the last entry of its log that a committed micro-batch has read."""
    committed = spark_log(spark, checkpoint, COMMITS).last
    logs = source_logs(spark, checkpoint)
    if committed is None:
        return [-1] * len(logs)
    lines = spark_log(spark, checkpoint, OFFSETS).lines(committed)[1:]
    return [_entry(line) for line in lines]


def _entry(offset: str) -> int:
    """Return the last entry of a source's log in an offset; -1 without one."""
    found = None if offset == NO_OFFSET else json.loads(offset)
    return int(found.get(LOG_OFFSET, -1)) if isinstance(found, dict) else -1
