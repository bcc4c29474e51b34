"""Failures of Spark as one line: texts as Spark writes them, and files that are damaged."""

from __future__ import annotations

import gzip
import json

import pytest

import sparing
from sparing.spark import run
from sparing.spark.failures import cause, report_damaged_file
from tests.messages import missing, refused
from tests.spark import files

LINE = {"publisher": "p1", "ts": "2026-01-01T00:00:01Z", "lane": 1, "road": "401"}
EVERYTHING = {"id": "all", "subscriber": "u1", "sql": "SELECT lane, road FROM traffic"}

IN_A_BATCH = """[STREAM_FAILED] Query [id = 4, runId = 7] terminated with exception: \
[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. \
Reason: An exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):
  File "/lib/pyspark/errors/exceptions/captured.py", line 262, in deco
    raise converted from None
{raised}
 SQLSTATE: 39000 SQLSTATE: XXKST
=== Streaming Query ===
Current State: ACTIVE, SomeError: as a name in the plan
"""


IN_PYTHON = """pyspark.errors.exceptions.captured.PythonException: An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/lib/worker.py", line 1, in run
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xdf"""

IN_JAVA = """py4j.protocol.Py4JJavaError: An error occurred while calling o6.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file \
file:///city/sp%20ace/a.json.gz.  SQLSTATE: KD001
\tat org.apache.spark
Caused by: java.io.IOException: not a gzip file
\tat org.apache.hadoop
"""


@pytest.mark.parametrize(
    ("raised", "line"),
    [
        ("ValueError: 3: too many", "ValueError: 3: too many"),
        ("sparing.model.errors.SparingError: Take away the sink.", "Take away the sink."),
        (
            "pyspark.errors.exceptions.captured.SparkRuntimeException: [USER_RAISED_EXCEPTION] no SQLSTATE: P0001",
            "[USER_RAISED_EXCEPTION] no",
        ),
        (IN_PYTHON, "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xdf"),
        (IN_JAVA, "/city/sp ace/a.json.gz cannot be read: not a gzip file"),
    ],
)
def test_a_stream_that_fails_names_the_cause(raised, line):
    assert cause(IN_A_BATCH.format(raised=raised)) == line


def test_a_failure_without_words():
    assert missing(cause(""), "Spark") == []


@pytest.mark.spark
def test_damaged_files_are_named(spark, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/good.json.gz").write_bytes(gzip.compress(json.dumps(LINE).encode()))
    (tmp_path / "data/broken.json.gz").write_bytes(b"no gzip at all")
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING]))
    with refused("broken.json.gz gzip"), report_damaged_file():
        run.replay(spark, deployment)
    with refused("broken.json.gz gzip"):
        run.wait(run.stream(spark, deployment, once=True))

    (tmp_path / "parquet").mkdir()
    (tmp_path / "parquet/x.parquet").write_bytes(b"no parquet at all")
    source = {"format": "parquet", "path": "parquet"}
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING], source=source))
    with refused("x.parquet Parquet"):
        run.replay(spark, deployment)
