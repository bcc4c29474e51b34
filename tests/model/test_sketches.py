"""Sketches: the same state however the values are cut up and merged, and results within the stated bounds."""

import math
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.functions import function
from sparing.model.sketches import ApproxCountDistinct, ApproxPercentile
from sparing.model.types import BIGINT, DATE, DOUBLE, INT, NUMBERS, STRING, TIMESTAMP, Kind, field_type
from tests import strategies
from tests.judges.sql import order
from tests.messages import missing
from tests.model.test_functions import array, same

PERCENTAGES = (0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1)
ORDERED = (*NUMBERS, Kind.DATE, Kind.TIMESTAMP)


def percentile(kind, settings):
    return function("approx_percentile", kind, settings=settings)


def finished(found, values):
    """The result over coded values at once."""
    return found.finish(found.lift(values, len(values)))


def exact(ordered, percentage):
    """The exact percentile of sorted values, by Spark's definition."""
    return ordered[max(1, math.ceil(percentage * len(ordered))) - 1]


def octaves(values):
    """How many powers of two some numbers spread over, each sign for itself; what is not finite, and zero, counts."""
    return len({(v < 0, math.frexp(v)[1]) if math.isfinite(v) and v else str(v + 0.0) for v in map(float, values)})


# The same whatever the cut, order and grouping


@st.composite
def sketches(draw):
    """A sketch so small that few values overflow it, with their type."""
    if draw(st.booleans()):
        kind = draw(strategies.field_types())
        return function("approx_count_distinct", kind, settings=[draw(st.sampled_from([0.39, 0.2, 0.1]))]), kind
    kind = draw(strategies.field_types(*ORDERED))
    percentages = tuple(draw(st.lists(st.floats(0, 1), min_size=1, max_size=3)))
    return percentile(kind, [percentages, draw(st.integers(1, 20))]), kind


@st.composite
def columns(draw, kind):
    """A few drawn values of every sort, or many: near each other, or spread over all orders of magnitude."""
    if kind.kind is Kind.BOOLEAN or draw(st.booleans()):
        return array(kind, draw(st.lists(strategies.values(kind), max_size=12)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(0, 400))
    if kind.kind is Kind.TEXT:
        return np.array([f"t{n}" for n in rng.integers(0, 300, size)], dtype=object)
    if kind.kind is Kind.FLOATING:
        exponents = 2.0 ** rng.uniform(-1000, 1000, size)
        return draw(st.sampled_from([rng.normal(size=size), exponents, -exponents, rng.normal(size=size) * exponents]))
    near = rng.integers(max(kind.low, -500), min(kind.high, 500), size)
    far = (rng.choice([-1, 1], size) * 2.0 ** rng.uniform(0, math.log2(kind.high), size)).astype(np.int64)
    return draw(st.sampled_from([near, np.clip(far, kind.low, kind.high)]))


@given(sketches().flatmap(lambda s: st.tuples(st.just(s[0]), columns(s[1]))), st.data())
def test_any_split_and_any_order_of_merging_give_the_identical_state(case, data):
    found, values = case
    whole = found.lift(values, len(values))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    parts = np.array_split(rng.permutation(values), np.sort(rng.integers(0, len(values) + 1, rng.integers(0, 9))))
    states = [found.lift(part, len(part)) for part in parts]
    while len(states) > 1:  # merge two or more, picked at random, until one is left
        picked = set(rng.choice(len(states), rng.integers(2, len(states) + 1), replace=False).tolist())
        merged = found.merge([states[at] for at in picked])
        states = [state for at, state in enumerate(states) if at not in picked] + [merged]
    assert states == [whole]
    assert found.merge([whole]) == whole


@pytest.mark.parametrize(
    "found",
    [
        function("approx_count_distinct", DOUBLE),
        percentile(DOUBLE, [(0.5, 0.99)]),
        percentile(DOUBLE, [(0.5, 0.99), 100]),
    ],
)
def test_large_columns_give_the_identical_state(found):
    rng = np.random.default_rng(7)
    values = np.round(rng.lognormal(3, 2, 200_000), 4)
    whole = found.lift(values, len(values))
    for parts in (2, 1000):
        states = [found.lift(part, len(part)) for part in np.array_split(rng.permutation(values), parts)]
        rng.shuffle(states)
        nested = [found.merge(states[at : at + 7]) for at in range(0, len(states), 7)]
        assert found.merge(states) == found.merge(nested) == whole


@given(sketches().flatmap(lambda s: st.tuples(st.just(s[0]), columns(s[1]))))
def test_functions_and_states_can_be_pickled(case):
    found, values = case
    state = found.lift(values, len(values))
    assert type(state) is bytes
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(state)) == state


