"""Overlays, publishers and reports are drawn as the paper says."""

from dataclasses import replace

import numpy as np
import pytest

from sparing_lab.study.caeva.grid import (
    FIELDS,
    LONGEST,
    MOST_VALID,
    CaevaExperiment,
    CaevaPoint,
    OverlayShape,
    PublisherPlaces,
)
from sparing_lab.study.caeva.overlays import overlay
from sparing_lab.study.caeva.reports import APART, UNIT, report_fields
from sparing_lab.study.caeva.world import draw

POINT = CaevaPoint(CaevaExperiment.FIGURE_3, brokers=30, publishers=6)


def brokers_of(world):
    return [{report.at for report in event.reports} for event in world.events]


def test_a_random_overlay_is_connected_with_as_many_links_again_as_a_tree():
    made = overlay(OverlayShape.RANDOM, 30, np.random.default_rng(1))
    assert len(made.links) == 29 + 30
    world = draw(POINT, 1, 0)
    assert (world.plan.routes.hops >= 0).all()


def test_a_complete_binary_tree_has_all_leaves_at_one_depth():
    world = draw(replace(POINT, shape=OverlayShape.BINARY, brokers=31), 1, 0)
    (tree,) = world.trees(world.plan.policy)
    assert world.plan.routes.brokers[tree.center] == "b000"
    leaves = [b for b in tree.brokers if len(tree.neighbours[b]) == 1]
    assert {tree.hops(tree.center, leaf) for leaf in leaves} == {4}
    assert len(leaves) == 16
    assert tree.depth == 3  # from the three active aggregators


@pytest.mark.parametrize(("redundancy", "count"), [(0.2, 20), (0.5, 20), (0.85, 20), (0.2, 100), (0.5, 1), (0.85, 2)])
def test_redundancy_is_the_share_of_redundant_reports(redundancy, count):
    told, redundant = report_fields(count, redundancy, np.random.default_rng(count))
    known, again = set(), 0
    for fields in told:
        assert fields <= set(range(1, FIELDS))
        assert 1 <= len(fields) <= MOST_VALID
        again += fields <= known
        known |= fields
    assert again == redundant
    assert redundant == max(round(redundancy * count), count - (FIELDS - 1)) or count <= 2


def test_events_are_consecutive_and_within_the_time_span():
    world = draw(POINT, 20, 3)
    for number, event in enumerate(world.events):
        times = [report.time for report in event.reports]
        assert times == sorted(times)
        assert number * APART * UNIT <= times[0] <= event.full <= times[-1] <= (number * APART + LONGEST) * UNIT
        assert len({report.key for report in event.reports}) == 1


def test_publishers_have_the_given_locality():
    apart, clusters, local = (
        draw(replace(POINT, who=who), 30, 1)
        for who in (PublisherPlaces.APART, PublisherPlaces.CLUSTERS, PublisherPlaces.LOCAL)
    )
    assert len(set().union(*brokers_of(apart))) == 6
    assert len(set().union(*brokers_of(local))) == 1
    assert 1 < len(set().union(*brokers_of(clusters))) <= 6


def test_changing_publishers_go_through_edge_near_and_random_phases():
    world = draw(replace(POINT, who=PublisherPlaces.CHANGING, phase=10), 30, 1)
    (tree,) = world.trees(world.plan.policy)
    distance = tree.roles(0).distance
    edge, near, _ = (set().union(*brokers_of(world)[first : first + 10]) for first in (0, 10, 20))
    assert all(len(tree.neighbours[broker]) == 1 for broker in edge)
    assert all(distance[broker] in (1, 2) for broker in near)


def test_reports_do_not_depend_on_the_cycle():
    one, other = (draw(replace(POINT, cycle=cycle), 5, 2) for cycle in (0, 10))
    assert one.events == other.events
