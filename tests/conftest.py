"""Settings that all tests share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.tries import tries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Java lives for minutes here and sees few rows: compiling at length and collecting garbage in parallel do not pay.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Its heap holds what all tests leave behind, beside a line of 100 MB.
SHORT_LIVED = {
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.extraJavaOptions": _QUICK,
}

settings.register_profile("sparing", deadline=None, derandomize=False, print_blob=True, max_examples=tries(75))
settings.load_profile("sparing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with Spark where `pytest -n` deals out files to processes.

    Each process has one Spark session at most, and the many short tests without Spark fill up the end.
    """
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("spark") is None)


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """One small session for all tests that need Spark, started by the first of them."""
    from sparing.spark.session import session

    started = session("local[2]", "sparing tests", SHORT_LIVED)
    yield started
    started.stop()