# Counting distinct values


@given(st.data())
def test_few_distinct_values_are_counted_exactly(data):
    kind = data.draw(strategies.field_types())
    found = function("approx_count_distinct", kind)
    values = data.draw(st.lists(strategies.values(kind)))
    assert finished(found, array(kind, values)) == len({kind.code(v) for v in values})


def test_both_zeros_are_one_value_and_so_is_every_nan():
    odd = np.frombuffer(np.array([0x7FF8_0000_0000_0001, 0x7FF8_0000_0000_0000], dtype=np.uint64), dtype=np.float64)
    values = np.concatenate([odd, [0.0, -0.0, math.inf, -math.inf]])
    assert finished(function("approx_count_distinct", DOUBLE), values) == 4


def test_the_empty_text_is_a_value():
    found = function("approx_count_distinct", STRING)
    assert finished(found, array(STRING, ["", "", "a"])) == 2
    assert finished(found, array(STRING, ["", "\0", "=", "=="])) == 4


@pytest.mark.parametrize(("rsd", "k"), [(0.39, 32), (0.1, 128), (0.05, 512), (Decimal("0.01"), 16384), (0.001, 2**20)])
def test_a_smaller_deviation_keeps_more_hashes(rsd, k):
    found = function("approx_count_distinct", INT, settings=[rsd])
    assert 2**found.lg_k == k
    assert 1 / math.sqrt(k - 1) <= rsd
    assert len(found.lift(np.arange(2 * k), 2 * k)) <= 8 * k + 24
    assert finished(found, np.arange(k)) == k


@pytest.mark.parametrize("rsd", [0.1, 0.05, 0.02])
def test_the_relative_standard_deviation_is_as_asked(rsd):
    found = function("approx_count_distinct", BIGINT, settings=[rsd])
    errors = [finished(found, np.arange(n * 10_000, (n + 1) * 10_000)) / 10_000 - 1 for n in range(100)]
    assert math.sqrt(np.mean(np.square(errors))) < 1.1 * rsd  # of 100 trials: their deviation itself varies by 7%
    assert max(map(abs, errors)) < 5 * rsd
    assert abs(np.mean(errors)) < 0.4 * rsd  # no bias


@given(st.integers(1, 20_000), st.integers(0, 2**40))
def test_a_distinct_count_is_within_five_deviations(count, start):
    found = function("approx_count_distinct", BIGINT)
    values = np.arange(start, start + count)
    assert abs(finished(found, np.concatenate([values, values])) - count) <= 5 * 0.05 * count


# Percentiles


@given(st.data())
def test_with_few_different_values_percentiles_are_exact(data):
    kind = data.draw(strategies.field_types(*ORDERED))
    values = data.draw(st.lists(strategies.values(kind), min_size=1, max_size=20))
    percentages = tuple(data.draw(st.lists(st.floats(0, 1), min_size=1)))
    found = percentile(kind, [percentages, 10])
    ordered = sorted(values, key=kind.code)
    results = finished(found, array(kind, values))
    assert len(results) == len(percentages)
    for percentage, result in zip(percentages, results, strict=True):
        assert order(result, exact(ordered, percentage)) == 0
        assert finished(percentile(kind, [percentage, 10]), array(kind, values)) is not None


