"""Paths on whatever file system they name: local, HDFS, object stores."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def located(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """A Hadoop path, and the file system that it is on."""
    found = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return found, found.getFileSystem(spark._jsc.hadoopConfiguration())
