"""A marking of the links of a plan's delivery trees, for one topic.

Topics are apart: an advertisement of one never has to meet a subscription to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sparing.control.matchmaker.broadcast import publish_everywhere, subscribe_everywhere
from sparing.control.matchmaker.demand import Demand, tree_of
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree
from sparing.control.routes import Routes
from sparing.model.policy import Matchmaker


@dataclass(frozen=True, eq=False)
class Marking:
    """Which links are s-links (all others are p-links), and the demand behind it.

    `roots` are the publishers' brokers, in the order of the demand's trees.
    """

    demand: Demand
    roots: tuple[int, ...]
    s_link: np.ndarray

    @property
    def cost(self) -> int:
        """The content descriptors that cross links, by weight, without covering."""
        return int(self.demand.cost(self.s_link))

    def climbs(self, link: int) -> bool:
        """Whether subscriptions climb over a link, given in their direction."""
        return bool(self.s_link[Routes.reverse(link)])


def demand_on(routes: Routes, weight: np.ndarray, published: Mapping[int, int], subscribed: np.ndarray) -> Demand:
    """The demand of publishers (broker -> advertisements) and subscribers (broker -> subscriptions) on routes."""
    trees = []
    for root in published:
        there = np.flatnonzero((routes.hops[:, root] > 0) & (subscribed > 0)).tolist()
        # The last link on the way to a broker is the first on the way back.
        ways = {b: Routes.reverse(int(link)) for b, link in enumerate(routes.link_of[:, root].tolist()) if link >= 0}
        trees.append(tree_of(ways, routes.source, routes.target, root, there))
    counts = np.array(list(published.values()), dtype=np.int64)
    reached = (None,) * len(trees)
    return Demand(routes.source, routes.target, tuple(trees), counts, subscribed, weight, reached)


def marking_of(
    matchmaker: Matchmaker,
    shared: bool,
    routes: Routes,
    weight: np.ndarray,
    published: Mapping[int, int],
    subscribed: np.ndarray,
) -> Marking:
    """The marking that a matchmaker chooses; `shared` says whether all sources have one tree."""
    demand = demand_on(routes, weight, published, subscribed)
    match matchmaker:
        case Matchmaker.PUBLISH_EVERYWHERE:
            marked = publish_everywhere(demand)
        case Matchmaker.SUBSCRIBE_EVERYWHERE:
            marked = subscribe_everywhere(demand)
        case Matchmaker.MIN_COST:
            marked = mark_shared_tree(demand) if shared else mark_per_source(demand)
    return Marking(demand, tuple(published), marked)
