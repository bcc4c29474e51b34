"""The folder for files that a repair removes from a checkpoint, a sink or a source: no file is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from sparing.spark.io.paths import copy_path, hadoop_path

FOLDER = "set-aside"


@dataclass(frozen=True)
class SetAsideFolder:
    """The folder for files removed from a checkpoint or a sink (`place`), named by the time of the repair."""

    spark: SparkSession
    place: str
    name: str

    @classmethod
    def of(cls, spark: SparkSession, place: str) -> SetAsideFolder:
        """Return a new folder."""
        return cls(spark, place.rstrip("/"), datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ"))

    @property
    def path(self) -> str:
        """Its path."""
        return f"{self.place}/{FOLDER}/{self.name}"

    def move(self, path: str, name: str | None = None) -> None:
        """Move a file or folder here, under the same relative name; do nothing if it does not exist."""
        self._take(path, name, keep=False)

    def copy(self, path: str, name: str) -> None:
        """Copy a file here."""
        self._take(path, name, keep=True)

    def _take(self, path: str, name: str | None, keep: bool) -> None:
        place, files = hadoop_path(self.spark, path)
        if not files.exists(place):
            return
        top_path, top_files = hadoop_path(self.spark, self.place)
        top = top_files.makeQualified(top_path).toUri().getPath()
        inside = name or files.makeQualified(place).toUri().getPath().removeprefix(top).lstrip("/")
        copy_path(self.spark, path, f"{self.path}/{inside}", keep=keep)
