"""The benchmark of merged events measures what it says."""

from __future__ import annotations

import pytest

from sparing.model.errors import SparingError
from sparing_lab.bench.events import measure as measuring
from sparing_lab.bench.events.benchmark import Events, InFlight, OnSpark
from tests.tries import thorough_only

SMALL = Events(events=(30,), in_flight=(20,), reports=4, subscriptions=10, partitions=(2,), repeat=1)


def test_all_events_of_a_burst_are_open_at_once():
    told: list[str] = []
    found = measuring._in_flight(SMALL, 20, told.append)
    assert told == ["20 events in flight"]
    assert found.reports == 80
    assert found.under_way == pytest.approx(20, abs=2)
    assert found.seconds > 0
    assert found.state > 0


@thorough_only
@pytest.mark.spark
def test_every_technique_is_measured_with_the_peer(spark, monkeypatch):
    """Each way runs twice; that they do what they should is for others to test, so only the first one really runs."""
    run: list[str] = []
    pipeline = measuring._pipeline

    def counted(spark, deployment, reports):
        way = deployment.policy.events
        really = pipeline(spark, deployment, reports) if way == "caeva" else lambda: None
        return lambda: (run.append(way), way in run[:-1] or really())

    monkeypatch.setattr(measuring, "_pipeline", counted)
    figures = measuring._on_spark(spark, SMALL, 30, lambda _: None)
    assert run == ["caeva", "agele", "siena"] * 2
    assert [figure.way for figure in figures] == [
        *(f"{name}, 2 partitions" for name in ("caeva", "agele", "siena")),
        measuring.PEER,
    ]
    assert {figure.reports for figure in figures} == {120}
    assert all(figure.seconds > 0 for figure in figures)


def test_results_are_shown_as_tables():
    on_spark, in_flight = [OnSpark(30, 120, "caeva, 1 lane", 2.0)], [InFlight(20, 80, 19, 0.004, 3800, 0.002)]
    tables = SMALL.tables({"on_spark": on_spark, "in_flight": in_flight})
    assert tables[0].cells() == [["30", "120", "caeva, 1 lane", "2.00", "15", "60"]]
    assert tables[1].cells() == [["20", "19", "80", "50.0", "200", "0.002"]]


def test_numbers_must_be_above_zero():
    with pytest.raises(SparingError, match="must be above zero"):
        Events(events=(0,))
