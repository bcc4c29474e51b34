"""The static optimum: on every link, upstream first, a minimum vertex cover of the complete matching graph.

It needs all future publications, so it is for batches only; other policies are compared with it. Deciding links one by
one, upstream first, is optimal on all links, for any choice among several minimum covers.

Paper: mna-aggregation, section VI.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.links.policy import DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.flow.windows.kernels.places import first_places, next_places
from sparing.graphs.matching import maximum_matching, minimum_vertex_cover
from sparing.model.errors import SparingError
from sparing.model.policy import DecisionRule


class Static(LinkPolicy):
    """Looks up decisions that were computed beforehand."""

    name = DecisionRule.STATIC
    whole_trace = True

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Compute a minimum vertex cover for each link, upstream first."""
        place = first_places(arrays)
        raw = np.ones(len(place), dtype=bool)
        table = np.ones((len(arrays.links), len(arrays.nwrs)), dtype=bool)
        for link in upstream_first(arrays, place):
            edges = np.flatnonzero(place == link)
            rows, nwrs = arrays.edges["row"][edges], arrays.edges["nwr"][edges]
            table[link] = aggregated(rows, nwrs, raw[edges], len(arrays.nwrs))
            # The next link gets a partial result of an aggregated NWR, so it aggregates the NWR as well.
            raw[edges] &= ~table[link][nwrs]
            place[edges] = next_places(arrays, place[edges], edges)
        return table

    def why(self, context: DecisionContext) -> str:
        """Return whether the window is in the cover."""
        chosen = "in" if context.arrays.table[context.link, context.nwr] else "not in"
        return f"the window is {chosen} the minimum vertex cover of the link's complete graph"


def upstream_first(arrays: WindowArrays, place: np.ndarray) -> list[int]:
    """Return the links that edges cross, each link after those that feed it."""
    pairs = [np.zeros((2, 0), np.int64)]
    for links, edges in crossings(arrays, place):
        after = next_places(arrays, links, edges)
        pairs.append(np.stack([links, after])[:, after >= 0])
    return _in_order(np.concatenate(pairs, axis=1), len(arrays.links))


def check_order(plan: Plan) -> None:
    """Reject plans whose links may feed each other in a cycle."""
    for topic, published in plan.published.items() if not plan.shared else ():
        goals = np.unique(plan.broker_of[plan.by_topic[topic]])
        here, goal = (side.ravel() for side in np.meshgrid(list(published), goals, indexing="ij"))
        link = plan.routes.link_of[here.astype(np.int64), goal.astype(np.int64)]
        pairs = [np.zeros((2, 0), np.int64)]
        while len(link):
            link, goal = link[link >= 0], goal[link >= 0]
            after = plan.routes.link_of[plan.routes.target[link], goal]
            pairs.append(np.stack([link, after])[:, after >= 0])
            link = after
        _in_order(np.concatenate(pairs, axis=1), len(plan.routes.source))


def _in_order(pairs: np.ndarray, count: int) -> list[int]:
    """Return all links in an order with the first link of every pair before the second."""
    order = TopologicalSorter({link: list[int]() for link in range(count)})
    for before, after in np.unique(pairs, axis=1).T.tolist():
        order.add(after, before)
    try:
        return list(order.static_order())
    except CycleError:
        raise SparingError(
            "The decision static needs an order of links, but the trees of several sources feed links in a cycle: "
            "use policy.tree: shared, or another decision."
        ) from None


def crossings(arrays: WindowArrays, place: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return the links that edges cross, with the edges: all first links, then all second links, and so on."""
    edges = np.flatnonzero(place >= 0)
    links = place[edges].astype(np.int64)
    while len(edges):
        yield links, edges
        links = next_places(arrays, links, edges)
        links, edges = links[links >= 0], edges[links >= 0]


def aggregated(rows: np.ndarray, nwrs: np.ndarray, raw: np.ndarray, count: int) -> np.ndarray:
    """Return which NWRs of a link's complete graph to aggregate; NWRs with a partial result always are."""
    chosen = np.zeros(count, dtype=bool)
    chosen[nwrs[~raw]] = True
    rest = raw & ~chosen[nwrs]
    if rest.any():
        _, items = np.unique(rows[rest], return_inverse=True)
        numbers, nodes = np.unique(nwrs[rest], return_inverse=True)
        chosen[numbers[minimum_vertex_cover(items, nodes)[1]]] = True
    return chosen


def least_messages(arrays: WindowArrays) -> np.ndarray:
    """Return the lower bound on messages over each link for any policy, without those that cross on arrival.

    The bound is the size of a maximum matching of all publications behind the link with all NWRs beyond it.
    """
    least = np.zeros(len(arrays.links), dtype=np.int64)
    parts = list(crossings(arrays, first_places(arrays)))
    links, edges = (np.concatenate([np.zeros(0, np.int64), *(part[at] for part in parts)]) for at in (0, 1))
    for link in np.unique(links).tolist():
        crossing = edges[links == link]
        _, items = np.unique(arrays.edges["row"][crossing], return_inverse=True)
        _, nodes = np.unique(arrays.edges["nwr"][crossing], return_inverse=True)
        least[link] = np.count_nonzero(maximum_matching(items, nodes) >= 0)
    return least


POLICY = Static()
