"""Properties of all workloads."""

import re
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from sparing.model.window import TimeWindow
from sparing.workloads import alerts, boxes, city, incidents, stock, traffic
from sparing.workloads.settings import SECOND, WorkloadSettings
from sparing.workloads.trace import CHUNK
from sparing.workloads.workload import Workload
from tests.workloads.judge import Judged, judge

NAMES = ("stock", "traffic", "incidents", "boxes", "alerts", "city")
MODULES = {"stock": stock, "traffic": traffic, "incidents": incidents, "boxes": boxes, "alerts": alerts, "city": city}
SMALL = {"rate": 20.0, "duration": 100.0, "subscriptions": 90}


def make(name: str, **settings) -> Workload:
    module = MODULES[name]
    return getattr(module, name)(replace(module.DEFAULTS, **(SMALL | settings)))


@cache
def small(name: str) -> Workload:
    return make(name, seed=5, missing=0.0, disorder=0.0)


@cache
def judged(name: str) -> Judged:
    return judge(small(name))


def table(workload: Workload) -> pa.Table:
    return pa.concat_tables(workload.publications())


def times(workload: Workload) -> np.ndarray:
    return table(workload).column("ts").cast(pa.int64()).to_numpy()


@pytest.mark.parametrize("name", NAMES)
def test_subscriptions_are_valid_and_mixed_in_the_given_ratios(name):
    queries = judged(name).queries
    assert len(queries) == 90
    aggregations = [query.aggregation for query in queries if query.aggregation]
    assert len(aggregations) == (0 if name in ("incidents", "alerts") else 30)
    windows = Counter(aggregation.window for aggregation in aggregations)
    assert all(aggregation.decomposable for aggregation in aggregations)
    if aggregations:
        tumbling, sliding = TimeWindow(10 * SECOND, 10 * SECOND), TimeWindow(10 * SECOND, 5 * SECOND)
        assert windows.keys() == {tumbling, sliding}
        assert abs(windows[tumbling] - windows[sliding]) <= 2


@pytest.mark.parametrize(("name", "target"), [("stock", 0.02), ("traffic", 0.01), ("incidents", 0.05)])
def test_selectivity_is_within_15_percent_of_the_target(name, target):
    assert judged(name).selectivity() == pytest.approx(target, rel=0.15)
    assert small(name).selectivity == pytest.approx(target, rel=0.1)


def test_the_selectivity_of_boxes_follows_from_their_widths():
    expected = 0.45**2
    assert judged("boxes").selectivity() == pytest.approx(expected, rel=0.15)
    assert small("boxes").selectivity == pytest.approx(judged("boxes").selectivity(), rel=0.1)


def test_boxes_are_scaled_to_a_selectivity():
    narrow = boxes.boxes(replace(boxes.DEFAULTS, selectivity=0.015, missing=0.02, **SMALL), 20, constrained=5)
    fields = [query.box.fields for query in judge(narrow).queries]
    assert {len(names) for names in fields} == {5}
    assert judge(narrow).selectivity() == pytest.approx(0.015, rel=0.2)


def test_the_city_has_two_topics_with_their_own_selectivities():
    assert judged("city").selectivity("traffic") == pytest.approx(0.01, rel=0.2)
    assert judged("city").selectivity("incidents") == pytest.approx(0.05, rel=0.25)
    assert small("city").selectivity == pytest.approx(judged("city").selectivity(), rel=0.2)
    assert {query.topic for query in judged("city").queries} == {"traffic", "incidents"}
    assert 0 < sum(query.columns is not None for query in judged("city").queries) < 20
    assert any(query.every == 30 * SECOND for query in judged("city").queries)


@pytest.mark.parametrize("target", [0.0005, 0.05])
@pytest.mark.parametrize("name", ["stock", "traffic"])
def test_the_target_selectivity_can_be_changed(name, target):
    wanted = make(name, selectivity=target, missing=0.03, rate=30.0)
    assert wanted.selectivity == pytest.approx(target, rel=0.1)
    assert judge(wanted).selectivity() == pytest.approx(target, rel=0.35)