@given(st.data())
def test_percentiles_are_values_in_order_between_the_extremes(data):
    kind = data.draw(strategies.field_types(*ORDERED))
    values = data.draw(columns(kind).filter(len))
    found = percentile(kind, [PERCENTAGES, data.draw(st.integers(1, 20))])
    there = {kind.code(v) if kind.kind is Kind.FLOATING else v for v in values.tolist()}
    results = [kind.code(v) for v in finished(found, values)]
    assert set(results) <= there
    assert results == sorted(results)
    assert (results[0], results[-1]) == (min(there), max(there))


@given(st.data())
def test_numbers_are_off_by_no_more_than_octaves_over_accuracy(data):
    kind = data.draw(strategies.field_types(*NUMBERS))
    values = data.draw(columns(kind).filter(len))
    values = values[np.isfinite(values) & ((values == 0) | (np.abs(values) > 1e-300))]  # no room for digits below
    if not len(values):
        return
    accuracy = data.draw(st.integers(1, 60))
    bound = octaves(values.tolist()) / accuracy
    ordered = np.sort(values).tolist()
    results = finished(percentile(kind, [PERCENTAGES, accuracy]), values)
    for percentage, result in zip(PERCENTAGES, results, strict=True):
        wanted = exact(ordered, percentage)
        found = result if kind.kind is Kind.FLOATING else kind.code(result)
        if bound <= 1 and found != wanted:
            assert abs(found - wanted) < bound * abs(wanted)


@given(st.data())
def test_dates_and_timestamps_are_off_by_no_more_than_their_range_over_accuracy(data):
    kind = data.draw(strategies.field_types(Kind.DATE, Kind.TIMESTAMP))
    values = data.draw(columns(kind).filter(len))
    accuracy = data.draw(st.integers(1, 60))
    ordered = np.sort(values).tolist()
    results = finished(percentile(kind, [PERCENTAGES, accuracy]), values)
    for percentage, result in zip(PERCENTAGES, results, strict=True):
        off = abs(kind.code(result) - exact(ordered, percentage))
        assert off == 0 or off < (ordered[-1] - ordered[0]) / (accuracy - 0.5)


