"""Interest groups: certificates that nothing is tied across, and that nothing is tied in vain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import make_plan
from sparing.flow.interest_groups import interest_groups
from sparing.flow.interests import Interests, group_name, topic_in
from sparing.flow.links import POLICIES
from sparing.model.box import Box
from sparing.model.constraint import EXISTS, IS_NULL, between, one_of, starts_with
from sparing.model.overlay import Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import BOOLEAN, DOUBLE, INT, STRING, TIMESTAMP
from sparing.model.window import TimeWindow
from tests import strategies
from tests.flow.strategies import OUTPUTS, TOPICS
from tests.messages import refused

TOPIC = Topic("any", "ts", {"ts": TIMESTAMP, "a": STRING, "b": INT, "c": DOUBLE, "d": BOOLEAN})
names = st.sampled_from([None, None, "one", "two"])


@st.composite
def narrow_boxes(draw):
    """Boxes that seldom overlap."""
    symbol = st.sampled_from("abcdef").map(lambda s: one_of(STRING, [s]))
    span = st.integers(0, 20).map(lambda low: between(INT, low, low + 3))
    some = {"a": draw(st.none() | symbol), "b": draw(st.none() | span), "d": draw(st.sampled_from([None, IS_NULL]))}
    return Box.of({field: constraint for field, constraint in some.items() if constraint is not None})


@given(st.lists(st.tuples(narrow_boxes() | strategies.boxes(TOPIC), names), max_size=8))
def test_nothing_is_tied_across_groups(named):
    boxes, together = [box for box, _ in named], [name for _, name in named]
    groups = interest_groups(boxes, together)
    assert sorted(number for group in groups for number in group) == list(range(len(boxes)))
    assert groups == sorted(sorted(group) for group in groups)
    group_of = {number: at for at, group in enumerate(groups) for number in group}
    for one in range(len(boxes)):
        for other in range(one):
            same_name = together[one] is not None and together[one] == together[other]
            if boxes[one].overlaps(boxes[other]) or same_name:
                assert group_of[one] == group_of[other]


@given(st.lists(st.tuples(narrow_boxes(), names), max_size=8))
def test_a_group_cannot_be_cut_along_any_field(named):
    """Within a group every field ties all members: directly, through others, or by name."""
    boxes = [box for box, _ in named]
    for group in interest_groups(boxes, [name for _, name in named]):
        for field in TOPIC.fields:
            reached, front = {group[0]}, [group[0]]
            while front:
                one = front.pop()
                for other in set(group) - reached:
                    by_name = named[one][1] is not None and named[one][1] == named[other][1]
                    if by_name or boxes[one].on(field).overlaps(boxes[other].on(field)):
                        reached.add(other)
                        front.append(other)
            assert reached == set(group)


@given(st.lists(st.sampled_from("abcdefgh")), st.data())
def test_an_equality_attribute_gives_one_group_per_value(symbols, data):
    boxes = []
    for symbol in symbols:
        low = data.draw(st.integers(0, 5))
        boxes.append(Box.of({"a": one_of(STRING, [symbol]), "c": between(INT, low, low + 10)}))
    groups = interest_groups(boxes)
    assert [{symbols[n] for n in group} for group in groups] == [{s} for s in dict.fromkeys(symbols)]


@pytest.mark.parametrize(
    ("constraints", "groups"),
    [
        ([between(INT, 0, 5), between(INT, 5, 9)], [[0], [1]]),
        ([between(INT, 0, 6), between(INT, 5, 9)], [[0, 1]]),
        ([between(INT, 0, 2), between(INT, 4, 6), between(INT, 1, 5)], [[0, 1, 2]]),
        ([between(INT, 0, 9), between(INT, 1, 2), between(INT, 8, 12)], [[0, 1, 2]]),
        ([between(INT, None, 3), between(INT, 3, None)], [[0], [1]]),
        ([IS_NULL, EXISTS], [[0], [1]]),
        ([IS_NULL, between(INT, 0, 1).union(IS_NULL), between(INT, 0, 4)], [[0, 1, 2]]),
        ([one_of(INT, [1, 5]), one_of(INT, [3, 7]), one_of(INT, [7, 9])], [[0], [1, 2]]),
    ],
)
def test_cuts_along_one_field(constraints, groups):
    assert interest_groups([Box.of({"b": constraint}) for constraint in constraints]) == groups


def test_a_second_field_cuts_what_the_first_does_not():
    low, high = between(INT, 0, 5), between(INT, 5, 9)
    a, b = one_of(STRING, ["a"]), starts_with(STRING, "b")
    boxes = [Box.of({"b": low, "a": a}), Box.of({"b": low, "a": b}), Box.of({"b": high, "a": a}), Box.of({"b": high})]
    assert interest_groups(boxes) == [[0], [1], [2, 3]]
    assert interest_groups([*boxes, Box()]) == [[0, 1, 2, 3, 4]]


def test_no_boxes_no_groups():
    assert interest_groups([]) == []


# Names, and what was together before


def interests(known_groups=None, **ranges):
    """Windows over ranges of x, one subscription for each name; a leading u puts it on the topic u."""
    aggregation = Aggregation((OUTPUTS["n"],), TimeWindow(10, 10))
    subscriptions = tuple(
        Subscription(
            name,
            "A",
            Query(
                "u" if name.startswith("u") else "t",
                Box.of({} if span is None else {"x": between(INT, *span)}),
                aggregation=None if name.startswith("plain") else aggregation,
            ),
        )
        for name, span in ranges.items()
    )
    plan = make_plan(Overlay(("b",)), TOPICS, (), {"A": ("b",)}, subscriptions, bucket=10)
    return Interests(plan, POLICIES["publisher-edge"], known_groups=known_groups or {})


def named_groups(found):
    names, group_of = found.groups
    by_name = {}
    for subscription, group in zip(found.plan.subscriptions, group_of.tolist(), strict=True):
        by_name.setdefault(None if group < 0 else names[group], []).append(subscription.id)
    return by_name


def test_groups_are_named_after_topic_and_first_member():
    found = interests(s1=(0, 5), s2=(3, 8), s3=(8, 9), u1=(0, 9), plain=None)
    assert named_groups(found) == {"t/s1": ["s1", "s2"], "t/s3": ["s3"], "u/u1": ["u1"], None: ["plain"]}


def test_a_newcomer_joins_the_group_that_is_there():
    known = {"s1": "t/s1", "s3": "t/s3"}
    found = interests(known, s1=(0, 5), s3=(8, 9), s0=(4, 6), s2=(20, 21))
    assert named_groups(found) == {"t/s1": ["s0", "s1"], "t/s3": ["s3"], "t/s2": ["s2"]}


def test_a_newcomer_that_ties_two_groups_together_is_refused():
    known = {"s1": "t/s1", "s3": "t/s3"}
    with refused("s2 t/s1 t/s3"):
        _ = interests(known, s1=(0, 5), s3=(8, 9), s2=(4, 9)).groups


def test_a_change_of_a_subscription_that_ties_two_groups_together_is_refused():
    with refused("s1"):
        _ = interests({"s1": "t/s1", "s3": "t/s3"}, s1=(0, 9), s3=(8, 9)).groups


def test_members_stay_together_when_what_tied_them_has_left():
    known = {"s1": "t/s1", "s2": "t/s1", "s3": "t/s1"}
    assert named_groups(interests(known, s1=(0, 5), s3=(8, 9))) == {"t/s1": ["s1", "s3"]}


def test_a_new_group_never_takes_the_name_of_one_that_was_there():
    """s1 left and s2 stays under its name; a new subscription s1 is another group."""
    found = interests({"s2": "t/s1"}, s2=(3, 8), s1=(20, 21))
    assert named_groups(found) == {"t/s1": ["s2"], "t/s1'": ["s1"]}


@given(st.text(min_size=1), st.text())
def test_the_topic_can_be_read_off_the_name_of_a_group(topic, first):
    assert topic_in(group_name(topic, first)) == topic


def test_a_topic_with_a_slash_is_not_mistaken_for_another():
    assert group_name("rail/north", "s1") != group_name("rail", "north/s1")
    assert group_name("traffic", "s1") == "traffic/s1"
