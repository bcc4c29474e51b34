"""Samples are drawn as the paper says, and trees follow shortest paths."""

import numpy as np
import pytest

from sparing.control.matchmaker.demand import ROOT
from sparing.graphs.trees import distances
from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.matchmaker.grid import BY_CHANCE, PER_SOURCE, SHARED, TREES, MatchmakerPoint
from sparing_lab.study.matchmaker.sample import demand_of, draw

NUMBERS = range(5)


def ways(demand, tree):
    """Node -> the nodes on the way to it from the tree's root."""
    found = {}
    for place, link in enumerate(tree.links.tolist()):
        one, other = int(demand.source[link]), int(demand.target[link])
        above = int(tree.parent[place])
        found[other] = [*([one] if above == ROOT else found[one]), other]
    return found


@pytest.mark.parametrize("number", NUMBERS)
def test_publishers_and_subscribers_are_different_stub_nodes(number):
    sample = draw(MatchmakerPoint(50, 20), number)
    assert len(set(sample.publishers.tolist())) == len(sample.published) == 50
    assert len(set(sample.subscribers.tolist())) == len(sample.subscribed) == 20
    assert min(*sample.publishers, *sample.subscribers) >= 4 > sample.core


def test_roundings_differ_in_descriptors_only():
    down, nearest = (draw(MatchmakerPoint(10, 10, rounding), 0) for rounding in (Rounding.DOWN, Rounding.NEAREST))
    for name in ("core", "publishers", "subscribers", "ties"):
        assert np.array_equal(getattr(down, name), getattr(nearest, name))
    assert down.network.links.tolist() == nearest.network.links.tolist()
    more = nearest.published - down.published
    assert set(more.tolist()) == {0, 1}


@pytest.mark.parametrize("trees", [PER_SOURCE, BY_CHANCE])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_tree_per_source_has_a_shortest_path_to_every_subscriber(trees, number):
    sample = draw(MatchmakerPoint(10, 10), number)
    demand = demand_of(sample, trees)
    names = sample.network.names
    neighbours = sample.network.overlay().neighbours
    for publisher, tree in zip(sample.publishers.tolist(), demand.trees, strict=True):
        length = distances(neighbours, names[publisher])
        found = ways(demand, tree)
        goals = set(sample.subscribers.tolist()) - {publisher}
        assert goals <= found.keys()
        for node, way in found.items():
            assert way[0] == publisher
            assert len(way) - 1 == length[names[node]]
            if trees == PER_SOURCE and len(way) > 1:
                nearer = [n for n, name in enumerate(names) if neighbours[names[node]].get(name)]
                nearer = [n for n in nearer if length[names[n]] == len(way) - 2]
                assert way[-2] == min(nearer), "of several shortest paths, over the lowest number"
        ends = {node for node in found if not any(node in way[:-1] for way in found.values())}
        assert ends <= goals, "every link leads to a subscriber"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_shared_tree_has_one_path_between_two_nodes(number):
    sample = draw(MatchmakerPoint(10, 10), number)
    demand = demand_of(sample, SHARED)
    length = distances(sample.network.overlay().neighbours, sample.network.names[sample.core])
    undirected = {frozenset(pair) for pair in zip(demand.source.tolist(), demand.target.tolist(), strict=True)}
    nodes = {node for pair in undirected for node in pair}
    assert len(undirected) == len(nodes) - 1
    assert {sample.core, *sample.publishers.tolist(), *sample.subscribers.tolist()} <= nodes
    for one, other in undirected:
        assert abs(length[sample.network.names[one]] - length[sample.network.names[other]]) == 1
    for publisher, tree in zip(sample.publishers.tolist(), demand.trees, strict=True):
        assert set(sample.subscribers.tolist()) - {publisher} <= ways(demand, tree).keys()


def test_ties_are_broken_per_publisher_and_deterministically():
    one, other = (draw(MatchmakerPoint(10, 10), 3) for _ in range(2))
    for trees in TREES:
        first, second = demand_of(one, trees), demand_of(other, trees)
        assert first.sigma.tolist() == second.sigma.tolist()
        assert first.tau.tolist() == second.tau.tolist()
    assert len({tuple(order) for order in one.ties.tolist()}) == 10