SHAPES = {
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "far from zero": lambda rng, n: rng.normal(1000, 1, n),
    "uniform": lambda rng, n: rng.uniform(0, 1, n),
    "lognormal": lambda rng, n: rng.lognormal(3, 2, n),
    "exponential": lambda rng, n: rng.exponential(10, n),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("accuracy", [100, 10_000])
def test_many_values_in_smooth_shapes(shape, accuracy):
    values = SHAPES[shape](np.random.default_rng(1), 200_000)
    ordered, bound = np.sort(values), octaves(values) / accuracy
    found = percentile(DOUBLE, [PERCENTAGES, accuracy])
    state = found.lift(values, len(values))
    assert len(state) <= 10 + 2 * accuracy * (8 + 4)
    for percentage, result in zip(PERCENTAGES, found.finish(state), strict=True):
        wanted = exact(ordered, percentage)
        assert abs(result - wanted) <= bound * abs(wanted)
        # Not promised, but so for values that lie close together: the rank is nearly as right as Spark's.
        rank = np.searchsorted(ordered, result, side="right")
        assert abs(rank - percentage * len(values)) <= max(1, 10 * len(values) / accuracy)


def test_outliers_cost_one_bucket_each():
    values = np.concatenate([np.arange(1000), [2**40, 2**50, 2**62]])
    assert finished(percentile(BIGINT, [0.5, 502]), values) == exact(values.tolist(), 0.5)


def test_large_whole_numbers_keep_all_their_digits():
    values = 2**62 + np.arange(100)
    assert finished(percentile(BIGINT, [(0.0, 0.5, 1.0)]), values) == (2**62, 2**62 + 49, 2**62 + 99)
    assert finished(percentile(BIGINT, [(0.0, 0.5, 1.0), 10]), values) == (2**62, 2**62, 2**62 + 99)


def test_nan_is_above_every_number():
    values = np.array([math.nan, -math.inf, 1.0, math.inf, -0.0, math.nan])
    results = finished(percentile(DOUBLE, [(0.1, 0.3, 0.5, 0.6, 0.7)]), values)
    assert [same(*pair) for pair in zip(results, (-math.inf, 0.0, 1.0, math.inf, math.nan), strict=True)] == [True] * 5


def test_results_have_the_type_of_the_field():
    kinds = {"tinyint": 3, "float": 0.5, "decimal(4,2)": Decimal("1.50"), "bigint": 2**60}
    for name, value in kinds.items():
        kind = field_type(name)
        assert same(finished(percentile(kind, [0.5]), array(kind, [value] * 3)), value)
    for kind in (DATE, TIMESTAMP):
        assert finished(percentile(kind, [0.5]), np.array([5, 7, 9])) == kind.value(7)


def test_sparks_own_examples():
    assert finished(percentile(INT, [(0.5, 0.4, 0.1), 100]), np.array([0, 1, 2, 10])) == (1, 1, 0)
    assert finished(percentile(INT, [0.5, 100]), np.array([0, 6, 7, 9, 10])) == 7


def test_the_worked_state_of_a_few_values():
    found = percentile(INT, [0.5, 1])  # two buckets at most
    one, two = found.lift(np.array([1, 1, 4]), 3), found.lift(np.array([5, -3]), 2)
    assert len(one) == 2 + 8 * 2 + 8 + 1 * 2  # level and width, two least values, the greatest, two counts
    assert found.merge([one, two]) == found.merge([two, one]) == found.lift(np.array([5, 4, 1, -3, 1]), 5)
    assert found.finish(found.merge([one, two])) == 1  # of the buckets {-3} and {1, 1, 4, 5}


# What a call may give


@pytest.mark.parametrize(
    ("name", "settings", "parts"),
    [
        ("approx_count_distinct", [0.05, 1], "approx_count_distinct field standard deviation 0.05"),
        ("approx_count_distinct", [0], "approx_count_distinct deviation 0.001 0.39"),
        ("approx_count_distinct", [Decimal("0.4")], "approx_count_distinct deviation 0.001 0.39"),
        ("approx_count_distinct", [(0.05,)], "approx_count_distinct deviation 0.001 0.39"),
        ("approx_percentile", [], "approx_percentile field percentage accuracy 0.5"),
        ("approx_percentile", [0.5, 100, 1], "approx_percentile field percentage accuracy 0.5"),
        ("percentile_approx", [1.5], "percentile_approx percentage 0 1 array"),
        ("approx_percentile", [-1], "approx_percentile percentage 0 1"),
        ("approx_percentile", [(0.5, 2)], "approx_percentile percentage 0 1"),
        ("approx_percentile", [()], "approx_percentile percentage 0 1"),
        ("approx_percentile", [0.5, 0], "approx_percentile accuracy whole 1 2147483647"),
        ("approx_percentile", [0.5, Decimal("10.5")], "approx_percentile accuracy whole"),
        ("approx_percentile", [0.5, (10,)], "approx_percentile accuracy whole"),
        ("approx_percentile", [0.5, 2**31], "approx_percentile accuracy whole"),
        ("sum", [1], "sum one field"),
    ],
)
def test_invalid_settings(name, settings, parts):
    assert missing(function(name, INT, settings=settings), parts) == []


@pytest.mark.parametrize("kind", strategies.TYPE_NAMES)
def test_which_types_there_are_sketches_for(kind):
    kind = field_type(kind)
    assert isinstance(function("approx_count_distinct", kind), ApproxCountDistinct)
    assert isinstance(percentile(kind, [0.5]), ApproxPercentile) == (kind.kind in ORDERED)


def test_both_names_mean_the_same():
    assert function("percentile_approx", INT, settings=[0.5, 10]) == percentile(INT, [0.5, 10])
    assert percentile(INT, [0.5]) == percentile(INT, [Decimal("0.5"), 10_000])
