"""Spark that cannot be started is one sentence."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from sparing.spark.session import session
from tests.messages import refused


@pytest.mark.parametrize("master", ["foo", "", "mesos://there"])
def test_a_master_that_spark_does_not_know(master):
    with refused(f"{master} local[2]"):
        session(master)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={}), "Java"),
        (PySparkRuntimeError("Could not parse Master URL: 'local[x]'."), "Could not parse Master URL"),
    ],
)
def test_spark_that_does_not_start(monkeypatch, failure, why):
    def fail(_: object) -> None:
        raise failure

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fail)
    with refused(f"local[x] {why}"):
        session("local[x]")
