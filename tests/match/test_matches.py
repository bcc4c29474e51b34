"""The results of matching: pairs that later matches do not change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from sparing.match import Index
from tests.match.worlds import in_order, pairs_of, tuned
from tests.messages import refused

FIELDS = {"x": "bigint", "s": "string"}


def index_of(size=300):
    return Index(FIELDS, {"x >=": np.arange(size)})


def batch_of(seed, rows=700):
    return pa.record_batch({"x": np.random.default_rng(seed).integers(0, 300, rows)})


def read_numbers(found):
    return found.numbers


def read_part(found):
    return found.numbers[5:]


def read_rows(found):
    return found.rows


def read_starts(found):
    return found.starts


def read_memory(found):
    return memoryview(found.numbers)


def read_reshaped(found):
    return found.numbers[: len(found) // 2 * 2].reshape(-1, 2).T


def read_arrow(found):
    return found.to_arrow()


def read_column(found):
    return found.to_arrow()["subscription"].chunk(0)


def read_slice(found):
    return found.to_arrow()["subscription"].chunk(0).slice(3)


def read_arrow_as_array(found):
    return found.to_arrow()["subscription"].chunk(0).to_numpy()


@pytest.mark.parametrize(
    "read",
    [
        *(lambda found: found, read_numbers, read_part, read_rows, read_starts, read_memory, read_reshaped),
        *(read_arrow, read_column, read_slice, read_arrow_as_array),
    ],
)
@pytest.mark.parametrize("rows", [10, 700])
def test_referenced_results_are_not_overwritten(read, rows):
    index = index_of(40)

    def listed(held):
        if hasattr(held, "starts"):
            return held.starts.tolist(), held.numbers.tolist(), held.rows.tolist()
        return held.to_pylist() if hasattr(held, "to_pylist") else np.asarray(held).tolist()

    held, expected = [], []
    for seed in range(5):
        held.append(read(index.match(batch_of(seed, rows))))  # the matches themselves are let go
        expected.append(listed(held[-1]))
        index.match(batch_of(99, rows // 2))
        list(index.slices(batch_of(98, rows), 1000))
    assert [listed(one) for one in held] == expected
    fresh = [listed(read(index_of(40).match(batch_of(seed, rows)))) for seed in range(5)]
    assert expected == fresh


def test_unreferenced_result_arrays_are_reused():
    index = index_of()
    batch = batch_of(1)
    first = index.match(batch)
    place = first.numbers.ctypes.data
    second = index.match(batch)
    assert second.numbers.ctypes.data != place
    second_place = second.numbers.ctypes.data
    del second
    third = index.match(batch)
    assert third.numbers.ctypes.data == second_place
    assert pairs_of(third) == pairs_of(first)


def test_slices_are_independent_of_each_other():
    index = index_of()
    batch = batch_of(2)
    parts = list(index.slices(batch, 2000))
    assert len(parts) > 10
    whole = index.match(batch)
    assert in_order(pair for part in parts for pair in pairs_of(part)) == pairs_of(whole)
    assert len(list(index.slices(batch, len(whole)))) == 1


def test_slices_group_events_of_the_same_segment():
    with tuned({"store.FEWEST_IN_SEGMENT": 5, "store.MOST_LOOKED_UP": 0}):
        index = Index(FIELDS, {"s =": ["a"] * 20 + ["b"] * 20})
        batch = pa.record_batch({"s": ["a", "b"] * 100})
        parts = list(index.slices(batch, 1000))
    assert len(parts) >= 4
    assert all(one < other for part in parts for one, other in pairwise(part.events.tolist()))
    mixed = [part for part in parts if len({row % 2 for row in part.events.tolist()}) > 1]
    assert len(mixed) <= 1
    assert in_order(pair for part in parts for pair in pairs_of(part)) == pairs_of(index.match(batch))


def test_pairs_are_in_the_order_of_events():
    found = Index(FIELDS, {"id": ["b", "a"], "where": ["x > 1", "x > 2"]}).match(pa.table({"x": [3, 1, 2]}))
    assert found.events.tolist() == [0, 1, 2]
    assert found.starts.tolist() == [0, 2, 2, 3]
    assert found.rows.tolist() == [0, 0, 2]
    assert sorted(found.ids[:2]) == ["a", "b"]
    assert found.ids[2:] == ["b"]
    assert len(found) == 3


def test_matches_keep_their_ids_after_later_changes():
    index = Index(FIELDS, {"where": ["x > 1", "x > 2"]})
    found = index.match(pa.table({"x": [3]}))
    index.insert("late", "true")
    index.remove(0)
    index.rebuild()
    assert sorted(found.ids) == [0, 1]
    named = Index(FIELDS, {"id": ["a", "b"], "where": ["x > 1", "x > 2"]})
    found = named.match(pa.table({"x": [3]}))
    named.remove("a")
    named.insert("c", "true")
    named.insert("a", "x < 0")
    assert sorted(found.ids) == ["a", "b"]


@pytest.mark.parametrize(("ids", "kind"), [(["a", "b"], pa.string()), ([5, 6], pa.int64()), (None, pa.int32())])
def test_arrow_tables_without_matches_have_the_same_types(ids, kind):
    table = {"where": ["x > 1", "x > 2"]} if ids is None else {"id": ids, "where": ["x > 1", "x > 2"]}
    index = Index(FIELDS, table)
    batch = pa.table({"x": [0, 0, 5, 0]})
    tables = [part.to_arrow() for part in index.slices(batch, 1)]
    schema = pa.schema({"event": pa.int32(), "subscription": kind})
    assert [one.schema for one in tables] == [schema] * len(tables)
    assert min(one.num_rows for one in tables) == 0
    assert pa.concat_tables(tables).sort_by("subscription").to_pylist() == [
        {"event": 2, "subscription": id_} for id_ in (ids or [0, 1])
    ]


def test_stats_have_the_size_of_the_index_and_the_work_of_the_last_batch():
    index = index_of()
    stats = index.stats()
    assert (stats.subscriptions, stats.events, stats.pairs, stats.scanned) == (300, 0, 0, 0)
    found = index.match(batch_of(1))
    stats = index.stats()
    assert (stats.events, stats.pairs, stats.scanned) == (700, len(found), 600)
    assert stats.bytes_per_subscription == stats.bytes / 300
    assert index_of(30_000).stats().bytes > stats.bytes + 29_700 * 8
    assert Index(FIELDS).stats().bytes_per_subscription == 0.0
    long = Index(FIELDS, {"s =": ["x" * 100_000]}).stats().bytes
    assert long > Index(FIELDS, {"s =": ["x"]}).stats().bytes + 99_000


def test_changing_an_index_while_slices_are_read_is_an_error():
    index = Index({"x": "int"}, [{"id": "a", "where": "x > 0"}, {"id": "b", "where": "true"}])
    parts = index.slices(pa.record_batch({"x": pa.array([1, 2, 3], pa.int32())}), pairs=2)
    next(parts)
    index.insert("c", "x IS NULL")
    with refused("slices"):
        next(parts)


def test_ids_of_mixed_types_are_an_error_in_arrow_tables():
    index = Index({"x": "int"})
    index.insert("a", "true")
    index.insert(7, "true")
    found = index.match(pa.record_batch({"x": pa.array([1], pa.int32())}))
    assert sorted(found.ids, key=str) == [7, "a"]
    with refused("type"):
        found.to_arrow()
