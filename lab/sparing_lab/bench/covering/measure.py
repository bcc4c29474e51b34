"""Measuring: engines take turns on the same boxes, and must keep the same before anybody is timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.covering.benchmark import BoxChange, Cover, CoverCase, Covering
from sparing_lab.bench.covering.boxes import made_up
from sparing_lab.bench.covering.changes import changes
from sparing_lab.bench.covering.engines import as_frame, by_numpy, by_sparing, by_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LONG = 5.0  # seconds: what took longer when it was checked is not done again

Engine = Callable[[], np.ndarray]


def measure(settings: Cover, run: Run) -> tuple[list[Covering], list[BoxChange]]:
    """Measure all engines on every case, then boxes that come and go there."""
    whole, changed = [], []
    with run.spark() if settings.spark else nullcontext() as spark:
        for case in settings.cases():
            _warm_up(spark, case.dimensions)
            whole.append(_whole(spark, settings, case))
            if settings.changes:
                changed.append(changes(settings, case))
            run.tell(str(case))
    return whole, changed


def _warm_up(spark: SparkSession | None, dimensions: int) -> None:
    """So that nobody's time includes compiling, and no first query."""
    low, high = made_up(1, 200, dimensions)
    by_sparing(low, high, 2)
    if spark is not None:
        frame = as_frame(spark, low, high)
        by_spark(frame, dimensions, 2)
        frame.unpersist()


def _whole(spark: SparkSession | None, settings: Cover, case: CoverCase) -> Covering:
    low, high = made_up(settings.seed, case.boxes, case.dimensions)
    engines: dict[str, Engine] = {"Sparing": lambda: by_sparing(low, high, settings.k)}
    frame = None
    if case.boxes <= settings.peers:
        engines["NumPy"] = lambda: by_numpy(low, high, settings.k)
        if spark is not None:
            frame = as_frame(spark, low, high)
            engines["Spark SQL"] = lambda: by_spark(frame, case.dimensions, settings.k)
    try:
        kept, first = _checked(case, engines)
        wall: dict[str, list[float]] = {name: [first[name]] if first[name] > LONG else [] for name in engines}
        core: list[float] = []
        once = [name for name, seconds in wall.items() if seconds and name != "Sparing"]
        for _ in range(settings.repeat):
            for name, engine in engines.items():
                if name not in once:
                    begun, worked = time.perf_counter(), time.thread_time()
                    engine()
                    wall[name].append(time.perf_counter() - begun)
                    if name == "Sparing":
                        core.append(time.thread_time() - worked)
    finally:
        if frame is not None:
            frame.unpersist()
    seconds = {name: median(found) for name, found in wall.items()}
    return Covering(
        case.boxes,
        case.dimensions,
        kept,
        seconds["Sparing"],
        median(core),
        seconds.get("NumPy"),
        seconds.get("Spark SQL"),
    )


def _checked(case: CoverCase, engines: dict[str, Engine]) -> tuple[int, dict[str, float]]:
    """Return the number of boxes kept, and each engine's time for the first run."""
    taken, found = {}, {}
    for name, engine in engines.items():
        begun = time.perf_counter()
        found[name] = engine()
        taken[name] = time.perf_counter() - begun
        if not np.array_equal(found[name], found["Sparing"]):
            counts = f"{name} keeps {found[name].sum():,} boxes and Sparing {found['Sparing'].sum():,}"
            raise SparingError(f"Engines disagree on {case}: {counts}, or other ones.")
    return int(found["Sparing"].sum()), taken
