"""Markings are valid and optimal, by exhaustive search; the paper's examples."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.matchmaker.broadcast import publish_everywhere, subscribe_everywhere
from sparing.control.matchmaker.demand import ROOT, Demand, tree_of
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree

Link = tuple[int, int]


def demand_of(
    trees: list[list[list[int]]],
    published: list[int],
    subscribed: dict[int, int],
    weights: dict[Link, int] | None = None,
    reached: list[set[int] | None] | None = None,
) -> Demand:
    """A demand from trees, each given as paths of brokers from its root."""
    links: dict[Link, int] = {}
    for paths in trees:
        for path in paths:
            for pair in pairwise(path):
                links.setdefault(pair, len(links))
    brokers = 1 + max([*subscribed, *(broker for pair in links for broker in pair)])
    source, target = (np.array([pair[end] for pair in links], dtype=np.int64) for end in (0, 1))
    made = []
    for paths in trees:
        to = {pair[1]: links[pair] for path in paths for pair in pairwise(path)}
        made.append(tree_of(to, source, target, paths[0][0], sorted({path[-1] for path in paths})))
    wanted = np.zeros(brokers, dtype=np.int64)
    for broker, count in subscribed.items():
        wanted[broker] = count
    masks = [
        None if some is None else np.isin(np.arange(brokers), list(some)) for some in reached or [None] * len(made)
    ]
    weight = np.array([(weights or {}).get(pair, 1) for pair in links], dtype=np.int64)
    return Demand(source, target, tuple(made), np.array(published), wanted, weight, tuple(masks))


def slow_counts(demand: Demand) -> tuple[list[int], list[int]]:
    """Sigma and tau from the definitions, tree by tree."""
    sigma, behind = [0] * len(demand.source), [set[int]() for _ in demand.source]
    for tree, published, reached in zip(demand.trees, demand.published.tolist(), demand.reached, strict=True):
        for place, link in enumerate(tree.links.tolist()):
            sigma[link] += published
            goal = int(demand.target[link])
            if demand.subscribed[goal] and (reached is None or reached[goal]):
                above = place
                while above != ROOT:
                    behind[int(tree.links[above])].add(goal)
                    above = int(tree.parent[above])
    return sigma, [sum(int(demand.subscribed[b]) for b in some) for some in behind]


def cheapest(demand: Demand) -> tuple[float, np.ndarray]:
    """The least cost of a valid marking, and the largest s-set of that cost, by trying all."""
    best, found = np.inf, np.zeros(0, bool)
    for choice in product([False, True], repeat=len(demand.source)):
        marking = np.array(choice, dtype=bool)
        if demand.valid(marking):
            cost = demand.cost(marking)
            if cost < best or (cost == best and marking.sum() > found.sum()):
                best, found = cost, marking
    return best, found


@st.composite
def demands(draw: st.DrawFn, shared: bool) -> Demand:
    """Trees over few brokers: paths in one tree, or whatever tree each source happens to have."""
    brokers = draw(st.integers(2, 5))
    numbers = st.integers(0, brokers - 1)
    shapes = [[draw(st.integers(0, n - 1)) for n in range(1, brokers)] for _ in range(1 if shared else 4)]
    roots = draw(st.lists(numbers, min_size=1, max_size=3, unique=True))
    subscribed = {b: draw(st.integers(1, 5)) for b in draw(st.sets(numbers, min_size=1))}
    trees, published, reached = [], [], []
    for at, root in enumerate(roots):
        order = list(range(brokers)) if shared else draw(st.permutations(range(brokers)))
        shape = shapes[0 if shared else at]
        neighbours: dict[int, list[int]] = {order[n]: [] for n in range(brokers)}
        for n in range(1, brokers):
            neighbours[order[n]].append(order[shape[n - 1]])
            neighbours[order[shape[n - 1]]].append(order[n])
        some = (
            set(subscribed) if draw(st.booleans()) else draw(st.sets(st.sampled_from(sorted(subscribed)), min_size=1))
        )
        paths = [path for goal in sorted(some) if (path := _path(neighbours, root, goal))]
        trees.append(paths or [[root]])
        published.append(draw(st.integers(1, 5)))
        reached.append(some)
    links = {pair for paths in trees for path in paths for pair in pairwise(path)}
    uniform = shared or draw(st.booleans())
    weights = {link: 1 if uniform else draw(st.integers(1, 3)) for link in sorted(links)}
    if shared:
        reached = [None] * len(trees)
        trees = [
            [p for goal in sorted(subscribed) if (p := _path(neighbours, root, goal))] or [[root]] for root in roots
        ]
    return demand_of(trees, published, subscribed, weights, reached)


def _path(neighbours: dict[int, list[int]], root: int, goal: int) -> list[int]:
    ahead = [[root]]
    while ahead:
        path = ahead.pop()
        if path[-1] == goal:
            return path
        ahead += [[*path, other] for other in neighbours[path[-1]] if other not in path]
    return []


@given(demands(shared=True) | demands(shared=False))
def test_sigma_and_tau_satisfy_their_definition(demand: Demand) -> None:
    assert (demand.sigma.tolist(), demand.tau.tolist()) == slow_counts(demand)


@given(demands(shared=True))
def test_links_of_a_shared_tree_are_marked_independently(demand: Demand) -> None:
    marking = mark_shared_tree(demand)
    assert demand.valid(marking)
    best, found = cheapest(demand)
    assert demand.cost(marking) == best
    assert marking.tolist() == found.tolist(), "ties become s-links"
    assert mark_per_source(demand).tolist() == marking.tolist(), "a shared tree is a special case"


@given(demands(shared=False))
def test_trees_per_source_are_marked_by_one_flow(demand: Demand) -> None:
    marking = mark_per_source(demand)
    assert demand.valid(marking)
    best, found = cheapest(demand)
    assert demand.cost(marking) == best
    assert marking.tolist() == found.tolist()
    for broadcast in (publish_everywhere(demand), subscribe_everywhere(demand)):
        assert demand.valid(broadcast)
        assert demand.cost(marking) <= demand.cost(broadcast)


def test_figure_2() -> None:
    """A publishes 2 descriptors, C wants 1 and D wants 3: 8, 6, and 5 at best."""
    a, b, c, d = range(4)
    demand = demand_of([[[a, b, c], [a, b, d]]], [2], {c: 1, d: 3})
    assert demand.cost(subscribe_everywhere(demand)) == 8
    assert demand.cost(publish_everywhere(demand)) == 6
    marking = mark_shared_tree(demand)
    assert demand.cost(marking) == 5
    named = {(int(s), int(t)): bool(m) for s, t, m in zip(demand.source, demand.target, marking, strict=True)}
    assert named == {(a, b): False, (b, c): True, (b, d): False}
    invalid = np.array([(s, t) == (a, b) for s, t in named])
    assert not demand.valid(invalid)


def test_figure_5_is_not_monotone() -> None:
    """AB comes before BC on the way from P1, but carries more advertisements."""
    p1, p2, s, a, b, c, d = range(7)
    demand = demand_of([[[p1, a, b, c, s]], [[p2, a, b, d, s]]], [2, 2], {s: 3})
    number = {(int(x), int(y)): n for n, (x, y) in enumerate(zip(demand.source, demand.target, strict=True))}
    assert demand.sigma[number[a, b]] == 4 > demand.sigma[number[b, c]] == 2
    assert not demand.valid(mark_shared_tree(demand)), "each link for itself would be wrong here"
    marking = mark_per_source(demand)
    assert demand.valid(marking)
    assert demand.cost(marking) == cheapest(demand)[0]


def test_the_printed_algorithm_fails_on_a_ring_of_four() -> None:
    """What Figure 6 returns here is no valid marking: one tree hands a requirement on to another."""
    demand = ring_of_four()
    assert not demand.valid(as_printed(demand))
    marking = mark_per_source(demand)
    assert demand.valid(marking)
    assert demand.cost(marking) == cheapest(demand)[0]


def ring_of_four() -> Demand:
    """Found by search: brokers 0 to 3 in a ring, each source with its own way round."""
    for f in product(range(1, 6), repeat=3):
        for g in product(range(6), repeat=4):
            subscribed = {broker: count for broker, count in enumerate(g) if count}
            if not subscribed:
                continue
            trees = []
            for root, clockwise in ((0, True), (1, True), (2, True)):
                ways = [[(root + (n if clockwise else -n)) % 4 for n in range(reach + 1)] for reach in range(4)]
                trees.append([way for way in ways if way[-1] in subscribed and len(way) <= 3] or [[root]])
            demand = demand_of(trees, list(f), subscribed)
            if len(demand.source) and not demand.valid(as_printed(demand)):
                return demand
    raise AssertionError("no such ring")


def as_printed(demand: Demand) -> np.ndarray:
    """Figure 6, line by line, but for the flow itself."""
    eta = demand.eta.tolist()
    gains, losses = [t for t, e in enumerate(eta) if e >= 0], [t for t, e in enumerate(eta) if e < 0]
    edges = set()
    for tree in demand.trees:
        for place, link in enumerate(tree.links.tolist()):
            above = int(tree.parent[place])
            while above != ROOT:
                edges.add((int(tree.links[above]), link))
                above = int(tree.parent[above])
    between = [(r, q) for r, q in edges if eta[r] >= 0 and eta[q] < 0]

    def flow(raised: int | None) -> int:
        room: dict[tuple[int, int], int] = {}
        for t in gains:
            room[-1, t] = eta[t] + (t == raised)
        for t in losses:
            room[t, -2] = -eta[t]
        room.update(dict.fromkeys(between, 10**9))
        return slow_flow(room, -1, -2)

    least = flow(None)
    marking = [False] * len(eta)
    for t in gains:
        marking[t] = flow(t) == least
    for t, q in between:
        if marking[t]:
            marking[q] = True
    return np.array(marking, dtype=bool)


def slow_flow(room: dict[tuple[int, int], int], source: int, sink: int) -> int:
    """A maximum flow by shortest augmenting paths."""
    left, total = dict(room), 0
    while True:
        before: dict[int, int] = {source: source}
        ahead = [source]
        while ahead and sink not in before:
            node = ahead.pop(0)
            for (tail, head), more in left.items():
                if tail == node and head not in before and more > 0:
                    before[head] = node
                    ahead.append(head)
        if sink not in before:
            return total
        way, node = [], sink
        while node != source:
            way.append((before[node], node))
            node = before[node]
        most = min(left[edge] for edge in way)
        for tail, head in way:
            left[tail, head] -= most
            left[head, tail] = left.get((head, tail), 0) + most
        total += most
