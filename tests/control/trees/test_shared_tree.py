"""The shared tree: a spanning forest with shortest paths from a center of each part."""

import math

from hypothesis import given

from sparing.control.trees.shared_tree import shared_tree
from sparing.graphs.trees import components, distances
from sparing.model.overlay import Link, Overlay
from tests.flow.strategies import overlays
from tests.judges.overlay import path


def length(overlay, way):
    return sum(overlay.neighbours[a][b] for a, b in way)


@given(overlays(apart=True, most=7))
def test_the_tree_is_spanning_with_shortest_paths_from_a_center(overlay):
    tree = shared_tree(overlay)
    links = {tuple(sorted((link.one, link.other))) for link in overlay.links}
    assert tree <= links
    parts = components(overlay.neighbours)
    assert len(tree) == len(overlay.brokers) - len(parts)  # and, since it spans, without cycles
    for part in parts:
        ways = {(a, b): path(tree, a, b) for a in part for b in part}
        assert None not in ways.values()
        farthest = {a: max(distances(overlay.neighbours, a).values()) for a in part}
        rooted = [
            a
            for a in part
            if all(math.isclose(length(overlay, ways[a, b]), distances(overlay.neighbours, a)[b]) for b in part)
        ]
        assert any(farthest[a] == min(farthest.values()) for a in rooted)


def test_a_ring_is_cut_opposite_its_center():
    ring = Overlay(tuple("abcd"), tuple(Link(*pair) for pair in ("ab", "bc", "cd", "da")))
    assert shared_tree(ring) == {("a", "b"), ("a", "d"), ("b", "c")}


def test_slow_links_are_avoided():
    overlay = Overlay(tuple("abc"), (Link("a", "b", 5.0), Link("a", "c"), Link("c", "b")))
    assert shared_tree(overlay) == {("a", "c"), ("b", "c")}
