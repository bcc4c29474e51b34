"""What is measured: Sparing, and what people would use instead, each with one thread.

- *Sparing*: AncestorCoverK from two arrays of bounds and one of scores. The clock includes coding them, putting them in
  order, and the walk.
- *NumPy*: boxes from the best to the worst, each compared with all that were kept so far; or with a stretch of them at a
  time, longer and longer, until k are found. The quicker counts.
- *Spark SQL*: the table joined with itself on containment and rank, grouped by box, those with fewer than k partners. The
  table is cached before the clock starts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from sparing.bench.covering.boxes import Boxes, boxes
from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.standing import Standing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST_STRETCH = 64


class Engine(ABC):
    """Something that finds which boxes fewer than k better ones contain."""

    title: ClassVar[str]
    ways: ClassVar[tuple[str, ...]] = ("",)

    @abstractmethod
    def load(self, given: Boxes) -> None:
        """Take boxes in, in place of earlier ones."""

    @abstractmethod
    def cover(self, k: int, way: str) -> np.ndarray:
        """The numbers of those that are kept, ascending. This is what is measured."""

    def close(self) -> None:  # noqa: B027
        """Let go of everything."""


class SparingCover(Engine):
    """What we measure."""

    title = "Sparing"

    def __init__(self) -> None:
        for dimensions in (1, 2):  # loads the kernels, or compiles them
            self.load(boxes(200, dimensions, 0))
            self.cover(2, "")

    def load(self, given: Boxes) -> None:
        """As they are."""
        self._boxes = given

    def cover(self, k: int, way: str) -> np.ndarray:  # noqa: ARG002
        """Everything from bounds to what is kept."""
        given = self._boxes
        standing = Standing.by_score(CodedBoxes.of_numbers(given.low, given.high), given.score)
        return np.flatnonzero(ancestor_cover(standing, k))


class NumpyWalk(Engine):
    """A walk from the best box to the worst."""

    title = "NumPy"
    ways = ("all", "stretches")

    def load(self, given: Boxes) -> None:
        """Bounds by field, so that what is compared lies side by side."""
        self._low, self._high = np.ascontiguousarray(given.low.T), np.ascontiguousarray(given.high.T)
        self._score = given.score

    def cover(self, k: int, way: str) -> np.ndarray:
        """Compare each box with those kept so far."""
        low, high = np.empty_like(self._low), np.empty_like(self._high)
        kept = np.zeros(len(self._score), dtype=bool)
        count = 0
        for box in np.argsort(-self._score, kind="stable").tolist():
            found = start = 0
            while start < count and found < k:
                end = count if way == "all" else min(max(4 * start, FIRST_STRETCH), count)
                covers = np.ones(end - start, dtype=bool)
                for field in range(len(low)):
                    covers &= low[field, start:end] <= self._low[field, box]
                    covers &= high[field, start:end] >= self._high[field, box]
                found += np.count_nonzero(covers)
                start = end
            if found < k:
                low[:, count], high[:, count] = self._low[:, box], self._high[:, box]
                kept[box] = True
                count += 1
        return np.flatnonzero(kept)


class SparkJoin(Engine):
    """The table joined with itself."""

    title = "Spark SQL"

    def __init__(self, spark: SparkSession | None = None) -> None:
        from sparing.spark.session import session

        self._own = spark is None
        self._spark = spark or session("local[1]", "sparing bench", {"spark.driver.memory": "4g"})
        self._frame: Any = None
        self.load(boxes(200, 1, 0))
        self.cover(2, "")

    def load(self, given: Boxes) -> None:
        """A cached DataFrame."""
        columns = {"id": np.arange(len(given)), "score": given.score}
        for field in range(given.low.shape[1]):
            columns |= {f"low{field}": given.low[:, field], f"high{field}": given.high[:, field]}
        if self._frame is not None:
            self._frame.unpersist()
        self._fields = given.low.shape[1]
        self._frame = self._spark.createDataFrame(pa.table(columns)).coalesce(1).cache()
        self._frame.count()

    def cover(self, k: int, way: str) -> np.ndarray:  # noqa: ARG002
        """Join, group, and collect those with fewer than k partners."""
        from pyspark.sql import functions as F

        ours, theirs = self._frame.alias("ours"), self._frame.alias("theirs")
        ahead = F.col("theirs.score") > F.col("ours.score")
        tied = (F.col("theirs.score") == F.col("ours.score")) & (F.col("theirs.id") < F.col("ours.id"))
        parts = [ahead | tied]
        for field in range(self._fields):
            parts.append(F.col(f"theirs.low{field}") <= F.col(f"ours.low{field}"))
            parts.append(F.col(f"theirs.high{field}") >= F.col(f"ours.high{field}"))
        joined = ours.join(F.broadcast(theirs), reduce(and_, parts), "left")
        grouped = joined.groupBy("ours.id").agg(F.count("theirs.id").alias("partners"))
        found = grouped.where(F.col("partners") < k).select("id").toArrow()
        return np.sort(found["id"].to_numpy())

    def close(self) -> None:
        """Stop Spark, if it was started here."""
        if self._own:
            self._spark.stop()


# A further engine (such as covering as a Spark job) is one more class, and its name here.
ENGINES: dict[str, type[Engine]] = {"sparing": SparingCover, "numpy": NumpyWalk, "spark": SparkJoin}
