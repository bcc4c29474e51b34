"""Networks of transit and stub nodes, and numbers of descriptors."""

import numpy as np
import pytest

from sparing.graphs.trees import components
from sparing.workloads.randomness import seeded_rng
from sparing.workloads.transit_stub import Rounding, descriptors, transit_stub
from tests.messages import refused

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_networks_have_the_shape_of_the_example_of_gt_itm(seed):
    made = transit_stub(seeded_rng(seed, "test"))
    assert len(made.names) == len(set(made.names)) == 100
    assert made.stub_nodes.tolist() == list(range(4, 100))
    overlay = made.overlay()
    assert len(components(overlay.neighbours)) == 1
    for transit in made.names[:4]:
        own = [name for name in made.names[4:] if name.startswith(transit)]
        assert len(own) == 24
        stubs = {name[:4] for name in own}
        assert len(stubs) == 3
        for stub in stubs:
            inside = {name for name in own if name.startswith(stub)}
            assert len(inside) == 8
            leaving = [(a, b) for a in inside for b in overlay.neighbours[a] if b not in inside]
            assert [b for _, b in leaving] == [transit], "one link, to the stub's transit node"
            domain = {a: {b: 1.0 for b in overlay.neighbours[a] if b in inside} for a in inside}
            assert len(components(domain)) == 1
    core = {a: {b: 1.0 for b in overlay.neighbours[a] if b in made.names[:4]} for a in made.names[:4]}
    assert len(components(core)) == 1


def test_the_number_of_links_follows_from_the_probabilities():
    """A little more, since domains that are not connected are drawn again: 12 stubs, 28 pairs each, 0.42."""
    made = [transit_stub(seeded_rng(seed, "test")) for seed in SEEDS]
    inside = [len(one.links) - 12 - int((one.links < 4).all(axis=1).sum()) for one in made]
    assert 12 * 28 * 0.42 <= np.mean(inside) <= 12 * 28 * 0.48


def test_directed_links_are_both_directions_in_order():
    made = transit_stub(seeded_rng(0, "test"), transit=2, stubs=1, nodes=3)
    source, target = made.directed_links
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    assert pairs == sorted(pairs)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in made.links.tolist()}
    assert len(set(pairs)) == 2 * len(made.links)


def test_the_same_seed_gives_the_same_network():
    one, other, third = (transit_stub(seeded_rng(seed, "test")) for seed in (1, 1, 2))
    assert one.links.tolist() == other.links.tolist() != third.links.tolist()


def test_an_empty_network_is_rejected():
    with refused("nodes"):
        transit_stub(seeded_rng(0, "test"), stubs=0)


@pytest.mark.parametrize(("rounding", "below"), [(Rounding.DOWN, 2.0), (Rounding.NEAREST, 1.5)])
def test_descriptors_follow_the_bounded_pareto_distribution(rounding, below):
    """As many are 1 as the distribution has below 2, or 1.5: P(n < x) = (1 - 1/x) / (1 - 1/100)."""
    drawn = descriptors(seeded_rng(0, "test"), 100_000, rounding)
    assert drawn.min() == 1
    assert drawn.max() <= 100
    assert (drawn == 1).mean() == pytest.approx((1 - 1 / below) / 0.99, abs=0.01)
    mean = np.log(100) / 0.99 - (0.5 if rounding is Rounding.DOWN else 0.0)
    assert drawn.mean() == pytest.approx(mean, abs=0.25)
