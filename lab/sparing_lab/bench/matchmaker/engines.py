"""What is measured: which links are s-links, from what each link would save and which links require which.

- *Sparing*: links that are not entangled decide for themselves; one flow by SciPy for the others.
- *SciPy*: `maximum_flow` over all links, then a search from the sink in what can still flow.
- *OR-tools*: `SimpleMaxFlow` over all links, and its own sink side of the cut.
- *networkx*: `minimum_cut` over all links.
- *Figure 6* (`published`): the paper's procedure, a flow by SciPy, and one more for every link that would save
  something.

Peers have the flow network in their own form before the clock starts. It is the corrected one: as printed, Figure 6 may
give markings that are not valid. All of them give the largest of the best sets of s-links.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree
from sparing.model.errors import SparingError
from sparing_lab.bench.matchmaker.benchmark import SHARED, Published

Engine = Callable[[], np.ndarray]

NETWORKX, OR_TOOLS = "networkx", "ortools"  # as they are imported


@dataclass(frozen=True, eq=False)
class Network:
    """Edges with capacities, between links and from the source, to the sink. All links that save have an edge."""

    tails: np.ndarray
    heads: np.ndarray
    capacity: np.ndarray
    links: int

    @property
    def source(self) -> int:
        """The number after the links'."""
        return self.links

    @property
    def sink(self) -> int:
        """The last number."""
        return self.links + 1

    @classmethod
    def of(cls, demand: Demand) -> Network:
        """What it takes to find the best marking by one flow."""
        eta, (before, after) = demand.eta, demand.requires
        links, good, bad = len(eta), np.flatnonzero(eta >= 0), np.flatnonzero(eta < 0)
        tails = np.concatenate([np.full(len(good), links), bad, before])
        heads = np.concatenate([good, np.full(len(bad), links + 1), after])
        unlimited = np.full(len(before), eta[good].sum() + 1)
        return cls(tails, heads, np.concatenate([eta[good], -eta[bad], unlimited]), links)

    def matrix(self) -> csr_array:
        """As SciPy takes it."""
        shape = (self.links + 2, self.links + 2)
        return csr_array((self.capacity.astype(np.int32), (self.tails, self.heads)), shape=shape)


def by_sparing(demand: Demand, trees: str) -> np.ndarray:
    """Sparing's marking."""
    return mark_shared_tree(demand) if trees == SHARED else mark_per_source(demand)


def by_scipy(network: Network) -> Engine:
    """One flow."""
    graph = network.matrix()

    def mark() -> np.ndarray:
        left = graph - maximum_flow(graph, network.source, network.sink).flow
        left.data = np.where(left.data > 0, 1, 0)
        left.eliminate_zeros()
        reaching = breadth_first_order(csr_array(left.T), network.sink, return_predecessors=False)
        return _without(reaching, network)

    return mark


def by_or_tools(network: Network) -> Engine | None:
    """The same, if OR-tools is installed."""
    if find_spec(OR_TOOLS) is None:
        return None
    flow = import_module("ortools.graph.python.max_flow").SimpleMaxFlow()
    flow.add_arcs_with_capacity(network.tails, network.heads, network.capacity)

    def mark() -> np.ndarray:
        if flow.solve(network.source, network.sink) != flow.OPTIMAL:
            raise SparingError("OR-tools found no maximum flow.")
        return _without(np.array(flow.get_sink_side_min_cut()), network)

    return mark


def by_networkx(network: Network) -> Engine | None:
    """The same, if networkx is installed."""
    if find_spec(NETWORKX) is None:
        return None
    library = import_module(NETWORKX)
    graph = library.DiGraph()
    graph.add_nodes_from(range(network.links + 2))
    edges = zip(network.tails.tolist(), network.heads.tolist(), network.capacity.tolist(), strict=True)
    graph.add_weighted_edges_from(edges, weight="capacity")

    def mark() -> np.ndarray:
        _, (_, reaching) = library.minimum_cut(graph, network.source, network.sink)
        return _without(np.fromiter(reaching, dtype=np.int64), network)

    return mark


def _without(reaching: np.ndarray, network: Network) -> np.ndarray:
    """All links but those on the sink's side."""
    inside = np.ones(network.links + 2, dtype=bool)
    inside[reaching] = False
    return inside[: network.links]


def published(
    demand: Demand, network: Network, marking: np.ndarray, sample: int, rng: np.random.Generator
) -> Published:
    """Raise the capacity of one link after the other, run the flow again, and see if it grows.

    The answers must be those of a marking.
    """
    asked = np.flatnonzero((demand.eta >= 0) & (demand.sigma > 0))  # those in trees
    tried = np.sort(rng.permutation(asked)[:sample])
    graph = network.matrix()
    graph.sort_indices()
    begin, end = graph.indptr[network.source : network.source + 2]
    places = begin + np.searchsorted(graph.indices[begin:end], tried)
    begun = time.thread_time()
    most = maximum_flow(graph, network.source, network.sink).flow_value
    first = time.thread_time() - begun
    begun, answers = time.thread_time(), []
    for place in places.tolist():
        graph.data[place] += 1
        answers.append(maximum_flow(graph, network.source, network.sink).flow_value == most)
        graph.data[place] -= 1
    each = (time.thread_time() - begun) / max(len(tried), 1)
    if not np.array_equal(answers, marking[tried]):
        raise SparingError("Figure 6 and Sparing disagree on a link, which is a mistake in Sparing.")
    return Published(len(asked), len(tried), first + each * len(asked))
