"""The content of a checkpoint, read without running the stream and without changing the checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.interests import Interests, topic_in
from sparing.model.errors import SparingError
from sparing.spark.failures import cause
from sparing.spark.io.paths import hadoop_path
from sparing.spark.pipeline.worker_plan import WorkerPlan
from sparing.spark.stream.checkpoint import Note, path_of_note, read_note
from sparing.spark.stream.durable import read_bytes
from sparing.spark.tools.inspect_state import CheckpointContext, KeyState, key_state

MOST = 200  # characters of a source's offset
NO_STATE = "no micro-batch has been committed yet, so there is no state."


@dataclass(frozen=True)
class Inspection:
    """The content of a checkpoint; times in microseconds since 1970.

    `watermark` is that of the last committed micro-batch, `next_watermark` that of the next. `state` is None if it
    cannot be read, for the reason `trouble`.
    """

    path: str
    note: Mapping[str, Any]
    planned: int | None
    committed: int | None
    watermark: int | None
    next_watermark: int | None
    offsets: tuple[str, ...]
    state: tuple[KeyState, ...] | None
    trouble: str | None

    @property
    def topics(self) -> list[str]:
        """Topics with state: of windows, digests or merged events."""
        groups = {topic_in(name) for name in self.note["groups"].values()}
        return sorted(groups | {key.topic for key in self.state or ()})

    @property
    def plans(self) -> list[str]:
        """Fingerprints of the plans under which states were last written."""
        return sorted({state.plan for key in self.state or () for state in (key, *key.groups)})


def inspect(spark: SparkSession, path: str, deployment: Deployment | None = None) -> Inspection:
    """Read a checkpoint; its deployment adds details about the state."""
    path = path.rstrip("/") or "/"
    note = _note(spark, path)
    planned, committed = (max(_numbers(spark, f"{path}/{log}"), default=None) for log in ("offsets", "commits"))
    offsets: list[str] = []
    watermark = next_watermark = None
    if planned is not None:
        offsets = [text[:MOST] for text in _lines(spark, f"{path}/offsets/{planned}")[2:]]
    if committed is not None:
        begun, done = (_lines(spark, f"{path}/{log}/{committed}") for log in ("offsets", "commits"))
        watermark = _micros(begun, "batchWatermarkMs")
        next_watermark = _micros(done, "nextBatchWatermarkMs")
    state, trouble = (None, NO_STATE) if committed is None else _state(spark, path, note, deployment)
    return Inspection(
        path=path,
        note=vars(note),
        planned=planned,
        committed=committed,
        watermark=watermark,
        next_watermark=next_watermark,
        offsets=tuple(offsets),
        state=state,
        trouble=trouble,
    )


def _note(spark: SparkSession, path: str) -> Note:
    place, files = hadoop_path(spark, path)
    if not files.exists(place):
        raise SparingError(f"The checkpoint {path} does not exist: check its path.")
    note = read_note(spark, path)
    if note is None:
        inside = f"{path}/checkpoint"
        if files.exists(hadoop_path(spark, path_of_note(inside))[0]):
            raise SparingError(f"{path} is not a checkpoint, but contains one: inspect {inside}.")
        raise SparingError(f"{path} is not a checkpoint, because it has no sparing.json: check its path.")
    return note


def _numbers(spark: SparkSession, folder: str) -> list[int]:
    """Return the micro-batches with an entry in a log of Spark."""
    place, files = hadoop_path(spark, folder)
    if not files.exists(place):
        return []
    names = [status.getPath().getName() for status in files.listStatus(place)]
    return [int(name) for name in names if name.isdigit()]


def _lines(spark: SparkSession, path: str) -> list[str]:
    text = read_bytes(spark, path)
    return [] if text is None else text.decode().splitlines()


def _micros(lines: list[str], key: str) -> int | None:
    """Return a time from the second line of a log's entry; None if it is missing or 0."""
    try:
        return int(json.loads(lines[1])[key]) * 1_000 or None
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def _state(
    spark: SparkSession, path: str, note: Note, deployment: Deployment | None
) -> tuple[tuple[KeyState, ...] | None, str | None]:
    """Return the state by key, or None and the reason why it cannot be read."""
    worker_plan = None if deployment is None else _worker_plan(note, deployment)
    try:
        with without_escapes(spark, path) as name:
            state = spark.read.format("statestore").load(name)
            rows = state.selectExpr("key.group", "value.groupState.state").collect()
    except (PySparkException, Py4JJavaError) as error:
        return None, f"the state cannot be read: {cause(error)}"
    known = CheckpointContext(note.brokers, worker_plan)
    try:
        found = [key_state(row["group"], bytes(row["state"]), known) for row in rows]
    except Exception as error:  # the rest can still be shown
        return None, f"the state cannot be unpacked: {type(error).__name__}: {error}"
    return tuple(sorted(found, key=lambda key: key.name)), None


@contextmanager
def without_escapes(spark: SparkSession, path: str) -> Iterator[str]:
    """Yield a path to a checkpoint without characters that URLs escape: Spark's state reader escapes them twice."""
    place, files = hadoop_path(spark, path)
    url = files.makeQualified(place).toUri()
    if url.getScheme() != "file" or url.getRawPath() == url.getPath():
        yield path
        return
    with TemporaryDirectory() as folder:
        name = Path(folder) / "checkpoint"
        name.symlink_to(url.getPath())
        yield str(name)


def _worker_plan(note: Note, deployment: Deployment) -> WorkerPlan:
    if list(deployment.overlay.brokers) != note.brokers:
        raise SparingError(
            f"Deployment {deployment.name} has other brokers than the checkpoint: choose the checkpoint's deployment."
        )
    interests = Interests.of(plan_of(deployment), keep_fields=True, known_groups=note.groups)
    return WorkerPlan(interests, "inspected")
