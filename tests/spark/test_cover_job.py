"""Covering as a Spark job gives what covering in one process gives."""

from __future__ import annotations

import numpy as np
import pytest
from pyspark.sql import SparkSession

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.standing import Standing
from sparing.language.parse import parse_filter
from sparing.model.errors import SparingError
from sparing.model.types import DOUBLE, INT, STRING
from sparing.spark.cover_job import cover
from tests.tries import THOROUGH

pytestmark = pytest.mark.spark
FIELDS = {"x": DOUBLE, "n": INT, "s": STRING}
CASES = [(3, 250), *([(1, 100), (3, 10_000)] if THOROUGH else [])]  # k, boxes in a block


def test_any_table_in_blocks(spark: SparkSession) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for number in range(600):
        low, width = rng.random(), rng.uniform(0.1, 0.6)
        parts = [f"x >= {low:.3f} AND x < {low + width:.3f}"]
        if number % 3:
            parts.append(f"n BETWEEN {rng.integers(0, 3)} AND {rng.integers(3, 6)}")
        if number % 4 == 0:
            parts.append(f"s IN ({', '.join(repr(str(t)) for t in rng.choice(list('abc'), 2, replace=False))})")
        rows.append((f"s{number:03}", " AND ".join(parts), None if number % 50 == 0 else float(rng.integers(0, 20))))
    table = spark.createDataFrame(rows, "id string, where string, score double")
    boxes = CodedBoxes.of([parse_filter(where, FIELDS) for _, where, _ in rows], FIELDS)
    scores = np.array([np.nan if score is None else score for _, _, score in rows])
    for k, block in CASES:
        kept = ancestor_cover(Standing.by_score(boxes, scores), k)
        expected = {row[0] for row, forwarded in zip(rows, kept.tolist(), strict=True) if forwarded}
        found = cover(table, FIELDS, k, block)
        assert found.columns == table.columns
        assert {row["id"] for row in found.collect()} == expected
        assert 0 < len(expected) < len(rows)


def test_columns_of_bounds(spark: SparkSession) -> None:
    rows = [("a", 3.0, 0.0, 9.0), ("b", 2.0, 1.0, 5.0), ("c", 1.0, 2.0, 3.0), ("d", 0.0, 0.0, None)]
    table = spark.createDataFrame(rows, "id string, score double, `x >=` double, `x <` double")
    assert {row["id"] for row in cover(table, {"x": DOUBLE}, 1).collect()} == {"a", "d"}
    assert {row["id"] for row in cover(table, {"x": DOUBLE}, 2).collect()} == {"a", "b", "d"}


def test_what_is_wrong_is_said(spark: SparkSession) -> None:
    table = spark.createDataFrame([("a", "x > 1")], "id string, where string")
    with pytest.raises(SparingError, match="no column 'score'"):
        cover(table, {"x": DOUBLE}, 1)
