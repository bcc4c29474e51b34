"""The algebra of constraints, judged value by value."""

import math
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.language.parse import parse_where
from sparing.model.constraint import (
    ANYTHING,
    EXISTS,
    IS_NULL,
    NOTHING,
    Constraint,
    between,
    complement,
    one_of,
    starts_with,
)
from sparing.model.topic import Topic
from sparing.model.types import BOOLEAN, DOUBLE, FLOAT, STRING, TIMESTAMP, TINYINT, field_type, float_code, successor
from tests import strategies

TINY = range(-128, 128)


def members(constraint, domain):
    """The set a constraint stands for, by asking it about every value."""
    return {code for code in (None, *domain) if constraint.admits(code)}


@given(st.data())
def test_algebra_agrees_with_membership(data):
    kind = data.draw(strategies.field_types())
    one, other = data.draw(strategies.constraints(kind)), data.draw(strategies.constraints(kind))
    code = data.draw(st.none() | strategies.codes(kind))
    a, b = one.admits(code), other.admits(code)
    assert one.intersect(other).admits(code) == (a and b)
    assert one.union(other).admits(code) == (a or b)
    assert complement(kind, one).admits(code) == (code is not None and not a)
    assert not (one.covers(other) and b and not a)
    assert not (a and b and not one.overlaps(other))


@given(st.data())
def test_covering_and_overlap_are_complete_on_a_small_domain(data):
    one, other = data.draw(strategies.constraints(TINYINT)), data.draw(strategies.constraints(TINYINT))
    a, b = members(one, TINY), members(other, TINY)
    assert one.covers(other) == (a >= b)
    assert one.overlaps(other) == bool(a & b)
    assert one.empty == (not a)
    assert (one == other) == (a == b)


def test_every_set_of_booleans_has_one_form():
    subsets = list(chain.from_iterable(combinations((0, 1), size) for size in range(3)))
    forms = {
        (codes, missing): one_of(BOOLEAN, codes).union(IS_NULL if missing else NOTHING)
        for codes in subsets
        for missing in (False, True)
    }
    assert len(set(forms.values())) == 8
    for one in forms.values():
        for other in forms.values():
            for made in (one.union(other), one.intersect(other), complement(BOOLEAN, one)):
                assert made in forms.values()


@given(st.sets(st.integers(-128, 127)), st.permutations(list(TINY)[:3]))
def test_a_set_has_one_form_however_it_was_built(codes, some):
    built = Constraint(())
    for code in sorted(codes, key=lambda c: (c * 37) % 256):
        built = built.union(one_of(TINYINT, [code]))
    assert built == one_of(TINYINT, codes)
    assert built == complement(TINYINT, one_of(TINYINT, set(TINY) - codes))
    around = complement(TINYINT, NOTHING)
    for code in set(TINY) - codes:
        around = around.intersect(complement(TINYINT, one_of(TINYINT, [code])))
    assert around == built


FLOATS = [-math.inf, -3.4028234663852886e38, -1e-45, 0.0, 1e-45, 1.0, 3.4028234663852886e38, math.inf, math.nan]


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE], ids=str)
@given(data=st.data())
def test_equal_sets_of_floating_point_numbers_are_equal_constraints(kind, data):
    # Bounds on, just above and just below special values; the values themselves and their neighbours tell sets apart.
    width = np.float32 if kind is FLOAT else np.float64
    near = {width(v) for v in FLOATS}
    with np.errstate(over="ignore"):
        for _ in range(4):
            near |= {np.nextafter(v, width(end)) for v in near for end in (-np.inf, np.inf)}
    probes = {kind.code(float(v)) for v in near}
    ends = {kind.code(width(v)) + step for v in FLOATS for step in (-2, -1, 0, 1, 2)}
    bounds = st.sampled_from(sorted(code for code in ends if code <= kind.high))
    one = data.draw(strategies.constraints(kind, pool=bounds))
    other = data.draw(strategies.constraints(kind, pool=bounds))
    assert (one == other) == (members(one, probes) == members(other, probes))


@given(st.data())
def test_ranges_are_apart_and_ascending(data):
    kind = data.draw(strategies.field_types())
    ranges = data.draw(strategies.constraints(kind)).ranges
    for (_, high), (low, _) in pairwise(ranges):
        assert high < low
    for low, high in ranges:
        assert low is None or high is None or low < high


@given(st.data())
def test_a_point_is_the_only_value(data):
    kind = data.draw(strategies.field_types())
    constraint = data.draw(strategies.constraints(kind))
    point = constraint.point()
    if point is not None:
        assert constraint == one_of(kind, [point])
    code = data.draw(strategies.codes(kind))
    if one_of(kind, [code]).ranges == ((code, successor(code)),):
        assert one_of(kind, [code]).point() == code


@given(st.data())
def test_sql_text_parsed_again_is_the_same_constraint(data):
    kind = data.draw(strategies.field_types())
    name = data.draw(strategies.names().filter(lambda n: n.lower() != "ts"))
    constraint = data.draw(strategies.constraints(kind).filter(lambda c: not c.empty))
    topic = Topic("t", "ts", {"ts": TIMESTAMP, name: kind})
    assert parse_where(constraint.sql(name, kind), topic).on(name) == constraint


@pytest.mark.parametrize(
    ("constraint", "kind", "text"),
    [
        (one_of(STRING, ["IBM"]), "string", "x = 'IBM'"),
        (one_of(STRING, ["it's"]), "string", r"x = 'it\'s'"),
        (starts_with(STRING, "50%"), "string", r"x LIKE '50\\%%'"),
        (between(TINYINT, 3, 6), "tinyint", "(x >= 3 AND x < 6)"),
        (one_of(TINYINT, [3, 5]), "tinyint", "x IN (3, 5)"),
        (complement(TINYINT, one_of(TINYINT, [3])), "tinyint", "(x < 3 OR x >= 4)"),
        (between(DOUBLE, None, float_code(0.3) + 1), "double", "x <= 0.3D"),
        (between(DOUBLE, float_code(math.inf) + 1, None), "double", "x > double('Infinity')"),
        (between(DOUBLE, None, float_code(math.inf) + 1), "double", "x <= double('Infinity')"),
        (one_of(BOOLEAN, [1]), "boolean", "x = true"),
        (IS_NULL, "int", "x IS NULL"),
        (EXISTS, "int", "x IS NOT NULL"),
        (ANYTHING, "int", "(x IS NOT NULL OR x IS NULL)"),
        (one_of(field_type("date"), [0]), "date", "x = DATE '1970-01-01'"),
        (between(TIMESTAMP, 1, None), "timestamp", "x >= TIMESTAMP '1970-01-01 00:00:00.000001'"),
    ],
)
def test_sql_text_is_what_a_person_would_write(constraint, kind, text):
    assert constraint.sql("x", field_type(kind)) == text
