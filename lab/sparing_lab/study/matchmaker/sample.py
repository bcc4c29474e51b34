"""One sample: a network, publishers and subscribers with descriptors, and the trees between them.

Paper: matchmaker, sections 4.1 to 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from sparing.control.matchmaker.demand import Demand, tree_of
from sparing.workloads.randomness import seeded_rng
from sparing.workloads.transit_stub import TransitStub, descriptors, transit_stub
from sparing_lab.study.matchmaker.grid import BY_CHANCE, SHARED, MatchmakerPoint

NO_LINK = -1


@dataclass(frozen=True, eq=False)
class MatchmakerSample:
    """Publishers and subscribers are stub nodes; a node may be both."""

    network: TransitStub
    core: int  # the transit node in the middle of the shared tree
    publishers: np.ndarray
    published: np.ndarray  # publisher -> descriptors
    subscribers: np.ndarray
    subscribed: np.ndarray  # subscriber -> descriptors
    ties: np.ndarray  # publisher -> all directed links, in the order of preference if ties are broken by chance


def draw(point: MatchmakerPoint, number: int) -> MatchmakerSample:
    """Return the sample of a number; points that differ only in rounding have the same sample but for descriptors."""
    publishers, subscribers, rounding = point.publishers, point.subscribers, point.rounding
    rng = seeded_rng(number, "matchmaker", publishers, subscribers)
    network = transit_stub(rng)
    core = int(rng.integers(network.transit))
    who = rng.choice(network.stub_nodes, publishers, replace=False)
    whom = rng.choice(network.stub_nodes, subscribers, replace=False)
    published, subscribed = (descriptors(rng, count, rounding) for count in (publishers, subscribers))
    ties = rng.permuted(np.tile(np.arange(2 * len(network.links)), (publishers, 1)), axis=1)
    return MatchmakerSample(network, core, who, published, whom, subscribed, ties)


def demand_of(sample: MatchmakerSample, trees: str) -> Demand:
    """Return the matchmaker's problem with one kind of trees.

    A tree per source has shortest paths by hops; ties go to the neighbour with the lowest number, or are broken at
    random. The shared tree has the shortest paths to the core, cut down to publishers and subscribers.
    """
    nodes = len(sample.network.names)
    source, target = sample.network.directed_links
    order = np.arange(len(source))
    if trees == SHARED:
        into = _paths(source, target, hops(source, target, nodes, np.array([sample.core]))[0], order)
        members = np.concatenate([sample.publishers, sample.subscribers]).tolist()
        down = tree_of(into, source, target, sample.core, members).links
        source, target = np.concatenate([source[down], target[down]]), np.concatenate([target[down], source[down]])
        order = np.arange(len(source))
    distances = hops(source, target, nodes, sample.publishers)
    goals = sample.subscribers.tolist()
    found = []
    for at, publisher in enumerate(sample.publishers.tolist()):
        preferred = sample.ties[at] if trees == BY_CHANCE else order
        into = _paths(source, target, distances[at], preferred)
        found.append(tree_of(into, source, target, publisher, goals))
    subscribed = np.zeros(nodes, dtype=np.int64)
    subscribed[sample.subscribers] = sample.subscribed
    weight = np.ones(len(source), dtype=np.int64)
    return Demand(source, target, tuple(found), sample.published, subscribed, weight, (None,) * len(found))


def hops(source: np.ndarray, target: np.ndarray, nodes: int, roots: np.ndarray) -> np.ndarray:
    """Return [root, node] -> distance in links."""
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(nodes, nodes))
    found: np.ndarray = shortest_path(graph, method="D", unweighted=True, indices=roots)
    return found


def _paths(source: np.ndarray, target: np.ndarray, distance: np.ndarray, preferred: np.ndarray) -> dict[int, int]:
    """Return node -> the last link of a shortest path from the root, the first one in the order `preferred`."""
    last = preferred[distance[source[preferred]] + 1 == distance[target[preferred]]]
    into = np.full(len(distance), NO_LINK)
    into[target[last[::-1]]] = last[::-1]  # of several for one node, the one assigned last stays
    return {node: link for node, link in enumerate(into.tolist()) if link != NO_LINK}
