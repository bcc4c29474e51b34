"""Atomic writes of Sparing's files in a checkpoint: after a crash, a file has the old content or the new one.

A file is written under a temporary name, synced and renamed. Its content is JSON with a format number and a checksum,
which reveal damage. A second copy is written first; `sparing repair` restores a damaged file from it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import uuid
import zlib
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.failures import cause
from sparing.spark.io.paths import hadoop_path, local_path

COPY = ".copy"
REPAIR_COMMAND = "sparing repair FILE"  # FILE is the deployment file
_BAD_CHECKSUM = "its checksum does not fit its content"


class DamagedError(SparingError):
    """A damaged file of a checkpoint, and what is wrong with it."""

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"{file} is damaged: {what}; '{REPAIR_COMMAND}' shows how to repair it.")
        self.file, self.what = file, what


class OtherFormatError(SparingError):
    """A file of another version of Sparing."""

    def __init__(self, file: str, written: object, reads: int) -> None:
        super().__init__(
            f"{file} was written by another version of Sparing: it has format {written}, and this version reads "
            f"format {reads}; use that version, or start with a new checkpoint and a new sink path."
        )


def read_bytes(spark: SparkSession, path: str) -> bytes | None:
    """Return the content of a file, None if there is no such file."""
    place, files = hadoop_path(spark, path)
    if not files.exists(place):
        return None
    try:
        stream = files.open(place)
        try:
            return bytes(spark._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))  # type: ignore[union-attr]
        finally:
            stream.close()
    except Py4JJavaError as error:
        raise DamagedError(path, _why(error)) from None


def check_compressed(spark: SparkSession, path: str) -> None:
    """Read a file of compressed state to its end; raises `DamagedError`. Other codecs than lz4 are not checked."""
    if spark.conf.get("spark.sql.streaming.stateStore.compression.codec", "lz4") != "lz4":
        return
    place, files = hadoop_path(spark, path)
    jvm: Any = spark._jvm
    try:
        stream = jvm.net.jpountz.lz4.LZ4BlockInputStream(files.open(place))
        try:
            jvm.org.apache.commons.io.IOUtils.toByteArray(stream)
        finally:
            stream.close()
    except Py4JJavaError as error:
        raise DamagedError(path, _why(error)) from None


def _why(error: Py4JJavaError) -> str:
    return _BAD_CHECKSUM if "ChecksumException" in str(error) else cause(error).rstrip(".")


def write_bytes(spark: SparkSession, path: str, content: bytes) -> None:
    """Write or replace a file atomically."""
    local = local_path(spark, path)
    try:
        if local is None:
            _write_with_spark(spark, path, content)
        else:
            _write_locally(local, content)
    except (OSError, Py4JJavaError) as error:
        why = error.strerror if isinstance(error, OSError) else cause(error).rstrip(".")
        raise SparingError(f"{path} cannot be written ({why}): check the disk and the permissions.") from None


def _write_locally(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # Hadoop's checksum file is of the old content; without that file, Hadoop does not compare.
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_with_spark(spark: SparkSession, path: str, content: bytes) -> None:
    """Write a file as Spark writes the logs of its checkpoints, on any file system."""
    place, _ = hadoop_path(spark, path)
    streaming = spark._jvm.org.apache.spark.sql.execution.streaming.checkpointing  # type: ignore[union-attr]
    managers = getattr(getattr(streaming, "CheckpointFileManager$"), "MODULE$")
    manager = managers.create(place.getParent(), spark._jsc.hadoopConfiguration())
    if not manager.exists(place.getParent()):
        manager.mkdirs(place.getParent())
    stream = manager.createAtomic(place, True)
    try:
        stream.write(bytearray(content))
        stream.hflush()
    except Py4JJavaError:
        stream.cancel()
        raise
    stream.close()


def write_json(spark: SparkSession, path: str, content: Any, format_: int) -> None:
    """Write JSON, compressed if the name ends in .gz, and a copy of the file."""
    text = json.dumps(content, sort_keys=True)
    whole = json.dumps({"format": format_, "sha256": _digest(text), "content": json.loads(text)}, indent=1).encode()
    data = gzip.compress(whole) if path.endswith(".gz") else whole
    write_bytes(spark, path + COPY, data)
    write_bytes(spark, path, data)


def read_json(spark: SparkSession, path: str, format_: int) -> Any | None:
    """Return the JSON content of a file, None if there is no such file."""
    data = read_bytes(spark, path)
    return None if data is None else decode_json(path, data, format_)


def decode_json(path: str, data: bytes, format_: int) -> Any:
    """Return the JSON content in the data of a file that `write_json` wrote; `path` is for error messages."""
    try:
        found = json.loads(gzip.decompress(data) if path.removesuffix(COPY).endswith(".gz") else data)
    except (ValueError, OSError, EOFError, zlib.error, RecursionError):
        raise DamagedError(path, "it is empty" if not data else "it is not in Sparing's format") from None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise DamagedError(path, "it is not in Sparing's format")
    if found["format"] != format_:
        raise OtherFormatError(path, found["format"], format_)
    if found.get("sha256") != _digest(json.dumps(found.get("content"), sort_keys=True)):
        raise DamagedError(path, _BAD_CHECKSUM)
    return found["content"]


def restore(spark: SparkSession, path: str, format_: int) -> bool:
    """Replace a damaged or missing file by its copy; return whether the copy is intact."""
    data = read_bytes(spark, path + COPY)
    if data is None:
        return False
    try:
        decode_json(path + COPY, data, format_)
    except SparingError:
        return False
    write_bytes(spark, path, data)
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
