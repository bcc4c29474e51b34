"""Run independent cells of work as Spark tasks, one task for each."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar
from uuid import uuid4

import pandas as pd
from pyspark import SparkContext
from pyspark.sql import Row, SparkSession

GLANCE = 0.5  # seconds between two queries of progress

Cell = TypeVar("Cell")
Result = TypeVar("Result")


def run_cells(
    spark: SparkSession,
    work: Callable[[Cell], Result],
    cells: Sequence[Cell],
    tell: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """Return the result of every cell, in the order of the cells; tasks start in the same order.

    `work` and the cells are pickled for the workers. `tell` is called regularly with the number of finished cells.
    """
    if not cells:
        return []

    def run(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            for number in frame["id"].tolist():
                yield pd.DataFrame({"id": [number], "result": [pickle.dumps(work(cells[number]))]})

    frame = spark.range(0, len(cells), 1, len(cells)).mapInPandas(run, "id long, result binary")
    context, group = spark.sparkContext, f"cells-{uuid4()}"

    def collect() -> list[Row]:
        context.setJobGroup(group, "cells", interruptOnCancel=True)
        return frame.collect()

    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(collect)
        try:
            while not job.done():
                wait([job], timeout=GLANCE)
                tell(_done(context, group))
        except BaseException:  # also Ctrl-C: running tasks would otherwise be awaited
            context.cancelJobGroup(group)
            raise
    found = {row["id"]: pickle.loads(row["result"]) for row in job.result()}
    return [found[number] for number in range(len(cells))]


def _done(context: SparkContext, group: str) -> int:
    """Return the number of finished tasks of a job group."""
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    return sum(stage.numCompletedTasks for stage in stages if stage is not None)
