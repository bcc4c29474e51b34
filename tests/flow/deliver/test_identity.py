"""Ids of notifications: distinct, and the same however a stream is cut."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.deliver.identity import about_count_window, about_event, about_merged, notification_id
from sparing.flow.walk import Walk
from tests.flow import strategies
from tests.flow.events import test_merged_topic as test_merged_topics
from tests.flow.strategies import batches
from tests.tries import tries

hostile = st.text(alphabet='a1:, "\\[]\n', max_size=4)
members = st.tuples(st.integers(0, 2), hostile, hostile)


@st.composite
def cases(draw):
    """A plan with plain subscriptions, windows, digests and count windows, or with a merged topic besides."""
    if draw(st.booleans()):
        return draw(test_merged_topics.cases())
    plan = draw(strategies.plans())
    return plan, draw(strategies.published(plan))


@given(st.data())
@settings(max_examples=tries(100))
def test_ids_of_a_walk_are_distinct_and_do_not_depend_on_cuts(data):
    plan, publications = data.draw(cases())
    found = Walk(plan).feed(batches(plan, publications)).ids(plan)
    assert len(set(found)) == len(found)
    walk = Walk(plan)
    parts = [walk.feed(batches(plan, cut.publications), cut.until) for cut in data.draw(strategies.cuts(publications))]
    assert Counter(id_ for part in parts for id_ in part.ids(plan)) == Counter(found)


@given(st.tuples(hostile, hostile), st.tuples(hostile, hostile))
def test_no_choice_of_ids_makes_two_publications_look_alike(one, other):
    assert (about_event(*one) == about_event(*other)) == (one == other)


@given(st.tuples(members, members), st.tuples(members, members))
def test_nor_two_count_windows(one, other):
    assert (about_count_window(*one) == about_count_window(*other)) == (one == other)


@given(st.tuples(st.lists(hostile | st.integers()), st.integers(0, 1)), st.tuples(st.lists(hostile), st.integers(0, 1)))
def test_nor_two_merged_events(one, other):
    assert (about_merged(one[0], *[one[1]] * 3) == about_merged(other[0], *[other[1]] * 3)) == (one == other)


def test_the_subscription_is_part_of_the_id():
    about = about_event("p", "1")
    assert notification_id("a", about) != notification_id("b", about)
