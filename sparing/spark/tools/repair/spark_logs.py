"""Spark's logs in a checkpoint: planned (`offsets`) and committed micro-batches (`commits`), files read by sources.

An entry is a file named by its number: a line with the version, then lines of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream.durable import DamagedError, read_bytes, write_bytes

OFFSETS, COMMITS = "offsets", "commits"
COMPACT = ".compact"
LOG_OFFSET = "logOffset"  # in the offset of a source of files: the last entry of its own log
NO_OFFSET = "-"  # the offset of a source without data


@dataclass(frozen=True)
class SparkLog:
    """One log; its list of entries is read once per `SparkLog`."""

    spark: SparkSession
    folder: str

    @cached_property
    def names(self) -> dict[int, str]:
        """Number -> file name, in ascending order."""
        place, files = hadoop_path(self.spark, self.folder)
        if not files.exists(place):
            return {}
        names = [status.getPath().getName() for status in files.listStatus(place)]
        numbered = {int(name.removesuffix(COMPACT)): name for name in sorted(names) if _is_entry(name)}
        return dict(sorted(numbered.items()))

    @property
    def last(self) -> int | None:
        """The number of the last entry."""
        return max(self.names, default=None)

    def path(self, number: int) -> str:
        """Return the file of an entry."""
        return f"{self.folder}/{self.names.get(number, number)}"

    def lines(self, number: int) -> list[str]:
        """Return the lines of an entry after the version; raises `DamagedError`."""
        path = self.path(number)
        data = read_bytes(self.spark, path)
        if data is None:
            raise DamagedError(path, "it is missing")
        try:
            version, *lines = data.decode().lstrip("\0").splitlines()  # the Kafka source begins with a zero byte
        except (ValueError, UnicodeDecodeError):
            raise DamagedError(path, "it is empty" if not data else "it is not text") from None
        if not (version.startswith("v") and version[1:].isdigit()):
            raise DamagedError(path, "it does not begin with a version of Spark's format")
        for line in lines:
            _parsed(path, line)
        return lines

    def records(self, number: int) -> list[Any]:
        """Return the parsed lines of an entry; None for a source without data."""
        return [_parsed(self.path(number), line) for line in self.lines(number)]

    def metadata(self, number: int) -> dict[str, Any]:
        """Return the first line of an entry of `offsets` or `commits`."""
        found = self.records(number)
        if not found or not isinstance(found[0], dict):
            raise DamagedError(self.path(number), "it lacks Spark's metadata of the micro-batch")
        return found[0]

    def write(self, number: int, lines: Sequence[str]) -> None:
        """Write or replace an entry."""
        write_bytes(self.spark, self.path(number), "\n".join(["v1", *lines]).encode())


def _is_entry(name: str) -> bool:
    return name.removesuffix(COMPACT).isdigit()


def _parsed(path: str, line: str) -> Any:
    try:
        return None if line == NO_OFFSET else json.loads(line)
    except ValueError:
        raise DamagedError(path, "a line is not JSON, perhaps cut off") from None


def spark_log(spark: SparkSession, checkpoint: str, name: str) -> SparkLog:
    """Return a log of a checkpoint: `offsets`, `commits`, or `sources/0`."""
    return SparkLog(spark, f"{checkpoint.rstrip('/')}/{name}")


def source_logs(spark: SparkSession, checkpoint: str) -> list[SparkLog]:
    """Return the logs of sources of files."""
    place, files = hadoop_path(spark, f"{checkpoint.rstrip('/')}/sources")
    if not files.exists(place):
        return []
    names = sorted(status.getPath().getName() for status in files.listStatus(place))
    return [spark_log(spark, checkpoint, f"sources/{name}") for name in names if name.isdigit()]