@pytest.mark.parametrize("name", NAMES)
def test_every_publication_is_inside_its_advertisement(name):
    for publisher, _, codes in judged(name).publications:
        assert judged(name).advertised[publisher][1].admits(codes)


@pytest.mark.parametrize("name", NAMES)
def test_every_publication_with_missing_values_is_inside_its_advertisement(name):
    rough = judge(make(name, missing=0.3))
    for publisher, _, codes in rough.publications:
        assert rough.advertised[publisher][1].admits(codes)


def test_stock_and_traffic_have_the_fields_and_constraints_of_the_paper():
    for query in judged("stock").queries:
        assert query.box.on("symbol").point()
        assert 2 <= len(query.box.fields) <= 4
    assert all(3 <= len(query.box.fields) <= 6 for query in judged("traffic").queries)
    assert len(stock.FIELDS) == 8
    assert len(traffic.FIELDS) == 12
    many = table(make("traffic", rate=400.0))
    assert len(many.column("sensor").unique()) == 162
    symbols = Counter(table(make("stock", rate=400.0)).column("symbol").to_pylist())
    assert len(symbols) == 62
    assert symbols.most_common(1)[0][1] > 10 * min(symbols.values())


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_the_fields_with_their_types(name):
    arrow = {
        "string": pa.string(),
        "double": pa.float64(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    schema = table(small(name)).schema
    fields = {f: arrow[t] for topic in small(name).description["topics"].values() for f, t in topic["fields"].items()}
    assert dict(zip(schema.names, schema.types, strict=True)) == {"publisher": pa.string()} | fields
    assert table(small(name)).num_rows == small(name).size == 2000


@pytest.mark.parametrize("name", [name for name in NAMES if name != "alerts"])
def test_publishers_and_subscribers_are_at_the_brokers_of_the_overlay(name):
    description = small(name).description
    brokers = description["overlay"]["brokers"]
    assert len(brokers) == 16
    publishing = {publisher["at"] for publisher in description["publishers"]}
    subscribing = {subscriber["at"] for subscriber in description["subscribers"]}
    assert len(publishing - subscribing) == len(subscribing - publishing) == 3
    assert len(publishing & subscribing) == 6
    assert publishing | subscribing == {broker for broker in brokers if broker.startswith("e")}
    known = {subscriber["id"] for subscriber in description["subscribers"]}
    assert {row["subscriber"] for row in description["subscriptions"]} <= known
    assert len({row["id"] for row in description["subscriptions"]}) == 90


@pytest.mark.parametrize("name", NAMES)
def test_without_disorder_event_times_ascend(name):
    moments = times(small(name))
    start = WorkloadSettings().origin
    assert (np.diff(moments) >= 0).all()
    assert start <= moments[0] < moments[-1] < start + 100 * SECOND


@pytest.mark.parametrize("name", NAMES)
def test_disorder_stays_within_its_bound(name):
    workload = make(name, disorder=3.0)
    moments = times(workload)
    behind = np.maximum.accumulate(moments) - moments
    assert 2 * SECOND < behind.max() <= 3 * SECOND
    assert WorkloadSettings().origin <= moments.min()
    assert moments.max() < WorkloadSettings().origin + 100 * SECOND
    assert workload.description["watermark"] == "10 seconds"
    assert make(name, disorder=30.0).description["watermark"] == "31 seconds"


@pytest.mark.parametrize("name", ["stock", "traffic", "boxes"])
def test_the_share_of_missing_values_is_the_given_one(name):
    rough = table(make(name, missing=0.2))
    shares = {field: rough.column(field).null_count / rough.num_rows for field in rough.column_names}
    kept = {field for field, share in shares.items() if share == 0}
    assert {"publisher", "ts"} <= kept <= {"publisher", "ts", "symbol", "sensor", "road"}
    assert all(share == pytest.approx(0.2, abs=0.04) for field, share in shares.items() if field not in kept)


@pytest.mark.parametrize("name", ["stock", "incidents"])
def test_long_traces_have_reproducible_chunks(name):
    workload = make(name, rate=1000.0)
    pieces = list(workload.publications())
    assert [piece.num_rows for piece in pieces] == [CHUNK, 100_000 - CHUNK]
    assert pieces == list(workload.publications())


def test_reports_of_an_incident_are_partial_and_consistent():
    reports = table(make("incidents", rate=50.0)).to_pylist()
    seen: dict[str, list[dict]] = {}
    for report in reports:
        seen.setdefault(report["place"], []).append(report)
    assert len(reports) / len(seen) == pytest.approx(5, rel=0.1)  # no place is used twice within 100 seconds
    publishers = 0
    for same in seen.values():
        for field in ("road", "kind", "severity", "lanes_blocked", "injured", "description"):
            assert len({report[field] for report in same} - {None}) <= 1
        assert same[-1]["ts"] - same[0]["ts"] <= timedelta(seconds=30)
        publishers += len({report["publisher"] for report in same})
    assert publishers / len(seen) > 2
    assert all(any(report[field] is not None for field in incidents.PARTIAL) for report in reports)
    assert any(report["severity"] is None for report in reports)


def test_devices_and_subscribers_of_alerts_are_at_stub_nodes():
    description = small("alerts").description
    brokers = description["overlay"]["brokers"]
    sites = {broker for broker in brokers if "s" in broker}
    assert (len(brokers), len(sites)) == (52, 48)
    assert len(description["overlay"]["links"]) > len(brokers), "there are cycles"
    devices = description["publishers"]
    assert len({device["id"] for device in devices}) == 150
    assert {device["at"] for device in devices} <= sites
    assert {who["at"] for who in description["subscribers"]} <= sites
    asked = Counter(query.box.on("device").point() for query in judge(alerts_of(churn=0.0)).queries)
    assert asked.most_common(1)[0][1] > 3


def test_churn_is_the_share_of_subscriptions_that_join_and_leave():
    start = alerts.DEFAULTS.start
    moving = [row for row in alerts_of(churn=0.3).description["subscriptions"] if "from" in row]
    assert len(moving) == 27
    for row in moving:
        first, last = (datetime.fromisoformat(row[end]) for end in ("from", "until"))
        assert start <= first < last <= start + timedelta(seconds=101)
    assert alerts_of(churn=0.0).description["subscriptions"][0].keys() == {"id", "subscriber", "sql"}


def alerts_of(churn: float) -> Workload:
    return alerts.alerts(replace(alerts.DEFAULTS, **SMALL), churn=churn)


def test_publishers_of_boxes_may_have_top_k():
    offers = boxes.boxes(replace(boxes.DEFAULTS, **SMALL), top_k=3).description["publishers"]
    assert {publisher["top_k"] for publisher in offers} == {3}
    assert "top_k" not in small("boxes").description["publishers"][0]


def test_a_workload_may_have_no_subscriptions():
    assert make("traffic", subscriptions=0).description["subscriptions"] == []
    assert make("city", subscriptions=1).description["subscriptions"][0]["subscriber"] == "u01"


def test_staggering_changes_the_starts_of_windows_only():
    aligned, staggered = (make("stock", staggered=staggered).description for staggered in (False, True))
    for one, other in zip(aligned["subscriptions"], staggered["subscriptions"], strict=True):
        start = re.search(r"(?:, '(?:5|10) seconds')?, '\d+ milliseconds'\)$", other["sql"])
        assert (start is not None) == ("GROUP BY" in one["sql"])
        if start is None:
            assert one == other
        else:
            assert one["sql"].startswith(other["sql"][: start.start()])
    starts = {row["sql"].rsplit("'", 2)[1] for row in staggered["subscriptions"] if "GROUP BY" in row["sql"]}
    assert len(starts) == 30
