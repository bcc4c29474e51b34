"""What each micro-batch wrote to a sink of files, noted beside the checkpoint before Spark commits the micro-batch.

A stream that starts again compares it with what is there: results that were committed and are gone would otherwise be
missing for good, since no micro-batch writes them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Endpoint
from sparing.model.errors import SparingError
from sparing.spark.io import sinks
from sparing.spark.io.paths import located
from sparing.spark.stream.durable import CALLED, DamagedError, read_json, write_json
from sparing.spark.tools.repair.findings import WRITTEN as FILE
from sparing.spark.tools.repair.findings import WRITTEN_FORMAT as FORMAT
from sparing.spark.tools.repair.logs import COMMITS, log

KEPT = 100  # micro-batches that the note goes back; Spark keeps as many in its logs

Batches = dict[int, dict[str, int]]  # micro-batch -> rows by table


class WrittenFiles:
    """The note of one checkpoint."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark, self._checkpoint = spark, checkpoint.rstrip("/")
        self.path = f"{self._checkpoint}/{FILE}"
        self._batches: Batches | None = None

    def read(self) -> Batches:
        """Rows by micro-batch and table."""
        if self._batches is None:
            found = read_json(self._spark, self.path, FORMAT) or {}
            self._batches = {int(batch): rows for batch, rows in found.items()}
        return self._batches

    def wrote(self, batch: int, rows: Mapping[str, int]) -> None:
        """A micro-batch has written its tables."""
        self.keep({**self.read(), batch: dict(rows)})

    def keep(self, batches: Batches) -> None:
        """Write the note anew."""
        last = sorted(batches)[-KEPT:]
        self._batches = {batch: batches[batch] for batch in last}
        write_json(self._spark, self.path, {str(batch): rows for batch, rows in self._batches.items()}, FORMAT)

    def missing(self, sink: Endpoint) -> dict[str, list[int]]:
        """Table -> micro-batches that were committed and are not in the sink."""
        if sink.format not in sinks.FOLDERS:
            return {}
        committed = log(self._spark, self._checkpoint, COMMITS).last
        found: dict[str, list[int]] = {}
        for batch, rows in self.read().items():
            for table, count in rows.items():
                if count and committed is not None and batch <= committed and not self._is_there(sink, table, batch):
                    found.setdefault(table, []).append(batch)
        return found

    def _is_there(self, sink: Endpoint, table: str, batch: int) -> bool:
        place, files = located(self._spark, sinks.folder(sink, table, batch))
        return bool(files.exists(place)) and any(
            not status.getPath().getName().startswith(("_", ".")) for status in files.listStatus(place)
        )

    def check(self, sink: Endpoint) -> None:
        """Before a stream goes on: everything that was written must still be there."""
        noted, committed = max(self.read(), default=None), log(self._spark, self._checkpoint, COMMITS).last
        if noted is not None and noted > (-1 if committed is None else committed) + 1:
            raise DamagedError(
                f"{self._checkpoint}/{COMMITS}",
                f"micro-batch {noted} was written, and the last that it has is "
                f"{'none' if committed is None else committed}",
            )
        if missing := self.missing(sink):
            lacks = " and ".join(f"the {table} of {batches_text(batches)}" for table, batches in missing.items())
            raise SparingError(
                f"The sink {sink.path} lacks {lacks}, which the checkpoint {self._checkpoint} has committed: put them "
                f"back, or see '{CALLED}' for ways to have them written again or to go on without them."
            )


def batches_text(batches: Sequence[int]) -> str:
    """Numbers of micro-batches in words.

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
