"""The ledger: counters of messages by the numbers of links and last hops, and the bill made from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.arrival.kernels import count_crossings, count_notifications
from sparing.flow.arrival.pairs import Pairs
from sparing.model.bill import Bill, BillKey, MessageKind

MOST_COUNTERS = 1 << 20  # above this, counting by sorting takes less memory than a dense table


class Ledger:
    """Message counters for one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._links: Counter[tuple[int, MessageKind, int]] = Counter()
        self._last_hops: Counter[tuple[int, int]] = Counter()
        self._hops, self._hop_of = plan.last_hops

    def cross_many(self, links: np.ndarray, kind: MessageKind, times: np.ndarray) -> None:
        """Count one message for each (link, time)."""
        for link, bucket, messages in _counted(links, times // self._plan.bucket):
            self._links[link, kind, bucket] += messages

    def cross_in(self, link: int, kind: MessageKind, bucket: int, messages: int) -> None:
        """Count messages over a link in a time bucket."""
        self._links[link, kind, bucket] += messages

    def notify_all(self, subscriptions: np.ndarray, times: np.ndarray) -> None:
        """Count one notification for each (subscription, time)."""
        for hop, bucket, messages in _counted(self._hop_of[subscriptions], times // self._plan.bucket):
            self._last_hops[hop, bucket] += messages

    def notify_many(self, pairs: Pairs, times: np.ndarray) -> None:
        """Count one notification for each pair; `times` are the event times of all rows."""
        buckets, bucket_of_row = np.unique(times // self._plan.bucket, return_inverse=True)
        if len(self._hops) * len(buckets) > MOST_COUNTERS + 8 * len(pairs):
            self.notify_all(pairs.subscriptions, times[pairs.rows])
            return
        counts = np.zeros((len(self._hops), len(buckets)), dtype=np.int64)
        hop_of = self._hop_of
        count_notifications(pairs.events, pairs.starts, pairs.subscriptions, hop_of, bucket_of_row, counts)
        for hop, bucket in zip(*(at.tolist() for at in np.nonzero(counts)), strict=True):
            self._last_hops[hop, int(buckets[bucket])] += int(counts[hop, bucket])

    def cross_to(self, raw: np.ndarray, at: np.ndarray, times: np.ndarray) -> None:
        """Count one publication per row and link on the paths to the brokers in the bits of raw[row]."""
        for link, bucket, messages in self._crossings(raw, at, times):
            self._links[link, MessageKind.PUBLICATION, bucket] += messages

    def request_counts(self, pairs: Pairs, at: np.ndarray, times: np.ndarray) -> None:
        """Count a request for the number of matches, and its answer, on each link from rows to their subscriptions."""
        brokers = self._plan.broker_of[pairs.subscriptions]
        for link, bucket, messages in self._crossings(broker_bits(pairs.rows, brokers, len(at), self._plan), at, times):
            self._links[link, MessageKind.COORDINATION, bucket] += messages
            self._links[self._plan.routes.reverse(link), MessageKind.COORDINATION, bucket] += messages

    def _crossings(self, raw: np.ndarray, at: np.ndarray, times: np.ndarray) -> Iterator[tuple[int, int, int]]:
        """Return links, buckets, and the number of rows that cross the link in the bucket."""
        routes = self._plan.routes
        buckets, bucket_of_row = np.unique(times // self._plan.bucket, return_inverse=True)
        counts = np.zeros((len(routes.target), len(buckets)), dtype=np.int64)
        count_crossings(raw, at, routes.link_of, routes.target, bucket_of_row, counts)
        for link, bucket in zip(*(axis.tolist() for axis in np.nonzero(counts)), strict=True):
            yield link, int(buckets[bucket]), int(counts[link, bucket])

    def bill(self) -> Bill:
        """Return the bill, with names of brokers and subscribers."""
        bill, plan = Bill(), self._plan
        for (link, kind, bucket), messages in self._links.items():
            bill[BillKey(*plan.routes.ends(link), kind, bucket * plan.bucket)] += messages
        for (hop, bucket), messages in self._last_hops.items():
            bill[BillKey(*self._hops[hop], MessageKind.NOTIFICATION, bucket * plan.bucket)] += messages
        return bill


def no_brokers(rows: int, plan: Plan) -> np.ndarray:
    """Return empty sets of brokers for rows, as bits of 64-bit words."""
    return np.zeros((rows, -(-len(plan.routes.brokers) // 64)), dtype=np.uint64)


def broker_bits(rows: np.ndarray, brokers: np.ndarray, count: int, plan: Plan) -> np.ndarray:
    """Return the set of brokers of each of `count` rows, from (row, broker) pairs."""
    bits = no_brokers(count, plan)
    np.bitwise_or.at(bits, (rows, brokers // 64), np.uint64(1) << (brokers % 64).astype(np.uint64))
    return bits


def _counted(numbers: np.ndarray, buckets: np.ndarray) -> list[tuple[int, int, int]]:
    """Return each different (number, bucket) with its frequency."""
    if not len(numbers):
        return []
    first = int(buckets.min())
    width = int(buckets.max()) - first + 1
    keys = numbers.astype(np.int64) * width + (buckets - first)
    if int(keys.max()) < max(1 << 20, 8 * len(keys)):
        counts = np.bincount(keys)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, counts = np.unique(keys, return_counts=True)
    return [(k // width, k % width + first, c) for k, c in zip(keys.tolist(), counts.tolist(), strict=True)]
