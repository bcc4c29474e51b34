"""`sparing explain --event` on Spark: the story of the example's incident, and what it says if there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import sparing
from sparing.model.errors import SparingError
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark.tools.explain import explain
from sparing.spark.tools.explain_event import explain_event
from tests.docs.pages import ROOT
from tests.messages import refused

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def deployment():
    return sparing.Deployment.read(ROOT / "docs/examples/incidents.yaml")


def _at(minute, second):
    return (datetime(2026, 1, 1, 8, minute, second, tzinfo=UTC) - EPOCH) // MICROSECOND


def test_a_story_has_reports_redundancy_coordination_and_who_was_told(spark, deployment):
    story = explain_event(spark, deployment, "401 km 3", "alarm", _at(0, 30))
    what = [line.what for line in story.lines]
    assert what.count("is reported") == 7
    assert what.count("is redundant at") == 2
    assert [line.broker for line in story.lines if line.what == "coordinates"] == ["center"]
    told = [(line.time, line.who) for line in story.lines if line.what == "is told"]
    assert (_at(0, 33), ("alarm",)) in told
    assert (_at(1, 0), ("bulletin",)) in told
    assert not story.missing


def test_of_several_events_with_a_key_the_last_is_told(spark, deployment):
    story = explain_event(spark, deployment, "401 km 3", "alarm")
    assert story.began == _at(5, 0)
    assert story.missing == ("kind = 'collision'",)


@pytest.mark.parametrize(
    ("key", "subscription", "at", "sentence"),
    [
        ("401 km 4", None, None, "No event has the key '401 km 4': did you mean '401 km 3'?"),
        (
            "QEW km 9",
            None,
            _at(5, 0),
            "No event with the key 'QEW km 9' was under way then; there were 1 at other times.",
        ),
        ("QEW km 9", "count", None, "Subscription count is not told of merged events: leave --event out."),
    ],
)
def test_what_cannot_be_explained_is_told_in_one_sentence(spark, deployment, key, subscription, at, sentence):
    with pytest.raises(SparingError) as caught:
        explain_event(spark, deployment, key, subscription, at)
    assert str(caught.value) == sentence


def test_windows_are_not_asked_for_where_events_are_merged(spark, deployment):
    with refused("--event"):
        explain(spark, deployment, "alarm", None)
