"""Incremental covers equal recomputed ones, and covered subscriptions are forwarded before a cover is withdrawn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.incremental import IncrementalCover
from sparing.control.covering.ranked_boxes import RankedBoxes
from sparing.model.box import Box
from tests.control.covering.strategies import TYPES, boxes, some_boxes
from tests.control.covering.test_covers import scores

Entry = tuple[str, Box, float]


def afresh(there: dict[str, tuple[Box, float]], k: int, fair: bool) -> set[str]:
    ids = sorted(there)
    coded = CodedBoxes.of([there[id_][0] for id_ in ids], TYPES)
    kept = ancestor_cover(RankedBoxes.by_score(coded, np.array([there[id_][1] for id_ in ids]), fair), k)
    return {id_ for id_, forwarded in zip(ids, kept.tolist(), strict=True) if forwarded}


changes = st.lists(st.tuples(st.sampled_from([f"s{n}" for n in range(9)]), boxes(), scores), min_size=5, max_size=40)


@given(some_boxes(), changes, st.booleans(), st.integers(1, 3))
def test_every_sequence_of_changes_equals_recomputation(
    first: list[Box], steps: list[Entry], fair: bool, k: int
) -> None:
    there: dict[str, tuple[Box, float]] = {f"f{n}": (box, float(n % 3)) for n, box in enumerate(first)}
    cover = IncrementalCover.of([(id_, *entry) for id_, entry in there.items()], TYPES, k, fair)
    known = set(cover.forwarded)  # what the neighbour has been told
    assert known == afresh(there, k, fair)
    for id_, box, score in steps:
        if id_ in there:
            change = cover.remove(id_)
            del there[id_]
        else:
            change = cover.add(id_, box, score)
            there[id_] = (box, score)
        assert not known & set(change.forwarded), "told twice"
        known |= set(change.forwarded)
        assert known >= set(change.withdrawn), "withdrawn what was never told"
        known -= set(change.withdrawn)
        assert known == cover.forwarded == afresh(there, k, fair)
        assert abs(sum(cover.weighted().values()) - len(there)) < 1e-9, "everybody counts once in total"
    for id_ in list(there):
        cover.remove(id_)
    assert not cover.forwarded
    assert len(cover) == 0


def test_thousands_of_changes_equal_recomputation() -> None:
    """Slots are used again and arrays grow."""
    rng = np.random.default_rng(5)
    there: dict[str, tuple[Box, float]] = {}
    cover = IncrementalCover(TYPES, 3)
    for step in range(1500):
        if there and rng.random() < 0.4:
            gone = sorted(there)[int(rng.integers(len(there)))]
            cover.remove(gone)
            del there[gone]
        else:
            low, width = rng.random(2), rng.uniform(0.1, 0.6, 2)
            box = _box(low, low + width)
            there[f"s{step}"] = (box, float(rng.integers(100)))
            cover.add(f"s{step}", *there[f"s{step}"])
        if step % 100 == 99:
            assert cover.forwarded == afresh(there, 3, False)


def _box(low: np.ndarray, high: np.ndarray) -> Box:
    from sparing.model.constraint import between
    from sparing.model.types import DOUBLE

    y = between(DOUBLE, DOUBLE.code(float(low[0])), DOUBLE.code(float(high[0])))
    x = between(TYPES["x"], int(100 * low[1]), int(100 * high[1]) + 1)
    box = Box.of({"x": x, "y": y})
    assert box is not None
    return box
