"""The factors of notification cycles that brokers send each other."""

from __future__ import annotations

from collections import Counter
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.merging.cycles import common_factor, cycle_messages, factors
from sparing.control.merging.tree import MergeTree, trees_of
from sparing.model.bill import BillKey, MessageKind
from sparing.model.policy import EventMerging, Policy
from tests.control.merging.test_tree import Brute, trees
from tests.flow.events.world import Sub, plan_for


def test_the_common_factor_is_the_greatest_common_divisor() -> None:
    assert common_factor([16, 24, 40]) == 8
    assert common_factor([0, 6, 0, 9]) == 3  # at once leaves the others as they are
    assert common_factor([0, 0]) == 0


@st.composite
def with_cycles(draw: st.DrawFn) -> tuple[MergeTree, Brute, dict[int, list[int]]]:
    tree, brute, _ = draw(trees())
    some = st.lists(st.sampled_from([0, 4, 6, 8, 12, 16, 24, 30]), min_size=1, max_size=3)
    return tree, brute, draw(st.dictionaries(st.sampled_from(tree.brokers), some))


@given(with_cycles())
def test_a_factor_divides_all_cycles_beyond_the_link(
    world: tuple[MergeTree, Brute, dict[int, list[int]]],
) -> None:
    tree, brute, cycles = world
    names = tree.routes.brokers
    expected = {}
    for one, ends in tree.neighbours.items():
        for other in ends:
            here = {b for b in tree.brokers if brute.far[names[b], names[one]] < brute.far[names[b], names[other]]}
            behind = [cycle for broker in here for cycle in cycles.get(broker, ())]
            if behind and set(tree.roles(0).active) - here:
                expected[one, other] = gcd(*behind)
    assert factors(tree, cycles) == expected


@given(with_cycles())
def test_a_factor_follows_from_own_cycles_and_factors_of_other_neighbours(
    world: tuple[MergeTree, Brute, dict[int, list[int]]],
) -> None:
    """As the paper has it."""
    tree, _, cycles = world
    found = factors(tree, cycles)
    for (broker, neighbour), factor in found.items():
        others = [found.get((other, broker), 0) for other in tree.neighbours[broker] if other != neighbour]
        assert factor == gcd(*cycles.get(broker, ()), *others)


@pytest.mark.parametrize("events", list(EventMerging))
def test_every_factor_is_one_initial_message(events: EventMerging) -> None:
    subs = [Sub("s", "r", 6), Sub("t", "r", 4), Sub("u", "p", 8), Sub("v", "q")]
    plan = plan_for([("p", "q"), ("q", "r"), ("r", "z")], subs, ["p"], Policy(events=events, active_aggregators=2))
    bill = cycle_messages(plan)
    if events is EventMerging.SIENA:
        assert not bill
        return
    (tree,) = trees_of(plan, "t", plan.policy.actives)
    names = plan.routes.brokers
    told = factors(tree, {names.index("r"): [6, 4], names.index("p"): [8], names.index("q"): [0]})
    expected = {BillKey(names[one], names[other], MessageKind.COORDINATION, None): 1 for one, other in told}
    assert bill == Counter(expected)
    toward_q = {("r", "q"): 2, ("p", "q"): 8}
    assert {(names[one], names[other]): factor for (one, other), factor in told.items()}.items() >= toward_q.items()
