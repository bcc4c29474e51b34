"""Fixtures for tests of time and memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sparing.match import Index
from tests.match.worlds import WAYS, tuned


@pytest.fixture(scope="session")
def compiled():
    """Compile all kernels, or load what has been compiled, before anything is measured."""
    x = np.arange(600)
    batch = pa.table({"s": ["a"] * 600, "x": x})
    for way in WAYS:
        with tuned(way):
            index = Index({"s": "string", "x": "bigint"}, {"where": ["x > 1", "s = 'a'", "x = 3", "x IN (1, 3)"]})
            index.insert("later", "x < 5")
            for rows in (1, 600):
                index.match(batch.slice(0, rows))
                list(index.slices(batch.slice(0, rows), 100))
