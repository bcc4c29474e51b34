"""Settings that all tests share."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Other examples are drawn in every run, so few of them are enough; SPARING_TESTS=thorough tries many.
settings.register_profile("default", deadline=None, derandomize=False, print_blob=True, max_examples=50)
settings.register_profile("thorough", deadline=None, derandomize=False, print_blob=True, max_examples=500)
settings.load_profile(os.environ.get("SPARING_TESTS", "default"))


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """One small session for all tests that need Spark, started by the first of them."""
    from sparing.spark.session import session

    started = session("local[2]", "sparing tests")
    yield started
    started.stop()
