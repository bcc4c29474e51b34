"""Paths on whatever file system they name: local, HDFS, object stores."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.failures import cause

_SPECIAL = re.compile(r"[\\*?{}\[\]]")  # characters that have a meaning in patterns


def hadoop_path(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """A Hadoop path, and the file system that it is on."""
    found = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return found, found.getFileSystem(spark._jsc.hadoopConfiguration())


def as_pattern(spark: SparkSession, path: str) -> str:
    """A path or pattern as readers want it: as much of it as exists by exactly this name has its characters escaped."""
    if not _SPECIAL.search(path):
        return path
    place, files = hadoop_path(spark, path)
    whole, known = str(place.toString()), place
    while known is not None and not files.exists(known):
        known = known.getParent()
    literal = "" if known is None else known.toString()
    return _SPECIAL.sub(r"\\\g<0>", literal) + whole.removeprefix(literal)


def must_be_folder(spark: SparkSession, folder: str, what: str) -> None:
    """Make sure, before anything takes long, that a folder is there or can be made; `what` says whose it is."""
    try:
        place, files = hadoop_path(spark, folder)
        while place is not None and not files.exists(place):
            place = place.getParent()
        file = place if place is not None and files.getFileStatus(place).isFile() else None
    except Py4JJavaError as error:
        raise SparingError(f"{what} cannot be reached: {cause(error).rstrip('.')}; check its path.") from None
    if file is not None:
        raise SparingError(
            f"{what} cannot be written, because {file.toUri().getPath()} is a file and no folder: "
            "choose another path, or take the file away."
        )
    local = local_path(spark, place.toString()) if place is not None else None
    if local is not None and not os.access(local, os.W_OK | os.X_OK):
        raise SparingError(
            f"{what} cannot be written, because {local} is read-only for this user: "
            "choose another path, or give the user the right to write there."
        )


def local_path(spark: SparkSession, path: str) -> Path | None:
    """A path as this process knows it, None if it is on another file system."""
    place, files = hadoop_path(spark, path)
    url = files.makeQualified(place).toUri()
    return Path(url.getPath()) if url.getScheme() == "file" else None


def copy_path(spark: SparkSession, path: str, target: str, keep: bool = True) -> None:
    """Copy a file or folder, from one file system to another if need be; without `keep` it is moved."""
    (place, files), (there, others) = hadoop_path(spark, path), hadoop_path(spark, target)
    others.mkdirs(there.getParent())
    if not keep and files.getUri() == others.getUri() and files.rename(place, there):
        return
    util = spark._jvm.org.apache.hadoop.fs.FileUtil  # type: ignore[union-attr]
    util.copy(files, place, others, there, not keep, spark._jsc.hadoopConfiguration())
