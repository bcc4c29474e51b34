"""Partial results: however the values are cut up and merged, the result is the same, and it is right."""

import math
import statistics
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.functions import FUNCTION_NAMES, function
from sparing.model.types import DOUBLE, INT, NUMBERS, STRING, Kind, field_type
from tests import strategies
from tests.judges.sql import order


def array(kind, values):
    """Values as functions take them: doubles, texts, or codes."""
    if kind.kind is Kind.FLOATING:
        return np.array(values, dtype=np.float64)
    if kind.kind is Kind.TEXT:
        return np.array(values, dtype=object)
    return np.array([kind.code(value) for value in values], dtype=np.int64)


def same(one, other):
    """Identical: same type, same value, NaN being one value."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and one == other and str(one) == str(other)


SETTINGS = {"approx_percentile": (0.5,), "percentile_approx": (0.5,)}  # what cannot be left out


def made(name, kind, distinct=False):
    """The function, with what a call must give besides the field."""
    return function(name, kind, distinct, SETTINGS.get(name, ()))


def result(name, kind, values, distinct=False):
    """The function over all values at once."""
    found = made(name, kind, distinct)
    return found.finish(found.lift(array(kind, values), len(values)))


def exact_sum(values):
    return sum(map(Fraction, values), Fraction(0))


def nearest(number):
    """The nearest double, infinite if need be."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def splits(draw):
    """A function, its values, and the same values shuffled and cut into parts, with the order in which parts merge."""
    kind = draw(strategies.field_types())
    candidates = [n for n in FUNCTION_NAMES if not isinstance(made(n, kind), str)]
    name = draw(st.sampled_from(candidates))
    distinct = name == "count" and draw(st.booleans())
    values = draw(st.lists(strategies.values(kind), max_size=12))
    shuffled = draw(st.permutations(values))
    cuts = sorted(draw(st.lists(st.integers(0, len(values)), max_size=4)))
    parts = [shuffled[a:b] for a, b in zip([0, *cuts], [*cuts, len(values)], strict=True)]
    return made(name, kind, distinct), kind, values, parts, draw(st.lists(st.integers(0, 100), max_size=6))


@given(splits())
def test_any_split_and_any_order_of_merging_give_the_identical_result(case):
    found, kind, values, parts, picks = case
    states = [found.lift(array(kind, part), len(part)) for part in parts]
    for pick in picks:  # merge a few here and there first
        if len(states) > 1:
            at = pick % (len(states) - 1)
            states[at : at + 2] = [found.merge(states[at : at + 2])]
    whole = found.finish(found.lift(array(kind, values), len(values)))
    assert same(found.finish(found.merge(states)), whole)


@given(st.lists(finite))
def test_a_sum_of_doubles_is_the_nearest_to_the_exact_one(values):
    expected = nearest(exact_sum(values)) if values else None
    assert result("sum", DOUBLE, values) == expected
    mean = result("avg", DOUBLE, values)
    assert mean == (None if expected is None else expected / len(values))


@given(st.data())
def test_sums_of_whole_numbers_and_decimals_are_exact(data):
    kind = data.draw(strategies.field_types(Kind.WHOLE, Kind.DECIMAL))
    values = data.draw(st.lists(strategies.values(kind), min_size=1))
    total = result("sum", kind, values)
    assert Fraction(total) == exact_sum(values)
    mean = result("avg", kind, values)
    if kind.kind is Kind.WHOLE:
        assert mean == float(sum(values)) / len(values)
    else:
        with localcontext(prec=80):
            exact = sum(values, Decimal(0)) / len(values)
            assert mean == exact.quantize(Decimal(1).scaleb(-kind.scale - 4), ROUND_HALF_UP)
        assert -mean.as_tuple().exponent == kind.scale + 4


SAFE = st.one_of(st.just(0.0), finite.filter(lambda v: abs(v) > 1e-100))  # squares that do not sink to nothing


