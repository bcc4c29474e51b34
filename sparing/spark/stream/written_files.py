"""A note in the checkpoint of the rows that each micro-batch wrote, made before Spark commits the micro-batch.

A restarted stream compares the note with a sink of files: no micro-batch would write committed results again that are
missing in the sink.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.io import sinks
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream.durable import REPAIR_COMMAND, DamagedError, read_json, write_json
from sparing.spark.tools.repair.spark_logs import COMMITS, spark_log

FILE = "sparing-written.json"
FORMAT = 1
MOST_BATCHES = 100  # in the note; Spark keeps as many in its logs

Batches = dict[int, dict[str, int]]  # micro-batch -> rows by table


class WrittenFiles:
    """The note of one checkpoint."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark, self._checkpoint = spark, checkpoint.rstrip("/")
        self.path = f"{self._checkpoint}/{FILE}"
        self._batches: Batches | None = None

    def read(self) -> Batches:
        """Return rows by micro-batch and table."""
        if self._batches is None:
            content = read_json(self._spark, self.path, FORMAT) or {}
            self._batches = {int(batch): rows for batch, rows in content.items()}
        return self._batches

    def batch_written(self, batch: int, rows: Mapping[str, int]) -> None:
        """Note the rows of a written micro-batch."""
        self.replace({**self.read(), batch: dict(rows)})

    def replace(self, batches: Batches) -> None:
        """Replace the note."""
        last = sorted(batches)[-MOST_BATCHES:]
        self._batches = {batch: batches[batch] for batch in last}
        write_json(self._spark, self.path, {str(batch): rows for batch, rows in self._batches.items()}, FORMAT)

    def missing(self, sink: Endpoint) -> dict[str, list[int]]:
        """Return table -> micro-batches that are committed, but missing in the sink."""
        if sink.format not in sinks.FILE_FORMATS:
            return {}
        committed = spark_log(self._spark, self._checkpoint, COMMITS).last
        missing: dict[str, list[int]] = {}
        for batch, rows in self.read().items():
            for table, count in rows.items():
                if count and committed is not None and batch <= committed and not self._exists(sink, table, batch):
                    missing.setdefault(table, []).append(batch)
        return missing

    def _exists(self, sink: Endpoint, table: str, batch: int) -> bool:
        place, files = hadoop_path(self._spark, sinks.folder(sink, table, batch))
        return bool(files.exists(place)) and any(
            not status.getPath().getName().startswith(("_", ".")) for status in files.listStatus(place)
        )

    def check(self, sink: Endpoint) -> None:
        """Check before a restart that the sink still has all committed results."""
        noted, committed = max(self.read(), default=None), spark_log(self._spark, self._checkpoint, COMMITS).last
        if noted is not None and noted > (-1 if committed is None else committed) + 1:
            raise DamagedError(
                f"{self._checkpoint}/{COMMITS}",
                f"micro-batch {noted} was written, and its last entry is {'none' if committed is None else committed}",
            )
        if missing := self.missing(sink):
            listed = " and ".join(f"the {table} of {batches_text(batches)}" for table, batches in missing.items())
            raise SparingError(
                f"The sink {sink.path} lacks {listed}, which the checkpoint {self._checkpoint} has committed: restore "
                f"them, or use '{REPAIR_COMMAND}' to write them again or to continue without them."
            )


def batches_text(batches: Sequence[int]) -> str:
    """Return a list of micro-batches as text.

    >>> batches_text([3]), batches_text([1, 2, 3, 7])
    ('micro-batch 3', 'micro-batches 1 to 3 and 7')
    """
    runs: list[list[int]] = []
    for batch in sorted(batches):
        if runs and runs[-1][-1] == batch - 1:
            runs[-1].append(batch)
        else:
            runs.append([batch])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    listed = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    return f"micro-batch {listed}" if len(batches) == 1 else f"micro-batches {listed}"
