"""Timed brokers deliver to all matching subscriptions, or to k of them."""

from __future__ import annotations

import numpy as np
import pytest

from sparing.model.policy import Covering
from sparing_lab.study.topk.grid import ANCESTOR_FAIR_K, EXACT, REGULAR_COVER, OverheadCell
from sparing_lab.study.topk.overhead import (
    AT_FIRST,
    BY_COUNT,
    BY_WEIGHT,
    EVENLY,
    EVERYONE,
    EVERYWHERE,
    ON_THE_WAY,
    OverheadRun,
    overhead,
)

CELL = OverheadCell(subscriptions=120, k=3, publications=600, seed=2)


@pytest.fixture(scope="module")
def way():
    return OverheadRun.of(CELL)


@pytest.fixture(scope="module")
def matched(way):
    return way.made.matched(way.points)


def test_regular_cover_delivers_to_all_matching_subscriptions(way, matched):
    assert (way.travel(Covering.REGULAR, EVERYONE).received == matched.sum(axis=0)).all()


@pytest.mark.parametrize(
    ("covering", "rule"),
    [
        (Covering.NONE, EVENLY),
        (Covering.ANCESTOR, EVENLY),
        (Covering.ANCESTOR, BY_WEIGHT),
        (Covering.REGULAR, BY_COUNT),
    ],
)
def test_other_methods_deliver_to_k_matching_subscriptions(way, matched, covering, rule):
    taken = way.travel(covering, rule)
    assert taken.received.sum() == np.minimum(matched.sum(axis=1), CELL.k).sum()
    assert (taken.received <= matched.sum(axis=0)).all()
    assert (taken.seconds > 0).all()


def test_counts_give_fair_deliveries(way, matched):
    """On average over neighbours, everyone gets what is expected."""
    chance = np.minimum(CELL.k / np.maximum(matched.sum(axis=1), 1), 1)
    expected = (matched * chance[:, None]).sum(axis=0)
    off = way.travel(Covering.REGULAR, BY_COUNT).received - expected
    assert np.abs(off).sum() / expected.sum() < 0.35


def test_rows_have_the_measured_times():
    found = {(row.method, row.what): row.value for row in overhead(CELL)}
    for method in (REGULAR_COVER, ANCESTOR_FAIR_K, EXACT):
        assert found[method, ON_THE_WAY] >= found[method, AT_FIRST] > 0
        assert found[method, EVERYWHERE] > 0
    assert found[EXACT, EVERYWHERE] > found[REGULAR_COVER, EVERYWHERE]  # counts are asked for first
