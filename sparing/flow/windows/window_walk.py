"""The walk of held publications through the brokers, in event time.

Every link has a matching graph: publications and partial results that wait on it, and the window ranges (NWRs) beyond
the link that they count for. When an NWR ends, the links that lead to its subscriber decide, upstream first, whether
to send one partial result or to forward what waits; what arrives at the subscriber's broker becomes its result. NWRs
are decided in the order (end, subscription id); at equal times before the publications made at that time.

`advance` is a pure function of state, arrivals and time. So results and bill do not depend on how a stream was cut
into batches, and an overlay may be hosted in several processes: links whose far end is elsewhere give and take items.
The walk itself is compiled (`arrays`); here its arrays are prepared, and what came of it gets names again.

Paper: mna-aggregation, sections V-VII; what it leaves open is settled in docs/decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sparing.control.merging.tree import trees_of
from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.notifications import Notifications
from sparing.flow.interests import Interests
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.step import DecisionWatcher, Step
from sparing.flow.windows.window_state import WindowState
from sparing.model.bill import Bill
from sparing.model.errors import SparingError
from sparing.model.types import BEGINNING

MOST_ITEMS = 1 << 23  # (publication, link) pairs that are worked on at once


@dataclass(frozen=True)
class WindowOutcome:
    """What one advance gave rise to.

    `late` are publications that came too late for their windows. `least` has the fewest messages that had to cross each
    link, if that was asked for, `seconds` the CPU time of the walk itself: all decisions, and what moves by them.
    """

    notifications: list[Notifications]
    bill: Bill
    late: Matched | None
    sent: list[LinkItem]
    least: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    bound_seconds: float = 0.0  # of working out `least`


class WindowWalk:
    """The brokers of one plan, or those of them that are hosted here."""

    def __init__(self, interests: Interests, hosted: Iterable[str] | None = None, most_items: int = MOST_ITEMS) -> None:
        self.interests = interests
        self.most_items = most_items
        routes = interests.plan.routes
        here = set(routes.brokers if hosted is None else hosted)
        self.hosted = np.array([broker in here for broker in routes.brokers], dtype=bool)
        whole = interests.policy.patience or interests.policy.whole_trace
        if whole and (self.hosted[routes.source] != self.hosted[routes.target]).any():
            raise SparingError(
                f"Brokers that are joined by links cannot be hosted apart under the decision {interests.policy.name}: "
                "host all of them, or use another decision."
            )
        self._ways: dict[tuple[str, bool], TopicLinks] = {}
        self._known: dict[str, np.ndarray] = {}

    def advance(
        self,
        state: WindowState | None,
        arrivals: Sequence[Matched],
        until: int,
        late_before: int = BEGINNING,
        received: Sequence[LinkItem] = (),
        bound: bool = False,
        watcher: DecisionWatcher | None = None,
    ) -> tuple[WindowState, WindowOutcome]:
        """Take in arrivals, then do everything that falls before `until`.

        Arrivals made before `late_before` are too late. `received` are partial results and forwarded publications
        from brokers hosted elsewhere; they must be complete for the NWRs that end up to `until`. With `bound` the
        fewest possible messages are worked out, too; that takes a whole trace.
        """
        step = Step(self, state or WindowState(), watcher)
        late = step.admit(arrivals, late_before)
        step.receive(received, until)
        for moment in step.moments(until, whole=bound or bool(received)):
            step.run(moment, bound)
        return step.state(), WindowOutcome(
            step.notifications, step.ledger.bill(), late, step.sent, step.least, step.seconds, step.bound_seconds
        )

    def ways(self, topic: str, at: np.ndarray, resting: np.ndarray, goals: np.ndarray) -> TopicLinks:
        """The links that publications of a topic can take, from its publishers' brokers (from all, if need be).

        They must lead from brokers `resting` to `goals`, too: what rests there may have come over other links.
        """
        known = self._sources(topic)
        if self.hosted.all() and np.isin(at, known).all():
            found = self._ways_from(topic, known, everywhere=False)
            if (found.height[resting, goals] >= 0).all():
                return found
        return self._ways_from(topic, np.arange(len(self.hosted)), everywhere=True)

    def _sources(self, topic: str) -> np.ndarray:
        """The brokers from which publications of a topic set out: those of publishers, or where events are merged.

        A patient link waits for all links before it, so these must not depend on where a batch's events were merged.
        """
        if topic not in self._known:
            plan = self.interests.plan
            brokers = {plan.routes.number[a.broker] for a in plan.advertisements if a.topic == topic}
            if plan.topics[topic].merge is not None:
                brokers = {broker for tree in trees_of(plan, topic, plan.policy.actives) for broker in tree.brokers}
            self._known[topic] = np.array(sorted(brokers), dtype=np.int64)
        return self._known[topic]

    def _ways_from(self, topic: str, sources: np.ndarray, everywhere: bool) -> TopicLinks:
        if (topic, everywhere) not in self._ways:
            plan = self.interests.plan
            numbers = plan.by_topic[topic]
            goals = np.unique(plan.broker_of[numbers[self.interests.timed[numbers]]]) if len(numbers) else numbers
            self._ways[topic, everywhere] = TopicLinks.between(plan.routes, sources, goals)
        return self._ways[topic, everywhere]
