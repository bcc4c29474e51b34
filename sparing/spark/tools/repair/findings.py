"""Damage in a checkpoint, found by reading every file that a stream needs to resume."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparing.spark.failures import cause
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream import checkpoint as note_file
from sparing.spark.stream import control_bill, written_files
from sparing.spark.stream.durable import (
    REPAIR_COMMAND,
    DamagedError,
    OtherFormatError,
    check_compressed,
    read_bytes,
    read_json,
)
from sparing.spark.tools.inspect import without_escapes
from sparing.spark.tools.repair.spark_logs import COMMITS, LOG_OFFSET, OFFSETS, SparkLog, source_logs, spark_log

STATE = "state"
CHANGELOG, SNAPSHOT = ".changelog", ".zip"


@dataclass(frozen=True)
class Finding:
    """A damaged file or folder, and what is wrong with it."""

    file: str
    what: str

    def __str__(self) -> str:
        return f"{self.file} is damaged: {self.what}"


def notes_of(checkpoint: str) -> dict[str, int]:
    """Return Sparing's files in a checkpoint, with the format that this version reads."""
    place = checkpoint.rstrip("/")
    return {
        note_file.path_of_note(place): note_file.FORMAT,
        f"{place}/{control_bill.FILE}": control_bill.FORMAT,
        f"{place}/{written_files.FILE}": written_files.FORMAT,
    }


def check_whole(spark: SparkSession, checkpoint: str) -> None:
    """Check Sparing's notes and the last entries of Spark's logs, before a stream resumes."""
    for path in notes_of(checkpoint):
        _read(spark, checkpoint, path)
    _query_id(spark, checkpoint)
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    _fit(offsets, commits)
    for some in (offsets, commits):
        for number in list(some.names)[-2:]:
            some.metadata(number)
    _sources_fit(spark, checkpoint)
    for some in source_logs(spark, checkpoint):
        for number in list(some.names)[-2:]:
            some.lines(number)


def damage_in(spark: SparkSession, checkpoint: str) -> str | None:
    """Return a sentence about the first damage in a checkpoint of a failed stream, None if there is no damage."""
    with suppress(Exception):  # the stream's own failure must be reported in any case
        found = findings(spark, checkpoint)
        if found:
            return f"{found[0]}; '{REPAIR_COMMAND}' shows how to repair it."
    return None


def findings(spark: SparkSession, checkpoint: str) -> list[Finding]:
    """Return all damage in a checkpoint. Reads every log entry and the state; changes nothing."""
    found = [*_notes(spark, checkpoint), *_logs(spark, checkpoint), *_state(spark, checkpoint)]
    return list(dict.fromkeys(found))


def _read(spark: SparkSession, checkpoint: str, path: str) -> None:
    """Read a note; all of them must exist after the first micro-batch."""
    if path == note_file.path_of_note(checkpoint):
        note_file.read_note(spark, checkpoint)
        return
    found = read_json(spark, path, notes_of(checkpoint)[path])
    if found is None and spark_log(spark, checkpoint, COMMITS).last is not None:
        raise DamagedError(path, "it is missing")


def _notes(spark: SparkSession, checkpoint: str) -> Iterator[Finding]:
    for path in notes_of(checkpoint):
        try:
            _read(spark, checkpoint, path)
        except DamagedError as error:
            yield Finding(error.file, error.what)
        except OtherFormatError as error:
            yield Finding(path, str(error))


def _logs(spark: SparkSession, checkpoint: str) -> Iterator[Finding]:
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    try:
        _query_id(spark, checkpoint)
        _fit(offsets, commits)
        _sources_fit(spark, checkpoint)
    except DamagedError as error:
        yield Finding(error.file, error.what)
    for some in (offsets, commits, *source_logs(spark, checkpoint)):
        yield from _entries(some)


def _entries(some: SparkLog) -> Iterator[Finding]:
    """Return damaged and missing entries of a log."""
    numbers = list(some.names)
    compacted = any(name != str(number) for number, name in some.names.items())
    for number in range(numbers[0], numbers[-1] + 1) if numbers else ():
        if number not in some.names and compacted:
            continue  # Spark deletes compacted entries
        try:
            if some.folder.endswith((OFFSETS, COMMITS)):
                some.metadata(number)
            else:
                some.lines(number)
        except DamagedError as error:
            yield Finding(error.file, error.what)


