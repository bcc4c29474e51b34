"""What a checkpoint belongs to: a note beside it, checked before a stream goes on from it.

Spark goes on from a checkpoint without complaint even if the number of shuffle partitions or the meaning of the state
has changed, and then loses or mixes up state. The note says what the state was made with. Subscriptions may come and go
between two runs; topics, overlay and link policy may not.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.model.errors import SparingError
from sparing.spark.sources import hadoop_path

FORMAT = 1


@dataclass(frozen=True)
class Note:
    """What the state of a checkpoint was made with, and the interest group of each subscription so far."""

    format: int
    partitions: int
    topics: str
    overlay: str
    decision: str
    groups: dict[str, str]


_MEANING = {
    "format": "was written by another version of Sparing",
    "partitions": "was made with another number of shuffle partitions (spark.sql.shuffle.partitions)",
    "topics": "was made with other topics",
    "overlay": "was made with another overlay or other subscriber brokers",
    "decision": "was made with another link policy",
}


def note_for(spark: SparkSession, deployment: Deployment, groups: dict[str, str]) -> Note:
    """The note of a stream that is to be started."""
    return Note(
        FORMAT,
        int(spark.conf.get("spark.sql.shuffle.partitions") or 0),
        _digest({n: [t.time, {f: k.name for f, k in t.fields.items()}] for n, t in deployment.topics.items()}),
        _digest(
            [deployment.overlay.brokers, [[link.one, link.other, link.delay] for link in deployment.overlay.links]]
        ),
        deployment.policy.decision,
        groups,
    )


def _digest(thing: Any) -> str:
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


def known_groups(spark: SparkSession, checkpoint: str) -> dict[str, str]:
    """The interest groups of a checkpoint, none if there is no such checkpoint yet."""
    note = _read(spark, checkpoint)
    return {} if note is None else note.groups


def check_in(spark: SparkSession, checkpoint: str, note: Note) -> None:
    """Make sure that a stream may go on from a checkpoint, and leave the note for the next."""
    before = _read(spark, checkpoint)
    if before is not None:
        for key, meaning in _MEANING.items():
            if getattr(before, key) != getattr(note, key):
                raise SparingError(
                    f"The checkpoint {checkpoint} {meaning}: put that back as it was, or start with a new checkpoint."
                )
        note = Note(**{**vars(note), "groups": before.groups | note.groups})
    _write(spark, checkpoint, note)


def _read(spark: SparkSession, checkpoint: str) -> Note | None:
    path, files = _place(spark, checkpoint)
    if not files.exists(path):
        return None
    stream = files.open(path)
    try:
        text = bytes(spark._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))  # type: ignore[union-attr]
    finally:
        stream.close()
    return Note(**json.loads(text))


def _write(spark: SparkSession, checkpoint: str, note: Note) -> None:
    path, files = _place(spark, checkpoint)
    stream = files.create(path, True)
    try:
        stream.write(bytearray(json.dumps(vars(note), indent=1).encode()))
    finally:
        stream.close()


def _place(spark: SparkSession, checkpoint: str) -> tuple[Any, Any]:
    path = hadoop_path(spark, f"{checkpoint.rstrip('/')}/sparing.json")
    return path, path.getFileSystem(spark._jsc.hadoopConfiguration())  # type: ignore[attr-defined]
