"""What is measured: which boxes fewer than k others contain that rank above them, being larger, then earlier.

- *Sparing*: AncestorCoverK from arrays of bounds: the area of boxes, coding them, putting them in order, the walk.
- *NumPy*: boxes from the largest to the smallest, each compared with those kept so far, a stretch of them at a time,
  longer and longer, until k are found.
- *Spark SQL*: the table joined with itself on containment and rank, grouped by box, those with fewer than k partners.
  The table is there, with the areas in it, and cached, before the clock starts.

All of them give a mask of the boxes that are kept. A further engine is one more function here,
and one more column in `benchmark`.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.ranked_boxes import RankedBoxes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FIRST_STRETCH = 64


def areas(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the scores by which boxes are ranked."""
    found: np.ndarray = (high - low).prod(axis=1)
    return found


def by_sparing(low: np.ndarray, high: np.ndarray, k: int) -> np.ndarray:
    """Sparing's covering."""
    return ancestor_cover(RankedBoxes.by_score(CodedBoxes.of_numbers(low, high), areas(low, high)), k)


def by_numpy(low: np.ndarray, high: np.ndarray, k: int) -> np.ndarray:
    """A walk from the largest box to the smallest."""
    low, high, order = low.T.copy(), high.T.copy(), np.argsort(-areas(low, high), kind="stable")
    kept_low, kept_high = np.empty_like(low), np.empty_like(high)
    kept, count = np.zeros(len(order), dtype=bool), 0
    for box in order.tolist():
        found = start = 0
        while start < count and found < k:
            end = min(max(4 * start, FIRST_STRETCH), count)
            covers = np.ones(end - start, dtype=bool)
            for field in range(len(low)):
                covers &= kept_low[field, start:end] <= low[field, box]
                covers &= kept_high[field, start:end] >= high[field, box]
            found += int(np.count_nonzero(covers))
            start = end
        if found < k:
            kept_low[:, count], kept_high[:, count] = low[:, box], high[:, box]
            kept[box] = True
            count += 1
    return kept


def as_frame(spark: SparkSession, low: np.ndarray, high: np.ndarray) -> DataFrame:
    """Boxes as a cached table with `id`, `area`, `low0`, `high0` and so on."""
    columns = {"id": np.arange(len(low)), "area": areas(low, high)}
    for field in range(low.shape[1]):
        columns |= {f"low{field}": low[:, field], f"high{field}": high[:, field]}
    parts = spark.sparkContext.defaultParallelism
    frame = spark.createDataFrame(pa.table(columns)).repartition(parts).cache()
    frame.count()
    return frame


def by_spark(frame: DataFrame, dimensions: int, k: int) -> np.ndarray:
    """The join."""
    from pyspark.sql import functions as F

    ours, theirs = frame.alias("ours"), frame.alias("theirs")
    larger = F.col("theirs.area") > F.col("ours.area")
    parts = [larger | ((F.col("theirs.area") == F.col("ours.area")) & (F.col("theirs.id") < F.col("ours.id")))]
    for field in range(dimensions):
        parts.append(F.col(f"theirs.low{field}") <= F.col(f"ours.low{field}"))
        parts.append(F.col(f"theirs.high{field}") >= F.col(f"ours.high{field}"))
    joined = ours.join(F.broadcast(theirs), reduce(and_, parts), "left")
    counted = joined.groupBy("ours.id").agg(F.count("theirs.id").alias("partners"))
    found = counted.select("id", (F.col("partners") < k).alias("kept")).toArrow()
    kept: np.ndarray = found["kept"].to_numpy()[np.argsort(found["id"].to_numpy())]
    return kept
