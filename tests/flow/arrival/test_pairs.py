"""Rows of a batch and the subscriptions of each, taken apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.arrival.pairs import Pairs

SUBSCRIPTIONS = 5


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, SUBSCRIPTIONS - 1)), unique=True).map(sorted),
    st.lists(st.integers(0, 3), min_size=SUBSCRIPTIONS, max_size=SUBSCRIPTIONS),
)
def test_by_class_every_pair_is_there_once(pairs, classes):
    rows, subscriptions = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    found = {}
    for one, some in Pairs.of(rows, subscriptions).by(np.array(classes)):
        assert one not in found
        found[one] = list(zip(some.rows.tolist(), some.subscriptions.tolist(), strict=True))
        assert len(some.starts) == len(some.events) + 1
    expected = {one: [(row, s) for row, s in pairs if classes[s] == one] for one in set(classes)}
    assert found == {one: some for one, some in expected.items() if some}
