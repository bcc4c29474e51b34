"""MEFA as printed, round by round."""

from __future__ import annotations

import pytest

from sparing.control.folding.problem import Problem
from sparing_lab.algorithms.literal_mefa import Account, Candidate, literal_mefa, rounds
from tests.control.folding.test_measures import SLIDES


def test_the_example_of_the_slides_has_the_printed_rounds() -> None:
    one, two = rounds(SLIDES, theta=3, account=Account.PAIRS)
    assert one.candidates == [Candidate(0, 1, 2, 9 * 1), Candidate(0, 2, 1, 9 * 2), Candidate(1, 2, 1, 2 * 2)]
    assert one.taken == one.candidates[2]
    assert two.candidates == [Candidate(0, 1, 2, (3 - 1) * 2), Candidate(0, 2, 1, 2 * 2)]
    assert (two.taken, two.benefit) == (two.candidates[0], 3)


def test_the_benefit_counts_links_by_default() -> None:
    one, two = rounds(SLIDES, theta=3)
    assert one.taken == Candidate(1, 2, 1, 4)
    assert (two.candidates, two.benefit) == ([Candidate(0, 1, 2, 4)], 3)


def test_the_benefit_may_count_pairs_inside_a_cluster_too() -> None:
    *_, last = rounds(SLIDES, theta=4, account=Account.PAIRS)
    assert last.candidates == [last.taken] == [Candidate(0, 2, 1, 0)]
    assert last.benefit == 4
    assert literal_mefa(SLIDES, 4, account=Account.PAIRS).benefit == 3  # on links


@pytest.mark.parametrize(("delta", "clusters"), [(0.2, [0, 1, 1]), (0.25, [0, 1, 2]), (0.5, [0, 1, 2])])
def test_pairs_below_delta_are_not_joined(delta: float, clusters: list[int]) -> None:
    # Round 1 offers 1/4, round 2 then 2/4.
    found = literal_mefa(SLIDES, 3, delta).of.tolist()
    assert found == ([0, 0, 0] if delta < 0.25 else clusters)


def test_three_ranges_show_that_the_cost_is_not_submodular() -> None:
    problem = Problem.on_tree([0, 0], [1, 1, 1], [(0, 10), (10, 20), (0, 20)])
    one, two = rounds(problem, theta=1)
    assert min(pair.cost for pair in one.candidates) == 10
    assert (two.lowers, two.taken.cost) == (True, -10)
    assert literal_mefa(problem, 1).cost == 0


def test_subscriptions_without_common_links_are_not_joined() -> None:
    problem = Problem.on_tree([0, 0, 0], [1, 2, 0, 0], [(0, 9)] * 4)
    assert literal_mefa(problem, 5).of.tolist() == [0, 1, 2, 3]
