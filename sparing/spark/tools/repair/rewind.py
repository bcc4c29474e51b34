"""Rewinding a stream: it repeats micro-batches from the state before them.

No results are lost: the tables of these micro-batches are set aside and written again from the same source, so all
files that they have read must still exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.io import sinks
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream import control_bill
from sparing.spark.stream.durable import DamagedError, OtherFormatError, read_json, write_json
from sparing.spark.stream.written_files import WrittenFiles
from sparing.spark.tally import TABLES
from sparing.spark.tools.repair.findings import state_error, versions
from sparing.spark.tools.repair.set_aside import SetAsideFolder
from sparing.spark.tools.repair.spark_logs import COMMITS, LOG_OFFSET, OFFSETS, SparkLog, source_logs, spark_log


def last_whole(spark: SparkSession, checkpoint: str) -> int:
    """The last micro-batch that a stream can go on from; -1 if there is none, so that all must be done again."""
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    for batch in sorted(offsets.names.keys() & commits.names.keys(), reverse=True):
        try:
            commits.metadata(batch)
            _last_entries(offsets, batch)
        except DamagedError:
            continue
        if state_error(spark, checkpoint, batch) is None and _whole_up_to(spark, checkpoint, offsets, batch):
            return batch
    return -1


def _whole_up_to(spark: SparkSession, checkpoint: str, offsets: SparkLog, batch: int) -> bool:
    """Whether what sources had read by a micro-batch is known."""
    for some, last in zip(source_logs(spark, checkpoint), _last_entries(offsets, batch), strict=False):
        if last is not None and list(_read_by(some, last, whole=False)) != list(range(last + 1)):
            return False
    return True


def _last_entries(offsets: SparkLog, batch: int) -> list[int | None]:
    """For every source: the last entry of its log that belongs to a micro-batch or one before it."""
    offsets.metadata(batch)
    found = offsets.records(batch)[1:]
    return [offset[LOG_OFFSET] if isinstance(offset, dict) and LOG_OFFSET in offset else None for offset in found]


def _entries(some: SparkLog, whole: bool = True) -> dict[int, list[dict[str, Any]]]:
    """Entry -> the files in it, opened from compacted ones, too; if not `whole`, without those that are damaged."""
    found: dict[int, list[dict[str, Any]]] = {}
    for number, name in some.names.items():
        try:
            files = some.records(number)
        except DamagedError:
            if whole:
                raise
            continue
        if name == str(number):
            found[number] = files
        else:
            found |= {entry: [] for entry in range(number + 1)}
            for file in files:
                found[int(file["batchId"])].append(file)
    return found


def _read_by(some: SparkLog, last: int, whole: bool = True) -> Iterator[int]:
    yield from sorted(entry for entry in _entries(some, whole) if entry <= last)


def redo(spark: SparkSession, checkpoint: str, sink: Endpoint, first: int) -> list[str]:
    """Have a stream do a micro-batch again, and all that follow; returns what was done, in sentences."""
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    kept = first - 1
    if kept >= 0:
        if kept not in offsets.names or kept not in commits.names:
            raise SparingError(
                f"Micro-batch {first} cannot be done again: the checkpoint {checkpoint} goes back to micro-batch "
                f"{min(commits.names, default=0) + 1} only."
            )
        commits.metadata(kept)
        if (why := state_error(spark, checkpoint, kept)) is not None:
            raise SparingError(f"Micro-batch {first} cannot be done again: the state before it cannot be read ({why}).")
    lasts = _last_entries(offsets, kept) if kept >= 0 else []
    logs = source_logs(spark, checkpoint)
    reads = [(some, -1 if kept < 0 else lasts[number]) for number, some in enumerate(logs)]
    if kept < 0 and not any(_entries(some, whole=False) for some in logs):
        raise SparingError(
            "Everything would have to be done again, and it is not known whether the source still has all of it: start "
            f"with a new checkpoint and a new path for the sink; the results so far stay in {sink.path or 'the sink'}."
        )
    _must_be_there(spark, reads)

    aside = SetAsideFolder.of(spark, checkpoint)
    for some in (offsets, commits):
        for number in some.names:
            if number > kept:
                aside.move(some.path(number))
    for some, last in reads:
        if last is not None:
            _cut(some, last, aside)
    for path, version, _ in versions(spark, checkpoint):
        if version > kept + 1:  # the state after micro-batch n is version n + 1
            aside.move(path)
    if kept < 0:
        for name in ("state", "sources", control_bill.FILE):
            aside.move(f"{checkpoint.rstrip('/')}/{name}")
    else:
        _bill_again(spark, checkpoint, first)
    done = [f"Micro-batch {first} and all that follow will be done again; their progress is in {aside.path}."]
    done += _results_aside(spark, checkpoint, sink, first)
    return done


def _must_be_there(spark: SparkSession, reads: list[tuple[SparkLog, int | None]]) -> None:
    """Files that have been read and are to be read again."""
    gone = []
    for some, last in reads:
        for entry, listed in _entries(some, whole=False).items():
            if last is not None and entry > last:
                for file in listed:
                    place, files = hadoop_path(spark, file["path"])
                    if not files.exists(place):
                        gone.append(file["path"])
    if gone:
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        raise SparingError(f"Results would be lost: {gone[0]}{more} would have to be read again and is gone.")


def _cut(some: SparkLog, last: int, aside: SetAsideFolder) -> None:
    """Take entries after the last out of the log of a source of files, so that their files are read again."""
    if all(number <= last for number in some.names):
        return
    known = _entries(some, whole=False)
    for number, name in some.names.items():
        if number > last:
            aside.move(some.path(number))
            if name == str(number):
                continue
            for entry in range(min(last, number) + 1):  # a compacted entry holds all that came before it
                if str(entry) not in some.names.values() and f"{entry}.compact" not in some.names.values():
                    SparkLog(some.spark, some.folder).write(entry, [json.dumps(file) for file in known[entry]])


def _bill_again(spark: SparkSession, checkpoint: str, first: int) -> None:
    """What the control plane billed in a micro-batch that is done again is billed in the first of these."""
    path = f"{checkpoint.rstrip('/')}/{control_bill.FILE}"
    page = read_json(spark, path, control_bill.FORMAT)
    if page is not None and page["batch"] > first:
        write_json(spark, path, {**page, "batch": first}, control_bill.FORMAT)


def _results_aside(spark: SparkSession, checkpoint: str, sink: Endpoint, first: int) -> list[str]:
    written = WrittenFiles(spark, checkpoint)
    try:
        noted = written.read()
    except (DamagedError, OtherFormatError):
        noted = {}
    written.replace({batch: rows for batch, rows in noted.items() if batch < first})
    if sink.format not in sinks.FILE_FORMATS or sink.path is None:
        return ["The sink is appended to: what these micro-batches wrote there stays, and will be there twice."]
    aside = SetAsideFolder.of(spark, sink.path)
    moved = False
    for table in TABLES:
        top, files = hadoop_path(spark, f"{sink.path.rstrip('/')}/{table}")
        for status in files.listStatus(top) if files.exists(top) else ():
            number = status.getPath().getName().removeprefix("batch=")
            if number.isdigit() and int(number) >= first:
                aside.move(status.getPath().toString())
                moved = True
    return [f"What they had written is in {aside.path}."] if moved else []
