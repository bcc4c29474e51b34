"""Ids on Spark: those that the walk in one process gives, and what publishers may do to them."""

from __future__ import annotations

import json

import pytest

import sparing
from sparing.deployment.deployment import Endpoint
from sparing.flow.deliver.identity import about_event, about_window, notification_id
from sparing.spark.io import sinks
from sparing.spark.run import replay
from tests.spark import files, world

pytestmark = pytest.mark.spark

ALL = {"id": "all", "subscriber": "u1", "sql": "SELECT lane, cars FROM traffic"}
TENS = {"id": "tens", "subscriber": "u2", "sql": "SELECT count(*) FROM traffic GROUP BY window(ts, '10 seconds')"}
HOSTILE = ["", "1", ":1", "p11", "é\U0001f600", "\n", "1:p1"]
MICROS = round(world.START.timestamp()) * 1_000_000


@pytest.fixture(scope="module")
def delivered(spark, tmp_path_factory):
    """Hostile ids of two publishers; then rows without an id: two that differ only in where NULL is, and two equal."""
    folder = tmp_path_factory.mktemp("ids")
    rows = [{"publisher": publisher, "id": id_, "ts": world.START} for id_ in HOSTILE for publisher in ("p1", "p2")]
    rows += [{"publisher": "p3", "ts": world.START, name: 1} for name in ("lane", "cars", "cars")]
    files.write_trace(folder / "data", rows, files=1)
    fields = {name: kind for name, kind in world.FIELDS.items() if name != "id"} | {"lane": "bigint"}
    topics = {"traffic": {"time": "ts", "fields": fields}}
    path = files.write_deployment(folder, [ALL, TENS], topics=topics)
    replayed = replay(spark, sparing.Deployment.read(path))
    yield replayed.delivered
    replayed.delivered.forget()


@pytest.fixture(scope="module")
def told(delivered):
    rows = delivered.notifications.selectExpr("*", "to_json(payload) AS text").collect()
    return [row.asDict() for row in rows]


def test_ids_are_those_of_the_walk(told):
    plain = {row["id"]: row for row in told if row["kind"] == "event" and row["publisher"] != "p3"}
    expected = {(publisher, id_) for id_ in HOSTILE for publisher in ("p1", "p2")}
    assert {(row["publisher"], row["publication"]) for row in plain.values()} == expected
    assert all(
        id_ == notification_id("all", about_event(row["publisher"], row["publication"])) for id_, row in plain.items()
    )
    (window,) = (row for row in told if row["kind"] == "window")
    assert window["id"] == notification_id("tens", about_window(MICROS, MICROS + 10_000_000))
    assert window["publisher"] is None
    assert window["publication"] is None


def test_rows_without_an_id_differ_if_their_fields_do(told):
    found = sorted((row["text"], row["id"]) for row in told if row["publisher"] == "p3")
    assert [text for text, _ in found] == ['{"cars":1}', '{"cars":1}', '{"lane":1}']
    assert found[0][1] == found[1][1], "two equal rows are the same publication"
    assert found[0][1] != found[2][1]


def test_what_is_appended_says_its_micro_batch(spark, delivered, monkeypatch):
    written = {}

    def show(frame, truncate):
        written[tuple(frame.columns)] = frame.select("batch").distinct().collect()

    monkeypatch.setattr(type(delivered.bill), "show", show)
    sinks.write(delivered, Endpoint("console", None, {}), 7)
    assert len(written) == 2
    assert all([row["batch"] for row in rows] == [7] for rows in written.values())


def test_kafka_records_have_keys_and_headers(delivered):
    batch = 7
    records = sinks.kafka_records(delivered.notifications.withColumn("batch", sinks.F.lit(batch)), batch).collect()
    for record in records:
        value = json.loads(record["value"])
        assert record["key"] == value["subscriber"]
        assert {h["key"]: h["value"].decode() for h in record["headers"]} == {"id": value["id"], "batch": "7"}
        assert value["batch"] == batch
        assert value["time"].endswith("Z")
    assert len(records) == 2 * len(HOSTILE) + 4
    (record, *_) = sinks.kafka_records(delivered.bill, batch).collect()
    assert [h["key"] for h in record["headers"]] == ["batch"]
