"""The fast version of Figure 6 equals the printed algorithm, including its failures."""

from __future__ import annotations

from hypothesis import given

from sparing.control.matchmaker.demand import ROOT, Demand
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree
from sparing_lab.algorithms.mark_as_printed import mark_as_printed, upstream
from tests.control.matchmaker.test_marking import as_printed, demand_of, demands, ring_of_four


@given(demands(shared=False))
def test_one_flow_equals_a_flow_per_link(demand: Demand) -> None:
    assert mark_as_printed(demand).tolist() == as_printed(demand).tolist()


@given(demands(shared=True))
def test_the_marking_of_a_shared_tree_is_optimal(demand: Demand) -> None:
    assert mark_as_printed(demand).tolist() == mark_shared_tree(demand).tolist()


@given(demands(shared=False))
def test_upstream_has_all_pairs_above_each_other_in_some_tree(demand: Demand) -> None:
    expected = set()
    for tree in demand.trees:
        for place, link in enumerate(tree.links.tolist()):
            above = int(tree.parent[place])
            while above != ROOT:
                expected.add((int(tree.links[above]), link))
                above = int(tree.parent[above])
    assert list(zip(*(some.tolist() for some in upstream(demand)), strict=True)) == sorted(expected)


def test_the_marking_is_at_most_as_expensive_as_a_valid_one_and_may_be_invalid() -> None:
    demand = ring_of_four()
    printed = mark_as_printed(demand)
    assert not demand.valid(printed)
    assert demand.cost(printed) <= demand.cost(mark_per_source(demand))


def test_a_demand_without_links() -> None:
    demand = demand_of([[[0]]], [1], {0: 1})
    assert mark_as_printed(demand).tolist() == []
