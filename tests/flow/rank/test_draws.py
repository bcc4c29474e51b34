"""Draws: the weighted shuffle and the exact split follow the laws that they claim, and can be repeated."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sparing.flow.rank.draws import below, fraction, seeds
from sparing.flow.rank.exact_fair import some_of, split
from sparing.flow.rank.weighted_shuffle import weighted_shuffle

SURE = 1e-4  # a test that is right fails with this chance; seeds are fixed, so it fails always or never


def state(number: int) -> np.ndarray:
    return seeds([f"p{number}"], 7)


def test_draws_are_told_by_names_and_seed() -> None:
    assert seeds(["a", "b"], 0).tolist() == seeds(["a", "b"], 0).tolist()
    assert len({*seeds(["a", "b"], 0).tolist(), *seeds(["a", "b"], 1).tolist()}) == 4
    assert len(set(seeds(["a"], 2**200).tolist())) == 1
    one, other = state(1), state(1)
    assert [fraction(one) for _ in range(5)] == [fraction(other) for _ in range(5)]


def test_fractions_are_even_and_below_one() -> None:
    found = np.array([fraction(s) for s in (state(n) for n in range(20_000))])
    assert 0 <= found.min() <= found.max() < 1
    assert chisquare(np.histogram(found, 20, (0, 1))[0]).pvalue > SURE
    one = state(0)
    assert chisquare(list(Counter(int(below(one, 7)) for _ in range(20_000)).values())).pvalue > SURE


@given(st.lists(st.sampled_from([0.25, 1.0, 3.0, 1e-9, 1e9]) | st.floats(0.01, 50), min_size=1, max_size=9), st.data())
def test_a_shuffle_draws_everybody_once(weights: list[float], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(weights)))
    drawn = np.full(len(weights), -1, np.int64)
    weighted_shuffle(np.array(weights), count, state(data.draw(st.integers(0, 99))), drawn)
    assert len(set(drawn[:count].tolist())) == count
    assert set(drawn[:count].tolist()) <= set(range(len(weights)))


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (5.0, 1.0, 2.0), (1.0, 9.0, 0.5, 3.0), (2.0, 7.0)])
def test_a_shuffle_goes_by_weight(weights: tuple[float, ...]) -> None:
    """The chance of an order is the product of each one's share of what is left."""
    times = 20_000
    found: Counter[tuple[int, ...]] = Counter()
    drawn = np.empty(len(weights), np.int64)
    for number in range(times):
        weighted_shuffle(np.array(weights), len(weights), state(number), drawn)
        found[tuple(drawn.tolist())] += 1
    orders = list(permutations(range(len(weights))))
    expected = []
    for order in orders:
        chance, left = 1.0, sum(weights)
        for at in order:
            chance *= weights[at] / left
            left -= weights[at]
        expected.append(chance * times)
    enough = [at for at, many in enumerate(expected) if many > 5]
    observed = np.array([found[orders[at]] for at in enough], dtype=float)
    scaled = np.array([expected[at] for at in enough]) * observed.sum() / sum(expected[at] for at in enough)
    assert chisquare(observed, scaled).pvalue > SURE


def test_the_split_is_hypergeometric() -> None:
    """Draws without putting back: every set of k of all is as likely as any other."""
    counts, k, times = np.array([1, 3, 2]), 3, 20_000
    found: Counter[tuple[int, ...]] = Counter()
    for number in range(times):
        hits = np.zeros(3, np.int64)
        split(counts, k, state(number), hits)
        found[tuple(hits.tolist())] += 1
    owners = np.repeat(np.arange(3), counts)
    sets = Counter(tuple(np.bincount(owners[list(some)], minlength=3).tolist()) for some in combinations(range(6), k))
    expected = [many * times / sum(sets.values()) for many in sets.values()]
    assert found.keys() == sets.keys()
    assert chisquare([found[key] for key in sets], expected).pvalue > SURE


def test_some_of_are_all_alike() -> None:
    found: Counter[frozenset[int]] = Counter()
    chosen = np.empty(5, np.int64)
    for number in range(10_000):
        some_of(5, 2, state(number), chosen)
        found[frozenset(chosen[:2].tolist())] += 1
    assert len(found) == 10
    assert chisquare(list(found.values())).pvalue > SURE
