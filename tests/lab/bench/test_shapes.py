"""The benchmark's workloads: the same from the same seed, and as selective as they promise."""

import numpy as np
import pyarrow as pa
import pytest

from sparing.match import Index
from sparing.model.errors import SparingError
from sparing_lab.bench.matching.benchmark import COMMON, RARE
from sparing_lab.bench.matching.shapes import SHAPES

WORKLOADS = [(name, selectivity) for name, shape in SHAPES.items() for selectivity in shape.selectivities]
FEWEST_AND_MOST = {"a": (1, 3), "b": (3, 6), "c": (5, 5), "d": (1, 4)}


def bounds(shape, table):
    """For each range field which subscriptions have a lower bound, an upper bound."""
    low = np.stack([table[f"{field} >="].is_valid().to_numpy() for field in shape.ranged])
    high = np.stack([table[f"{field} <="].is_valid().to_numpy() for field in shape.ranged])
    return low, high


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_seed_gives_the_same_workload(name):
    shape = SHAPES[name]
    assert shape.events(100, 3).equals(shape.events(100, 3))
    assert not shape.events(100, 3).equals(shape.events(100, 4))
    assert shape.subscriptions(100, COMMON, 3).equals(shape.subscriptions(100, COMMON, 3))
    assert not shape.subscriptions(100, COMMON, 3).equals(shape.subscriptions(100, COMMON, 4))


@pytest.mark.parametrize("name", SHAPES)
def test_events_have_the_fields_of_the_shape(name):
    shape = SHAPES[name]
    types = {"string": pa.string(), "double": pa.float64()}
    events = shape.events(50)
    assert events.schema == pa.schema([(field, types[kind]) for field, kind in shape.fields.items()])
    assert all(column.null_count == 0 for column in events.columns)


# What wide subscriptions add to shape d: a tenth of them match 20% to 60%.
SHARES = {("c", COMMON): 0.45**5, ("d", COMMON): 0.9 * 0.015 + 0.1 * 0.4}


@pytest.mark.parametrize(("name", "selectivity"), WORKLOADS)
def test_subscriptions_have_about_the_given_selectivity(name, selectivity):
    shape = SHAPES[name]
    index = Index(shape.fields, shape.subscriptions(5000, selectivity, 7))
    events = shape.events(4000, 8)
    share = sum(len(found) for found in index.slices(events)) / (5000 * 4000)
    # Values that many events share add to narrow ranges.
    assert share == pytest.approx(SHARES.get((name, selectivity), selectivity), rel=0.4 if selectivity == RARE else 0.1)


@pytest.mark.parametrize("name", SHAPES)
def test_subscriptions_have_the_given_number_of_ranges(name):
    shape = SHAPES[name]
    low, high = bounds(shape, shape.subscriptions(2000, COMMON, 1))
    count = (low | high).sum(axis=0)
    assert (count.min(), count.max()) == FEWEST_AND_MOST[name]
    open_ends = (low ^ high).sum() / (low | high).sum()
    assert open_ends == pytest.approx(0.5 if name in "bd" else 0.0, abs=0.03)


def test_prices_depend_on_the_symbol():
    events = SHAPES["a"].events(5000).to_pandas()
    assert events.groupby("symbol")["price"].std().median() < events["price"].std() / 3
    counts = events["symbol"].value_counts()
    assert len(counts) == 62
    assert counts.iloc[0] > 20 * counts.iloc[-1]


def test_some_fields_of_the_skewed_shape_are_more_popular():
    shape = SHAPES["d"]
    low, high = bounds(shape, shape.subscriptions(2000, COMMON, 1))
    asked = (low | high).sum(axis=1)
    assert asked[0] > 2 * asked[5] > 2 * asked[-1]


def test_an_unknown_selectivity_is_rejected():
    with pytest.raises(SparingError, match=r"^Shape d has no selectivity 0.0001: choose from 0.015\.$"):
        SHAPES["d"].subscriptions(10, RARE)
