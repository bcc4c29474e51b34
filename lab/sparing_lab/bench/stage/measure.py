"""Measuring: one process calls what Spark's Python workers call, with the tables that Spark would hand over.

Times are CPU times of the process, so that other work on the machine stays out of them. The plan, its index and the
compiled loops are at hand before the clock starts.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.windows import step
from sparing.flow.windows.output import Output
from sparing.flow.windows.participants import Participants
from sparing.flow.windows.step import Step
from sparing.flow.windows.window_state import WindowState
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.spark.pipeline import match_stage, parcels
from sparing.spark.pipeline.admit_stage import FIELD
from sparing.spark.pipeline.advance import advance
from sparing.spark.pipeline.keys import BYPASS
from sparing.spark.pipeline.states import store
from sparing.spark.pipeline.worker_plan import WorkerPlan
from sparing.workloads.randomness import seeded_rng
from sparing.workloads.stock import DEFAULTS, stock
from sparing_lab.bench.benchmark import Run, digits
from sparing_lab.bench.stage.benchmark import (
    ADMISSION,
    ARRAYS,
    DECIDING,
    EVENTS,
    HELD,
    INDEX,
    MATCH_REST,
    MATCH_STEPS,
    NWRS,
    PAYLOADS,
    ROUTING,
    UNPACKING,
    WALK_REST,
    WALK_STEPS,
    WINDOWS,
    Stage,
    StageCase,
    StageTime,
)
from sparing_lab.bench.stage.self_times import Function, SelfTimes

RATE = 2_000.0  # publications per second of event time
TASKS, PORTIONS = 2, 8  # as in a batch on two cores
BATCH = 1 << 16  # rows

OF_MATCH: dict[str, list[Function]] = {
    ADMISSION: [(match_stage, "admitted")],
    INDEX: [(AtOnce, "matches")],
    ROUTING: [(AtOnce, "arrive")],
    PAYLOADS: [(match_stage, "_plain"), (parcels, "variants")],
    EVENTS: [(parcels, "events")],
    HELD: [(AtOnce, "_by_key"), (Publications, "pack")],
}
OF_WALK: dict[str, list[Function]] = {
    UNPACKING: [(Publications, "unpack"), (Step, "admit"), (Step, "_gather")],
    NWRS: [(Participants, "of"), (Participants, "number_nwrs")],
    ARRAYS: [(Step, "_positions"), (WindowWalk, "topic_links"), (step, "build_arrays")],
    DECIDING: [(Step, "_run")],
    WINDOWS: [(Output, "_payloads"), (parcels, "windows")],
}

Held = dict[str, list[pa.Buffer]]  # parcels by key
T = TypeVar("T")


def measure(settings: Stage, run: Run) -> list[StageTime]:
    """Measure all cases."""
    found = []
    for case in settings.cases():
        found.append(_measure(_Trace.of(case, settings.publications), case, settings.repeat))
        run.tell(f"{case}: match {digits(found[-1].match)} s, walk {digits(found[-1].walk)} s")
    return found


@dataclass(frozen=True)
class _Trace:
    """A plan, and the publications as Spark hands them over after admission."""

    plan: Plan
    table: pa.Table

    @classmethod
    def of(cls, case: StageCase, publications: int) -> _Trace:
        made = stock(
            replace(
                DEFAULTS,
                rate=RATE,
                duration=publications / RATE,
                subscriptions=case.subscriptions,
                selectivity=1 / case.subscriptions if case.thin else DEFAULTS.selectivity,
            )
        )
        plan = plan_of(Deployment.of(made.description))
        rows = pa.concat_tables(made.publications()).combine_chunks()
        count = len(rows)
        ids = seeded_rng(0, "stage", "ids").integers(0, 1 << 63, count).tolist()
        columns = {
            "publisher": rows["publisher"].cast(pa.string()),
            "topic": pa.nulls(count, pa.string()),
            "id": pa.array([f"{number:016X}" for number in ids]),
            "text": pa.nulls(count, pa.string()),
            "fault": pa.array(np.zeros(count, np.int8)),
            "size": pa.nulls(count, pa.int64()),
            "misfit": pa.nulls(count, pa.list_(pa.string())),
            "top_k": pa.nulls(count, pa.int32()),
            "latest": pa.nulls(count, pa.int64()),
        }
        (topic,) = plan.topics.values()
        for name in topic.fields:
            values = rows[name]
            text = pa.types.is_dictionary(values.type)
            columns[FIELD + name] = values.cast(pa.string()) if text else values
        return cls(plan, pa.table(columns))

    def tasks(self) -> list[list[pa.RecordBatch]]:
        """Return the batches of each task."""
        ends = [len(self.table) * task // TASKS for task in range(TASKS + 1)]
        parts = [self.table.slice(first, last - first) for first, last in pairwise(ends)]
        return [part.to_batches(max_chunksize=BATCH) for part in parts]

    def first_half(self) -> tuple[list[pa.RecordBatch], int]:
        """Return the publications before the middle of the trace, and this time."""
        (topic,) = self.plan.topics.values()
        times = pc.cast(self.table[FIELD + topic.time], pa.int64())
        middle = (pc.min(times).as_py() + pc.max(times).as_py()) // 2
        return self.table.filter(pc.less(times, middle)).to_batches(max_chunksize=BATCH), middle


def _measure(trace: _Trace, case: StageCase, repeat: int) -> StageTime:
    worker_plan = WorkerPlan(Interests.of(trace.plan, portions=PORTIONS))
    tasks = trace.tasks()
    matches = _matches(tasks, worker_plan)
    _walk(_match(tasks, worker_plan), worker_plan)  # compiles, and builds what a worker builds once
    of_match, of_walk = [], []
    for _ in range(repeat):
        seconds, held = _timed(MATCH_REST, OF_MATCH, lambda: _match(tasks, worker_plan))
        of_match.append(seconds)
        seconds, _ = _timed(WALK_REST, OF_WALK, lambda held=held: _walk(held, worker_plan))  # type: ignore[misc]
        of_walk.append(seconds)
    publications, state = _state(trace)
    return StageTime(
        case.subscriptions,
        case.thin,
        matches / len(trace.table),
        _medians(of_match, MATCH_STEPS) | _medians(of_walk, WALK_STEPS),
        median(sum(seconds.values()) for seconds in of_match),
        median(sum(seconds.values()) for seconds in of_walk),
        publications,
        state,
    )


def _timed(rest: str, steps: dict[str, list[Function]], work: Callable[[], T]) -> tuple[dict[str, float], T]:
    """Return the CPU seconds of each step of some work, and its result."""
    gc.collect()
    times = SelfTimes(rest)
    with times.of(steps):
        found = work()
    return times.stop(), found


def _medians(found: list[dict[str, float]], steps: tuple[str, ...]) -> dict[str, float]:
    return {name: median(seconds.get(name, 0.0) for seconds in found) for name in steps}


def _matches(tasks: list[list[pa.RecordBatch]], worker_plan: WorkerPlan) -> int:
    return sum(
        len(pairs)
        for batches in tasks
        for table in match_stage.tables(batches)
        for publications, _ in match_stage.admitted(table, worker_plan)
        for pairs in worker_plan.at_once.matches(publications)
    )


def _match(tasks: list[list[pa.RecordBatch]], worker_plan: WorkerPlan) -> Held:
    """Run the match stage, and return the parcels of held publications."""
    held: Held = {}
    for batches in tasks:
        for row in match_stage.match_task(batches, worker_plan):
            key = row["group"][0].as_py()
            if not key.startswith(BYPASS):
                held.setdefault(key, []).append(row["parcel"][0].as_buffer())
    return held


def _walk(held: Held, worker_plan: WorkerPlan) -> None:
    """Run the walk of a batch."""
    for key, contents in held.items():
        advance(worker_plan, key, None, contents, END_OF_TIME, BEGINNING)


def _state(trace: _Trace) -> tuple[int, int]:
    """Return the number of publications that a stream holds in the middle of the trace, and the bytes of its state."""
    worker_plan = WorkerPlan(Interests.of(trace.plan, keep_fields=True))
    batches, middle = trace.first_half()
    publications = size = 0
    for key, contents in _match([batches], worker_plan).items():
        state, _ = advance(worker_plan, key, None, contents, middle, BEGINNING)
        assert isinstance(state, WindowState)
        if state.rows is not None:
            publications += len(state.rows)
            size += len(store(worker_plan, key, state))
    return publications, size
