"""The ledger: counts messages by the numbers of links and subscriptions, and writes the bill with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.arrival.kernels import count_crossings, count_notifications
from sparing.flow.arrival.pairs import Pairs
from sparing.model.bill import Bill, BillKey, MessageKind

MOST_COUNTERS = 1 << 20


class Ledger:
    """Messages counted so far, for one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._links: Counter[tuple[int, MessageKind, int]] = Counter()
        self._last_hops: Counter[tuple[int, int]] = Counter()

    def cross_many(self, links: np.ndarray, kind: MessageKind, times: np.ndarray) -> None:
        """One message for each (link, time)."""
        for link, bucket, messages in _counted(links, times // self._plan.bucket):
            self._links[link, kind, bucket] += messages

    def cross_in(self, link: int, kind: MessageKind, bucket: int, messages: int) -> None:
        """Messages sent over a link in a time bucket."""
        self._links[link, kind, bucket] += messages

    def notify_all(self, subscriptions: np.ndarray, times: np.ndarray) -> None:
        """One notification for each (subscription, time)."""
        for subscription, bucket, messages in _counted(subscriptions, times // self._plan.bucket):
            self._last_hops[subscription, bucket] += messages

    def notify_many(self, pairs: Pairs, times: np.ndarray) -> None:
        """One notification for each pair; `times` are those of all rows."""
        buckets, bucket_of_row = np.unique(times // self._plan.bucket, return_inverse=True)
        if len(self._plan.subscriptions) * len(buckets) > MOST_COUNTERS + 8 * len(pairs):
            for subscription, bucket, messages in _counted(pairs.subscriptions, times[pairs.rows] // self._plan.bucket):
                self._last_hops[subscription, bucket] += messages
            return
        counts = np.zeros((len(self._plan.subscriptions), len(buckets)), dtype=np.int64)
        count_notifications(pairs.events, pairs.starts, pairs.subscriptions, bucket_of_row, counts)
        for subscription, bucket in zip(*(at.tolist() for at in np.nonzero(counts)), strict=True):
            self._last_hops[subscription, int(buckets[bucket])] += int(counts[subscription, bucket])

    def cross_to(self, rows: np.ndarray, goals: np.ndarray, at: np.ndarray, times: np.ndarray) -> None:
        """One publication over each link on the way of rows to their goals, once per row; rows must ascend.

        `at` and `times` are those of all rows.
        """
        for link, bucket, messages in self._crossings(rows, goals, at, times):
            self._links[link, MessageKind.PUBLICATION, bucket] += messages

    def ask(self, pairs: Pairs, at: np.ndarray, times: np.ndarray) -> None:
        """One question over each link on the way of rows to their subscriptions, and one answer back."""
        for link, bucket, messages in self._crossings(pairs.rows, self._plan.broker_of[pairs.subscriptions], at, times):
            self._links[link, MessageKind.COORDINATION, bucket] += messages
            self._links[self._plan.routes.reverse(link), MessageKind.COORDINATION, bucket] += messages

    def _crossings(
        self, rows: np.ndarray, goals: np.ndarray, at: np.ndarray, times: np.ndarray
    ) -> Iterator[tuple[int, int, int]]:
        """Link, bucket, and how many rows cross it then."""
        routes = self._plan.routes
        buckets, bucket_of_row = np.unique(times // self._plan.bucket, return_inverse=True)
        counts = np.zeros((len(routes.target), len(buckets)), dtype=np.int64)
        count_crossings(rows, goals, at, routes.link_of, routes.target, bucket_of_row, counts)
        for link, bucket in zip(*(found.tolist() for found in np.nonzero(counts)), strict=True):
            yield link, int(buckets[bucket]), int(counts[link, bucket])

    def bill(self) -> Bill:
        """What has been counted, by name."""
        bill, plan = Bill(), self._plan
        for (link, kind, bucket), messages in self._links.items():
            bill[BillKey(*plan.routes.ends(link), kind, bucket * plan.bucket)] += messages
        for (subscription, bucket), messages in self._last_hops.items():
            ends = plan.routes.brokers[plan.broker_of[subscription]], plan.subscriptions[subscription].subscriber
            bill[BillKey(*ends, MessageKind.NOTIFICATION, bucket * plan.bucket)] += messages
        return bill


def _counted(things: np.ndarray, buckets: np.ndarray) -> list[tuple[int, int, int]]:
    """How often each (thing, bucket) occurs."""
    if not len(things):
        return []
    first = int(buckets.min())
    width = int(buckets.max()) - first + 1
    keys = things.astype(np.int64) * width + (buckets - first)
    if int(keys.max()) < max(1 << 20, 8 * len(keys)):
        counts = np.bincount(keys)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, counts = np.unique(keys, return_counts=True)
    return [(k // width, k % width + first, c) for k, c in zip(keys.tolist(), counts.tolist(), strict=True)]
