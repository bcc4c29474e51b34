"""AncestorCoverK, RankCoverK and RegularCover against a comparison of every pair; Table I and Figure 3 of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.covering.ancestor_cover import ancestor_cover, ancestors
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.kernels.contain import contains
from sparing.control.covering.rank_cover import rank_cover
from sparing.control.covering.ranked_boxes import RankedBoxes
from sparing.control.covering.regular_cover import regular_cover
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.measure import area
from sparing.model.types import DOUBLE, INT
from tests.control.covering import judge
from tests.control.covering.strategies import TYPES, boxes, some_boxes

scores = st.sampled_from([0.0, 1.0, 2.0, float("-inf"), 1e300])


@st.composite
def ranked(draw: st.DrawFn) -> tuple[list[Box], np.ndarray, bool, int]:
    found = draw(some_boxes(least=1))
    given_scores = draw(st.lists(scores, min_size=len(found), max_size=len(found)))
    return found, np.array(given_scores), draw(st.booleans()), draw(st.integers(1, 4))


@given(boxes(), boxes())
def test_containment_equals_that_of_the_model(one: Box, other: Box) -> None:
    coded = CodedBoxes.of([one, other], TYPES)
    assert contains(coded.ranges, 0, 1) == one.covers(other)
    assert contains(coded.ranges, 1, 0) == other.covers(one)
    if one.covers(other) and one != other:
        assert coded.breadth[0] > coded.breadth[1]


@given(ranked())
def test_ancestor_cover_keeps_boxes_with_fewer_than_k_ancestors(case: tuple[list[Box], np.ndarray, bool, int]) -> None:
    found, given_scores, fair, k = case
    standing = RankedBoxes.by_score(CodedBoxes.of(found, TYPES), given_scores, fair)
    above = judge.by_score(found, given_scores.tolist(), fair)
    assert ancestor_cover(standing, k).tolist() == [count < k for count in judge.ancestors(found, above)]


@given(ranked())
def test_counted_ancestors_are_kept_and_rank_cover(case: tuple[list[Box], np.ndarray, bool, int]) -> None:
    found, given_scores, fair, k = case
    standing = RankedBoxes.by_score(CodedBoxes.of(found, TYPES), given_scores, fair)
    stand_ins = np.full((len(found), k), -1, np.int32)
    counts = ancestors(standing, k, stand_ins)
    covering = judge.rank_covers(found, judge.by_score(found, given_scores.tolist(), fair))
    for box, count in enumerate(counts.tolist()):
        mine = stand_ins[box, :count].tolist()
        assert len(set(mine)) == count
        assert set(mine) <= set(covering[box])
        assert all(counts[other] < k for other in mine)


@given(ranked())
def test_rank_cover_keeps_the_first_k_levels(case: tuple[list[Box], np.ndarray, bool, int]) -> None:
    found, given_scores, fair, k = case
    standing = RankedBoxes.by_score(CodedBoxes.of(found, TYPES), given_scores, fair)
    above = judge.by_score(found, given_scores.tolist(), fair)
    kept = rank_cover(standing, k)
    assert kept.tolist() == [depth <= k for depth in judge.depths(found, above)]
    assert (kept | ~ancestor_cover(standing, k)).all(), "what has few ancestors is not deep"


@given(some_boxes(least=1))
def test_regular_cover_keeps_the_roots(found: list[Box]) -> None:
    kept = regular_cover(RankedBoxes.by_containment(CodedBoxes.of(found, TYPES)), 1).tolist()
    for number, box in enumerate(found):
        containing = [n for n, other in enumerate(found) if n != number and other.covers(box)]
        assert kept[number] == all(found[n] == box and n > number for n in containing)


@pytest.mark.parametrize("fields", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_covers_of_many_numeric_boxes(fields: int, k: int) -> None:
    """Enough for several words, blocks and coarse buckets."""
    rng = np.random.default_rng(fields)
    widths = rng.uniform(0.1, 0.6, (3000, fields))
    low = rng.random(widths.shape) * (1 - widths)
    boxes_ = CodedBoxes.of_numbers(low, low + widths)
    scores_ = rng.integers(0, 50, 3000).astype(float)
    inside = np.ones((3000, 3000), bool)  # [a, b]: a contains b
    for f in range(fields):
        inside &= (low[:, None, f] <= low[None, :, f]) & ((low + widths)[:, None, f] >= (low + widths)[None, :, f])
    numbers = np.arange(3000)
    better = (scores_[:, None] > scores_[None, :]) | (
        (scores_[:, None] == scores_[None, :]) & (numbers[:, None] < numbers[None, :])
    )
    expected = (inside & better).sum(axis=0) < k
    assert (ancestor_cover(RankedBoxes.by_score(boxes_, scores_), k) == expected).all()
    assert 0 < expected.sum() < 3000


def test_numeric_boxes_equal_encoded_boxes() -> None:
    low, high = np.array([[0.0, 1.0], [0.5, 1.5]]), np.array([[3.0, 2.0], [1.0, 1.75]])
    numbers = CodedBoxes.of_numbers(low, high)
    made = [
        Box.of({f: between(DOUBLE, DOUBLE.code(low[n, i]), DOUBLE.code(high[n, i])) for i, f in enumerate("xy")})
        for n in range(2)
    ]
    coded = CodedBoxes.of([box for box in made if box is not None], {"x": DOUBLE, "y": DOUBLE})
    for one, other in zip(numbers.ranges, coded.ranges, strict=True):
        assert (one == other).all()


TABLE_I = {
    "s1": ((1, 10), (1, 10), 100, 1),
    "s2": ((1, 10), (1, 5), 50, 2),
    "s3": ((3, 7), (1, 8), 40, 3),
    "s4": ((9, 10), (9, 10), 4, 7),
    "s5": ((1, 5), (1, 5), 25, 4),
    "s6": ((3, 10), (2, 4), 24, 5),
    "s7": ((3, 6), (1, 5), 20, 6),
}


def table_i() -> list[Box]:
    made = [
        Box.of({"x": between(INT, x[0], x[1] + 1), "y": between(INT, y[0], y[1] + 1)})
        for x, y, _, _ in TABLE_I.values()
    ]
    return [box for box in made if box is not None]


def test_table_i_and_figure_3() -> None:
    """The paper's example: areas, ranks, and what broker B2 forwards."""
    found = table_i()
    types = {"x": INT, "y": INT}
    areas = np.array([area(box, ["x", "y"], types) for box in found])
    assert areas.tolist() == [row[2] for row in TABLE_I.values()]
    standing = RankedBoxes.by_score(CodedBoxes.of(found, types), areas)
    assert (1 + np.argsort(standing.order)).tolist() == [row[3] for row in TABLE_I.values()]
    names = np.array(list(TABLE_I))
    assert names[regular_cover(standing, 2)].tolist() == ["s1"]
    assert names[rank_cover(standing, 2)].tolist() == ["s1", "s2", "s3", "s4"]
    assert names[ancestor_cover(standing, 2)].tolist() == ["s1", "s2", "s3", "s4"]
    assert names[ancestor_cover(standing, 3)].tolist() == ["s1", "s2", "s3", "s4", "s5", "s6"]


@given(some_boxes(least=1), boxes())
def test_intersections_with_an_advertisement(found: list[Box], other: Box) -> None:
    coded = CodedBoxes.of([*found, other], TYPES)
    meeting = coded.overlapping(len(found), len(found))
    assert meeting.tolist() == [box.overlaps(other) for box in found]
    which = np.flatnonzero(meeting)
    clipped = coded.clipped(which, len(found))
    rest = [both for number in which.tolist() if (both := found[number].intersect(other)) is not None]
    for a in range(len(rest)):
        for b in range(len(rest)):
            assert contains(clipped.ranges, a, b) == rest[a].covers(rest[b])
