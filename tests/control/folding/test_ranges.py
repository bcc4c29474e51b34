"""Ranges: volumes equal counts of single values, for all kinds of boxes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.folding.measures import unique
from sparing.control.folding.problem import Problem
from sparing.control.folding.ranges import MOST_PIECES, pieces_of
from sparing.model.box import Box
from sparing.model.constraint import EXISTS, IS_NULL, between, complement, one_of, starts_with
from sparing.model.types import BIGINT, BOOLEAN, DATE, DOUBLE, FLOAT, INT, STRING, TINYINT, field_type
from tests.strategies import boxes, constraints, topics

LEAST, MOST = -6, 6
FAR = range(-60, 60)  # no line is that long
TYPES = {"x": INT, "y": INT}


def volumes(type_, *conditions, within=()):
    found = [Box() if c is None else Box.of({"x": c}) for c in conditions]
    return pieces_of(found, {"x": type_}, [Box.of({"x": c}) for c in within]).volumes().tolist()


def closed(type_, low, high):
    return between(type_, type_.code(low), type_.code(high) + 1)


def unique_range(some, types, within=()):
    """What exactly one of the boxes admits."""
    pieces = pieces_of(some, types, within)
    home = np.zeros(len(some), dtype=np.int32)
    told, towards = np.zeros((len(some), 1), dtype=np.uint64), np.zeros((1, 1), dtype=np.int32)
    return unique(Problem(pieces.starts, pieces.low, pieces.high, home, told, towards), range(len(some)))


def line(subscribed, advertised):
    """The whole numbers that count, given the constraints on a field."""
    ranges = [ends for constraint in (*subscribed, *advertised) for ends in constraint.ranges]
    bounds = [code for ends in ranges for code in ends if code is not None]
    if not bounds:
        return range(1)
    start, end = min(bounds), max(bounds)
    more = max(end - start, 1)
    below, above = (any(constraint.admits(x) for constraint in subscribed) for x in (FAR[0], FAR[-1]))
    reach = range(start - more * below, end + more * above)
    published = [x for x in FAR if any(constraint.admits(x) for constraint in advertised)] or FAR
    start, end = (min(max(x, reach.start), reach.stop) for x in (published[0], published[-1] + 1))
    return range(start, end if start < end else start + 1)


def counted(some, advertised, measured):
    """How many points each of the measured boxes admits; only some of them are subscriptions."""
    lines = [
        line([box.on(field) for box in some], [box.on(field) for box in advertised])
        if any(field in box.fields for box in measured)
        else range(1)
        for field in "xy"
    ]
    return [sum(box.admits({"x": x, "y": y}) for x, y in product(*lines)) for box in measured]


def assert_apart(pieces):
    """A subscription has pieces, and no two of them overlap."""
    assert (np.diff(pieces.starts) >= 1).all()
    assert (pieces.low <= pieces.high).all()
    for first, end in zip(pieces.starts[:-1], pieces.starts[1:], strict=True):
        for one in range(first, end):
            for other in range(first, one):
                low = np.maximum(pieces.low[one], pieces.low[other])
                assert (low >= np.minimum(pieces.high[one], pieces.high[other])).any()


# Against counting

few = constraints(INT, pool=st.integers(LEAST, MOST)).filter(lambda constraint: not constraint.empty)


some_boxes = st.fixed_dictionaries({}, optional={"x": few, "y": few}).map(Box.of)


@given(st.lists(some_boxes, min_size=1, max_size=5))
def test_volumes_equal_the_number_of_points(some):
    pieces = pieces_of(some, TYPES)
    assert pieces.volumes().tolist() == counted(some, [], some)
    assert_apart(pieces)


@given(st.lists(some_boxes, min_size=1, max_size=5), st.lists(some_boxes, max_size=2))
def test_ranges_outside_advertisements_have_no_volume(some, advertised):
    assert pieces_of(some, TYPES, advertised).volumes().tolist() == counted(some, advertised, some)


@given(st.lists(some_boxes, max_size=4), st.lists(some_boxes, min_size=1, max_size=2))
def test_advertisements_are_measured_but_do_not_extend_the_axis(some, advertised):
    measured = [*some, *advertised]
    found = pieces_of(some, TYPES, advertised, whole=True).volumes().tolist()
    assert found == counted(some, advertised, measured)


@given(topics(most=4).flatmap(lambda t: st.tuples(st.just(t), st.lists(boxes(t)), st.lists(boxes(t), max_size=2))))
def test_every_kind_of_box_has_pieces_that_do_not_overlap(drawn):
    topic, some, within = drawn
    pieces = pieces_of(some, topic.fields, within)
    assert pieces.low.shape == pieces.high.shape == (pieces.starts[-1], pieces.low.shape[1])
    assert pieces.low.shape[1] == max(len({field for box in some for field in box.fields}), 1)
    assert np.isfinite(pieces.low).all()
    assert np.isfinite(pieces.high).all()
    assert len(pieces) == len(some)
    assert_apart(pieces)


@given(topics(most=4).flatmap(lambda t: st.tuples(st.just(t), st.lists(boxes(t), min_size=2, max_size=4))))
def test_a_covering_box_has_at_least_the_volume(drawn):
    topic, some = drawn
    volume = pieces_of(some, topic.fields).volumes()
    for one, other in product(range(len(some)), repeat=2):
        if some[one].covers(some[other]):
            assert volume[one] >= volume[other] * (1 - 1e-9)


# Numbers


def test_the_slides_example():
    assert volumes(DOUBLE, closed(DOUBLE, 0, 4), closed(DOUBLE, 3, 10), closed(DOUBLE, 4, 9)) == [4, 7, 5]
    assert volumes(FLOAT, closed(FLOAT, 0, 4), closed(FLOAT, 3, 10), closed(FLOAT, 4, 9)) == [4, 7, 5]


def test_open_and_closed_ends_of_floating_point_numbers_are_equal():
    low, high = DOUBLE.code(-0.3), DOUBLE.code(0.1)
    pieces = pieces_of(
        [Box.of({"x": between(DOUBLE, low + a, high + b)}) for a in (0, 1) for b in (0, 1)], {"x": DOUBLE}
    )
    assert set(pieces.low.ravel()) == {-0.3}
    assert set(pieces.high.ravel()) == {0.1}


def test_a_single_floating_point_number_has_no_extent():
    pieces = pieces_of([Box.of({"x": one_of(DOUBLE, [DOUBLE.code(2.5)])}), Box()], {"x": DOUBLE})
    assert pieces.low[0] == pieces.high[0] == 2.5
    assert pieces.volumes().tolist() == [0, 2]  # 1 below it and 1 above


def test_a_complement_of_a_number_is_one_piece():
    but = complement(DOUBLE, one_of(DOUBLE, [DOUBLE.code(2.0)]))
    pieces = pieces_of([Box.of({"x": but}), Box.of({"x": closed(DOUBLE, 0, 10)})], {"x": DOUBLE})
    assert pieces.starts.tolist() == [0, 1, 2]
    assert pieces.volumes().tolist() == [30, 10]


@pytest.mark.parametrize("name", ["int", "decimal(9,3)", "date", "timestamp"])
def test_volumes_of_counted_types(name):
    type_ = field_type(name)
    assert volumes(type_, between(type_, 10, 15), one_of(type_, [10, 12]), between(type_, 12, None)) == [5, 2, 8]


def test_large_integers_are_distinct():
    far = 2**60
    assert volumes(BIGINT, one_of(BIGINT, [far + 1]), between(BIGINT, far, far + 5)) == [1, 5]


# Open ends


def test_open_ends_extend_the_axis_by_the_spread_of_the_bounds():
    assert volumes(INT, between(INT, 0, 10), between(INT, None, 4), between(INT, 4, None), None) == [10, 14, 16, 30]
    assert volumes(INT, between(INT, 0, 10), between(INT, None, 4)) == [10, 14]
    assert volumes(INT, between(INT, 0, 10), between(INT, 4, None)) == [10, 16]


def test_without_open_ends_the_axis_ends_at_the_outermost_bounds():
    box, advertised = Box.of({"x": between(INT, 3, 10)}), [Box()]
    assert pieces_of([box], {"x": INT}, advertised, whole=True).volumes().tolist() == [7, 7]


def test_an_unconstrained_subscription_beside_an_open_range():
    for name in ("tinyint", "int", "bigint", "float", "double", "decimal(9,3)", "date", "timestamp"):
        type_ = field_type(name)
        below = Box.of({"x": between(type_, None, DOUBLE.code(5) if type_ in (DOUBLE, FLOAT) else 5)})
        everything = Box()
        assert pieces_of([everything, below], {"x": type_}).volumes().tolist() == [2, 1]
        assert unique_range([everything, below], {"x": type_}) == 1
        # Also if publishers advertise everything: that is equal to a subscription, but none.
        for advertised in ([Box()], [Box(), Box()], [Box()] * 3):
            for order in ([everything, below], [below, everything]):
                assert unique_range(order, {"x": type_}, advertised) == 1
                measured = pieces_of(order, {"x": type_}, advertised, whole=True).volumes().tolist()
                assert measured == [2 if box == Box() else 1 for box in (*order, *advertised)]


def test_an_unconstrained_subscription_beside_a_text():
    for type_, text in ((STRING, "IBM"), (BOOLEAN, 1)):
        assert unique_range([Box(), Box.of({"x": one_of(type_, [text])})], {"x": type_}) > 0


def test_a_field_that_only_other_subscriptions_constrain():
    types = {"x": INT, "y": INT}
    some = [
        Box.of({"x": between(INT, 0, 10), "y": between(INT, 0, 4)}),
        Box.of({"x": between(INT, 5, 20), "y": between(INT, 2, 8)}),
        Box.of({"x": between(INT, 0, 10)}),  # y goes from -8 to 16
    ]
    assert pieces_of(some, types).volumes().tolist() == [40, 90, 240]
    assert pieces_of(some[:2], types).volumes().tolist() == [40, 90]
    limits = [Box.of({"y": between(INT, -3, 12)})]  # bounds are 15 apart now, but nobody publishes beyond
    assert pieces_of(some, types, limits).volumes().tolist() == [40, 90, 150]


def test_an_advertisement_is_distinct_from_an_equal_subscription():
    low, same = Box.of({"x": between(INT, 0, 10)}), Box.of({"x": between(INT, 5, None)})
    advertised = [Box.of({"x": between(INT, 5, None)})]
    assert pieces_of([low], {"x": INT}, advertised, whole=True).volumes().tolist() == [5, 5]
    assert pieces_of([low, same], {"x": INT}, advertised, whole=True).volumes().tolist() == [5, 15, 15]
    assert pieces_of([low, same], {"x": INT}, advertised).volumes().tolist() == [5, 15]


def test_open_ends_extend_to_the_advertised_bounds():
    advertised = [between(INT, -20, 0), between(INT, 50, 100)]
    assert volumes(INT, between(INT, None, 4), between(INT, 4, None), EXISTS, within=advertised) == [24, 96, 120]
    assert volumes(INT, between(INT, 0, 1000), between(INT, 200, 300), within=advertised) == [100, 0]
    assert volumes(INT, between(INT, 0, 1000), within=[*advertised, EXISTS]) == [1000]


def test_open_ends_always_have_an_extent():
    assert volumes(INT, between(INT, None, 20), between(INT, 80, None)) == [60, 60]
    assert volumes(INT, between(INT, None, 20)) == [1]
    assert volumes(INT, between(INT, 20, None), None) == [1, 2]
    assert volumes(DOUBLE, between(DOUBLE, DOUBLE.code(1.7e18), None), None) == [256, 512]  # 1 more is the same double


def test_open_ends_stay_within_the_type():
    assert volumes(TINYINT, between(TINYINT, None, -127), between(TINYINT, -100, 100)) == [1, 200]
    assert volumes(TINYINT, between(TINYINT, -100, 100), None) == [200, 256]
    assert volumes(BOOLEAN, one_of(BOOLEAN, [1]), None) == [1, 2]
    assert volumes(STRING, one_of(STRING, ["IBM"]), None) == [1, 3]
    assert volumes(DOUBLE, closed(DOUBLE, -(2.0**63), 2.0**63), None) == [2.0**64, 2.0**65]


def test_bounds_beyond_the_largest_measure_are_open():
    assert volumes(DOUBLE, closed(DOUBLE, 0, 8), between(DOUBLE, DOUBLE.code(2), DOUBLE.code(1e300))) == [8, 14]
    assert volumes(DOUBLE, closed(DOUBLE, 0, 8), between(DOUBLE, DOUBLE.code(2), DOUBLE.code(np.inf))) == [8, 14]
    assert volumes(DOUBLE, closed(DOUBLE, 0, 8), between(DOUBLE, DOUBLE.code(np.nan), None)) == [8, 0]


def test_an_advertisement_beyond_the_largest_number_leaves_no_volume():
    beyond = [between(DOUBLE, DOUBLE.code(1e300), None)]
    assert volumes(DOUBLE, closed(DOUBLE, 0, 8), IS_NULL, within=beyond) == [0, 0]


def test_a_field_without_bounds_has_length_one():
    assert volumes(INT, EXISTS, None) == [1, 1]


def test_unconstrained_boxes_have_one_dimension():
    pieces = pieces_of([Box(), Box()], TYPES)
    assert pieces.low.tolist() == [[0], [0]]
    assert pieces.volumes().tolist() == [1, 1]
    assert len(pieces_of([], TYPES)) == 0


# Texts, booleans, missing values


def test_texts_are_measured_by_the_number_of_bounds():
    ibm, both = one_of(STRING, ["IBM"]), one_of(STRING, ["IBM", "SAP"])
    assert volumes(STRING, ibm, both, complement(STRING, ibm)) == [1, 2, 4]
    assert volumes(STRING, starts_with(STRING, "I"), ibm, None) == [3, 1, 5]
    assert volumes(STRING, ibm, None, within=[both]) == [1, 3]


def test_booleans_have_two_values():
    yes, no = one_of(BOOLEAN, [1]), one_of(BOOLEAN, [0])
    assert volumes(BOOLEAN, yes, no, EXISTS) == [1, 1, 2]


def test_missing_values_have_no_extent():
    pieces = pieces_of(
        [
            Box.of({"x": IS_NULL, "y": one_of(INT, [1, 3])}),
            Box.of({"x": IS_NULL.union(between(INT, 0, 3))}),
            Box.of({"y": between(INT, 0, 5)}),
        ],
        TYPES,
    )
    assert pieces.starts.tolist() == [0, 1, 2, 3]
    assert pieces.volumes().tolist() == [0, 3 * 15, 9 * 5]  # x goes from -3 to 6, y from -5 to 10


# Limits


def test_beyond_the_limit_the_field_with_most_ranges_is_widened():
    holes = {n: one_of(DATE, range(0, 2 * n, 2)) for n in (2, 9, 10, 65)}
    types = {"x": DATE, "y": DATE}
    some = [({"x": holes[10], "y": holes[9]}), {"x": holes[2], "y": holes[65]}, {"x": holes[2], "y": holes[9]}]
    pieces = pieces_of([Box.of(box) for box in some], types)
    assert np.diff(pieces.starts).tolist() == [9, 2, 18]
    assert pieces.volumes().tolist() == [19 * 9, 2 * 129, 2 * 9]
    assert np.diff(pieces.starts).max() <= MOST_PIECES
