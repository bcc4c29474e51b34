"""Every code path of the index, with evidence that it was taken."""

from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.match import Index
from sparing.match.kernels.arrays import LEAST, MOST, EventColumns, PredicateArrays
from sparing.match.kernels.buckets import MOST_BUCKETS, put_buckets
from sparing.match.kernels.pairs import check_rows
from sparing.match.kernels.rows import BITS, WORDS
from sparing.match.kernels.write import DENSE, _write_dense, _write_sparse, write_piece
from sparing.match.layout import MOST_EDGES, make_buckets
from sparing.match.predicates import Predicates, Sets
from tests.match.worlds import TILE, check_matches, tuned
from tests.tries import tries

FIELDS = {"s": "string", "x": "bigint", "y": "bigint"}
SEED = np.random.default_rng(7)
START = SEED.bit_generator.state


SETTINGS = {
    "layout.MOST_EDGES": MOST_EDGES, "layout.MOST_ROWS": 6144, "layout.PIVOT_GAIN": 2500, "layout.SAMPLE": 20_000,
    "store.FEWEST_IN_SEGMENT": 256, "store.MOST_SEGMENTS": 1024, "store.MOST_LOOKED_UP": 16, "store.SCANNED": 1,
    "store.FEWEST_LOOKED_UP": 1, "store.MOST_LOOKUP_FIELDS": 4, "store.BUFFER_SIZE": 512, "store.REBUILD_AFTER": 4096,
    "bitmaps.MOST_BITMAPS": 512, "index.FEW_EVENTS": 24, "index.MOST_KEPT": 1 << 26,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _the_same_settings_and_numbers_for_each_test():
    """Whatever suits the index best today."""
    SEED.bit_generator.state = START
    with tuned(SETTINGS):
        yield


def batch_of(rows, *, names="abcde", span=1000):
    """EventColumns whose x and y are spread evenly over 0 .. span - 1."""
    return pa.record_batch(
        {
            "s": pa.array(SEED.choice(list(names), rows)),
            "x": pa.array(SEED.integers(0, span, rows)),
            "y": pa.array(SEED.integers(0, span, rows)),
        }
    )


def ranges_of(count, *, span=1000, width=50):
    low = SEED.integers(0, span, count)
    return low, low + SEED.integers(1, width, count)


def between(batch, field, low, high):
    """[subscription, row] for low <= field <= high."""
    values = batch.column(field).to_numpy()
    return (low[:, None] <= values) & (values <= high[:, None])


def equal(batch, field, wanted):
    return np.array(wanted)[:, None] == np.array(batch.column(field).to_pylist())


def only_segment(index):
    (segment,) = index._store.segments()
    return segment


# Where subscriptions stand


def test_a_popular_value_gets_its_own_segment():
    batch = batch_of(1500)
    wanted = ["a"] * 300 + ["b"] * 256 + ["c"] * 100 + ["d"] * 5
    low, high = ranges_of(len(wanted))
    index = Index(FIELDS, {"s =": wanted, "x >=": low, "x <=": high})
    stats = index.stats()
    assert (stats.segments, stats.looked_up, stats.tiers) == (3, 5, 0)
    assert sorted(len(segment) for segment in index._store.segments()) == [100, 256, 300]
    assert [segment.field for segment in index._store.segments()] == [0, 0, None]
    check_matches(index.match(batch), equal(batch, "s", wanted) & between(batch, "x", low, high))
    # Only events with an a visit the segment of a; the common segment is visited by all, in three tiles.
    a, b = (-(-batch.column("s").to_pylist().count(name) // TILE) for name in "ab")
    assert (a, b) == (1, 1)
    assert index.stats().scanned == 300 * a + 256 * b + 100 * 3


def test_the_number_of_segments_is_limited():
    with tuned({"store.MOST_SEGMENTS": 2, "store.FEWEST_IN_SEGMENT": 1, "store.MOST_LOOKED_UP": 0}):
        index = Index(FIELDS, {"s =": ["a"] * 50 + ["b"] * 30 + ["c"] * 20})
    assert [(segment.field, len(segment)) for segment in index._store.segments()] == [(0, 50), (None, 50)]


def test_a_rare_value_is_looked_up():
    batch = batch_of(1200, span=5000)
    wanted = np.arange(5000)
    low, high = ranges_of(5000, span=5000, width=3000)
    index = Index(FIELDS, {"x =": wanted, "y >=": low, "y <=": high})
    check_matches(index.match(batch), between(batch, "x", wanted, wanted) & between(batch, "y", low, high))
    stats = index.stats()
    assert (stats.segments, stats.looked_up, stats.scanned) == (0, 5000, 0)


def test_a_subscription_is_looked_up_by_its_rarest_value():
    with tuned({"store.MOST_LOOKED_UP": 3}):
        index = Index(FIELDS, {"s =": ["a"] * 9, "x =": [1, 1, 1, 2, 2, 2, 3, 3, 3]})
    (lookup,) = index._store.base.lookups
    assert (lookup.field, len(lookup.number)) == (1, 9)


def test_the_number_of_lookup_fields_is_limited():
    fields = {f"f{n}": "int" for n in range(6)}
    tables = [{"id": n, f"f{n % 6}": 10 + n} for n in range(60)]
    index = Index(fields, [{("id" if k == "id" else f"{k} ="): v for k, v in row.items()} for row in tables])
    stats = index.stats()
    assert (stats.looked_up, stats.segments) == (40, 1)
    batch = pa.record_batch({name: pa.array(np.arange(100, dtype=np.int32)) for name in fields})
    expected = np.array([[row[next(k for k in row if k != "id")] == value for value in range(100)] for row in tables])
    check_matches(index.match(batch), expected)


def test_insertions_become_tiers_and_tiers_are_merged():
    batch = batch_of(600)
    low, high = ranges_of(200)
    expected = between(batch, "x", low, high)
    with tuned({"store.BUFFER_SIZE": 8, "store.REBUILD_AFTER": 10**6}):
        index = Index(FIELDS)
        sizes = []
        for s in range(200):
            index.insert(s, f"x BETWEEN {low[s]} AND {high[s]}")
            sizes.append([len(tier) for tier in index._store.tiers])
            assert all(one > 2 * other for one, other in zip(sizes[-1], sizes[-1][1:], strict=False))
        assert max(len(found) for found in sizes) >= 3
        assert sum(sizes[-1]) == 200
        check_matches(index.match(batch), expected)
        index.insert_many({"id": [f"{n}" for n in range(8)], "where": ["x < 0"] * 8})
        assert index.stats().tiers > 0
        index.rebuild()
        assert (index.stats().tiers, index.stats().segments) == (0, 1)
        check_matches(index.match(batch), np.vstack([expected, np.zeros((8, 600), dtype=bool)]))


def test_the_base_is_rebuilt_after_enough_changes():
    batch = batch_of(30)
    with tuned({"store.BUFFER_SIZE": 4, "store.REBUILD_AFTER": 10}):
        index = Index(FIELDS, {"where": ["x >= 0"] * 16})
        for s in range(12):  # as many as may stand loose: ten, and an eighth of sixteen
            index.insert(16 + s, "x >= 0")
        index.match(batch)
        assert index.stats().tiers > 0
        index.remove(0)
        index.match(batch)
        assert (index.stats().tiers, index.stats().subscriptions) == (0, 27)
        assert len(only_segment(index)) == 27


def test_removed_subscriptions_never_match():
    batch = batch_of(700, span=40)
    with tuned({"store.BUFFER_SIZE": 4, "store.FEWEST_IN_SEGMENT": 20, "store.MOST_LOOKED_UP": 3}):
        index = Index(FIELDS, {"x =": [*range(10), *[11] * 30, *[12] * 10], "y >=": [0] * 50})
        for s in range(50, 60):
            index.insert(s, "x = 13")
        assert index.stats().looked_up == 10
        assert (index.stats().segments, index.stats().tiers, len(index._store._buffer)) == (2, 1, 2)
        wanted = np.array([*range(10), *[11] * 30, *[12] * 10, *[13] * 10])
        expected = between(batch, "x", wanted, wanted)
        for gone in (3, 25, 45, 51, 59):  # looked up, on a segment, on the common one, in a tier, and just come
            index.remove(gone)
            expected[gone] = False
            check_matches(index.match(batch), expected)
            check_matches(index.match(batch.slice(0, 5)), expected[:, :5])


# How many events there are


def test_few_events_are_matched_by_bitmaps_and_many_by_tiles():
    low, high = ranges_of(500)
    index = Index(FIELDS, {"x >=": low, "x <=": high})
    few, many = batch_of(24), batch_of(25)
    check_matches(index.match(few), between(few, "x", low, high))
    assert index.stats().scanned == 0
    assert len(index._bitmap_indexes) == 1
    check_matches(index.match(many), between(many, "x", low, high))
    assert index.stats().scanned == 500


def test_bitmaps_are_coarser_if_there_would_be_too_many():
    fields = {f"f{n}": "int" for n in range(40)}
    which = SEED.integers(0, 40, 800)
    least = SEED.integers(0, 100, 800)
    index = Index(fields, {"where": [f"f{f} >= {low}" for f, low in zip(which, least, strict=True)]})
    values = SEED.integers(0, 100, (40, 20)).astype(np.int32)
    found = index.match(pa.record_batch(dict(zip(fields, values, strict=True))))
    check_matches(found, values[which] >= least[:, None])
    (bitmaps,) = index._bitmap_indexes.values()
    assert bitmaps._coarseness > 0
    assert len(bitmaps._bitmaps) <= 512


def test_the_result_arrays_of_few_events_grow():
    index = Index(FIELDS, {"x >=": np.zeros(3000, dtype=np.int64)})
    batch = batch_of(10)
    check_matches(index.match(batch), np.ones((3000, 10), dtype=bool))
    looked_up = Index(FIELDS, {"x =": np.arange(3000)})
    batch = pa.record_batch({"x": np.arange(3000)})
    check_matches(looked_up.match(batch), np.eye(3000, dtype=bool))
    assert looked_up.stats().looked_up == 3000


def test_bitmaps_are_freed_with_their_segment():
    index = Index(FIELDS, {"where": ["x > 5"] * 3})
    batch = batch_of(2)
    bytes_ = []
    for n in range(30):
        index.insert(f"new {n}", f"y > {n}")
        index.match(batch)
        bytes_.append(index.stats().bytes)
    gc.collect()
    assert len(index._bitmap_indexes) == 2
    assert max(bytes_) < 2 * min(bytes_)


# Buckets and pivots


@pytest.mark.parametrize(("bounds", "exact"), [(100, True), (MOST_EDGES, True), (2000, False)])
def test_values_are_compared_only_if_bounds_fall_inside_buckets(bounds, exact):
    batch = batch_of(1100, span=10_000)
    low = np.arange(bounds) * (10_000 // bounds)
    index = Index(FIELDS, {"x >=": low})
    assert only_segment(index).buckets.edge_count.tolist() == [0, min(bounds, MOST_EDGES), 0]
    check_matches(index.match(batch), between(batch, "x", low, np.full(bounds, MOST)))
    assert (index.stats().verified == 0) is exact
    assert index.stats().verified < 0.05 * bounds * 1100  # only those in the bucket that a bound falls into


def test_no_value_is_compared_if_every_bound_is_an_edge():
    batch = batch_of(1100, span=100)
    low, high = ranges_of(400, span=50, width=40)
    index = Index(FIELDS, {"x >=": low, "x <=": high, "y >": low, "y <": high + 2})
    x, y = between(batch, "x", low, high), between(batch, "y", low + 1, high + 1)
    check_matches(index.match(batch), x & y)
    assert index.stats().verified == 0
    sets = [sorted(SEED.choice(100, 4, replace=False).tolist()) for _ in range(60)]
    expected = np.array([np.isin(batch.column("x").to_numpy(), some) for some in sets])
    index = Index(FIELDS, {"x in": sets})
    check_matches(index.match(batch), expected)
    assert index.stats().verified < 0.2 * expected.sum()  # where few events are left, all are compared


def test_sets_within_buckets_are_compared_by_value():
    batch = batch_of(1100, span=4000)
    sets = [sorted(SEED.choice(4000, 3, replace=False).tolist()) for _ in range(500)]
    expected = np.array([np.isin(batch.column("x").to_numpy(), some) for some in sets])
    index = Index(FIELDS, {"x in": sets})
    check_matches(index.match(batch), expected)
    assert index.stats().verified > 0
    not_in = Index(FIELDS, {"where": [f"x NOT IN ({', '.join(map(str, some))})" for some in sets]})
    check_matches(not_in.match(batch), ~expected)


def test_a_tile_skips_subscriptions_with_other_pivot_ranges():
    batch = batch_of(8 * TILE)
    low, high = ranges_of(6000)
    least = SEED.integers(0, 1000, 6000)
    index = Index(FIELDS, {"x >=": low, "x <=": high, "y >=": least})
    assert only_segment(index).pivots[0].tolist() == [1]
    expected = between(batch, "x", low, high) & between(batch, "y", least, np.full(6000, MOST))
    check_matches(index.match(batch), expected)
    assert index.stats().scanned < 0.3 * 6000 * 8
    with tuned({"layout.PIVOT_GAIN": 10**9}):
        unsorted = Index(FIELDS, {"x >=": low, "x <=": high, "y >=": least})
    check_matches(unsorted.match(batch), expected)
    assert only_segment(unsorted).pivots[0].tolist() == [-1]
    assert unsorted.stats().scanned == 6000 * 8


def test_subscriptions_are_sorted_by_their_narrowest_pivot():
    batch = batch_of(3 * TILE)
    low, high = ranges_of(300)
    nulls = np.arange(300) % 3
    table = {
        "x >=": pa.array(low, mask=nulls == 0), "x <=": pa.array(high, mask=nulls == 0),
        "y >=": pa.array(low, mask=nulls == 1), "y <=": pa.array(high, mask=nulls == 1),
    }  # fmt: skip
    with tuned({"layout.PIVOT_GAIN": 1}):
        index = Index(FIELDS, table)
    assert sorted(only_segment(index).pivots[0].tolist()) == [1, 2]
    x, y = between(batch, "x", low, high), between(batch, "y", low, high)
    check_matches(index.match(batch), (x | (nulls == 0)[:, None]) & (y | (nulls == 1)[:, None]))


def test_edges_come_from_a_sample_of_the_bounds():
    batch = batch_of(600)
    low, high = ranges_of(400)
    with tuned({"layout.SAMPLE": 5}):
        index = Index(FIELDS, {"x >=": low, "x <=": high, "y >=": [None] * 399 + [500]})
    assert only_segment(index).buckets.edge_count[1] <= 10
    y = np.ones((400, 600), dtype=bool)
    y[399] = batch.column("y").to_numpy() >= 500
    check_matches(index.match(batch), between(batch, "x", low, high) & y)


def test_many_fields_share_the_rows_of_a_table():
    fields = {f"f{n}": "int" for n in range(30)}
    where = [f"f{n % 30} >= {n}" for n in range(3000)]
    with tuned({"layout.MOST_ROWS": 300}):
        index = Index(fields, {"where": where})
    buckets = only_segment(index).buckets
    assert buckets.rows.sum() <= 300
    values = SEED.integers(0, 3000, (30, 60)).astype(np.int32)
    found = index.match(pa.record_batch(dict(zip(fields, values, strict=True))))
    number = np.arange(3000)
    check_matches(found, values[number % 30] >= number[:, None])


codes = st.integers(LEAST, MOST) | st.integers(-50, 50) | st.sampled_from([LEAST, LEAST + 1, MOST - 1, MOST])
near = st.builds(lambda code, by: max(LEAST, min(MOST, code + by)), codes, st.integers(-1, 1))


@settings(max_examples=tries(60))
@given(st.lists(codes, min_size=1, max_size=60), st.lists(near, min_size=1), st.sampled_from([1, 3, MOST_EDGES]))
def test_a_bucket_is_the_number_of_edges_up_to_a_value(bounds, values, most):
    values = np.array(values + bounds, dtype=np.int64)
    with tuned({"layout.MOST_EDGES": most}):
        buckets = make_buckets(np.array([True]), np.zeros(len(bounds), np.uint16), np.array(bounds, dtype=np.int64))
    edges = buckets.edges[0, : buckets.edge_count[0]]
    assert len(edges) == min(most, len(set(bounds)))
    assert set(edges.tolist()) <= set(bounds)
    valid = np.arange(len(values)) % 5 != 3
    events = EventColumns(values[None], valid[None], True)
    out = np.empty(len(values), np.uint8)
    put_buckets(events, np.arange(len(values), dtype=np.int32), buckets, 0, out)
    expected = np.where(valid, 1 + np.searchsorted(edges, values, side="right"), 0)
    assert out.tolist() == expected.tolist()
    assert out.max() <= MOST_BUCKETS


def test_edges_far_apart_and_close_together():
    """Most of them in one cell of the rough table, so that many halvings are needed."""
    bounds = np.array([LEAST + 1, *range(200), *range(10**12, 10**13, 10**12), MOST - 1], dtype=np.int64)
    buckets = make_buckets(np.array([True]), np.zeros(len(bounds), np.uint16), bounds)
    assert buckets.steps[0] == 8
    values = np.concatenate([bounds - 1, bounds, bounds + 1])
    out = np.empty(len(values), np.uint8)
    everyone = np.arange(len(values), dtype=np.int32)
    put_buckets(EventColumns(values[None], np.ones((1, len(values)), bool), False), everyone, buckets, 0, out)
    assert out.tolist() == (1 + np.searchsorted(bounds, values, side="right")).tolist()


@settings(max_examples=tries(40))
@given(st.lists(st.tuples(codes, st.integers(0, 5)), max_size=12), st.lists(near, min_size=1))
def test_a_value_is_looked_up_among_the_ranges_of_a_set(parts, values):
    ranges, after = [], LEAST
    for low, size in sorted(parts):
        if low >= after and low + size < MOST - 1:
            ranges.append((low, low + size))
            after = low + size + 2
    low, last = (np.array([end[k] for end in ranges], dtype=np.int64) for k in (0, 1))
    bounds = (low[:1], last[-1:]) if ranges else (np.array([MOST]), np.array([LEAST]))
    set_ = (np.array([0, len(ranges)]), low, last, np.array([True]))
    one = PredicateArrays(np.array([0, 1]), np.zeros(1, np.uint16), *bounds, np.zeros(1, np.int32), *set_)
    values = [*values, *low.tolist(), *last.tolist()]
    events = EventColumns(np.array([[*values, 0]]), np.array([[True] * len(values) + [False]]), True)
    admitted = np.zeros(len(values) + 1, dtype=bool)
    check_rows(events, np.zeros(len(values) + 1, dtype=np.int64), one, admitted)
    assert admitted.tolist() == [any(a <= value <= b for a, b in ranges) for value in values] + [True]


# How matches are written


def masks_of(share, hits):
    """Random bits, [hit, event], and the same as rows of words with room behind them."""
    bits = SEED.random((hits, BITS)) < share
    masks = np.zeros((hits + 66) * WORDS, dtype=np.uint64)
    masks[: hits * WORDS] = np.packbits(bits, axis=1, bitorder="little").view(np.uint64).ravel()
    return bits, masks


@pytest.mark.parametrize("hits", [1, 63, 64, 65, 700, 1536])
@pytest.mark.parametrize("share", [0.0005, 0.02, 0.5, 1.0])
def test_dense_and_sparse_writing_agree(hits, share):
    bits, masks = masks_of(share, hits)
    slots = SEED.permutation(2 * hits)[:hits].astype(np.uint32)
    number = SEED.permutation(2 * hits).astype(np.int32) + 5
    at, piece = 11, 1
    expected = [number[slots[bits[:, event]]].tolist() for event in range(BITS)]

    def written(write, *more):
        heap = np.full(at + int(bits.sum()) + 4, -1, dtype=np.int32)
        counts = np.zeros(2 * BITS, dtype=np.uint16)
        room = np.concatenate([slots, np.zeros(64, np.uint32)])
        end = write(masks.copy(), room, np.uint64(hits), number, counts, piece, heap, at, *more)
        assert end == at + bits.sum()
        assert (heap[:at] == -1).all()
        ends = at + np.cumsum(counts[BITS:].astype(np.int64))
        return [heap[b - c : b].tolist() for b, c in zip(ends.tolist(), counts[BITS:].tolist(), strict=True)]

    assert written(_write_dense) == expected
    assert written(_write_sparse, np.uint64(bits.sum())) == expected
    assert written(write_piece) == expected


@pytest.mark.parametrize("subscriptions", [1, 1024, 1025, 1537, 5000])
@pytest.mark.parametrize("rows", [TILE, TILE + 30])
def test_hits_are_written_before_their_buffer_is_full(subscriptions, rows):
    """Each subscription matches about half of the events (dense), or one in a hundred (sparse)."""
    batch = batch_of(rows)
    low = SEED.integers(0, 1000, subscriptions)
    index = Index(FIELDS, {"x >=": low})
    expected = between(batch, "x", low, np.full(subscriptions, MOST))
    assert subscriptions == 1 or expected.sum() > int(DENSE) * subscriptions
    check_matches(index.match(batch), expected)
    high = low + SEED.integers(1, 10, subscriptions)
    narrow = Index(FIELDS, {"x >=": low, "x <=": high})
    expected = between(batch, "x", low, high)
    assert expected.sum() < int(DENSE) * subscriptions
    check_matches(narrow.match(batch), expected)


def test_large_workspace_is_released_after_an_extraordinary_batch():
    batch = batch_of(600)
    low = SEED.integers(0, 1000, 2000)
    expected = between(batch, "x", low, np.full(2000, MOST))
    index = Index(FIELDS, {"x >=": low})
    held = index.match(batch)
    assert len(index._workspace.collected.buffer) > 100_000
    with tuned({"index.MOST_KEPT": 100_000}):
        check_matches(index.match(batch), expected)
        assert len(index._workspace.collected.buffer) < 100_000
    check_matches(index.match(batch), expected)
    check_matches(held, expected)


# Arrays of predicates


def predicates_of(lists):
    """Subscriptions given as lists of (field, low, last, ranges or None)."""
    starts = np.cumsum([0] + [len(one) for one in lists])
    flat = [one for some in lists for one in some]
    ranges = [one[3] for one in flat if one[3] is not None]
    which = iter(range(len(ranges)))
    sets = Sets(
        np.cumsum([0] + [len(some) for some in ranges]),
        np.array([low for some in ranges for low, _ in some], dtype=np.int64),
        np.array([last for some in ranges for _, last in some], dtype=np.int64),
        np.array([len(some) % 2 == 0 for some in ranges], dtype=bool),
    )
    return Predicates(
        starts, np.array([one[0] for one in flat], np.uint16), np.array([one[1] for one in flat], np.int64),
        np.array([one[2] for one in flat], np.int64),
        np.array([-1 if one[3] is None else next(which) for one in flat], np.int32), sets,
    )  # fmt: skip


def listed(predicates):
    """The inverse; `missing` is among the ranges."""
    found = []
    for s in range(len(predicates)):
        mine = []
        for k in range(predicates.starts[s], predicates.starts[s + 1]):
            which, sets = predicates.set[k], predicates.sets
            ranges = None
            if which >= 0:
                span = slice(sets.starts[which], sets.starts[which + 1])
                ranges = list(zip(sets.low[span].tolist(), sets.last[span].tolist(), strict=True))
                assert sets.missing[which] == (len(ranges) % 2 == 0)
            mine.append((int(predicates.field[k]), int(predicates.low[k]), int(predicates.last[k]), ranges))
        found.append(mine)
    return found


bound = st.integers(-9, 9)
a_set = st.none() | st.lists(st.tuples(bound, bound), max_size=3)
some_predicates = st.lists(st.lists(st.tuples(st.integers(0, 5), bound, bound, a_set), max_size=3), max_size=5)


@settings(max_examples=tries(50))
@given(st.lists(some_predicates, min_size=1, max_size=3), st.data())
def test_predicates_are_joined_and_taken_with_their_sets(parts, data):
    joined = Predicates.joined([predicates_of(part) for part in parts])
    everything = [one for part in parts for one in part]
    assert listed(joined) == everything
    which = data.draw(st.lists(st.integers(0, len(everything) - 1))) if everything else []
    taken = joined.take(np.array(which, dtype=np.int64))
    assert listed(taken) == [everything[s] for s in which]
    assert len(taken.sets) == sum(one[3] is not None for s in which for one in everything[s])
