"""The folder for files that a repair removes from a checkpoint, a sink or a source: no file is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from sparing.spark.io.paths import copy_path, hadoop_path

FOLDER = "set-aside"


@dataclass(frozen=True)
class SetAsideFolder:
    """A folder for what one repair takes out of a place (a checkpoint or a sink), named by the time of the repair."""

    spark: SparkSession
    place: str
    name: str

    @classmethod
    def of(cls, spark: SparkSession, place: str) -> SetAsideFolder:
        """A new one."""
        return cls(spark, place.rstrip("/"), datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ"))

    @property
    def path(self) -> str:
        """Where it is."""
        return f"{self.place}/{FOLDER}/{self.name}"

    def move(self, path: str, name: str | None = None) -> None:
        """Move a file or folder of the place here, by the same relative name; does nothing if it is not there."""
        self._take(path, name, keep=False)

    def copy(self, path: str, name: str) -> None:
        """Copy a file here."""
        self._take(path, name, keep=True)

    def _take(self, path: str, name: str | None, keep: bool) -> None:
        place, files = hadoop_path(self.spark, path)
        if not files.exists(place):
            return
        top = (
            hadoop_path(self.spark, self.place)[1]
            .makeQualified(hadoop_path(self.spark, self.place)[0])
            .toUri()
            .getPath()
        )
        inside = name or files.makeQualified(place).toUri().getPath().removeprefix(top).lstrip("/")
        copy_path(self.spark, path, f"{self.path}/{inside}", keep=keep)
