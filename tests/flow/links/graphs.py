"""Whole matching graphs of links, and the messages that crossed them: what every policy can be measured by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from sparing.control.plan import Plan
from sparing.model.bill import Bill, MessageKind
from sparing.model.window import CountWindow
from tests.judges import overlay as judge
from tests.judges.overlay import Publication
from tests.judges.policies import NWR, Judge, Link, View, maximum_matching

Graphs = dict[Link, set[tuple[Any, NWR]]]  # link -> edges from a publication or a partial result to an NWR


class Inputs(Judge):
    """Hands every question on to another judge, and keeps what ever came to each link.

    An edge leaves a link by the decision on its NWR, or when its publication is forwarded: either way some view has it.
    """

    def __init__(self, other: Judge) -> None:
        self.other = other
        self.patience = other.patience
        self.graphs: Graphs = defaultdict(set)

    def arrived(self, link: Link, topic: str, time: int) -> None:
        self.other.arrived(link, topic, time)

    def aggregate(self, view: View) -> bool:
        edges = self.graphs[view.link]
        edges.update((id_, nwr) for id_, nwrs in view.graph.items() for nwr in nwrs)
        edges.update((("result", view.nwr, n), view.nwr) for n in range(view.results.get(view.nwr, 0)))
        return self.other.aggregate(view)


def complete_graphs(plan: Plan, publications: Sequence[Publication]) -> Graphs:
    """For every link all publications behind it and all NWRs beyond it, but for publications that cross it at once."""
    at_once = judge.crossed_at_once(plan, publications, judge.must_be_raw)
    graphs: Graphs = defaultdict(set)
    for number, subscription in enumerate(plan.subscriptions):
        aggregation = subscription.query.aggregation
        if judge.is_plain(subscription) or (aggregation and isinstance(aggregation.window, CountWindow)):
            continue
        found = judge.matching(plan, number, publications)
        for (start, end), inside in judge.windows_of(subscription, found).items():
            nwr = NWR(end, subscription.id, start)
            for p in inside:
                for link in set(judge.way(plan, p.at, judge.home(plan, number)) or ()) - at_once[p.id]:
                    graphs[link].add((p.id, nwr))
    return graphs


def fewest_messages(graphs: Graphs) -> Counter[Link]:
    """The size of a minimum vertex cover of each link's graph, which is that of a maximum matching."""
    return Counter({link: maximum_matching(edges) for link, edges in graphs.items()})


def decided_messages(plan: Plan, publications: Sequence[Publication], bill: Bill) -> Counter[Link]:
    """The messages between brokers on each link, without the publications that crossed it at once."""
    found: Counter[Link] = Counter()
    for key, messages in bill.items():
        if key.kind is not MessageKind.NOTIFICATION:
            found[key.source, key.target] += messages
    for links in judge.crossed_at_once(plan, publications, judge.must_be_raw).values():
        found.subtract(links)
    return found
