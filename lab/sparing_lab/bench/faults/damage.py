"""Damaged files: each kind of file of a checkpoint and of a sink, damaged in each way, while the stream is stopped."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.model.errors import SparingError
from sparing.spark.run import checkpoint_of, stream, wait
from sparing.spark.stream.written_files import WrittenFiles
from sparing.spark.tools.repair.fix import fix
from sparing.spark.tools.repair.rewind import redo
from sparing_lab.bench.faults.outcome import MENDED, Outcome
from sparing_lab.bench.faults.trace import Trace
from sparing_lab.bench.results import Rows

STOPPED = "stopped"
AFTER = 11  # files that the stream had read when it was stopped
SOURCE = "half"


def _last(folder: str) -> Callable[[Path], Path]:
    def found(checkpoint: Path) -> Path:
        entries = [file for file in (checkpoint / folder).iterdir() if file.name.split(".")[0].isdigit()]
        return max(entries, key=lambda file: int(file.name.split(".")[0]))

    return found


def _state(checkpoint: Path) -> Path:
    changes = (checkpoint / "state").rglob("*.changelog")
    return max(changes, key=lambda file: (int(file.name.split(".")[0].split("_")[0]), file.stat().st_size))


FILES: dict[str, Callable[[Path], Path]] = {
    "the note sparing.json": lambda checkpoint: checkpoint / "sparing.json",
    "the control plane's book": lambda checkpoint: checkpoint / "sparing-told.json.gz",
    "the list of what was written": lambda checkpoint: checkpoint / "sparing-written.json",
    "Spark's metadata": lambda checkpoint: checkpoint / "metadata",
    "the last entry of offsets": _last("offsets"),
    "the last entry of commits": _last("commits"),
    "the last entry of sources": _last("sources/0"),
    "an older entry of offsets": lambda checkpoint: checkpoint / "offsets/1",
    "the compacted entry of sources": lambda checkpoint: checkpoint / "sources/0/9.compact",
    "the last change of the state": _state,
}


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


WAYS: dict[str, Callable[[Path], object]] = {
    "cut in half": _cut,
    "emptied": lambda file: file.write_bytes(b""),
    "overwritten": lambda file: file.write_bytes(bytes(range(256)) * 4),
    "removed": lambda file: file.unlink(),
}


@dataclass
class Damaging:
    """A stream that was stopped, copies of which are damaged; `expected` are the tables of one that was left alone."""

    spark: SparkSession
    trace: Trace
    expected: Rows
    tell: Callable[[str], None] = lambda _: None
    after: int = AFTER
    copies: int = 0

    def prepare(self) -> None:
        """Run the stream over a part of its source, and add the rest."""
        files = self.trace.files()
        self.trace.copy_files(files[: self.after], SOURCE)
        self.run(self.trace.stream(STOPPED, SOURCE))
        self.trace.copy_files(files[self.after :], SOURCE)

    def file(self, which: str, way: str) -> Outcome:
        """Damage a file."""
        outcome = Outcome(f"a file is {way}", which, MENDED, kept=True)
        path = self.copy()
        damaged = FILES[which](self.trace.checkpoint(path.stem))
        WAYS[way](damaged)
        damaged.with_name(f".{damaged.name}.crc").unlink(missing_ok=True)
        return self._mended(outcome, path, damaged.name.removesuffix(".compact"), self._fix)

    def table(self, which: str) -> Outcome:
        """Take a table out of the sink, or the last micro-batch of it."""
        path = self.copy()
        table = self.trace.folder / path.stem / "notifications"
        removed = table if which == "all micro-batches" else max(table.iterdir(), key=lambda f: int(f.name[6:]))
        shutil.rmtree(removed)
        outcome = Outcome("notifications are removed from the sink", which, MENDED, kept=True)
        return self._mended(outcome, path, "notifications", self._redo)

    def copy(self) -> Path:
        """The deployment file of a copy of the stream that was stopped."""
        self.copies += 1
        return self.trace.copy_stream(STOPPED, f"damaged{self.copies}", SOURCE)

    def run(self, path: Path) -> None:
        """Have a stream work through its source."""
        wait(stream(self.spark, Deployment.read(path), once=True))

    def _fix(self, deployment: Deployment) -> None:
        fix(self.spark, checkpoint_of(deployment), deployment.needed_sink())

    def _redo(self, deployment: Deployment) -> None:
        checkpoint, sink = checkpoint_of(deployment), deployment.needed_sink()
        missing = WrittenFiles(self.spark, checkpoint).missing(sink)
        redo(self.spark, checkpoint, sink, min(batch for batches in missing.values() for batch in batches))

    def _mended(self, outcome: Outcome, path: Path, named: str, mend: Callable[[Deployment], None]) -> Outcome:
        happened = ""
        try:
            self.run(path)
            happened = "goes on by itself; all tables as if undisturbed"
        except SparingError as error:
            if named not in str(error) or "\n" in str(error):
                return self._broken(outcome, f"does not say what is damaged: {error}")
            try:
                mend(Deployment.read(path))
                self.run(path)
            except SparingError as after:
                return self._broken(outcome, f"{error} Then: {after}")
        found = self.trace.results(path.stem)
        other = [name for name, rows in found.items() if rows != self.expected[name]]
        self.tell(f"{outcome.where}, {outcome.fault}: {happened or 'mended'}")
        if other:
            return self._broken(outcome, f"other {' and '.join(other)}")
        for left in (self.trace.folder / path.stem, self.trace.checkpoint(path.stem)):
            shutil.rmtree(left)
        return Outcome(outcome.fault, outcome.where, outcome.promised, kept=True, happened=happened)

    def _broken(self, outcome: Outcome, happened: str) -> Outcome:
        self.tell(f"{outcome.where}, {outcome.fault}: {happened}")
        return Outcome(outcome.fault, outcome.where, outcome.promised, kept=False, happened=happened)
