"""Paths on any file system of Spark: local, HDFS, object stores."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.failures import cause

_SPECIAL = re.compile(r"[\\*?{}\[\]]")  # special characters of path patterns


def hadoop_path(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return a path as a Hadoop path, and its file system."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return place, place.getFileSystem(spark._jsc.hadoopConfiguration())


def as_pattern(spark: SparkSession, path: str) -> str:
    """Return a path or pattern for Spark's readers: escaped in the part that exists literally."""
    if not _SPECIAL.search(path):
        return path
    place, files = hadoop_path(spark, path)
    whole, known = str(place.toString()), place
    while known is not None and not files.exists(known):
        known = known.getParent()
    literal = "" if known is None else known.toString()
    return _SPECIAL.sub(r"\\\g<0>", literal) + whole.removeprefix(literal)


def must_be_folder(spark: SparkSession, folder: str, what: str) -> None:
    """Check that a folder exists or can be created; `what` names it in error messages."""
    try:
        place, files = hadoop_path(spark, folder)
        while place is not None and not files.exists(place):
            place = place.getParent()
        file = place if place is not None and files.getFileStatus(place).isFile() else None
    except Py4JJavaError as error:
        raise SparingError(f"{what} cannot be reached: {cause(error).rstrip('.')}; check its path.") from None
    if file is not None:
        raise SparingError(
            f"{what} cannot be written, because {file.toUri().getPath()} is a file, not a folder: "
            "choose another path, or remove the file."
        )
    local = local_path(spark, place.toString()) if place is not None else None
    if local is not None and not os.access(local, os.W_OK | os.X_OK):
        raise SparingError(
            f"{what} cannot be written, because {local} is read-only for this user: "
            "choose another path, or grant the user write permission."
        )


def local_path(spark: SparkSession, path: str) -> Path | None:
    """Return a path on the local file system, None if it is on another one."""
    place, files = hadoop_path(spark, path)
    url = files.makeQualified(place).toUri()
    return Path(url.getPath()) if url.getScheme() == "file" else None


def copy_path(spark: SparkSession, path: str, target: str, keep: bool = True) -> None:
    """Copy a file or folder, also between file systems; without `keep`, move it."""
    (source, source_files), (goal, goal_files) = hadoop_path(spark, path), hadoop_path(spark, target)
    goal_files.mkdirs(goal.getParent())
    if not keep and source_files.getUri() == goal_files.getUri() and source_files.rename(source, goal):
        return
    util = spark._jvm.org.apache.hadoop.fs.FileUtil  # type: ignore[union-attr]
    util.copy(source_files, source, goal_files, goal, not keep, spark._jsc.hadoopConfiguration())
