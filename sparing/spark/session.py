"""A Spark session that suits Sparing, on a laptop or a cluster."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.accumulators import AccumulatorTCPServer, AccumulatorUnixServer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparing.model.errors import SparingError
from sparing.spark.failures import cause

OLDEST_JAVA = 17
JAVA_EXIT_SECONDS = 1  # the time that a Java process needs to exit
MASTERS = ("local", "spark://", "yarn", "k8s://")

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    # Parcels are few and large: large Arrow batches, and (on a local master) no more partitions than cores.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    # With a limit in bytes, Spark measures the whole batch again for every row.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    # Shredding writes a Parquet column per field of a payload, which takes most of the time of writing notifications.
    "spark.sql.variant.writeShredding.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}


def session(master: str = "local[*]", name: str = "sparing", settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start (or get) a Spark session; `settings` are further Spark settings, which override those of Sparing.

    Workers run the same Python interpreter, so on one machine they find the same packages.
    """
    if not master.startswith(MASTERS):
        raise SparingError(
            f"{master!r} is not a Spark master: use local[2], local[*], spark://HOST:7077, yarn or k8s://HOST:443."
        )
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    chosen = dict(SETTINGS)
    if master.startswith("local"):
        # Spark cannot bind to a host name that does not resolve; a local master needs loopback only.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        chosen["spark.sql.shuffle.partitions"] = str(_cores(master))
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in (chosen | dict(settings or {})).items():
        builder = builder.config(key, value)
    try:
        spark: SparkSession = builder.getOrCreate()
    except (PySparkException, Py4JJavaError) as error:
        why = "Java exited at once" if "JAVA_GATEWAY_EXITED" in str(error) else cause(error).rstrip(".")
        raise SparingError(f"Spark does not start on {master}: {why}; check the master and the settings.") from None
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _cores(master: str) -> int:
    """Return the number of cores of a local master."""
    if cluster := re.fullmatch(r"local-cluster\[(\d+),(\d+),\d+\]", master.replace(" ", "")):
        return int(cluster[1]) * int(cluster[2])
    if local := re.fullmatch(r"local\[(\d+)(?:,\d+)?\]", master):
        return int(local[1])
    return os.cpu_count() or 2


def check_java() -> None:
    """Raise `SparingError` if there is no suitable Java: Spark's own errors are long."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    remedy = f"install one, e.g. with 'apt-get install openjdk-{OLDEST_JAVA}-jre-headless'."
    if java is None or not Path(java).exists():
        raise SparingError(f"Spark needs a Java runtime, {OLDEST_JAVA} or newer, and none was found: {remedy}")
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60).stderr
    except OSError as error:
        raise SparingError(f"Spark needs Java, but {java} does not run ({error.strerror}): {remedy}") from None
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if version and int(version[1]) < OLDEST_JAVA:
        raise SparingError(f"Spark needs Java {OLDEST_JAVA} or newer, and {java} is {version[1]}: {remedy}")


@contextmanager
def report_java_exit(spark: SparkSession) -> Iterator[None]:
    """Raise one `SparingError` in place of other errors if Spark's Java process exits inside."""
    if not logging.getLogger().handlers:
        # PySpark and Py4J log every command that does not reach Java, with its stack.
        logging.getLogger().addHandler(logging.NullHandler())
    # The server for accumulators, which Sparing does not use, prints an error when Java exits.
    for server in (AccumulatorTCPServer, AccumulatorUnixServer):
        setattr(server, "handle_error", lambda *_: None)  # noqa: B010 (a method, to mypy)
    try:
        yield
    except Exception:
        if not _java_has_exited(spark):
            raise
        raise SparingError(
            "Spark's Java process has ended: it was killed or ran out of memory (--conf spark.driver.memory=4g "
            "gives it more); run again, and a stream resumes from its checkpoint."
        ) from None


def stop(spark: SparkSession) -> None:
    """Stop a session, even if its Java process has exited."""
    try:
        spark.stop()
    except Exception:
        if not _java_has_exited(spark):
            raise


def _java_has_exited(spark: SparkSession) -> bool:
    process = getattr(spark.sparkContext._gateway, "proc", None)  # noqa: SLF001
    if process is None:
        return False
    try:
        process.wait(JAVA_EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True
