"""A marking of the links of a plan's delivery trees, for one topic.

Topics are independent: an advertisement of one topic never has to meet a subscription to another.
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
    """The s-links and p-links of a demand."""

    demand: Demand
    roots: tuple[int, ...]  # publishers' brokers, in the order of the demand's trees
    s_link: np.ndarray  # link -> whether it is an s-link; otherwise it is a p-link

    @property
    def cost(self) -> int:
        """The weighted number of content descriptors that cross links, without covering."""
        return int(self.demand.cost(self.s_link))

    def climbs(self, link: int) -> bool:
        """Return whether subscriptions travel over a link; the link is given in their direction."""
        return bool(self.s_link[Routes.reverse(link)])


def demand_on(routes: Routes, weight: np.ndarray, published: Mapping[int, int], subscribed: np.ndarray) -> Demand:
    """Return the demand of advertisements (`published`, by broker) and subscriptions (by broker) on routes."""
    trees = []
    for root in published:
        goals = np.flatnonzero((routes.hops[:, root] > 0) & (subscribed > 0)).tolist()
        # The last link on the path to a broker is the first one on the path back.
        paths = {b: Routes.reverse(int(link)) for b, link in enumerate(routes.link_of[:, root].tolist()) if link >= 0}
        trees.append(tree_of(paths, routes.source, routes.target, root, goals))
    return Demand(
        source=routes.source,
        target=routes.target,
        trees=tuple(trees),
        published=np.array(list(published.values()), dtype=np.int64),
        subscribed=subscribed,
        weight=weight,
        reached=(None,) * len(trees),
    )


def marking_of(
    matchmaker: Matchmaker,
    shared: bool,
    routes: Routes,
    weight: np.ndarray,
    published: Mapping[int, int],
    subscribed: np.ndarray,
) -> Marking:
    """Return the marking of a matchmaker; `shared` says whether all sources have one tree."""
    demand = demand_on(routes, weight, published, subscribed)
    match matchmaker:
        case Matchmaker.PUBLISH_EVERYWHERE:
            s_link = publish_everywhere(demand)
        case Matchmaker.SUBSCRIBE_EVERYWHERE:
            s_link = subscribe_everywhere(demand)
        case Matchmaker.MIN_COST:
            s_link = mark_shared_tree(demand) if shared else mark_per_source(demand)
    return Marking(demand, tuple(published), s_link)
