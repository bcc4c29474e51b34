"""Measures: the numbers of the slides, and counts of single points."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.folding.covered import covered
from sparing.control.folding.measures import cost, cost_of, delay, saved, similarity, union, unique
from sparing.control.folding.problem import NO_PATH, Problem, counted
from tests.control.folding.strategies import SPAN, partitions, problems

# p - b2 - b1; s1 and s2 are at b1, s3 at b2.
SLIDES = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])


def times_covered(problem: Problem, members: list[int]) -> list[int]:
    """How many members cover each cell of the grid, one by one."""
    found = []
    for point in product(range(SPAN), repeat=problem.low.shape[1]):
        inside = [
            member
            for member in members
            for piece in range(problem.starts[member], problem.starts[member + 1])
            if all(low <= x < high for x, low, high in zip(point, problem.low[piece], problem.high[piece], strict=True))
        ]
        found.append(len(inside))
    return found


@given(problems())
def test_unique_range_and_union_equal_counted_points(problem: Problem) -> None:
    members = list(range(0, len(problem), 2))
    times = times_covered(problem, members)
    assert unique(problem, members) == times.count(1)
    assert union(problem, members) == len(times) - times.count(0)
    which = [piece for m in members for piece in range(problem.starts[m], problem.starts[m + 1])]
    assert covered(problem.low[which], problem.high[which]) == (unique(problem, members), union(problem, members))


@given(problems(), st.data())
def test_saved_entries_equal_members_minus_clusters_per_link(problem: Problem, data: st.DataObject) -> None:
    of = data.draw(partitions(len(problem)))
    told = [{bit for bit in range(64 * problem.links.shape[1]) if _has(problem, m, bit)} for m in range(len(problem))]
    entries = {(link, of[member]) for member, links in enumerate(told) for link in links}
    assert saved(problem, of) == sum(map(len, told)) - len(entries)
    assert saved(problem, np.zeros(len(problem), dtype=np.int64)) == problem.possible()


def _has(problem: Problem, member: int, bit: int) -> bool:
    return bool(int(problem.links[member, bit // 64]) >> bit % 64 & 1)


def test_the_worked_example() -> None:
    assert [(unique(SLIDES, pair), delay(SLIDES, pair)) for pair in ([0, 1], [0, 2], [1, 2])] == [
        (9, 1),
        (9, 2),
        (2, 2),
    ]
    assert cost(SLIDES, [0, 1, 2]) - cost(SLIDES, [1, 2]) == (3 - 1) * 2
    assert similarity(SLIDES, [0, 1, 2]) == pytest.approx(0.6)
    assert [saved(SLIDES, np.array(of)) for of in ([0, 0, 2], [0, 1, 0], [0, 1, 1], [0, 0, 0])] == [2, 1, 1, 3]


def test_the_illustration_of_cost() -> None:
    # What s1 alone covers, [0, 3], is false when it leaves: one hop if merged at its own broker, two at the next.
    one = Problem.on_tree([0, 0, 1], [2, 2], [(0, 5), (3, 5)])
    two = Problem.on_tree([0, 0, 1], [2, 1], [(0, 5), (3, 5)])
    assert (cost(one, [0, 1]), cost(two, [0, 1])) == (3, 3 * 2)


def test_the_illustration_of_related_work() -> None:
    # All three: benefit 3. If only the link above b2 counts: benefit 2. s2 and s3: benefit 1.
    assert saved(SLIDES, np.array([0, 0, 0])) == 3
    everybody = int(counted(np.bitwise_and.reduce(SLIDES.links, axis=0)).sum())
    assert everybody * (len(SLIDES) - 1) == 2
    assert saved(SLIDES, np.array([0, 1, 1])) == 1
    # When s1 leaves, the range that it had for itself is false: 3, for as long as it takes to tell b2, two hops.
    assert union(SLIDES, [0, 1, 2]) - union(SLIDES, [1, 2]) == 3
    assert delay(SLIDES, [0, 1, 2]) == 2


def test_a_single_subscription_costs_nothing() -> None:
    assert cost(SLIDES, [0]) == cost(SLIDES, []) == cost_of(SLIDES, np.arange(3)) == 0
    assert cost_of(SLIDES, np.array([0, 1, 1])) == cost(SLIDES, [1, 2])


def test_the_similarity_of_empty_ranges_is_one() -> None:
    assert similarity(Problem.on_tree([0], [0, 0], [(1, 1), (2, 2)]), [0, 1]) == 1.0


def test_delay_is_the_largest_over_reachable_publishers() -> None:
    # 0 - 1 - 2 - 3; publishers at 0 and 3, then only at 3, which 0 cannot reach.
    both = np.array([[0, 0, 1, 2], [1, 2, 3, 3]], dtype=np.int32)
    ranges = np.array([[0.0]] * 2), np.array([[1.0]] * 2)
    told = np.zeros((2, 1), dtype=np.uint64)
    at = [np.array(homes, dtype=np.int32) for homes in ((0, 2), (0, 0), (0, 3))]
    found = [delay(Problem(np.arange(3), *ranges, home, told, both), [0, 1]) for home in at]
    assert found == [3, 1, 4]
    cut = np.array([[NO_PATH, 2, 3, 3]], dtype=np.int32)
    assert [delay(Problem(np.arange(3), *ranges, home, told, cut), [0, 1]) for home in at] == [1, 1, 1]
