"""Networks of transit and stub nodes, and numbers of descriptors of their publishers and subscribers.

Like GT-ITM: 4 transit nodes with three stubs of 8 nodes each, 100 nodes in total. Two transit nodes are linked with
probability 0.6, two nodes of a stub with 0.42; unconnected domains are drawn again. One link leads from a random node
of each stub to its transit node.

Paper: matchmaker, section 4.1. It names the generator and the numbers of transit and stub nodes, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sparing.model.errors import SparingError
from sparing.model.overlay import Link, Overlay

TRANSIT_NODES, STUBS, STUB_NODES = 4, 3, 8  # stubs per transit node, nodes per stub
TRANSIT_EDGES, STUB_EDGES = 0.6, 0.42  # the probability of a link between two nodes of a domain
FEWEST, MOST = 1, 100  # descriptors


class Rounding(StrEnum):
    """The rounding of numbers of descriptors."""

    DOWN = "down"
    NEAREST = "nearest"


@dataclass(frozen=True, eq=False)
class TransitStub:
    """A network. Nodes are numbered, transit nodes first, then stub by stub; links are undirected pairs of numbers."""

    names: tuple[str, ...]
    transit: int  # the number of transit nodes
    links: np.ndarray  # [link, end], the lower number first, in order

    @property
    def stub_nodes(self) -> np.ndarray:
        """All nodes except transit nodes."""
        return np.arange(self.transit, len(self.names))

    @property
    def directed_links(self) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets of the directed links, in order."""
        ends = np.concatenate([self.links, self.links[:, ::-1]])
        ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
        return ends[:, 0], ends[:, 1]

    def overlay(self) -> Overlay:
        """Return the network as an overlay: every node is a broker."""
        pairs = self.links.tolist()
        return Overlay(self.names, tuple(Link(self.names[one], self.names[other]) for one, other in pairs))


def transit_stub(
    rng: np.random.Generator, transit: int = TRANSIT_NODES, stubs: int = STUBS, nodes: int = STUB_NODES
) -> TransitStub:
    """Return a network with a number of transit nodes, stubs per transit node, and nodes per stub.

    >>> made = transit_stub(np.random.default_rng(0))
    >>> len(made.names), made.names[:5], made.links[:2].tolist()
    (100, ('t1', 't2', 't3', 't4', 't1s1n1'), [[0, 2], [0, 3]])
    """
    if min(transit, stubs, nodes) < 1:
        raise SparingError(
            f"The network has {transit} transit nodes, {stubs} stubs and {nodes} stub nodes: each must be at least 1."
        )
    links = [_domain(rng, transit, TRANSIT_EDGES)]
    names = [f"t{t + 1}" for t in range(transit)]
    for t in range(transit):
        for stub in range(stubs):
            first = len(names)
            links.append(first + _domain(rng, nodes, STUB_EDGES))
            links.append(np.array([[t, first + rng.integers(nodes)]]))
            names += [f"t{t + 1}s{stub + 1}n{n + 1}" for n in range(nodes)]
    ends = np.concatenate(links)
    return TransitStub(tuple(names), transit, ends[np.lexsort((ends[:, 1], ends[:, 0]))])


def _domain(rng: np.random.Generator, nodes: int, probability: float) -> np.ndarray:
    """Return the links of a connected random graph."""
    one, other = np.triu_indices(nodes, 1)
    while True:
        there = rng.random(len(one)) < probability
        links = np.stack([one[there], other[there]], axis=1)
        if _connected(nodes, links):
            return links


def _connected(nodes: int, links: np.ndarray) -> bool:
    """Return whether links lead from node 0 to all others.

    >>> _connected(3, np.array([[0, 1], [1, 2]])), _connected(3, np.array([[1, 2]]))
    (True, False)
    """
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for one, other in links.tolist():
            if one in reached or other in reached:
                reached |= {one, other}
    return len(reached) == nodes


def descriptors(rng: np.random.Generator, count: int, rounding: Rounding) -> np.ndarray:
    """Return whole numbers from a bounded Pareto distribution between 1 and 100 with exponent 1.

    Rounded down, half of them are 1.

    >>> descriptors(np.random.default_rng(0), 5, Rounding.DOWN).tolist()
    [2, 1, 1, 1, 5]
    """
    drawn = FEWEST / (1 - rng.random(count) * (1 - FEWEST / MOST))
    whole = np.floor(drawn) if rounding is Rounding.DOWN else np.rint(drawn)
    return whole.astype(np.int64)
