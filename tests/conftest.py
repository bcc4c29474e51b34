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


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal out whole files to the processes of `pytest -n`, those with Spark first.

    So each process starts one Spark session at most, and the many short tests without Spark fill up the end. Tests that
    look at the same stream are one group: it runs once.
    """
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        shared = "watched" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("watched" if shared else item.location[0]))
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """One small session for all tests that need Spark, started by the first of them."""
    from sparing.spark.session import session

    started = session("local[2]", "sparing tests", SHORT_LIVED)
    yield started
    started.stop()
