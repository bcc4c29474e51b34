"""Who gets how many: what is expected, the statistic that tells chance from unfairness, and the methods' promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from sparing_lab.study.topk.fairness import (
    CHI_SQUARE,
    DELIVERIES,
    FREEDOM,
    FROM_EXPECTED,
    FROM_REGULAR_K,
    SURPLUS,
    Draws,
    chi_square,
    fairness,
)
from sparing_lab.study.topk.grid import AGAIN, ANCESTOR_COVER_K, ANCESTOR_FAIR_K, EXACT, REGULAR_K, FairnessCell

CELL = FairnessCell(subscriptions=100, k=2, publications=2000, seed=3)


@pytest.fixture(scope="module")
def found():
    return {(row.method, row.distance, row.what): row.value for row in fairness(CELL)}


def test_the_expected_share_is_k_of_the_matching_subscriptions():
    draws = Draws.of(FairnessCell(30, 3, 200, 1))
    matched = draws.made.matched(draws.points)
    expected = sum(row * min(3 / max(row.sum(), 1), 1) for row in matched.astype(float))
    assert draws.expected[0] == pytest.approx(expected)


def test_the_expected_spread_agrees_with_simulated_draws():
    """Against drawing again and again."""
    draws = Draws.of(FairnessCell(12, 2, 20, 1))
    rng = np.random.default_rng(0)
    matched = draws.made.matched(draws.points)
    samples = np.zeros((4000, 12))
    for sample in samples:
        for row in matched:
            there = np.flatnonzero(row)
            sample[rng.permutation(there)[:2]] += 1
    expected, spread = draws.expected
    assert samples.mean(axis=0) == pytest.approx(expected, abs=0.15)
    assert np.cov(samples.T) == pytest.approx(spread, abs=0.4)
    statistics = [chi_square(sample - expected, spread) for sample in samples]
    degrees = statistics[0][1]
    assert {found[1] for found in statistics} == {degrees}
    assert kstest([found[0] for found in statistics], chi2(degrees).cdf).statistic < 0.1


def test_measures_sum_to_all_deliveries(found):
    for method in (REGULAR_K, AGAIN, ANCESTOR_COVER_K, ANCESTOR_FAIR_K, EXACT):
        distances = range(1, 6)
        assert sum(found[method, d, SURPLUS] for d in distances) == pytest.approx(0, abs=1e-6)
        for what in (FROM_EXPECTED, DELIVERIES):
            assert sum(found[method, d, what] for d in distances) == pytest.approx(found[method, 0, what])
        assert found[method, 0, FREEDOM] == 99
    assert found[REGULAR_K, 0, FROM_REGULAR_K] == 0
    assert found[AGAIN, 0, FROM_REGULAR_K] > 0


def test_fair_is_fairer_than_ancestor_cover_and_exact_is_within_chance(found):
    off = {method: found[method, 0, FROM_EXPECTED] for method in (ANCESTOR_COVER_K, ANCESTOR_FAIR_K, EXACT)}
    assert off[ANCESTOR_COVER_K] > 2 * off[ANCESTOR_FAIR_K]
    for method, fair in ((REGULAR_K, True), (AGAIN, True), (EXACT, True), (ANCESTOR_COVER_K, False)):
        p = chi2.sf(found[method, 0, CHI_SQUARE], found[method, 0, FREEDOM])
        assert (p > 1e-4) == fair, method


def test_each_method_delivers_a_publication_to_k_subscriptions(found):
    draws = Draws.of(CELL)
    sizes = draws.made.matched(draws.points).sum(axis=1)
    asked = np.minimum(sizes, CELL.k).sum()
    assert draws.regular_k("once").sum() == asked
    for _, draw in draws.by_hops():
        assert draw().sum() == asked


def test_ancestor_cover_favours_near_subscriptions(found):
    assert found[ANCESTOR_COVER_K, 1, SURPLUS] > 0 > found[ANCESTOR_COVER_K, 5, SURPLUS]


def test_measurements_are_deterministic():
    small = FairnessCell(50, 1, 200, 0)
    assert fairness(small) == fairness(small)
