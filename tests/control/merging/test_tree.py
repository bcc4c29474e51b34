"""The tree of a merged topic against brute force: brokers, center and aggregators."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.merging.tree import MergeTree, tree_routes, trees_of
from sparing.control.routes import Routes
from tests.flow.events.strategies import forests
from tests.flow.events.world import Sub, plan_for
from tests.flow.strategies import plans
from tests.judges.events import Paths
from tests.tries import tries


class Brute:
    """A tree by names, with nothing but ways."""

    def __init__(self, links: tuple[tuple[str, str], ...], members: list[str]) -> None:
        paths = Paths(links)
        ways = [paths.way(one, other) for one in members for other in members]
        self.brokers = {broker for way in ways for broker in way}
        self.links = {frozenset(link) for way in ways for link in pairwise(way)}
        self.far = {(one, other): len(paths.way(one, other)) - 1 for one in self.brokers for other in self.brokers}

    def center(self) -> str:
        def reach(broker: str) -> tuple[int, int, str]:
            hops = [self.far[broker, other] for other in self.brokers]
            return max(hops), sum(hops), broker

        return min(self.brokers, key=reach)

    def leaf(self, broker: str) -> bool:
        return sum(broker in link for link in self.links) <= 1


@st.composite
def trees(draw: st.DrawFn, *, least: int = 1) -> tuple[MergeTree, Brute, int]:
    """A tree that joins some of the brokers of another, the same by brute force, and how many are active."""
    brokers, links = draw(forests(least=least))
    members = draw(st.lists(st.sampled_from(brokers), min_size=1, unique=True))
    routes = Routes.of(tuple(sorted(brokers)), links)
    actives = draw(st.integers(1, 4))
    return MergeTree(routes, [routes.number[member] for member in members], actives), Brute(links, members), actives


def names(tree: MergeTree, brokers: object) -> set[str]:
    return {tree.routes.brokers[broker] for broker in brokers}  # type: ignore[attr-defined]


@given(trees())
def test_the_tree_is_the_union_of_paths_between_members(world: tuple[MergeTree, Brute, int]) -> None:
    tree, brute, _ = world
    assert names(tree, tree.brokers) == brute.brokers
    links = {frozenset(names(tree, (one, other))) for one, ends in tree.neighbours.items() for other in ends}
    assert links == brute.links
    assert len(links) == len(tree.brokers) - 1


@given(trees())
def test_the_center_has_the_least_distance_to_the_farthest_then_the_least_sum_then_the_lowest_name(
    world: tuple[MergeTree, Brute, int],
) -> None:
    tree, brute, _ = world
    assert tree.routes.brokers[tree.center] == brute.center()


@given(trees())
def test_active_aggregators_are_connected_and_nearest_to_the_center(world: tuple[MergeTree, Brute, int]) -> None:
    tree, brute, actives = world
    active = [tree.routes.brokers[broker] for broker in tree.roles(1).active]
    center = brute.center()
    assert active[0] == center
    assert len(set(active)) == len(active) == min(actives, len(brute.brokers))
    others = brute.brokers - set(active)
    assert all(brute.far[center, one] <= brute.far[center, other] for one in active for other in others)
    inside = [link for link in brute.links if link <= set(active)]
    assert len(inside) == len(active) - 1  # connected, as they are of a tree


@given(trees(), st.integers(0, 6))
def test_passive_aggregators_are_some_hops_away_or_leaves_that_are_nearer(
    world: tuple[MergeTree, Brute, int], hops: int
) -> None:
    tree, brute, _ = world
    roles = tree.roles(hops)
    active = names(tree, roles.active)
    away = {broker: min(brute.far[broker, a] for a in active) for broker in brute.brokers}
    expected = {
        broker
        for broker, far in away.items()
        if broker not in active and (far == hops or (far < hops and brute.leaf(broker)))
    }
    assert names(tree, roles.passive) == expected
    assert {tree.routes.brokers[broker]: far for broker, far in roles.distance.items()} == away
    assert tree.depth == max(away.values())


@given(trees(least=2), st.integers(0, 4), st.data())
def test_a_broker_in_outage_does_not_aggregate(
    world: tuple[MergeTree, Brute, int], hops: int, data: st.DataObject
) -> None:
    tree, _, actives = world
    down = data.draw(st.frozensets(st.sampled_from(tree.brokers), max_size=len(tree.brokers) - 1))
    roles = tree.roles(hops, down)
    assert not down & (set(roles.active) | roles.passive)
    assert len(roles.active) == min(actives, len(tree.brokers) - len(down))


@given(trees())
def test_the_path_up_leads_to_the_nearest_active_aggregator(world: tuple[MergeTree, Brute, int]) -> None:
    tree, _, _ = world
    roles = tree.roles(1)
    for broker in tree.brokers:
        way = tree.path_up(broker, roles)
        assert way[0] == broker
        assert way[-1] in roles.active
        assert len(way) - 1 == roles.distance[broker]
        assert all(other in tree.neighbours[one] for one, other in pairwise(way))


@given(trees())
def test_no_passive_aggregator_is_between_another_one_and_the_active_ones(world: tuple[MergeTree, Brute, int]) -> None:
    tree, _, _ = world
    for hops in range(tree.depth + 1):
        roles = tree.roles(hops)
        for broker in roles.passive:
            assert not roles.passive & set(tree.path_up(broker, roles)[1:])


@settings(max_examples=tries(60))
@given(forests(apart=True), st.data())
def test_every_connected_part_with_publishers_has_a_tree(
    forest: tuple[tuple[str, ...], tuple[tuple[str, str], ...]], data: st.DataObject
) -> None:
    brokers, links = forest
    some = st.lists(st.sampled_from(brokers), min_size=1, unique=True)
    publishers, homes = data.draw(some), data.draw(some)
    plan = plan_for(links, [Sub(f"s{n}", at) for n, at in enumerate(homes)], publishers)
    paths = Paths(links)
    found = [names(tree, tree.brokers) for tree in trees_of(plan, "t", 3)]
    assert all(not one & other for one, other in combinations(found, 2))
    for publisher in publishers:
        (tree,) = [brokers for brokers in found if publisher in brokers]
        joined = [broker for broker in (*publishers, *homes) if paths.way(publisher, broker)]
        assert tree == Brute(links, joined).brokers


@settings(max_examples=tries(60))
@given(plans(apart=True))
def test_merged_topics_have_one_tree_even_with_trees_per_source(plan: object) -> None:
    routes = tree_routes(plan)  # type: ignore[arg-type]
    before = plan.routes  # type: ignore[attr-defined]
    assert routes.brokers == before.brokers
    assert ((routes.hops >= 0) == (before.hops >= 0)).all()  # who could reach each other still can
    parts = len({tuple((row >= 0).tolist()) for row in routes.hops})
    assert len(routes.target) == 2 * (len(routes.brokers) - parts)
