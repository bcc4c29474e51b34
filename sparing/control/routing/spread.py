"""The spread of advertisements and subscriptions over links, and the channels between those that have met.

The matchmaker marks the links of every topic as p-links and s-links. An advertisement travels the p-links of its
publisher's tree. A subscription travels the s-links towards the publishers of its topic, reduced by regular covering;
the brokers there do not know the advertisements. Where both meet, a channel is set up over the p-links towards the
publisher for matching subscriptions, reduced by the advertisement's own covering.

Top-k advertisements need more: brokers downstream of the meeting point must know the advertisement, too, because its
covering depends on scores. So it is announced down the s-links to all brokers with matches, and its covering applies to
all links. Publications therefore reach the same subscribers under any marking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.matchmaker.election import election
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.control.matchmaker.marking import Marking
from sparing.control.matchmaker.signalling import signal
from sparing.control.plan import Plan
from sparing.control.routes import Routes
from sparing.control.routing.tables import MetSubscriptions, RoutingTable, table_of
from sparing.model.bill import MessageKind
from sparing.model.policy import Covering, Matchmaker

EntriesByLink = dict[tuple[int, MessageKind], np.ndarray]  # link and kind of message -> numbers of subscriptions


@dataclass(frozen=True, eq=False)
class Spread:
    """The routing tables of a plan for the subscriptions in force."""

    plan: Plan
    markings: dict[str, Marking]  # by topic
    climbing: dict[tuple[str, int], RoutingTable]  # by topic and publishers' broker: subscriptions on s-links
    tables: tuple[RoutingTable, ...]  # one for each different matching set

    def advertised(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of a link and the number of an advertisement that crosses it."""
        for number, advertisement in enumerate(self.plan.advertisements):
            marking = self.markings[advertisement.topic]
            tree = marking.demand.trees[marking.roots.index(self.plan.routes.number[advertisement.broker])]
            yield from ((link, number) for link in tree.links[~marking.s_link[tree.links]].tolist())

    @cached_property
    def forwarded(self) -> EntriesByLink:
        """The subscriptions that are forwarded over links; each crosses a link once for all advertisements."""
        found: dict[tuple[int, MessageKind], list[np.ndarray]] = {}
        for table in self.climbing.values():
            for link, numbers in table.forwarded().items():
                found.setdefault((link, MessageKind.SUBSCRIPTION), []).append(numbers)
        for table in self.tables:
            climbs = self.markings[table.matching_set.advertisement.topic].climbs
            for link, numbers in table.forwarded().items():
                if not climbs(link):
                    found.setdefault((link, MessageKind.CHANNEL), []).append(numbers)
                elif table.matching_set.is_top_k:
                    found.setdefault((link, MessageKind.SUBSCRIPTION), []).append(numbers)
        return {key: np.unique(np.concatenate(parts)) for key, parts in sorted(found.items())}

    @cached_property
    def forwarded_over(self) -> dict[int, np.ndarray]:
        """Link -> the subscriptions that are forwarded over it, as messages of any kind."""
        found: dict[int, list[np.ndarray]] = {}
        for (link, _), numbers in self.forwarded.items():
            found.setdefault(link, []).append(numbers)
        return {link: np.unique(np.concatenate(parts)) for link, parts in found.items()}

    @cached_property
    def signalled(self) -> dict[str, dict[int, int]]:
        """Topic -> link -> messages by which brokers agree on the marking; only for the min-cost matchmaker."""
        if self.plan.policy.matchmaker is not Matchmaker.MIN_COST:
            return {}
        found = {}
        for topic, marking in self.markings.items():
            sent = signal(marking.demand, self.plan.shared).messages
            found[topic] = {int(self.plan.routes.link_of[ends]): messages for ends, messages in sent.items()}
        return found

    @cached_property
    def elections(self) -> dict[str, list[tuple[list[int], dict[int, int]]]]:
        """Topic -> entangled components: their links, and link -> messages of the election."""
        found: dict[str, list[tuple[list[int], dict[int, int]]]] = {}
        for topic in self.signalled if not self.plan.shared else ():
            demand = self.markings[topic].demand
            before, after = demand.requires
            component = entangled(demand.eta, before, after)
            for number in range(int(component.max(initial=FREE)) + 1):
                inner = (component[before] == number) & (component[after] == number)
                _, sent, _ = election(demand.source, demand.target, demand.eta, before[inner], after[inner])
                messages = {int(self.plan.routes.link_of[ends]): count for ends, count in sent.items()}
                found.setdefault(topic, []).append((np.flatnonzero(component == number).tolist(), messages))
        return found

    @cached_property
    def announced(self) -> dict[int, list[MatchingSet]]:
        """S-link -> the matching sets of top-k advertisements that are announced down it."""
        found: dict[int, list[MatchingSet]] = {}
        for table in self.tables:
            if table.matching_set.is_top_k:
                climbs = self.markings[table.matching_set.advertisement.topic].climbs
                for link in filter(climbs, table.forwarded()):
                    found.setdefault(Routes.reverse(link), []).append(table.matching_set)
        return found


def spread_of(
    plan: Plan, in_force: np.ndarray, covering: bool = True, s_links: Mapping[str, np.ndarray] | None = None
) -> Spread:
    """Return the spread for subscriptions in force, with or without covering; `s_links` replaces the marking."""
    markings = {topic: plan.marking(topic, in_force) for topic in plan.topics}
    if s_links is not None:
        markings = {topic: replace(marking, s_link=s_links[topic]) for topic, marking in markings.items()}
    climbing = {}
    for topic, marking in markings.items():
        # On a shared tree the subscriptions on an s-link do not depend on the publishers' broker.
        done: dict[int, np.ndarray] | None = {} if plan.shared else None
        for root in marking.roots:
            matching_set = _covered(plan.climb(topic, root), covering)
            climbing[topic, root] = table_of(
                matching_set, plan.broker_of, plan.routes, in_force=in_force, over=marking.climbs, done=done
            )
    tables = []
    for number in sorted(set(plan.matching_set_of)):
        matching_set = _covered(plan.matching_sets[number], covering)
        met = None
        if not matching_set.is_top_k:
            topic, root = matching_set.advertisement.topic, plan.routes.number[matching_set.advertisement.broker]
            met = MetSubscriptions(climbing[topic, root], markings[topic].climbs)
        tables.append(table_of(matching_set, plan.broker_of, plan.routes, in_force=in_force, met=met))
    return Spread(plan, markings, climbing, tuple(tables))


def _covered(matching_set: MatchingSet, covering: bool) -> MatchingSet:
    return matching_set if covering else replace(matching_set, method=Covering.NONE)
