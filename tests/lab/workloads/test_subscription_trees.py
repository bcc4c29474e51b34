"""Trees of brokers with subscribers at their ends."""

import pytest

from sparing.workloads.randomness import seeded_rng
from sparing_lab.workloads.subscription_trees import MOST_BELOW, depths, subscription_tree
from tests.messages import refused

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("nodes", "subscribers"), [(46, 20), (96, 40), (20, 8)])
def test_trees_have_the_documented_shape(seed, nodes, subscribers):
    made = subscription_tree(seeded_rng(seed, "test"), nodes, subscribers)
    assert made.nodes == nodes
    assert len(made.connections) == subscribers
    assert made.parents[0] == 0
    assert all(above < broker for broker, above in enumerate(made.parents) if broker)
    below = [made.parents[1:].count(broker) for broker in range(len(made.parents))]
    assert max(below) <= MOST_BELOW
    ends = {broker for broker, count in enumerate(below) if not count}
    assert {broker for brokers in made.connections for broker in brokers} <= ends
    assert len(set(made.homes)) == min(len(ends), subscribers), "each end broker has somebody, if there are enough"
    assert all(len(set(brokers)) == len(brokers) == min(2, len(ends)) for brokers in made.connections)


def test_the_same_seed_gives_the_same_tree():
    one, other, third = (subscription_tree(seeded_rng(seed, "test"), 46, 20) for seed in (1, 1, 2))
    assert one == other != third


def test_a_single_end_broker_has_no_sibling():
    made = subscription_tree(seeded_rng(0, "test"), nodes=4, subscribers=2)
    assert made.connections == ((1,), (1,))


@pytest.mark.parametrize(("nodes", "subscribers"), [(5, 0), (5, 4), (0, 3)])
def test_an_empty_tree_is_rejected(nodes, subscribers):
    with refused("publisher broker subscriber"):
        subscription_tree(seeded_rng(0, "test"), nodes, subscribers)


def test_depths_count_the_links_to_the_root():
    made = subscription_tree(seeded_rng(3, "test"), 96, 40)
    found = depths(made.parents)
    assert found[0] == 0
    assert all(found[broker] == found[above] + 1 for broker, above in enumerate(made.parents) if broker)
