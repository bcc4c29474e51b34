"""The plan on workers: how it is shipped, and the index and routing arrays that a worker builds from it.

The plan is broadcast. A Python worker lives for many tasks and micro-batches, so it builds these structures once per
process and keeps them under the plan's fingerprint, a digest of its content.

A stream's plan can change between two micro-batches. A later plan is added to the files of the Spark application, and a
local property of the micro-batch's jobs names the plan of their tasks. A worker updates its index instead of building a
new one.
"""

from __future__ import annotations

import atexit
import gc
import pickle
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import Broadcast, SparkFiles, TaskContext
from pyspark.sql import SparkSession

from sparing.flow.admit.admission import Admission
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.events.merged_topic import MergedTopic
from sparing.flow.interests import Interests, topic_in
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.content import digest

Selection = tuple[tuple[str, str], ...]  # name in the payload, field


@dataclass(frozen=True, eq=False)
class WorkerPlan:
    """A plan with the structures that a worker builds from it; it reuses the indexes of an earlier plan, `before`."""

    interests: Interests
    fingerprint: str = ""
    before: AtOnce | None = None

    @cached_property
    def admission(self) -> Admission:
        """Admission of rows by publisher, topic and advertisement."""
        return Admission(self.interests.plan)

    @cached_property
    def topic_of_advertisement(self) -> np.ndarray:
        """Advertisement -> number of its topic; the last entry, -1, is for rows without an advertisement."""
        numbers = {name: number for number, name in enumerate(self.interests.plan.topics)}
        return np.array([*(numbers[ad.topic] for ad in self.interests.plan.advertisements), -1], dtype=np.int64)

    @cached_property
    def broker_of_advertisement(self) -> np.ndarray:
        """Advertisement -> number of its broker."""
        plan = self.interests.plan
        return np.array([plan.routes.number[ad.broker] for ad in plan.advertisements], dtype=np.int32)

    @cached_property
    def publishers(self) -> tuple[pa.Array, np.ndarray]:
        """The ids of publishers, and the number of each advertisement's; the last entry is for rows without one."""
        names = [advertisement.publisher for advertisement in self.interests.plan.advertisements]
        coded = pa.array([*names, ""], pa.string()).dictionary_encode()
        return coded.dictionary, coded.indices.to_numpy()

    @cached_property
    def at_once(self) -> AtOnce:
        """Matching and plain delivery."""
        return AtOnce(self.interests, before=self.before)

    @cached_property
    def window_walk(self) -> WindowWalk:
        """The walk of publications held for windows."""
        return WindowWalk(self.interests)

    @cached_property
    def _merged_topics(self) -> dict[str, MergedTopic]:
        return {}

    def merged_topic(self, topic: str) -> MergedTopic:
        """Return the events of a merged topic."""
        if topic not in self._merged_topics:
            self._merged_topics[topic] = MergedTopic(self.interests, topic, self.at_once, self.window_walk)
        return self._merged_topics[topic]

    @cached_property
    def selections(self) -> tuple[list[Selection | None], np.ndarray]:
        """The distinct selections of columns (None: all columns), and the number of each subscription's selection."""
        numbers: dict[Selection | None, int] = {}
        subscriptions = self.interests.plan.subscriptions
        of = np.array([numbers.setdefault(s.query.columns, len(numbers)) for s in subscriptions], dtype=np.int64)
        return list(numbers), of

    @cached_property
    def topic_of_key(self) -> dict[str, str]:
        """Key of interest groups -> their topic."""
        return {name: topic_in(name) for name in self.interests.keys[0]}


@dataclass(frozen=True)
class ShippedPlan:
    """A handle to the plan, part of every task."""

    fingerprint: str
    broadcast: Broadcast[bytes]

    def worker_plan(self) -> WorkerPlan:
        """Return this process's worker plan for the plan of the task, built on first use."""
        context = TaskContext.get()
        fingerprint = (context and context.getLocalProperty(PROPERTY)) or self.fingerprint
        built = _BUILT.pop(self.fingerprint, None)
        if built is not None and built.fingerprint == fingerprint:
            gc.freeze()  # see below
        else:
            # Spark's worker runs a full garbage collection after every task, which takes a tenth of a second for
            # libraries and plan. Freezing exempts all objects that have outlived a task, until the plan changes.
            gc.unfreeze()
            data = self.broadcast.value if fingerprint == self.fingerprint else _plan_file(fingerprint).read_bytes()
            before = None if built is None else built.__dict__.get("at_once")  # only if it has been built
            built = WorkerPlan(pickle.loads(data), fingerprint, before)
        while len(_BUILT) >= MOST_BUILT:
            del _BUILT[next(iter(_BUILT))]
        _BUILT[self.fingerprint] = built
        return built


PROPERTY = "sparing.plan"
MOST_BUILT = 2  # worker plans per process, one per query
_BUILT: dict[str, WorkerPlan] = {}  # by fingerprint of the query's first plan; the last used one is last


def ship(spark: SparkSession, interests: Interests) -> ShippedPlan:
    """Broadcast a plan to the workers."""
    data = pickle.dumps(interests, protocol=5)
    return ShippedPlan(digest(interests), spark.sparkContext.broadcast(data))


def ship_later(spark: SparkSession, interests: Interests) -> str:
    """Ship a later plan to the workers of a running query; return its fingerprint for `run_under`."""
    fingerprint = digest(interests)
    file = _plan_folder() / _file_name(fingerprint)
    if not file.exists():
        file.write_bytes(pickle.dumps(interests, protocol=5))
    spark.sparkContext.addFile(str(file))
    return fingerprint


@cache
def _plan_folder() -> Path:
    """Return the folder of shipped plans, kept until the process exits: every later task fetches them."""
    folder = tempfile.mkdtemp(prefix="sparing-plans-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def run_under(spark: SparkSession, fingerprint: str) -> None:
    """Run later jobs of this thread under a plan."""
    spark.sparkContext.setLocalProperty(PROPERTY, fingerprint)


def _file_name(fingerprint: str) -> str:
    return f"sparing-{fingerprint}.plan"


def _plan_file(fingerprint: str) -> Path:
    return Path(SparkFiles.get(_file_name(fingerprint)))
