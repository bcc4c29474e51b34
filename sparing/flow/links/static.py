"""The static optimum: on every link, upstream first, a minimum vertex cover of the complete matching graph.

It knows everything that will be published, so it is for batches only: the yardstick that other policies are measured
with. Deciding links one by one, upstream first, is optimal on every link at once, whichever of several minimum covers
is taken.

Paper: mna-aggregation, section VI.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.links.policy import LinkPolicy, Turn
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.flow.windows.kernels.places import following, resting_places
from sparing.graphs.matching import maximum_matching, minimum_vertex_cover
from sparing.model.errors import SparingError
from sparing.model.policy import DecisionRule


class Static(LinkPolicy):
    """Looks up what was worked out beforehand."""

    name = DecisionRule.STATIC
    whole_trace = True

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Follow all edges over the links, each of which decides by a minimum vertex cover."""
        place = resting_places(arrays)
        raw = np.ones(len(place), dtype=bool)
        table = np.ones((len(arrays.links), len(arrays.nwrs)), dtype=bool)
        for link in upstream_first(arrays, place):
            mine = np.flatnonzero(place == link)
            rows, nwrs = arrays.edges["row"][mine], arrays.edges["nwr"][mine]
            table[link] = aggregated(rows, nwrs, raw[mine], len(arrays.nwrs))
            # What is aggregated sends a result, so the next link aggregates it as well, whatever else comes raw.
            raw[mine] &= ~table[link][nwrs]
            place[mine] = following(arrays, place[mine], mine)
        return table

    def why(self, turn: Turn) -> str:
        """The cover."""
        chosen = "in" if turn.arrays.table[turn.link, turn.nwr] else "not in"
        return f"the window is {chosen} the minimum vertex cover of the link's complete graph"


def upstream_first(arrays: WindowArrays, place: np.ndarray) -> list[int]:
    """The links that edges cross from their places on, each after all that feed it."""
    pairs = [np.zeros((2, 0), np.int64)]
    for links, edges in crossings(arrays, place):
        after = following(arrays, links, edges)
        pairs.append(np.stack([links, after])[:, after >= 0])
    return _in_order(np.concatenate(pairs, axis=1), len(arrays.links))


def check_order(plan: Plan) -> None:
    """Refuse plans whose links may feed each other in a circle, before anything is walked."""
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
    """All links, the first of every pair before the second."""
    order = TopologicalSorter({link: list[int]() for link in range(count)})
    for before, after in np.unique(pairs, axis=1).T.tolist():
        order.add(after, before)
    try:
        return list(order.static_order())
    except CycleError:
        raise SparingError(
            "The static optimum decides link by link, but the trees of several sources feed their links in a circle: "
            "use policy.tree: shared, or another decision."
        ) from None


def crossings(arrays: WindowArrays, place: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The links that edges cross from their places on, with the edges: first all first links, then all second ones."""
    edges = np.flatnonzero(place >= 0)
    links = place[edges].astype(np.int64)
    while len(edges):
        yield links, edges
        links = following(arrays, links, edges)
        links, edges = links[links >= 0], edges[links >= 0]


def aggregated(rows: np.ndarray, nwrs: np.ndarray, raw: np.ndarray, count: int) -> np.ndarray:
    """Which NWRs of a link's complete graph to aggregate; those with a partial result in any case."""
    chosen = np.zeros(count, dtype=bool)
    chosen[nwrs[~raw]] = True
    rest = raw & ~chosen[nwrs]
    if rest.any():
        _, items = np.unique(rows[rest], return_inverse=True)
        numbers, nodes = np.unique(nwrs[rest], return_inverse=True)
        chosen[numbers[minimum_vertex_cover(items, nodes)[1]]] = True
    return chosen


def least_messages(arrays: WindowArrays) -> np.ndarray:
    """For each link, the fewest messages that any policy must send over it, beside those that cross at once.

    It is the size of a maximum matching of all publications behind the link with all NWRs beyond it.
    """
    least = np.zeros(len(arrays.links), dtype=np.int64)
    found = list(crossings(arrays, resting_places(arrays)))
    links, edges = (np.concatenate([np.zeros(0, np.int64), *(part[at] for part in found)]) for at in (0, 1))
    for link in np.unique(links).tolist():
        mine = edges[links == link]
        _, items = np.unique(arrays.edges["row"][mine], return_inverse=True)
        _, nodes = np.unique(arrays.edges["nwr"][mine], return_inverse=True)
        least[link] = np.count_nonzero(maximum_matching(items, nodes) >= 0)
    return least


POLICY = Static()
