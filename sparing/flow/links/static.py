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
from sparing.flow.windows.kernels.arrays import ELSEWHERE, HERE, WindowArrays
from sparing.flow.windows.kernels.graph import pairs
from sparing.flow.windows.kernels.places import first_places
from sparing.graphs.matching import minimum_vertex_cover
from sparing.model.errors import SparingError
from sparing.model.policy import DecisionRule


class Static(LinkPolicy):
    """Looks up decisions that were computed beforehand."""

    name = DecisionRule.STATIC
    whole_trace = True
    items = False

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Compute a minimum vertex cover for each link, upstream first."""
        rows, nwrs, place = _first(arrays)
        raw = np.ones(len(place), dtype=bool)
        table = np.ones((len(arrays.links), len(arrays.nwrs)), dtype=bool)
        for link in upstream_first(arrays, nwrs, place):
            held = np.flatnonzero(place == link)
            table[link] = aggregated(rows[held], nwrs[held], raw[held], len(arrays.nwrs))
            # The next link gets a partial result of an aggregated NWR, so it aggregates the NWR as well.
            raw[held] &= ~table[link][nwrs[held]]
            place[held] = next_places(arrays, place[held], nwrs[held])
        return table

    def why(self, context: DecisionContext) -> str:
        """Return whether the window is in the cover."""
        chosen = "in" if context.arrays.table[context.link, context.nwr] else "not in"
        return f"the window is {chosen} the minimum vertex cover of the link's complete graph"


def _first(arrays: WindowArrays) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the row and NWR of each pair, and the place of the row as if all rows entered now."""
    rows, nwrs = pairs(arrays)
    return rows, nwrs, first_places(arrays)[rows, arrays.nwrs["goal"][nwrs]].astype(np.int64)


def next_places(arrays: WindowArrays, links: np.ndarray, nwrs: np.ndarray) -> np.ndarray:
    """Return the places, after they cross links, of rows on their way to the goals of NWRs."""
    brokers, goals = arrays.links["target"][links], arrays.goals[arrays.nwrs["goal"][nwrs]]
    further = np.where(goals == brokers, HERE, arrays.link_of[brokers, goals])
    return np.where(arrays.brokers["hosted"][brokers], further, ELSEWHERE)


def upstream_first(arrays: WindowArrays, nwrs: np.ndarray, place: np.ndarray) -> list[int]:
    """Return the links that rows cross, each link after those that feed it."""
    found = [np.zeros((2, 0), np.int64)]
    for links, crossing in crossings(arrays, nwrs, place):
        after = next_places(arrays, links, nwrs[crossing])
        found.append(np.stack([links, after])[:, after >= 0])
    return _in_order(np.concatenate(found, axis=1), len(arrays.links))


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


def crossings(arrays: WindowArrays, nwrs: np.ndarray, place: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return the links that pairs cross, with the pairs: all first links, then all second links, and so on."""
    crossing = np.flatnonzero(place >= 0)
    links = place[crossing]
    while len(crossing):
        yield links, crossing
        links = next_places(arrays, links, nwrs[crossing])
        links, crossing = links[links >= 0], crossing[links >= 0]


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


POLICY = Static()
