"""A hundred thousand subscriptions at once, judged by sampled events."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

from sparing.match import Index

pytestmark = pytest.mark.usefixtures("compiled")

SIZE = 100_000
FIELDS = {"symbol": "string", "price": "double", "size": "bigint", "venue": "int"}


@pytest.fixture(scope="module")
def market():
    """A table of comparisons and a batch of events, as Arrow and as NumPy arrays."""
    random = np.random.default_rng(3)
    names = np.array([f"S{n:04}" for n in range(3000)])
    popular = np.minimum(random.zipf(1.3, SIZE) - 1, 2999)
    low = random.normal(100, 30, SIZE).round(2)
    asked = {
        "symbol": (names[popular], random.random(SIZE) < 0.6),
        "price": (low, low + random.exponential(5, SIZE), random.random(SIZE) < 0.8),
        "size": (random.integers(0, 10_000, SIZE), random.random(SIZE) < 0.5),
        "venue": (random.integers(0, 20, SIZE), random.random(SIZE) < 0.1),
    }
    table = pa.table(
        {
            "symbol =": pa.array(asked["symbol"][0], mask=~asked["symbol"][1]),
            "price >=": pa.array(asked["price"][0], mask=~asked["price"][2]),
            "price <": pa.array(asked["price"][1], mask=~asked["price"][2]),
            "size >": pa.array(asked["size"][0], mask=~asked["size"][1]),
            "venue =": pa.array(asked["venue"][0], mask=~asked["venue"][1]),
        }
    )
    rows = 3000
    events = {
        "symbol": names[np.minimum(random.zipf(1.2, rows) - 1, 2999)],
        "price": random.normal(100, 30, rows).round(2),
        "size": random.integers(0, 10_000, rows),
        "venue": random.integers(0, 20, rows),
    }
    missing = random.random(rows) < 0.1
    batch = pa.record_batch({name: pa.array(v, mask=missing if name == "size" else None) for name, v in events.items()})
    return table, batch, asked, events, missing


def judge(asked, events, missing, row):
    """The subscriptions that one event matches."""
    name, by_name = asked["symbol"]
    low, high, by_price = asked["price"]
    least, by_size = asked["size"]
    venue, by_venue = asked["venue"]
    found = ~by_name | (name == events["symbol"][row])
    found &= ~by_price | ((low <= events["price"][row]) & (events["price"][row] < high))
    found &= ~by_size | ((events["size"][row] > least) & ~missing[row])
    found &= ~by_venue | (venue == events["venue"][row])
    return np.flatnonzero(found)


def test_a_hundred_thousand_subscriptions(market):
    table, batch, asked, events, missing = market
    begin = time.perf_counter()
    index = Index(FIELDS, table)
    built = time.perf_counter()
    found = index.match(batch)
    assert built - begin < 10  # a fraction of a second, on a machine with nothing else to do
    assert time.perf_counter() - built < 20
    stats = index.stats()
    assert stats.segments > 10
    assert stats.looked_up > 0
    assert stats.verified > 0
    assert stats.scanned < 0.7 * SIZE * 6
    for row in range(0, 3000, 20):
        mine = found.numbers[found.starts[row] : found.starts[row + 1]]
        assert np.array_equal(np.sort(mine), judge(asked, events, missing, row))


def test_a_hundred_thousand_later_insertions(market):
    """Half at the start, then the rest in a few lots, then every third removed."""
    table, batch, asked, events, missing = market
    index = Index(FIELDS, table.slice(0, SIZE // 2))
    for start in range(SIZE // 2, SIZE, 10_000):
        index.insert_many(table.slice(start, 10_000))
        index.match(batch.slice(0, 30))
    for number in range(0, SIZE, 3):
        index.remove(number)
    assert len(index) == SIZE - len(range(0, SIZE, 3))
    for some in (batch, batch.slice(0, 10)):
        found = index.match(some)
        for row in range(0, some.num_rows, 60):
            mine = np.sort(found.numbers[found.starts[row] : found.starts[row + 1]])
            expected = judge(asked, events, missing, row)
            assert np.array_equal(mine, expected[expected % 3 != 0])
