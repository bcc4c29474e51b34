"""The measurements: whole tables at once, and boxes that come and go."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from sparing.bench.covering.engines import as_frame, by_numpy, by_sparing, by_spark
from sparing.bench.covering.figures import Changes, Figure, Figures
from sparing.bench.covering.settings import Settings, made_up
from sparing.control.covering.watched import WatchedCover
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.errors import SparingError
from sparing.model.types import DOUBLE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Tell = Callable[[str], None]


def cover(spark: SparkSession | None, settings: Settings, tell: Tell) -> Figures:
    """Measure everything; without a session Spark SQL is left out."""
    by_sparing(*made_up(settings, 100, 1), settings.k)  # compiles
    figures, changes = [], []
    for boxes in settings.boxes:
        for dimensions in settings.dimensions:
            tell(f"{boxes:,} boxes in {dimensions} dimensions")
            figures.append(_whole(spark, settings, boxes, dimensions))
            changes.append(_changes(settings, boxes, dimensions))
    return Figures(settings, tuple(figures), tuple(changes))


def _whole(spark: SparkSession | None, settings: Settings, boxes: int, dimensions: int) -> Figure:
    low, high = made_up(settings, boxes, dimensions)
    ours, seconds = _timed(lambda: by_sparing(low, high, settings.k), settings.repeat)
    figure = Figure(boxes, dimensions, int(ours.sum()), seconds)
    if boxes > settings.peers:
        return figure
    found, seconds = _timed(lambda: by_numpy(low, high, settings.k), 1)
    _same("NumPy", ours, found)
    figure = replace(figure, numpy=seconds)
    if spark is None:
        return figure
    frame = as_frame(spark, low, high)
    found, seconds = _timed(lambda: by_spark(frame, dimensions, settings.k), 1)
    frame.unpersist()
    _same("Spark SQL", ours, found)
    return replace(figure, spark=seconds)


def _timed(work: Callable[[], np.ndarray], times: int) -> tuple[np.ndarray, float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - began)
    return found, median(taken)


def _same(peer: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.array_equal(ours, theirs):
        raise SparingError(
            f"{peer} keeps {int(theirs.sum()):,} boxes and Sparing {int(ours.sum()):,}: a mistake in one."
        )


def _changes(settings: Settings, boxes: int, dimensions: int) -> Changes:
    """Boxes are added to a full table one by one, and every other time one of the old ones leaves."""
    low, high = made_up(replace(settings, seed=settings.seed + 1), boxes + settings.changes, dimensions)
    entries = [
        (f"{number:07}", _box(low[number].tolist(), high[number].tolist()), float((high - low)[number].prod()))
        for number in range(len(low))
    ]
    types = {f"x{dimension}": DOUBLE for dimension in range(dimensions)}
    cover_ = WatchedCover.of(entries[:boxes], types, settings.k)
    compiled = WatchedCover(types, 1)
    for number in (2, 1, 0):
        compiled.add(*entries[number])
    compiled.remove(entries[0][0])
    adds, removes = [], []
    for number in range(settings.changes):
        began = time.perf_counter()
        cover_.add(*entries[boxes + number])
        adds.append(time.perf_counter() - began)
        leaving = entries[number if number % 2 else boxes + number][0]
        began = time.perf_counter()
        cover_.remove(leaving)
        removes.append(time.perf_counter() - began)
    return Changes(boxes, dimensions, *(tuple(_summary(found)) for found in (adds, removes)))


def _summary(seconds: list[float]) -> tuple[float, float, float]:
    return float(np.mean(seconds)), float(np.quantile(seconds, 0.99)), max(seconds)


def _box(low: list[float], high: list[float]) -> Box:
    ranges = zip(low, high, strict=True)
    box = Box.of({f"x{n}": between(DOUBLE, DOUBLE.code(a), DOUBLE.code(b)) for n, (a, b) in enumerate(ranges)})
    assert box is not None
    return box
