"""Message counters of merged events, by path, and the bill made from them."""

from __future__ import annotations

import itertools
from collections import Counter

from sparing.control.merging.tree import MergeTree
from sparing.control.plan import Plan
from sparing.flow.events.audience import Audience
from sparing.model.bill import Bill, BillKey, MessageKind

PUBLICATION, MERGED, COORDINATION = MessageKind.PUBLICATION, MessageKind.MERGED, MessageKind.COORDINATION


class Messages:
    """The counters of one advance."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._paths: Counter[tuple[MergeTree, int, int, MessageKind, int]] = Counter()
        self._last_hops: Counter[tuple[Audience, int]] = Counter()
        self._everywhere: Counter[tuple[MergeTree, int, frozenset[int], int]] = Counter()

    def send(self, tree: MergeTree, source: int, target: int, kind: MessageKind, time: int) -> None:
        """Count one message along a path."""
        if source != target:
            self._paths[tree, source, target, kind, time // self._plan.bucket] += 1

    def notify(self, audience: Audience, time: int) -> None:
        """Count one notification for every member of an audience."""
        self._last_hops[audience, time // self._plan.bucket] += 1

    def everywhere(self, tree: MergeTree, source: int, goals: frozenset[int], time: int) -> None:
        """Count a report without merging: once over every link to brokers whose subscriptions it can match."""
        self._everywhere[tree, source, goals, time // self._plan.bucket] += 1

    def bill(self) -> Bill:
        """Return the bill."""
        bill, names, bucket = Bill(), self._plan.routes.brokers, self._plan.bucket
        for (tree, source, target, kind, at), times in self._paths.items():
            way = tree.path(source, target)
            for one, other in itertools.pairwise(way):
                bill[BillKey(names[one], names[other], kind, at * bucket)] += times
        if not self._plan.policy.merges:
            for (tree, source, goals, at), times in self._everywhere.items():
                for one, other in tree.links_to(source, goals):
                    bill[BillKey(names[one], names[other], PUBLICATION, at * bucket)] += times
        for (audience, at), times in self._last_hops.items():
            for number in audience.members:
                who = self._plan.subscriptions[number].subscriber
                bill[BillKey(names[audience.broker], who, MessageKind.NOTIFICATION, at * bucket)] += times
        return bill

    def siena(self) -> dict[tuple[str, str], int]:
        """Return the messages over each link without merging."""
        found: Counter[tuple[str, str]] = Counter()
        names = self._plan.routes.brokers
        for (tree, source, goals, _), times in self._everywhere.items():
            for one, other in tree.links_to(source, goals):
                found[names[one], names[other]] += times
        return dict(found)