def _query_id(spark: SparkSession, checkpoint: str) -> None:
    path = f"{checkpoint.rstrip('/')}/metadata"
    data = read_bytes(spark, path)
    try:
        if data is not None and isinstance(json.loads(data)["id"], str):
            return
    except (ValueError, TypeError, KeyError):
        pass
    if data is not None or spark_log(spark, checkpoint, OFFSETS).names:
        raise DamagedError(path, "it is missing" if data is None else "it does not hold the id of a query")


def _fit(offsets: SparkLog, commits: SparkLog) -> None:
    """Check that committed micro-batches were planned, and that at most one is planned and not committed."""
    planned, committed = offsets.last, commits.last
    if committed is not None and (planned is None or planned < committed):
        raise DamagedError(offsets.path(committed), "it is missing, although the micro-batch is committed")
    if planned is not None and planned - (-1 if committed is None else committed) > 1:
        raise DamagedError(commits.path(planned - 1), "it is missing, although a later micro-batch was planned")


def _sources_fit(spark: SparkSession, checkpoint: str) -> None:
    """Check that the log of a source of files has all entries of the planned micro-batches."""
    offsets = spark_log(spark, checkpoint, OFFSETS)
    if offsets.last is None:
        return
    for some, offset in zip(source_logs(spark, checkpoint), offsets.records(offsets.last)[1:], strict=False):
        last = offset.get(LOG_OFFSET, -1) if isinstance(offset, dict) else -1
        compacted = [number for number, name in some.names.items() if name != str(number)]
        for number in range(max(compacted, default=0), last + 1):
            if number not in some.names:
                raise DamagedError(some.path(number), "it is missing, although a micro-batch was planned with it")


def _state(spark: SparkSession, checkpoint: str) -> Iterator[Finding]:
    committed = spark_log(spark, checkpoint, COMMITS).last
    if committed is None:
        return
    why = state_error(spark, checkpoint, committed)
    if why is None:
        return
    named = list(_state_files(spark, checkpoint))
    yield from named
    if not named:
        yield Finding(f"{checkpoint.rstrip('/')}/{STATE}", f"after micro-batch {committed}: {why}")


def state_error(spark: SparkSession, checkpoint: str, batch: int) -> str | None:
    """Return why the state after a micro-batch cannot be read, None if it can."""
    try:
        with without_escapes(spark, checkpoint) as name:
            spark.read.format("statestore").option("batchId", batch).load(name).count()
    except (PySparkException, Py4JJavaError) as error:
        return cause(error).rstrip(".")
    return None


def versions(spark: SparkSession, checkpoint: str) -> Iterator[tuple[str, int, str]]:
    """Return the files of the state: path, version, extension."""
    top, files = hadoop_path(spark, f"{checkpoint.rstrip('/')}/{STATE}")
    if not files.exists(top):
        return
    for operator in files.listStatus(top):
        for partition in files.listStatus(operator.getPath()):
            if not partition.isDirectory() or not partition.getPath().getName().isdigit():
                continue
            for status in files.listStatus(partition.getPath()):
                name = status.getPath().getName()
                for ending in (CHANGELOG, SNAPSHOT):
                    version = name.removesuffix(ending).split("_")[0]
                    if name.endswith(ending) and version.isdigit():
                        yield status.getPath().toString(), int(version), ending


def _state_files(spark: SparkSession, checkpoint: str) -> Iterator[Finding]:
    """Return the state files that cannot be read to their end."""
    for path, _, ending in sorted(versions(spark, checkpoint)):
        try:
            if ending == SNAPSHOT:
                zipfile.ZipFile(io.BytesIO(read_bytes(spark, path) or b"")).testzip()
            else:
                check_compressed(spark, path)
        except DamagedError as error:
            yield Finding(error.file, error.what)
        except zipfile.BadZipFile:
            yield Finding(path, "it is not a whole archive")
