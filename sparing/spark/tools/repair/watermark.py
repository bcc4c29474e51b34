"""Resetting a watermark that an event from far in the future has advanced."""

from __future__ import annotations

import json

from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.tools.repair.set_aside import SetAsideFolder
from sparing.spark.tools.repair.spark_logs import COMMITS, OFFSETS, spark_log

BATCH, NEXT = "batchWatermarkMs", "nextBatchWatermarkMs"
_MILLISECOND = 1_000


def watermark(spark: SparkSession, checkpoint: str) -> int | None:
    """Return the watermark of the next micro-batch, in microseconds since 1970; None before the first."""
    commits = spark_log(spark, checkpoint, COMMITS)
    if commits.last is None:
        return None
    return int(commits.metadata(commits.last).get(NEXT, 0)) * _MILLISECOND or None


def before_jump(spark: SparkSession, checkpoint: str, latest: int) -> int | None:
    """Return the first micro-batch that moved the watermark beyond a time; None if none did that can be repeated."""
    commits = spark_log(spark, checkpoint, COMMITS)
    beyond = [n for n in commits.names if int(commits.metadata(n).get(NEXT, 0)) * _MILLISECOND > latest]
    first = min(beyond, default=None)
    return first if first == 0 or (first is not None and first - 1 in commits.names) else None


def reset(spark: SparkSession, checkpoint: str, time: int) -> list[str]:
    """Reset the watermark to an earlier time (microseconds); return what was done, in sentences."""
    offsets, commits = (spark_log(spark, checkpoint, name) for name in (OFFSETS, COMMITS))
    if commits.last is None:
        raise SparingError(f"No micro-batch of the checkpoint {checkpoint} is committed, so it has no watermark.")
    aside, millis = SetAsideFolder.of(spark, checkpoint), time // _MILLISECOND
    changed = 0
    for some, key in ((commits, NEXT), (offsets, BATCH)):
        for number in some.names:
            if number < commits.last:
                continue
            lines = some.lines(number)
            found = json.loads(lines[0])
            if int(found.get(key, 0)) > millis:
                aside.copy(some.path(number), f"{some.folder.rpartition('/')[2]}/{number}")
                some.write(number, [json.dumps(found | {key: millis}, separators=(",", ":")), *lines[1:]])
                changed += 1
    if not changed:
        raise SparingError("The watermark is not after that time: choose an earlier time.")
    return [
        f"The watermark is reset; the previous entries are in {aside.path}.",
        "Windows that were notified before are notified again if further events arrive for them.",
    ]
