"""Rewinding a stream: it repeats micro-batches from the state before them.

No results are lost: the tables of these micro-batches are set aside and written again from the same source, so all
files that they read must still exist.
"""

from __future__ import annotations

import json
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


def last_intact(spark: SparkSession, checkpoint: str) -> int:
    """Return the last micro-batch from which a stream can continue; -1 if there is none, so all must be repeated."""
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    for batch in sorted(offsets.names.keys() & commits.names.keys(), reverse=True):
        try:
            commits.metadata(batch)
            _last_entries(offsets, batch)
        except DamagedError:
            continue
        if state_error(spark, checkpoint, batch) is None and _sources_intact_up_to(spark, checkpoint, offsets, batch):
            return batch
    return -1


def _sources_intact_up_to(spark: SparkSession, checkpoint: str, offsets: SparkLog, batch: int) -> bool:
    """Return whether the logs of the sources have all entries up to a micro-batch."""
    for some, last in zip(source_logs(spark, checkpoint), _last_entries(offsets, batch), strict=False):
        if last is not None and sorted(entry for entry in _entries(some) if entry <= last) != list(range(last + 1)):
            return False
    return True


def _last_entries(offsets: SparkLog, batch: int) -> list[int | None]:
    """Return for each source the last entry of its log that was read up to a micro-batch."""
    offsets.metadata(batch)
    found = offsets.records(batch)[1:]
    return [offset[LOG_OFFSET] if isinstance(offset, dict) and LOG_OFFSET in offset else None for offset in found]


def _entries(some: SparkLog) -> dict[int, list[dict[str, Any]]]:
    """Return entry -> its files, including those in compacted entries; damaged entries are left out."""
    found: dict[int, list[dict[str, Any]]] = {}
    for number, name in some.names.items():
        try:
            files = some.records(number)
        except DamagedError:
            continue
        if name == str(number):
            found[number] = files
        else:
            found |= {entry: [] for entry in range(number + 1)}
            for file in files:
                found[int(file["batchId"])].append(file)
    return found


def redo(spark: SparkSession, checkpoint: str, sink: Endpoint, first: int) -> list[str]:
    """Make a stream repeat a micro-batch and all later ones; return what was done, in sentences."""
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    kept = first - 1
    if kept >= 0:
        if kept not in offsets.names or kept not in commits.names:
            raise SparingError(
                f"Micro-batch {first} cannot be repeated: the earliest one that the checkpoint {checkpoint} can repeat "
                f"is {min(commits.names, default=0) + 1}."
            )
        commits.metadata(kept)
        if (why := state_error(spark, checkpoint, kept)) is not None:
            raise SparingError(
                f"Micro-batch {first} cannot be repeated, because the state before it cannot be read ({why}): choose "
                "an earlier one."
            )
    lasts = _last_entries(offsets, kept) if kept >= 0 else []
    logs = source_logs(spark, checkpoint)
    reads = [(some, -1 if kept < 0 else lasts[number]) for number, some in enumerate(logs)]
    if kept < 0 and not any(_entries(some) for some in logs):
        raise SparingError(
            "All micro-batches would have to be repeated, and the source may no longer have all rows: start with a new "
            f"checkpoint and a new sink path; the results so far stay in {sink.path or 'the sink'}."
        )
    _check_source_files(spark, reads)

    aside = SetAsideFolder.of(spark, checkpoint)
    for some in (offsets, commits):
        for number in some.names:
            if number > kept:
                aside.move(some.path(number))
    for some, last in reads:
        if last is not None:
            _truncate(some, last, aside)
    for path, version, _ in versions(spark, checkpoint):
        if version > kept + 1:  # the state after micro-batch n is version n + 1
            aside.move(path)
    if kept < 0:
        for name in ("state", "sources", control_bill.FILE):
            aside.move(f"{checkpoint.rstrip('/')}/{name}")
    else:
        _bill_again(spark, checkpoint, first)
    done = [f"Micro-batch {first} and all later ones will be repeated; their progress is in {aside.path}."]
    done += _set_results_aside(spark, checkpoint, sink, first)
    return done


def _check_source_files(spark: SparkSession, reads: list[tuple[SparkLog, int | None]]) -> None:
    """Check that all files to be read again still exist."""
    gone = []
    for some, last in reads:
        for entry, listed in _entries(some).items():
            if last is not None and entry > last:
                for file in listed:
                    place, files = hadoop_path(spark, file["path"])
                    if not files.exists(place):
                        gone.append(file["path"])
    if gone:
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        raise SparingError(
            f"Results would be lost, because {gone[0]}{more} must be read again and is missing: restore the files."
        )


def _truncate(some: SparkLog, last: int, aside: SetAsideFolder) -> None:
    """Remove entries after the last from the log of a source of files, so that their files are read again."""
    if all(number <= last for number in some.names):
        return
    known = _entries(some)
    for number, name in some.names.items():
        if number > last:
            aside.move(some.path(number))
            if name == str(number):
                continue
            for entry in range(min(last, number) + 1):  # a compacted entry contains all earlier ones
                if str(entry) not in some.names.values() and f"{entry}.compact" not in some.names.values():
                    SparkLog(some.spark, some.folder).write(entry, [json.dumps(file) for file in known[entry]])


def _bill_again(spark: SparkSession, checkpoint: str, first: int) -> None:
    """Bill the control messages of repeated micro-batches in the first of them."""
    path = f"{checkpoint.rstrip('/')}/{control_bill.FILE}"
    note = read_json(spark, path, control_bill.FORMAT)
    if note is not None and note["batch"] > first:
        write_json(spark, path, {**note, "batch": first}, control_bill.FORMAT)


def _set_results_aside(spark: SparkSession, checkpoint: str, sink: Endpoint, first: int) -> list[str]:
    written = WrittenFiles(spark, checkpoint)
    try:
        noted = written.read()
    except (DamagedError, OtherFormatError):
        noted = {}
    written.replace({batch: rows for batch, rows in noted.items() if batch < first})
    if sink.format not in sinks.FILE_FORMATS or sink.path is None:
        return ["The sink is appended to: rows of these micro-batches stay there and will be duplicated."]
    aside = SetAsideFolder.of(spark, sink.path)
    moved = False
    for table in TABLES:
        top, files = hadoop_path(spark, f"{sink.path.rstrip('/')}/{table}")
        for status in files.listStatus(top) if files.exists(top) else ():
            number = status.getPath().getName().removeprefix("batch=")
            if number.isdigit() and int(number) >= first:
                aside.move(status.getPath().toString())
                moved = True
    return [f"Their results are in {aside.path}."] if moved else []
