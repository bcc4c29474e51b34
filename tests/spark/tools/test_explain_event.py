"""`sparing explain --event` on Spark: the history of the example's incident, and errors if there is none."""

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


def test_a_history_has_reports_redundancy_coordination_and_notifications(spark, deployment):
    history = explain_event(spark, deployment, "401 km 3", "alarm", _at(0, 30))
    what = [line.what for line in history.lines]
    assert what.count("is reported") == 7
    assert what.count("is redundant at") == 2
    assert [line.broker for line in history.lines if line.what == "coordinates"] == ["center"]
    notified = [(line.time, line.who) for line in history.lines if line.what == "is told"]
    assert (_at(0, 33), ("alarm",)) in notified
    assert (_at(1, 0), ("bulletin",)) in notified
    assert not history.missing


def test_the_last_of_several_events_with_a_key_is_explained(spark, deployment):
    history = explain_event(spark, deployment, "401 km 3", "alarm")
    assert history.began == _at(5, 0)
    assert history.missing == ("kind = 'collision'",)


@pytest.mark.parametrize(
    ("key", "subscription", "at", "sentence"),
    [
        ("401 km 4", None, None, "No event has the key '401 km 4': did you mean '401 km 3'?"),
        (
            "QEW km 9",
            None,
            _at(5, 0),
            "No event with the key 'QEW km 9' was open at that time: remove --at to explain the last one.",
        ),
        ("QEW km 9", "count", None, "Subscription count is not notified of merged events: remove --event."),
    ],
)
def test_errors_suggest_a_key_a_time_or_an_option(spark, deployment, key, subscription, at, sentence):
    with pytest.raises(SparingError) as caught:
        explain_event(spark, deployment, key, subscription, at)
    assert str(caught.value) == sentence


def test_a_subscription_to_merged_events_needs_the_option_event(spark, deployment):
    with refused("--event"):
        explain(spark, deployment, "alarm", None)
