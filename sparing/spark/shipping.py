"""What workers are sent: the plan, once per query, and what they build from it, once per process.

The plan is broadcast, so it is data to the query. A Python worker lives for many tasks and micro-batches; what it
builds from the plan (the matching index, routing arrays) is kept in the process under the plan's fingerprint.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pyspark import Broadcast
from pyspark.sql import SparkSession

from sparing.flow.admit import Admission
from sparing.flow.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.overlay import Overlay


@dataclass(frozen=True, eq=False)
class Machinery:
    """What a worker runs on."""

    interests: Interests

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
        return AtOnce(self.interests)

    @cached_property
    def overlay(self) -> Overlay:
        """The walk of what is held."""
        return Overlay(self.interests)

    @cached_property
    def whole(self) -> np.ndarray:
        """Whether a subscription gets publications with all their fields."""
        return np.array([s.query.columns is None for s in self.interests.plan.subscriptions], dtype=bool)

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
class Shipped:
    """A handle to the machinery that travels with every task."""

    fingerprint: str
    broadcast: Broadcast[bytes]

    def machinery(self) -> Machinery:
        """This process's machinery, built on first use."""
        found = _BUILT.get(self.fingerprint)
        if found is None:
            found = Machinery(pickle.loads(self.broadcast.value))
            _BUILT.clear()  # one plan at a time: an older one is not needed again
            _BUILT[self.fingerprint] = found
        return found


_BUILT: dict[str, Machinery] = {}


def ship(spark: SparkSession, interests: Interests) -> Shipped:
    """Make a plan known to the workers."""
    data = pickle.dumps(interests, protocol=5)
    return Shipped(hashlib.sha256(data).hexdigest(), spark.sparkContext.broadcast(data))
