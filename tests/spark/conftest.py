"""What several tests with Spark look at, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.spark.watched import Watched


@pytest.fixture(scope="session")
def watched(spark, tmp_path_factory) -> Watched:
    """A stream that was watched while it ran."""
    from tests.spark.watched import watched_run

    return watched_run(spark, tmp_path_factory.mktemp("watched"))
