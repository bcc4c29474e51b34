"""Ranges have the sizes and places that their distribution says."""

import numpy as np
import pytest

from sparing.workloads.randomness import seeded_rng
from sparing_lab.workloads.ranges import Distribution, ranges
from tests.messages import refused

MANY = 50_000
SPACE = (0, 400)


@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize(("average", "space"), [(20, SPACE), (50, SPACE), (1_687, (267, 32_947))])
def test_ranges_are_inside_the_space_with_the_average_size(distribution, average, space):
    found = ranges(seeded_rng(0, "test"), MANY, average, space, distribution)
    low, high = found.T
    assert low.min() >= space[0]
    assert high.max() <= space[1]
    assert (high > low).all()
    assert (high - low).mean() == pytest.approx(average, rel=0.02)


def test_uniform_ranges_have_uniform_positions_and_sizes():
    """The middle of what is left of the space is passed by half of them; all sizes are equally frequent."""
    low, high = ranges(seeded_rng(1, "test"), MANY, 20, SPACE, Distribution.UNIFORM).T
    assert (low / (400 - (high - low))).mean() == pytest.approx(0.5, abs=0.01)
    assert set((high - low).tolist()) == set(range(1, 40))
    assert np.bincount(high - low)[1:].std() < 0.1 * MANY / 39


def test_the_density_of_exponential_positions_falls_by_e_per_fifth_of_the_space():
    low, _ = ranges(seeded_rng(1, "test"), MANY, 20, SPACE, Distribution.EXPONENTIAL_PLACES).T
    fifths = np.histogram(low, bins=[0, 80, 160, 240, 320])[0]
    assert fifths[:-1] / fifths[1:] == pytest.approx(np.full(3, np.e), rel=0.1)


def test_the_density_of_exponential_sizes_falls_by_e_per_average():
    low, high = ranges(seeded_rng(1, "test"), MANY, 20, SPACE, Distribution.EXPONENTIAL_SIZES).T
    sizes = np.histogram(high - low, bins=[0.5, 20.5, 40.5, 60.5, 80.5])[0]
    assert sizes[1:-1] / sizes[2:] == pytest.approx(np.full(2, np.e), rel=0.1)
    assert (low / np.maximum(400 - (high - low), 1)).mean() == pytest.approx(0.5, abs=0.01)


def test_the_same_seed_gives_the_same_ranges():
    one, other, third = (
        ranges(seeded_rng(seed, "test"), 9, 20, SPACE, Distribution.UNIFORM).tolist() for seed in (1, 1, 2)
    )
    assert one == other != third


@pytest.mark.parametrize("average", [0, 201])
def test_sizes_larger_than_the_space_are_rejected(average):
    with refused("0 400 1 200"):
        ranges(seeded_rng(0, "test"), 1, average, SPACE, Distribution.UNIFORM)
