"""One sample: an overlay, its merged topic, subscriptions and reports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sparing.control.merging.cycles import cycle_messages
from sparing.control.merging.tree import MergeTree, trees_of
from sparing.control.plan import Plan, make_plan
from sparing.model.box import Box
from sparing.model.merge import Merge
from sparing.model.policy import Policy
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import INT, STRING, TIMESTAMP
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.caeva.grid import FIELDS, LONGEST, CaevaPoint
from sparing_lab.study.caeva.overlays import overlay
from sparing_lab.study.caeva.publishers import publishers_of
from sparing_lab.study.caeva.reports import APART, UNIT, ReportedEvent, events_of

TOPIC = Topic(
    "t",
    "ts",
    {"key": STRING, **{f"f{number:02}": INT for number in range(1, FIELDS)}, "ts": TIMESTAMP},
    Merge(("key",), LONGEST * UNIT, cycle=UNIT),
)


@dataclass(frozen=True, eq=False)
class CaevaSetting:
    """The plan with CAEVA's default policy, and all reports by event."""

    plan: Plan
    events: list[ReportedEvent]
    _trees: dict[int, list[MergeTree]] = field(default_factory=dict)  # by the number of active aggregators
    _announced: dict[int, int] = field(default_factory=dict)  # likewise

    def under(self, policy: Policy) -> Plan:
        """Return the plan under another policy."""
        return replace(self.plan, policy=policy)

    def trees(self, policy: Policy) -> list[MergeTree]:
        """Return the merge tree, alone in a list."""
        if policy.actives not in self._trees:
            self._trees[policy.actives] = trees_of(self.plan, TOPIC.name, policy.actives)
        return self._trees[policy.actives]

    def announcements(self, policy: Policy) -> int:
        """Return the messages that announce cycles before the first report."""
        if policy.actives not in self._announced:
            self._announced[policy.actives] = cycle_messages(self.under(policy)).total()
        return self._announced[policy.actives]


def draw(point: CaevaPoint, events: int, number: int) -> CaevaSetting:
    """Return a sample by number; points that differ only in the cycle have the same reports."""
    rng = seeded_rng(number, "caeva", point.shape.value, point.brokers)
    brokers = overlay(point.shape, point.brokers, rng)
    share = max(1, round(point.subscribing * point.brokers))
    subscribing = sorted(rng.permutation(point.brokers)[:share].tolist())
    subscriptions = tuple(
        Subscription(f"s{b:03}", f"u{b:03}", Query(TOPIC.name, Box(), every=point.cycle * UNIT or None))
        for b in subscribing
    )
    plan = make_plan(
        brokers,
        {TOPIC.name: TOPIC},
        tuple(Advertisement(f"p-{b}", b, TOPIC.name, Box()) for b in brokers.brokers),
        {s.subscriber: (brokers.brokers[b],) for s, b in zip(subscriptions, subscribing, strict=True)},
        subscriptions,
        bucket=events * APART * UNIT,  # all in one bucket
    )
    (tree,) = trees_of(plan, TOPIC.name, plan.policy.actives)
    rng = seeded_rng(number, "caeva", point.who.value, point.publishers, repr(point.redundancy), repr(point.reports))
    return CaevaSetting(plan, events_of(publishers_of(point, tree, events, rng), rng))
