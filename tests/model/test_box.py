"""How boxes relate, judged by enumeration of a small space."""

import math
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from sparing.language.parse import parse_where
from sparing.model.box import Box, Relation
from sparing.model.constraint import ANYTHING, NOTHING
from sparing.model.measure import area
from sparing.model.topic import Topic
from sparing.model.types import BOOLEAN, TIMESTAMP, TINYINT
from tests import strategies
from tests.judges.boxes import contains, lies_in, room, stretches

SMALL = Topic("small", "ts", {"ts": TIMESTAMP, "a": BOOLEAN, "b": BOOLEAN, "n": TINYINT})
SPACE = [
    {"a": a, "b": b, "n": n}
    for a, b, n in product((None, 0, 1), (None, 0, 1), (None, *range(-5, 6), -128, -127, 126, 127))
]
small_bounds = st.sampled_from([-128, -127, *range(-4, 6), 127])


@st.composite
def small_boxes(draw):
    """Boxes whose constraints differ somewhere in SPACE if they differ at all."""
    of = {
        "a": strategies.constraints(BOOLEAN),
        "b": strategies.constraints(BOOLEAN),
        "n": strategies.constraints(TINYINT, pool=small_bounds),
    }
    chosen = draw(st.lists(st.sampled_from("abn"), unique=True))
    return Box.of({field: draw(of[field].filter(lambda c: not c.empty)) for field in chosen})


def members(box):
    """The publications of SPACE that lie in a box."""
    return {at for at, codes in enumerate(SPACE) if box.admits(codes)}


@given(small_boxes(), small_boxes())
def test_relations_agree_with_enumeration(one, other):
    a, b = members(one), members(other)
    assert one.covers(other) == (a >= b)
    assert one.overlaps(other) == bool(a & b)
    assert (one == other) == (a == b)
    both = one.intersect(other)
    assert (set() if both is None else members(both)) == a & b
    expected = (
        Relation.EQUAL if a == b
        else Relation.COVERS if a > b
        else Relation.COVERED if a < b
        else Relation.OVERLAPS if a & b
        else Relation.DISJOINT
    )  # fmt: skip
    assert one.relation(other) is expected
    assert other.relation(one) is expected.reversed


@given(st.data())
def test_relations_agree_with_single_publications(data):
    topic = data.draw(strategies.topics())
    one, other = data.draw(strategies.boxes(topic)), data.draw(strategies.boxes(topic))
    codes = strategies.coded(topic, data.draw(strategies.publications(topic)))
    a, b = one.admits(codes), other.admits(codes)
    both = one.intersect(other)
    assert (both is not None and both.admits(codes)) == (a and b)
    assert one.overlaps(other) == (both is not None)
    assert not (one.covers(other) and b and not a)
    if both is not None:
        assert one.covers(both)
        assert other.covers(both)


@given(st.data())
def test_boxes_admit_cover_and_measure_what_their_ranges_say(data):
    topic = data.draw(strategies.topics())
    one, other = data.draw(strategies.boxes(topic)), data.draw(strategies.boxes(topic))
    codes = strategies.coded(topic, data.draw(strategies.publications(topic)))
    assert one.admits(codes) == lies_in(one, codes)
    assert one.covers(other) == contains(one, other)
    both = one.intersect(other)
    if both is not None:
        shared = [room(stretches(kind, [one.on(f), other.on(f)])) for f, kind in topic.fields.items()]
        assert area(both, topic.fields, topic.fields) == math.prod(shared)


@given(st.data())
def test_sql_text_parsed_again_is_the_same_box(data):
    topic = data.draw(strategies.topics())
    box = data.draw(strategies.boxes(topic))
    assert parse_where(box.sql(topic.fields), topic) == box


def test_reversing_twice_changes_nothing():
    assert all(relation.reversed.reversed is relation for relation in Relation)


def test_constraints_that_admit_anything_are_left_out():
    assert Box.of({"a": ANYTHING}) == Box()
    assert Box().sql({}) == "true"


def test_what_would_be_empty_is_no_box():
    assert Box.of({"a": NOTHING}) is None


@given(small_boxes())
def test_fields_are_in_order_and_known(box):
    assert list(box.fields) == sorted(box.fields)
    assert all(box.on(field) != ANYTHING for field in box.fields)
    assert box.on("nowhere") == ANYTHING
