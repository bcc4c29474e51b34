"""Maximum matchings and minimum vertex covers: certificates, a slow judge, and brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.graphs.matching import UNMATCHED, maximum_matching, minimum_vertex_cover
from tests.judges import policies as judge
from tests.tries import tries


@st.composite
def graphs(draw, lefts=12, rights=12, most=40):
    """Edges in any order, some of them named twice; some numbers below the largest have no edge at all."""
    last_left, last_right = draw(st.integers(0, lefts - 1)), draw(st.integers(0, rights - 1))
    numbers = st.tuples(st.integers(0, last_left), st.integers(0, last_right))
    return draw(st.lists(numbers, min_size=1, max_size=most))


def ends(edges):
    left, right = np.array(edges).T
    return left, right


def check_certificates(edges):
    """A matching, and a cover of the same size: each proves that the other cannot be improved. Returns that size."""
    left, right = ends(edges)
    mates = maximum_matching(left, right)
    matched = [(number, mate) for number, mate in enumerate(mates.tolist()) if mate != UNMATCHED]
    assert set(matched) <= set(edges)
    assert len({mate for _, mate in matched}) == len(matched)
    left_cover, right_cover = minimum_vertex_cover(left, right)
    assert (left_cover[left] | right_cover[right]).all()
    assert left_cover.sum() + right_cover.sum() == len(matched)
    return len(matched)


def minimum_covers(edges):
    """All minimum covers as sets of (side, number), by trying every set of ends, small ones first."""
    there = sorted({(0, left) for left, _ in edges} | {(1, right) for _, right in edges})
    for size in range(len(there) + 1):
        found = [
            set(chosen)
            for chosen in combinations(there, size)
            if all((0, left) in chosen or (1, right) in chosen for left, right in edges)
        ]
        if found:
            return found
    raise AssertionError("all ends together are a cover")


@given(graphs())
@settings(max_examples=tries(300))
def test_matching_and_cover_prove_each_other_and_agree_with_the_judge(edges):
    size = check_certificates(edges)
    event(f"size {size}")
    assert size == judge.maximum_matching(set(edges))


@given(graphs(lefts=5, rights=5, most=14))
@settings(max_examples=tries(150))
def test_of_all_minimum_covers_it_is_the_one_with_the_fewest_right_ends(edges):
    left_cover, right_cover = minimum_vertex_cover(*ends(edges))
    cover = {(0, n) for n in np.flatnonzero(left_cover)} | {(1, n) for n in np.flatnonzero(right_cover)}
    covers = minimum_covers(edges)
    event(f"minimum covers: {min(len(covers), 4)}")
    fewest = min(sum(side for side, _ in other) for other in covers)
    assert [other for other in covers if sum(side for side, _ in other) == fewest] == [cover]


@pytest.mark.parametrize(("lefts", "rights", "degree"), [(2000, 300, 2), (300, 2000, 2), (900, 900, 3), (400, 40, 20)])
def test_large_graphs(lefts, rights, degree):
    """Sparse and dense, tall and wide: far from complete, so that alternating paths are long."""
    rng = np.random.default_rng(lefts + degree)
    left = np.repeat(np.arange(lefts), degree)
    edges = list(zip(left.tolist(), rng.integers(0, rights, len(left)).tolist(), strict=True))
    assert 0 < check_certificates(edges) <= min(lefts, rights)


def test_one_long_path_is_covered_by_every_second_end():
    """A path with 2n edges has n + 1 left ends: only the n right ends cover it with n."""
    n = 5000
    left = np.concatenate([np.arange(n), np.arange(1, n + 1)])
    right = np.tile(np.arange(n), 2)
    left_cover, right_cover = minimum_vertex_cover(left, right)
    assert not left_cover.any()
    assert right_cover.sum() == n


def test_no_edges():
    none = np.zeros(0, dtype=np.int64)
    assert maximum_matching(none, none).size == 0
    assert [cover.size for cover in minimum_vertex_cover(none, none)] == [0, 0]