@pytest.mark.parametrize(("name", "sample"), [("var_pop", 0), ("var_samp", 1), ("variance", 1)])
@given(values=st.lists(SAFE, max_size=8))
def test_a_variance_is_the_nearest_to_the_exact_one(name, sample, values):
    found = result(name, DOUBLE, values)
    if len(values) <= sample:
        assert found is None
    else:
        mean = exact_sum(values) / len(values)
        assert found == nearest(sum((Fraction(v) - mean) ** 2 for v in values) / (len(values) - sample))


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2))
def test_deviations_agree_with_the_statistics_module(values):
    assert result("stddev", INT, values) == pytest.approx(statistics.stdev(values), rel=1e-14)
    assert result("stddev_pop", INT, values) == pytest.approx(statistics.pstdev(values), rel=1e-14)
    assert result("median", INT, values) == pytest.approx(statistics.median(values), rel=1e-15)
    assert result("std", INT, values) == result("stddev_samp", INT, values) == result("stddev", INT, values)


@pytest.mark.parametrize("values", [[-0.0, 0.0], [0.0, -0.0], [-0.0], [-0.0, 0.0, 0.0], [-1.0, -0.0, 0.0, 1.0]])
def test_the_median_knows_one_zero(values):
    assert math.copysign(1, result("median", DOUBLE, values)) == 1


@given(st.data())
def test_extremes_follow_sparks_order(data):
    kind = data.draw(strategies.field_types())
    values = data.draw(st.lists(strategies.values(kind), min_size=1))
    least, most = result("min", kind, values), result("max", kind, values)
    assert any(order(least, v) == 0 for v in values)
    assert any(order(most, v) == 0 for v in values)
    assert all(order(least, v) <= 0 <= order(most, v) for v in values)


@given(st.data())
def test_distinct_values_are_counted_once(data):
    kind = data.draw(strategies.field_types())
    values = data.draw(st.lists(strategies.values(kind)))
    assert result("count", kind, values, distinct=True) == len({kind.code(v) for v in values})
    assert result("count", kind, values) == len(values)


@given(st.lists(st.one_of(finite, st.sampled_from([math.inf, -math.inf, math.nan])), min_size=1))
def test_infinities_and_nan_carry_through(values):
    if all(map(math.isfinite, values)):
        return
    naive = sum(v for v in values if not math.isfinite(v))
    assert same(result("sum", DOUBLE, values), naive)
    assert same(result("avg", DOUBLE, values), naive)
    assert len(values) == 1 or math.isnan(result("variance", DOUBLE, values))


@pytest.mark.parametrize("name", FUNCTION_NAMES)
def test_without_values_there_is_no_result_but_a_count(name):
    assert result(name, DOUBLE, []) == (0 if name in ("count", "approx_count_distinct") else None)


def test_missing_values_are_rows_all_the_same():
    rows, there = function("count", None), function("count", INT)
    assert rows.finish(rows.lift(np.array([7]), 3)) == 3
    assert there.finish(there.lift(np.array([7]), 3)) == 1


def test_a_sum_that_passes_the_largest_double_and_returns_is_exact():
    assert result("sum", DOUBLE, [1e308, 1e308, -1e308]) == 1e308
    assert result("sum", DOUBLE, [1.7e308, 1.7e308]) == math.inf
    assert result("var_pop", DOUBLE, [1e300, 1e300]) == 0.0


@pytest.mark.parametrize(
    ("name", "kind", "distinct", "why"),
    [
        ("avgg", INT, False, "avgg is not an aggregate function"),
        ("sum", STRING, False, "sum needs a number"),
        ("sum", None, False, "sum needs a field"),
        ("sum", INT, True, "sum(DISTINCT ...) is not supported"),
        ("count", None, True, "count(DISTINCT *) needs a field"),
        ("median", field_type("timestamp"), False, "median needs a number"),
        ("approx_percentile", None, False, "approx_percentile needs a field"),
        ("approx_percentile", STRING, False, "approx_percentile needs a number, a date or a timestamp"),
        ("approx_count_distinct", INT, True, "approx_count_distinct(DISTINCT ...) is not supported"),
    ],
)
def test_what_there_is_not_is_explained(name, kind, distinct, why):
    assert function(name, kind, distinct).startswith(why)


@pytest.mark.parametrize("kind", ["int", "double", "decimal(4,2)"])
@pytest.mark.parametrize("name", FUNCTION_NAMES)
def test_all_but_median_and_distinct_is_decomposable(name, kind):
    assert made(name, field_type(kind)).decomposable == (name != "median")
    assert field_type(kind).kind in NUMBERS
    assert not function("count", field_type(kind), distinct=True).decomposable
