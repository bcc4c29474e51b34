"""What workers are sent: the plan, and what they build from it, once per process.

The plan is broadcast, so it is data to the query. A Python worker lives for many tasks and micro-batches; what it
builds from the plan (the matching index, routing arrays) is kept in the process under the plan's fingerprint, a digest
of its content.

A stream's plan can change between two micro-batches. The later plan is added to the files of the Spark application, and
a property of the micro-batch's jobs tells its tasks which plan they run under. A worker changes the index that it has
rather than making another.
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
from pyspark import Broadcast, SparkFiles, TaskContext
from pyspark.sql import SparkSession

from sparing.flow.admit.admission import Admission
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.events.merged_topic import MergedTopic
from sparing.flow.interests import Interests
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.content import digest

Selection = tuple[tuple[str, str], ...]  # name in the payload, field


@dataclass(frozen=True, eq=False)
class WorkerPlan:
    """What a worker runs on. `before` is that of an earlier plan, if there was one; its indexes are taken over."""

    interests: Interests
    fingerprint: str = ""
    before: AtOnce | None = None

    @cached_property
    def admission(self) -> Admission:
        """The check of publishers, topics and advertisements."""
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
    def at_once(self) -> AtOnce:
        """Matching and plain delivery."""
        return AtOnce(self.interests, before=self.before)

    @cached_property
    def window_walk(self) -> WindowWalk:
        """The walk of what is held."""
        return WindowWalk(self.interests)

    @cached_property
    def _merged(self) -> dict[str, MergedTopic]:
        return {}

    def merged(self, topic: str) -> MergedTopic:
        """The events of a merged topic."""
        if topic not in self._merged:
            self._merged[topic] = MergedTopic(self.interests, topic, self.at_once, self.window_walk)
        return self._merged[topic]

    @cached_property
    def selections(self) -> tuple[list[Selection | None], np.ndarray]:
        """Which columns subscriptions select (None: all of them), and the number of each one's selection."""
        numbers: dict[Selection | None, int] = {}
        subscriptions = self.interests.plan.subscriptions
        of = np.array([numbers.setdefault(s.query.columns, len(numbers)) for s in subscriptions], dtype=np.int64)
        return list(numbers), of

    @cached_property
    def topic_of_group(self) -> dict[str, str]:
        """Interest group -> its topic."""
        names, group_of = self.interests.groups
        return {
            names[group]: self.interests.plan.subscriptions[number].query.topic
            for number, group in enumerate(group_of.tolist())
            if group >= 0
        }


@dataclass(frozen=True)
class ShippedPlan:
    """A handle to the worker_plan that travels with every task."""

    fingerprint: str
    broadcast: Broadcast[bytes]

    def worker_plan(self) -> WorkerPlan:
        """This process's worker_plan for the plan that the task runs under, built on first use."""
        context = TaskContext.get()
        fingerprint = (context and context.getLocalProperty(PROPERTY)) or self.fingerprint
        found = _BUILT.pop(self.fingerprint, None)
        if found is not None and found.fingerprint == fingerprint:
            gc.freeze()  # see below
        else:
            # Spark's worker collects garbage after every task, which means to look at everything that it holds: a tenth
            # of a second for libraries and plan. What has outlived a task is exempt from that, until the plan changes.
            gc.unfreeze()
            data = self.broadcast.value if fingerprint == self.fingerprint else _file(fingerprint).read_bytes()
            before = None if found is None else found.__dict__.get("at_once")  # only if it was made
            found = WorkerPlan(pickle.loads(data), fingerprint, before)
        while len(_BUILT) >= MOST_BUILT:
            del _BUILT[next(iter(_BUILT))]
        _BUILT[self.fingerprint] = found
        return found


PROPERTY = "sparing.plan"
MOST_BUILT = 2  # queries that a process keeps its worker_plan for
_BUILT: dict[str, WorkerPlan] = {}  # by the plan that a query was started with; the one used last comes last


def ship(spark: SparkSession, interests: Interests) -> ShippedPlan:
    """Make a plan known to the workers."""
    data = pickle.dumps(interests, protocol=5)
    return ShippedPlan(digest(interests), spark.sparkContext.broadcast(data))


def ship_later(spark: SparkSession, interests: Interests) -> str:
    """Make another plan known to the workers of a query that runs already; returns the fingerprint for `run_under`."""
    fingerprint = digest(interests)
    file = _plans() / _name(fingerprint)
    if not file.exists():
        file.write_bytes(pickle.dumps(interests, protocol=5))
    spark.sparkContext.addFile(str(file))
    return fingerprint


@cache
def _plans() -> Path:
    """Where plans lie until the process ends: every task of the session fetches them, whether it needs them or not."""
    folder = tempfile.mkdtemp(prefix="sparing-plans-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def run_under(spark: SparkSession, fingerprint: str) -> None:
    """Have the jobs that this thread starts from now on run under a plan."""
    spark.sparkContext.setLocalProperty(PROPERTY, fingerprint)


def _name(fingerprint: str) -> str:
    return f"sparing-{fingerprint}.plan"


def _file(fingerprint: str) -> Path:
    return Path(SparkFiles.get(_name(fingerprint)))
