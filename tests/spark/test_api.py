"""The Python interface: DataFrame in, DataFrame out, batch and streaming alike."""

from __future__ import annotations

import pytest
from pyspark.testing import assertDataFrameEqual

import sparing
from tests.messages import refused
from tests.spark import files, world

pytestmark = pytest.mark.spark

SLOW = {"id": "slow", "subscriber": "u1", "sql": "SELECT id, speed FROM traffic WHERE speed < 20"}
MEAN = {
    "id": "mean",
    "subscriber": "u2",
    "sql": "SELECT avg(speed) AS mean FROM traffic WHERE lane < 3 GROUP BY window(ts, '10 seconds')",
}


def test_a_streaming_frame_gives_streaming_frames(spark, tmp_path):
    rows = world.publications(3, 200)
    files.write_trace(tmp_path / "data", [*rows, world.last_publication()], files=2)
    path = files.write_deployment(tmp_path, [SLOW, MEAN])
    pubsub = sparing.PubSub(spark, sparing.Deployment.read(path))
    batch = pubsub.deliver(spark.createDataFrame(world.table(rows)))
    schema = ", ".join(f"{name} {type_}" for name, type_ in {"publisher": "string", **world.FIELDS}.items())
    stream = pubsub.deliver(spark.readStream.schema(schema).json(str(tmp_path / "data")))
    assert stream.notifications.isStreaming
    assert stream.bill.isStreaming
    query = stream.notifications.writeStream.format("memory").queryName("told").outputMode("append")
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    columns = [
        "id",
        "subscriber",
        "subscription",
        "publisher",
        "publication",
        "kind",
        "time",
        "window_start",
        "window_end",
        "to_json(payload) AS payload",
    ]
    assertDataFrameEqual(spark.table("told").selectExpr(*columns), batch.notifications.selectExpr(*columns))
    assert batch.notifications.where("subscription = 'mean'").selectExpr("payload:mean::double").count() == 4
    batch.forget()


def test_a_payload_has_named_fields(spark):
    rows = [{"publisher": "p1", "id": "1", "ts": world.START, "speed": 12.5}]
    delivered = sparing.PubSub(spark, sparing.Deployment.of(world.description([SLOW]))).deliver(
        spark.createDataFrame(world.table(rows))
    )
    (row,) = delivered.notifications.selectExpr("*", "variant_get(payload, '$.speed', 'double') AS speed").collect()
    assert (row["subscriber"], row["subscription"], row["topic"], row["kind"]) == ("u1", "slow", "traffic", "event")
    assert row["speed"] == 12.5
    assert row["window_start"] is None
    # p1 is at e2, u1 is at e2: one last hop and nothing between brokers, once everybody knows of everybody.
    bill = delivered.bill.collect()
    control = ("advertisement", "subscription", "channel", "coordination")
    assert [(r["source"], r["target"], r["kind"], r["messages"]) for r in bill if r["kind"] not in control] == [
        ("e2", "u1", "notification", 1)
    ]
    assert {r["bucket"] for r in bill if r["kind"] in control} == {None}
    delivered.forget()


def test_subscriptions_are_in_force_from_and_until(spark):
    timed = [
        SLOW | {"id": "early", "until": "2026-01-01T00:00:10Z", "sql": "SELECT id FROM traffic"},
        SLOW | {"id": "late", "from": "2026-01-01T00:00:10Z", "sql": "SELECT id FROM traffic"},
    ]
    rows = world.publications(4, 100)
    delivered = sparing.PubSub(spark, sparing.Deployment.of(world.description(timed))).deliver(
        spark.createDataFrame(world.table(rows))
    )
    found = {
        (r["subscription"], r["id"])
        for r in delivered.notifications.selectExpr("subscription", "payload:id::string AS id").collect()
    }
    delivered.forget()
    border = world.START.replace(second=10)
    assert found == {("early" if row["ts"] < border else "late", row["id"]) for row in rows}


def test_frames_that_do_not_fit_are_refused(spark):
    pubsub = sparing.PubSub(spark, sparing.Deployment.of(world.description([SLOW])))
    with refused("publisher ts lane"):
        pubsub.deliver(spark.createDataFrame([], "ts timestamp, lane int"))
    with refused("ts traffic"):
        pubsub.deliver(spark.createDataFrame([], "publisher string, lane int"))
    with refused("lane double int"):
        pubsub.deliver(spark.createDataFrame([], "publisher string, ts timestamp, lane double"))


def test_policies_that_cannot_be_are_refused(spark):
    deployment = sparing.Deployment.of(world.description([SLOW, MEAN]))
    with refused("oracle adock patience wad"):
        sparing.PubSub(spark, deployment, decision="oracle")
    stream = spark.readStream.format("rate").load()
    with pytest.raises(
        sparing.SparingError,
        match=r"decision static .* batches only",
    ):
        sparing.PubSub(spark, deployment, decision="static").deliver(stream)


def test_narrower_columns_are_widened(spark):
    rows = spark.sql(
        "SELECT 'p1' AS publisher, TIMESTAMP '2026-01-01 00:00:01' AS ts, CAST(7 AS FLOAT) AS speed, 'x' AS id"
    )
    delivered = sparing.PubSub(spark, sparing.Deployment.of(world.description([SLOW]))).deliver(rows)
    assert delivered.notifications.count() == 1
    delivered.forget()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("spark.sql.execution.arrow.useLargeVarTypes", "false"),
        ("spark.sql.session.timeZone", "America/Toronto"),
        ("spark.sql.ansi.enabled", "false"),
        ("spark.sql.execution.arrow.maxRecordsPerBatch", "7"),
    ],
)
def test_settings_of_a_users_own_session_do_not_matter(spark, setting, value):
    publications = spark.createDataFrame(world.table(world.publications(3, 100))).cache()
    pubsub = sparing.PubSub(spark, sparing.Deployment.of(world.description([SLOW, MEAN])))
    columns = [
        "subscription",
        "unix_micros(time) AS time",
        "unix_micros(window_end) AS end",
        "to_json(payload) AS payload",
    ]

    def told() -> list:
        delivered = pubsub.deliver(publications)
        rows = sorted(map(tuple, delivered.notifications.selectExpr(*columns).collect()), key=str)
        delivered.forget()
        return rows

    expected, before = told(), spark.conf.get(setting)
    spark.conf.set(setting, value)
    try:
        assert told() == expected
    finally:
        spark.conf.set(setting, before)
    publications.unpersist()
    assert len(expected) > 10
