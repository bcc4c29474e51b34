"""What is forwarded over the overlay is what comparing all pairs gives; percentages come near the paper's."""

from __future__ import annotations

import numpy as np
import pytest

from sparing.model.errors import SparingError
from sparing_lab.study.topk import forwarding as module
from sparing_lab.study.topk.forwarding import DEEPEST, FORWARDED, forwarding
from sparing_lab.study.topk.grid import (
    ANCESTOR_COVER_K,
    RANK_COVER_K,
    RANK_TREE,
    REGULAR_COVER,
    WIDTH,
    ForwardingCell,
)
from sparing_lab.study.topk.world import PUBLISHER_EDGE, overlay, plan, ranges

METHODS = (REGULAR_COVER, RANK_COVER_K, ANCESTOR_COVER_K, RANK_TREE)


def found(cell):
    return {(row.method, row.k, row.what): row.value for row in forwarding(cell)}


def test_percentages_agree_with_comparing_all_pairs():
    cell = ForwardingCell(400, WIDTH, (1, 3, 40), METHODS, 5)
    made = ranges(400, WIDTH, 5)
    inside = (made.low[:, None] <= made.low) & (made.high <= made.high[:, None])
    ancestors = inside.sum(axis=0) - 1
    ours = found(cell)
    assert ours[REGULAR_COVER, 0, FORWARDED] == pytest.approx(100 * (ancestors == 0).mean())
    for k in cell.ks:
        assert ours[ANCESTOR_COVER_K, k, FORWARDED] == pytest.approx(100 * (ancestors < k).mean())
        assert ours[RANK_COVER_K, k, FORWARDED] >= ours[ANCESTOR_COVER_K, k, FORWARDED]
        assert ours[RANK_TREE, k, FORWARDED] >= ours[RANK_COVER_K, k, FORWARDED]
    assert ours[RANK_TREE, 0, DEEPEST] < 40
    assert ours[RANK_TREE, 40, FORWARDED] == 100


def test_percentages_are_within_half_a_point_of_the_paper():
    ours = found(ForwardingCell(10_000, WIDTH, (10, 100), (REGULAR_COVER, ANCESTOR_COVER_K), 1))
    assert ours[REGULAR_COVER, 0, FORWARDED] == pytest.approx(1.5, abs=0.5)
    assert ours[ANCESTOR_COVER_K, 10, FORWARDED] == pytest.approx(5.7, abs=0.5)
    assert ours[ANCESTOR_COVER_K, 100, FORWARDED] == pytest.approx(20, abs=0.5)


def test_disagreeing_hops_are_reported(monkeypatch):
    def forgetful(*args, **kwargs):
        table = there(*args, **kwargs)
        table.known[-1].numbers.resize(1, refcheck=False)
        return table

    there = module.table_of
    monkeypatch.setattr(module, "table_of", forgetful)
    with pytest.raises(SparingError, match=r"^Filtering hop by hop and all at once differ"):
        found(ForwardingCell(200, WIDTH, (3,), (ANCESTOR_COVER_K,), 0))


def test_ranges_are_inside_the_space_with_the_given_width():
    made = ranges(5000, (0.1, 0.4), 3)
    wide = made.high - made.low
    assert (made.low >= 0).all()
    assert (made.high <= 1).all()
    assert wide.min() == pytest.approx(0.1, abs=0.01)
    assert wide.max() == pytest.approx(0.4, abs=0.01)


def test_the_overlay_is_that_of_the_paper():
    brokers, edges = overlay(10)
    assert len(brokers.brokers) == 10 + 50 + 1
    assert len(brokers.links) == 9 + 50 + 1
    assert PUBLISHER_EDGE not in edges
    planned = plan(ranges(500, WIDTH, 0), 10, [None])
    assert np.bincount(planned.broker_of)[11:].tolist() == [10] * 50
    farthest = planned.routes.hops[planned.routes.number[PUBLISHER_EDGE]].max()
    assert farthest == 11  # from its own edge broker over ten core brokers to the last edge broker
