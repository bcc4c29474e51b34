"""The walk of held publications across the overlay, in event time.

Every link has a matching graph: the publications and partial results that it holds, and the window ranges (NWRs) beyond
the link that count them. When an NWR ends, the links towards its subscriber decide, upstream first, to send one partial
result or to forward the held items; the items that arrive at the subscriber's broker give the result. NWRs are decided
by end, then subscription id, and before publications with the same time.

`advance` is a pure function of state, arrivals and time. So results and bill do not depend on micro-batches, and
several processes can host parts of an overlay: links between them send and receive items. The compiled loops are in
`kernels`; `step` prepares their arrays and converts their output.

Paper: mna-aggregation, sections V-VII; docs/decisions has the choices that it leaves open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from sparing.model.bill import Bill, total
from sparing.model.errors import SparingError
from sparing.model.types import BEGINNING

MOST_ITEMS = 1 << 23  # (publication, link) pairs processed at a time


@dataclass(frozen=True)
class WindowOutcome:
    """The output of one advance, or of one for each of several keys.

    `late` are late events, `sent` the items for brokers hosted by other processes. `least` is the lower bound on
    messages per link, if requested. `seconds` is the CPU time of the compiled walk, `bound_seconds` that of `least`.
    """

    notifications: list[Notifications]
    bill: Bill
    late: list[Matched]
    sent: list[LinkItem]
    least: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0
    bound_seconds: float = 0.0

    @classmethod
    def total(cls, parts: Sequence[WindowOutcome]) -> WindowOutcome:
        """Return the output of several advances as one."""
        return cls(
            notifications=[found for part in parts for found in part.notifications],
            bill=total(part.bill for part in parts),
            late=[found for part in parts for found in part.late],
            sent=[item for part in parts for item in part.sent],
            least=sum((part.least for part in parts), Counter[int]()),
            seconds=sum(part.seconds for part in parts),
            bound_seconds=sum(part.bound_seconds for part in parts),
        )


class WindowWalk:
    """The walk of one plan's window subscriptions, at all brokers or those hosted by this process."""

    def __init__(self, interests: Interests, hosted: Iterable[str] | None = None, most_items: int = MOST_ITEMS) -> None:
        self.interests = interests
        self.most_items = most_items
        routes = interests.plan.routes
        here = set(routes.brokers if hosted is None else hosted)
        self.hosted = np.array([broker in here for broker in routes.brokers], dtype=bool)
        whole = interests.policy.patience or interests.policy.whole_trace
        if whole and (self.hosted[routes.source] != self.hosted[routes.target]).any():
            raise SparingError(
                f"The decision {interests.policy.name} cannot be split over several processes: "
                "host all connected brokers in one, or use another decision."
            )
        self._topic_links: dict[tuple[str, bool], TopicLinks] = {}
        self._known: dict[str, np.ndarray] = {}

    def advance(
        self,
        state: WindowState | None,
        arrivals: Sequence[Matched],
        until: int,
        *,
        late_before: int = BEGINNING,
        received: Sequence[LinkItem] = (),
        bound: bool = False,
        watcher: DecisionWatcher | None = None,
    ) -> tuple[WindowState, WindowOutcome]:
        """Add arrivals, and process everything before `until`.

        Arrivals before `late_before` are late events. `received` are the partial results and forwarded publications
        from other processes, complete for the NWRs that end up to `until`. With `bound`, which requires a whole trace,
        the outcome has the lower bound on messages.
        """
        step = Step(self, state or WindowState(), watcher)
        late = step.admit(arrivals, late_before)
        step.receive(received, until)
        for moment in step.moments(until, whole=bound or bool(received)):
            step.run(moment, bound)
        outcome = WindowOutcome(
            notifications=step.notifications,
            bill=step.ledger.bill(),
            late=[] if late is None else [late],
            sent=step.sent,
            least=Counter(step.least),
            seconds=step.seconds,
            bound_seconds=step.bound_seconds,
        )
        return step.state(), outcome

    def advance_all(
        self,
        states: Mapping[str, WindowState],
        arrivals: Iterable[Mapping[str, Matched]],
        until: int,
        *,
        late_before: int = BEGINNING,
        received: Mapping[str, Sequence[LinkItem]] | None = None,
        bound: bool = False,
    ) -> tuple[dict[str, WindowState], WindowOutcome]:
        """Advance every key that has a state, arrivals or received items; return the states that are not empty."""
        held: dict[str, list[Matched]] = {}
        for by_key in arrivals:
            for key, matched in by_key.items():
                held.setdefault(key, []).append(matched)
        received = received or {}
        after, outcomes = dict[str, WindowState](), []
        for key in sorted(held.keys() | states.keys() | received.keys()):
            given = states.get(key), held.get(key, ()), until
            state, outcome = self.advance(*given, late_before=late_before, received=received.get(key, ()), bound=bound)
            outcomes.append(outcome)
            if not state.empty:
                after[key] = state
        return after, WindowOutcome.total(outcomes)

    def topic_links(self, topic: str, at: np.ndarray, resting: np.ndarray, goals: np.ndarray) -> TopicLinks:
        """Return the links that publications of a topic can cross, from its publishers' brokers or from all brokers.

        They include the paths from the brokers `resting` to `goals`, for publications held since an earlier plan.
        """
        known = self._sources(topic)
        if self.hosted.all() and np.isin(at, known).all():
            found = self._links_from(topic, known, everywhere=False)
            if (found.height[resting, goals] >= 0).all():
                return found
        return self._links_from(topic, np.arange(len(self.hosted)), everywhere=True)

    def _sources(self, topic: str) -> np.ndarray:
        """Return the brokers where publications of a topic start: publishers' brokers, or all of a merged topic.

        Patience depends on all upstream links, so a merged topic counts every broker that may coordinate an event.
        """
        if topic not in self._known:
            plan = self.interests.plan
            brokers = {plan.routes.number[a.broker] for a in plan.advertisements if a.topic == topic}
            if plan.topics[topic].merge is not None:
                brokers = {broker for tree in trees_of(plan, topic, plan.policy.actives) for broker in tree.brokers}
            self._known[topic] = np.array(sorted(brokers), dtype=np.int64)
        return self._known[topic]

    def _links_from(self, topic: str, sources: np.ndarray, everywhere: bool) -> TopicLinks:
        if (topic, everywhere) not in self._topic_links:
            plan = self.interests.plan
            numbers = plan.by_topic[topic]
            goals = np.unique(plan.broker_of[numbers[self.interests.timed[numbers]]]) if len(numbers) else numbers
            self._topic_links[topic, everywhere] = TopicLinks.between(plan.routes, sources, goals)
        return self._topic_links[topic, everywhere]
