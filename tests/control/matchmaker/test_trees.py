"""Trees have the links on paths to goals, parents before children; trees by hops have shortest paths."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.matchmaker.demand import ROOT, Demand, Tree, tree_of, trees_by_hops


@st.composite
def overlays(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Links from broker to broker, connected or not; some of them several times."""
    brokers = draw(st.integers(1, 7))
    numbers = st.integers(0, brokers - 1)
    links = draw(st.lists(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1]), max_size=16))
    source, target = (np.array([link[end] for link in links], dtype=np.int64) for end in (0, 1))
    return source, target, brokers


def hops(source: np.ndarray, target: np.ndarray, root: int) -> dict[int, int]:
    """Broker -> how many links away it is, by going on until nothing changes."""
    found, before = {root: 0}, {}
    while found != before:
        before = dict(found)
        for one, other in zip(source.tolist(), target.tolist(), strict=True):
            if one in found:
                found[other] = min(found.get(other, 99), found[one] + 1)
    return found


def ways(tree: Tree, source: np.ndarray, target: np.ndarray, root: int) -> dict[int, int]:
    """Broker -> how many links of the tree lead to it; links must follow on each other, and only one lead there."""
    found = {root: 0}
    for link, above in zip(tree.links.tolist(), tree.parent.tolist(), strict=True):
        assert int(source[link]) == (root if above == ROOT else int(target[tree.links[above]]))
        assert int(target[link]) not in found
        found[int(target[link])] = found[int(source[link])] + 1
    return found


@given(overlays(), st.data())
def test_trees_by_hops(overlay: tuple[np.ndarray, np.ndarray, int], data: st.DataObject) -> None:
    source, target, brokers = overlay
    some = st.lists(st.integers(0, brokers - 1), unique=True)
    roots, goals = data.draw(some), data.draw(some)
    trees = trees_by_hops(source, target, roots, np.array(goals, dtype=np.int64))
    assert len(trees) == len(roots)
    for root, tree in zip(roots, trees, strict=True):
        near, found = hops(source, target, root), ways(tree, source, target, root)
        assert all(near[broker] == count for broker, count in found.items())
        assert {goal for goal in goals if goal in near} <= set(found)
        last = set(target[tree.links].tolist()) - set(source[tree.links].tolist())
        assert last <= set(goals), "links lead to goals"
        paths = {int(target[link]): int(link) for link in tree.links}
        again = tree_of(paths, source, target, root, goals)
        assert (again.links.tolist(), again.parent.tolist()) == (tree.links.tolist(), tree.parent.tolist())


@given(overlays(), st.data())
def test_an_s_link_requires_its_children(overlay: tuple[np.ndarray, np.ndarray, int], data: st.DataObject) -> None:
    source, target, brokers = overlay
    some = st.lists(st.integers(0, brokers - 1), unique=True)
    roots, goals = data.draw(some), np.array(data.draw(some), dtype=np.int64)
    trees = trees_by_hops(source, target, roots, goals)
    wanted, none = np.zeros(brokers, dtype=np.int64), (None,) * len(roots)
    wanted[goals] = 1
    demand = Demand(source, target, trees, np.ones(len(roots)), wanted, np.ones(len(source)), none)
    expected = {
        (int(tree.links[above]), int(link))
        for tree in trees
        for link, above in zip(tree.links, tree.parent, strict=True)
        if above != ROOT
    }
    assert list(zip(*(end.tolist() for end in demand.requires), strict=True)) == sorted(expected)


def test_a_tree_without_goals_is_empty() -> None:
    source, target = np.array([0, 2]), np.array([1, 1])
    tree = tree_of({1: 1}, source, target, 0, [1, 3])
    assert tree.links.tolist() == tree.parent.tolist() == []


def test_tau_with_many_subscribers() -> None:
    """More than fit into a word, in trees that share parts, some of them for some subscribers only."""
    rng, brokers = np.random.default_rng(3), 300
    one, other = rng.integers(0, brokers, 500), rng.integers(0, brokers, 500)
    one, other = np.concatenate([one, np.arange(1, brokers)]), np.concatenate([other, np.arange(brokers - 1)])
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    wanted = rng.integers(0, 4, brokers)
    roots = [5, 17, 17, 200]
    reached = (None, rng.random(brokers) < 0.5, None, rng.random(brokers) < 0.1)
    trees = trees_by_hops(source, target, roots, np.flatnonzero(wanted))
    weight = np.ones(len(source), dtype=np.int64)
    demand = Demand(source, target, trees, np.array([1, 2, 3, 4]), wanted, weight, reached)
    behind = [set[int]() for _ in source]
    for tree, some in zip(trees, reached, strict=True):
        for place, link in enumerate(tree.links.tolist()):
            goal, above = int(target[link]), place
            while (some is None or some[goal]) and above != ROOT:
                behind[int(tree.links[above])].add(goal)
                above = int(tree.parent[above])
    assert demand.tau.tolist() == [sum(int(wanted[goal]) for goal in goals) for goals in behind]
    assert np.count_nonzero(wanted) > 3 * 64


def test_a_demand_without_trees() -> None:
    none = np.zeros(0, dtype=np.int64)
    demand = Demand(np.array([0]), np.array([1]), (), none, np.array([0, 1]), np.array([1]), ())
    assert demand.eta.tolist() == [0]
    assert [end.tolist() for end in demand.requires] == [[], []]
