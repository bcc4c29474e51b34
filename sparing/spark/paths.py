"""Paths on whatever file system they name: local, HDFS, object stores."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def located(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """A Hadoop path, and the file system that it is on."""
    found = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return found, found.getFileSystem(spark._jsc.hadoopConfiguration())


def read_bytes(spark: SparkSession, path: str) -> bytes | None:
    """What a file holds, None if there is no such file."""
    place, files = located(spark, path)
    if not files.exists(place):
        return None
    stream = files.open(place)
    try:
        return bytes(spark._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))  # type: ignore[union-attr]
    finally:
        stream.close()


def write_bytes(spark: SparkSession, path: str, content: bytes) -> None:
    """Write a file, in place of one that is there."""
    place, files = located(spark, path)
    stream = files.create(place, True)
    try:
        stream.write(bytearray(content))
    finally:
        stream.close()
