"""AncestorCoverK by several means: which boxes do fewer than k others contain and outrank, by area, then by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.standing import Standing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def by_sparing(low: np.ndarray, high: np.ndarray, k: int) -> np.ndarray:
    """Everything from the bounds on: coding, ranking, the walk."""
    return ancestor_cover(Standing.by_score(CodedBoxes.of_numbers(low, high), (high - low).prod(axis=1)), k)


def by_numpy(low: np.ndarray, high: np.ndarray, k: int) -> np.ndarray:
    """From the largest to the smallest, each compared with all that were kept before."""
    order = np.argsort(-(high - low).prod(axis=1), kind="stable")
    kept_low, kept_high = np.empty_like(low), np.empty_like(high)
    kept, forwarded = 0, np.zeros(len(low), dtype=bool)
    for box in order:
        inside = (kept_low[:kept] <= low[box]).all(axis=1) & (kept_high[:kept] >= high[box]).all(axis=1)
        if np.count_nonzero(inside) < k:
            kept_low[kept], kept_high[kept] = low[box], high[box]
            kept += 1
            forwarded[box] = True
    return forwarded


def as_frame(spark: SparkSession, low: np.ndarray, high: np.ndarray) -> DataFrame:
    """The boxes as a table, cached."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {"id": np.arange(len(low)), "area": (high - low).prod(axis=1)}
    for dimension in range(low.shape[1]):
        columns |= {f"low{dimension}": low[:, dimension], f"high{dimension}": high[:, dimension]}
    frame = spark.createDataFrame(pd.DataFrame(columns)).repartition(spark.sparkContext.defaultParallelism).cache()
    frame.count()
    return frame


def by_spark(frame: DataFrame, dimensions: int, k: int) -> np.ndarray:
    """A join of the table with itself on containment and rank; those with k partners or more are left out."""
    from pyspark.sql import functions as F

    a, b = frame.alias("a"), frame.alias("b")
    better = (F.col("a.area") > F.col("b.area")) | (
        (F.col("a.area") == F.col("b.area")) & (F.col("a.id") < F.col("b.id"))
    )
    for dimension in range(dimensions):
        better &= F.col(f"a.low{dimension}") <= F.col(f"b.low{dimension}")
        better &= F.col(f"a.high{dimension}") >= F.col(f"b.high{dimension}")
    covered = a.join(b, better).groupBy(F.col("b.id").alias("id")).count().where(F.col("count") >= k).select("id")
    found = frame.select("id").join(covered, "id", "left_anti").toPandas()["id"].to_numpy()
    forwarded = np.zeros(frame.count(), dtype=bool)
    forwarded[found] = True
    return forwarded
