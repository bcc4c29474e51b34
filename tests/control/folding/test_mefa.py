"""MEFA: compiled and plain joins agree, benefit and cost are correct, and the cost is near the least."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.folding.aa import aa
from sparing.control.folding.all_pairs import all_pairs
from sparing.control.folding.kernels import greedy
from sparing.control.folding.local_search import local_search
from sparing.control.folding.measures import cost_of, saved
from sparing.control.folding.mefa import joined, mefa
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa
from sparing_lab.algorithms.exact import exact
from sparing_lab.algorithms.literal_mefa import literal_mefa
from tests.control.folding.judge import literal_aa, literal_spa, share_links
from tests.control.folding.strategies import partitions, problems, wide_trees
from tests.control.folding.test_measures import SLIDES
from tests.tries import tries

EVERYBODY = 1000  # neighbours

METHODS = [mefa, spa, aa]


def same(one: Folds, two: Folds) -> bool:
    return one.of.tolist() == two.of.tolist() and (one.benefit, one.cost) == (two.benefit, two.cost)


def certified(problem: Problem, folds: Folds) -> None:
    """A partition, known by lowest numbers, that saves and costs what is said."""
    assert (folds.of[folds.of] == folds.of).all()
    assert (folds.of <= np.arange(len(problem))).all()
    assert folds.benefit == saved(problem, folds.of)
    assert folds.cost == pytest.approx(cost_of(problem, folds.of), abs=1e-6)


def synthetic(seed: int, exponential: bool = False, nodes: int = 46, subscribers: int = 20) -> Problem:
    """As in the slides' experiments: subscribers at leaves, ranges of 20 to 50 within [0, 400]."""
    rng = np.random.default_rng(seed)
    parents = [0] + [int(rng.integers(max((b - 1) // 2 - 1, 0), (b - 1) // 2 + 1)) for b in range(1, nodes)]
    leaves = sorted(set(range(nodes)) - set(parents))
    homes = rng.permutation(leaves)[:subscribers] if len(leaves) >= subscribers else rng.choice(leaves, subscribers)
    size = 1 + rng.exponential(34, subscribers) if exponential else rng.uniform(20, 50, subscribers)
    low = rng.uniform(0, 400 - np.minimum(size, 399))
    return Problem.on_tree(parents, homes.tolist(), np.stack([low, low + size], axis=1).tolist())


def spread(seed: int, count: int, dimensions: int, brokers: int = 30) -> Problem:
    """Many subscriptions at any brokers."""
    rng = np.random.default_rng(seed)
    parents = [0] + [int(rng.integers(0, broker)) for broker in range(1, brokers)]
    low = rng.uniform(0, 100, (count, dimensions))
    bounds = np.stack([low, low + rng.exponential(5, low.shape)], axis=2).reshape(count, -1)
    return Problem.on_tree(parents, rng.integers(0, brokers, count).tolist(), bounds.tolist())


@settings(deadline=None)
@given(problems(), st.integers(0, 25), st.sampled_from([0.0, 0.25, 1.0]))
def test_compiled_joins_with_all_candidates_equal_all_pairs(problem: Problem, theta: int, delta: float) -> None:
    assert same(joined(problem, theta, delta, neighbours=EVERYBODY), all_pairs(problem, theta, delta))


@settings(deadline=None, max_examples=tries(20))
@given(problems(dimensions=1, most=20), st.integers(0, 40))
def test_compiled_joins_equal_all_pairs_in_one_dimension(problem: Problem, theta: int) -> None:
    assert same(joined(problem, theta, neighbours=EVERYBODY), all_pairs(problem, theta))


@settings(deadline=None)
@given(problems(most=8), st.integers(0, 25))
def test_local_search_never_raises_the_cost(problem: Problem, theta: int) -> None:
    rough = all_pairs(problem, theta)
    smooth = local_search(problem, rough, theta)
    certified(problem, smooth)
    assert smooth.cost <= rough.cost + 1e-9
    assert smooth.benefit >= min(theta, rough.benefit)
    assert same(local_search(problem, smooth, theta), smooth)


@settings(deadline=None)
@given(problems(most=6), st.integers(0, 20), st.sampled_from([0.0, 0.5]))
def test_spa_and_aa_equal_their_judges(problem: Problem, theta: int, similarity: float) -> None:
    assert same(spa(problem, theta, similarity, neighbours=EVERYBODY), literal_spa(problem, theta, similarity))
    assert same(aa(problem, theta, similarity), literal_aa(problem, theta, similarity))


@settings(deadline=None)
@given(problems(most=12), st.integers(0, 60), st.data())
def test_initial_clusters_stay_together(problem: Problem, theta: int, data: st.DataObject) -> None:
    first = data.draw(partitions(len(problem)))
    found = mefa(problem, theta, first=first)
    certified(problem, found)
    assert all(len(set(found.of[first == cluster].tolist())) == 1 for cluster in set(first.tolist()))
    assert found.benefit >= min(theta, problem.possible())
    assert same(joined(problem, theta, first=first, neighbours=EVERYBODY), found)


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None)
@given(problems(most=12), st.integers(0, 60))
def test_benefit_and_cost_equal_the_measures(
    method: Callable[[Problem, float], Folds], problem: Problem, theta: int
) -> None:
    found = method(problem, theta)
    certified(problem, found)
    if method is mefa:  # the others stop where nothing is similar
        assert found.benefit >= min(theta, problem.possible())


@pytest.mark.parametrize("method", [mefa, spa, aa, exact, literal_mefa])
@settings(deadline=None)
@given(st.one_of(problems(most=6), wide_trees(most=6)), st.integers(0, 25))
def test_members_of_a_cluster_share_links(
    method: Callable[[Problem, float], Folds], problem: Problem, theta: int
) -> None:
    assert share_links(problem, method(problem, theta).of)


@settings(deadline=None)
@given(st.one_of(problems(most=8), wide_trees()), st.integers(0, 25), st.sampled_from([0.0, 0.25, 1.0]))
def test_mefa_costs_at_most_the_printed_algorithm(problem: Problem, theta: int, delta: float) -> None:
    assert mefa(problem, theta, delta).cost <= literal_mefa(problem, theta, delta).cost


def test_mefa_costs_at_most_the_printed_algorithm_on_random_trees() -> None:
    # Few problems show a difference, fewer than a property finds by chance.
    for seed in range(400):
        rng = np.random.default_rng(seed)
        parents = [0, 0, 0, *rng.integers(1, 3, rng.integers(0, 3)).tolist()]
        low = rng.integers(0, 100, 5)
        ranges = np.stack([low, low + rng.integers(1, 40, 5)], axis=1)
        ranges[-1] = ranges[0]
        problem = Problem.on_tree(parents, rng.integers(1, len(parents), 5).tolist(), ranges.tolist())
        for theta in (1, 2, 3):
            assert mefa(problem, theta).cost <= literal_mefa(problem, theta).cost


@settings(deadline=None, max_examples=tries(40))
@given(st.one_of(problems(most=6), wide_trees(most=6)), st.integers(0, 25))
def test_mefa_costs_at_least_the_exact_minimum(problem: Problem, theta: int) -> None:
    assert exact(problem, theta).cost <= mefa(problem, theta).cost


def test_subtrees_without_a_common_link_are_not_joined() -> None:
    # Subscriptions 0 and 2 share a link, 1 and 3 another one.
    problem = Problem.on_tree([0, 0, 1, 0], [2, 3, 1, 3], [(71, 76), (23, 50), (51, 59), (51, 59)])
    for method in (mefa, literal_mefa, exact):
        assert same(method(problem, 2), Folds(np.array([0, 1, 0, 1]), 2, 61.0))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_many_subscriptions(dimensions: int) -> None:
    problem = spread(1, [2000, 300, 100][dimensions - 1], dimensions)
    for share in (0.3, 0.9):
        found = mefa(problem, share * problem.possible())
        certified(problem, found)
        assert share_links(problem, found.of)
        assert found.benefit >= share * problem.possible()
        assert same(found, mefa(problem, share * problem.possible()))
        certified(problem, spa(problem, share * problem.possible()))
    everything = mefa(problem, problem.possible())
    assert everything.benefit == problem.possible()


def test_many_subscriptions_in_three_dimensions() -> None:
    problem = spread(5, 5000, 3)
    found = mefa(problem, 0.01 * problem.possible())
    assert found.benefit == saved(problem, found.of) >= 0.01 * problem.possible()


@pytest.mark.parametrize("seed", range(5))
def test_theta_is_limited_to_the_possible_benefit(seed: int) -> None:
    problem = synthetic(seed)
    everything = mefa(problem, problem.possible())
    assert same(mefa(problem, problem.possible() + 50), everything)
    assert everything.cost <= aa(problem, problem.possible(), -1.0).cost


def test_clusters_with_too_many_pieces_are_not_joined() -> None:
    # With an unreachable theta, all are joined until a cluster has enough pieces.
    problem = spread(2, 3000, 3)
    found = joined(problem, problem.possible(), neighbours=1)
    assert found.benefit == saved(problem, found.of) < problem.possible()
    assert (greedy.MOST_PIECES, greedy.MOST_DEEP_PIECES) == (4096, 256)


def test_three_ranges_are_joined() -> None:
    problem = Problem.on_tree([0, 0], [1, 1, 1], [(0, 10), (10, 20), (0, 20)])
    for theta in (1, 2):
        assert same(mefa(problem, theta), Folds(np.zeros(3, dtype=np.int64), 2, 0.0))
    assert exact(problem, 1).cost == 0


def test_the_worked_example() -> None:
    assert same(mefa(SLIDES, 1), Folds(np.array([0, 1, 1]), 1, 4.0))
    assert same(mefa(SLIDES, 3), Folds(np.array([0, 0, 0]), 3, 8.0))
    assert same(mefa(SLIDES, 3, delta=0.25), Folds(np.arange(3), 0, 0.0))


def test_problems_without_subscriptions_or_links() -> None:
    bounds, home = np.empty((0, 1)), np.empty(0, dtype=np.int32)
    towards = np.zeros((1, 1), dtype=np.int32)
    none = Problem(np.zeros(1, dtype=np.int64), bounds, bounds, home, np.empty((0, 1), dtype=np.uint64), towards)
    assert [len(method(none, 5).of) for method in (mefa, spa, aa, literal_mefa)] == [0] * 4
    empty = Problem.on_tree([0, 0], [1, 1], [(3, 3), (5, 5)])
    assert same(mefa(empty, 1), Folds(np.zeros(2, dtype=np.int64), 1, 0.0))


@pytest.mark.parametrize("exponential", [False, True])
def test_mefa_is_close_to_the_least_cost(exponential: bool) -> None:
    found = []
    for seed in range(40):
        problem = synthetic(seed, exponential, nodes=15, subscribers=8)
        theta = problem.possible() / 2
        found.append((mefa(problem, theta).cost, exact(problem, theta).cost))
    assert all(ours >= best - 1e-9 for ours, best in found)
    assert fmean(ours for ours, _ in found) <= 1.05 * fmean(best for _, best in found)


@pytest.mark.parametrize("exponential", [False, True])
def test_mefa_is_cheaper_than_spa_and_aa_on_the_slides_workloads(exponential: bool) -> None:
    costs: dict[str, list[float]] = {method.__name__: [] for method in METHODS} | {"literal": []}
    for seed in range(40):
        problem = synthetic(seed, exponential)
        theta = min(100, problem.possible() / 2)
        for method in METHODS:
            costs[method.__name__].append(method(problem, theta).cost)
        costs["literal"].append(literal_mefa(problem, theta).cost)
    mean = {name: fmean(found) for name, found in costs.items()}
    assert mean["mefa"] < min(mean["spa"], mean["aa"], mean["literal"])


@pytest.mark.parametrize(("dimensions", "count"), [(1, 300), (1, 2000), (2, 300)])
def test_mefa_is_at_most_as_expensive_as_spa_and_aa_with_many_ranges(dimensions: int, count: int) -> None:
    problems = [spread(seed, count, dimensions) for seed in range(3)]
    ours = [mefa(problem, problem.possible() / 2).cost for problem in problems]
    for rival in (spa, aa):
        theirs = [rival(problem, problem.possible() / 2, -1.0).cost for problem in problems]
        assert fmean(ours) <= fmean(theirs)
