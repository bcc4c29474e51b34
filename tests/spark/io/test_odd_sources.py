"""CSV and Parquet with odd rows, and event times as numbers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from pyspark.sql import functions as F

import sparing
from sparing.spark import run
from tests.spark import files, world
from tests.spark.io.test_any_row import outcome

pytestmark = pytest.mark.spark

EVERYTHING = {"id": "all", "subscriber": "u1", "sql": "SELECT * FROM traffic"}
HEADER = "publisher,ts,lane,road\n"
GOOD = "p1,2026-01-01 00:00:01,1,401\n"
CSV = [  # a line, and its reason
    ("p1,2026-01-01", "malformed"),
    ("p1,2026-01-01 00:00:01,1,401,5,6", "malformed"),
    ('"p1,2026-01-01 00:00:01,1,unclosed', "malformed"),
    ('p1,2026-01-01,x"y,401', "wrong type"),
    ("p1,08:00,1,401", "wrong type"),
    ("p1,10000-01-01,1,401", "wrong type"),
    (",,,", "unknown publisher"),
    ("p1\x00,2026-01-01,1,401", "unknown publisher"),
    ('""', "malformed"),
    ('"' * 5_001, "malformed"),
    ("p1" + "," * 30_000, "malformed"),  # more columns than Spark's reader can hold, if it is not told to
    (f"p1,2026-01-01,1,{'x' * 2_000_000}", "too long"),
    (f"p1,2026-01-01,1,401,{'x' * 2_000_000}", "too long"),
]


def _deployment(folder: Path, **more: object) -> sparing.Deployment:
    return sparing.Deployment.read(files.write_deployment(folder, [EVERYTHING], **more))


def test_csv_rows_are_delivered_or_quarantined(spark, tmp_path):
    (tmp_path / "data").mkdir()
    lines = "".join(f"{line}\n" for line, _ in CSV)
    (tmp_path / "data/a.csv").write_text(HEADER + GOOD + lines + GOOD)
    payloads, quarantine = outcome(spark, _deployment(tmp_path, source={"format": "csv"}))
    assert sorted(row["reason"] for row in quarantine) == sorted(reason for _, reason in CSV)
    assert {len(row["row"]) for row in quarantine if row["reason"] == "too long"} == {1_000}
    assert len(payloads) == 2


def test_a_csv_value_beyond_the_limit_of_the_reader_is_an_error(spark, tmp_path):
    (tmp_path / "data").mkdir()
    long = HEADER + GOOD + f"p1,2026-01-01,1,{'x' * 20_000_000}\n"
    (tmp_path / "data/a.csv.gz").write_bytes(gzip.compress(long.encode()))
    with pytest.raises(sparing.SparingError) as caught:
        run.wait(run.stream(spark, _deployment(tmp_path, source={"format": "csv"}), once=True))
    assert str(caught.value) == (
        f"The stream failed: {tmp_path}/data/a.csv.gz cannot be read: "
        "it has a CSV line that is far too long, or with far too many columns"
    )


PARQUET = [  # lane, road, time, cars, and the reason
    (1, "401", "2026-01-01 00:00:01", "5", None),
    (2, "x" * 2_000_000, "2026-01-01", "5", "too long"),
    (3, "401", "10000-01-01", "5", "wrong type"),
    (4, "401", "9999-12-31", "5", "wrong type"),
    (5, "401", "-0001-01-01", "5", "wrong type"),
    (6, "401", "294247-01-10", "5", "wrong type"),
    (7, "401", "2026-01-01", "many", "wrong type"),
    (8, "401", None, "5", "no event time"),
]


def test_parquet_rows_are_delivered_or_quarantined(spark, tmp_path):
    frame = spark.createDataFrame([row[:4] for row in PARQUET], "lane int, road string, t string, cars string")
    time = F.col("t").cast("timestamp").alias("ts")
    odd = frame.select(F.lit("p1").alias("publisher"), "lane", "road", time, "cars", F.array("lane").alias("list"))
    odd.write.parquet(str(tmp_path / "data"))
    payloads, quarantine = outcome(spark, _deployment(tmp_path, source={"format": "parquet"}))
    found = {json.loads(row["row"])["lane"]: row for row in quarantine if row["reason"] != "too long"}
    (long,) = [row for row in quarantine if row["reason"] == "too long"]
    assert {lane: row["reason"] for lane, row in found.items()} == {
        lane: reason for lane, *_, reason in PARQUET if reason not in (None, "too long")
    }
    assert json.loads(found[6]["row"])["ts"] == "+294247-01-10T00:00:00.000000Z"
    assert (
        found[6]["detail"]
        == "ts is not a timestamp: +294247-01-10 00:00:00 (a date in the years 1 to 9999 is expected)"
    )
    assert (len(long["row"]), long["publisher"]) == (1_000, "p1")
    assert [payload["lane"] for payload in payloads] == [1]


NUMBERS = {  # unit: what is sent in JSON, and the time that it means (None: it is no time)
    "s": [
        ("1767225601", "2026-01-01T00:00:01.000000Z"),
        ('"1767225601"', "2026-01-01T00:00:01.000000Z"),
        ("1767225601.123456", "2026-01-01T00:00:01.123456Z"),
        ('"1767225601.1234567"', "2026-01-01T00:00:01.123457Z"),
        ('"1.7672256015E9"', "2026-01-01T00:00:01.500000Z"),
        ("-0.000001", "1969-12-31T23:59:59.999999Z"),
        ("0", "1970-01-01T00:00:00.000000Z"),
        ('" 17 "', "1970-01-01T00:00:17.000000Z"),
        ('"7258118399.999999"', "2199-12-31T23:59:59.999999Z"),
        *((text, None) for text in ('"7258118400"', '"2026-01-01"', '"x"', '""', "true", "9" * 30, "1e400", "[1]")),
    ],
    "ms": [
        ("1767225601123", "2026-01-01T00:00:01.123000Z"),
        ('"1767225601123.4567"', "2026-01-01T00:00:01.123457Z"),
        ("9223372036854775807", None),
    ],
    "us": [
        ("1767225601123456", "2026-01-01T00:00:01.123456Z"),
        ("7258118399999999", "2199-12-31T23:59:59.999999Z"),
        ("9223372036854775807", None),
        ("9223372036854775808", None),
    ],
}


def test_event_times_may_be_numbers_in_any_unit(spark, tmp_path):
    """A topic for each unit, all in one file."""
    topics, publishers, subscribed, rows = {}, [], [], []
    for unit, cases in NUMBERS.items():
        time = f"at_{unit}"
        fields = {"n": "int", time: "timestamp"}
        topics[unit] = {"time": {"field": time, "unit": unit}, "fields": fields}
        publishers.append({"id": unit, "at": "e1", "topic": unit})
        subscribed.append({"id": unit, "subscriber": "u1", "sql": f"SELECT n, {time} AS ts FROM {unit}"})
        rows += [f'{{"publisher": "{unit}", "n": {n}, "{time}": {text}}}' for n, (text, _) in enumerate(cases)]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.json").write_text("\n".join(rows))
    path = files.write_deployment(tmp_path, subscribed, topics=topics, publishers=publishers)
    delivered = run.replay(spark, sparing.Deployment.read(path)).delivered
    found = {(row["subscription"], p["n"]): p["ts"] for row in delivered.notifications.collect()
             if (p := json.loads(row["payload"].toJson()))}  # fmt: skip
    aside = {row["publisher"]: row["detail"] for row in delivered.quarantine.where("reason = 'wrong type'").collect()}
    bad = delivered.quarantine.count()
    delivered.forget()
    meant = {(unit, n): ts for unit, cases in NUMBERS.items() for n, (_, ts) in enumerate(cases) if ts is not None}
    assert found == meant
    assert bad == sum(len(cases) for cases in NUMBERS.values()) - len(meant)
    assert aside["ms"] == (
        "at_ms is not a timestamp: 9223372036854775807 (a number is expected, in the unit ms since 1970)"
    )


@pytest.mark.parametrize("type_", ["bigint", "double", "decimal(20,6)"])
def test_event_times_may_be_numeric_columns(spark, tmp_path, type_):
    numbers = ["1767225601", "9000000000000"] + (["NaN"] if type_ == "double" else [])
    frame = spark.createDataFrame([(number,) for number in numbers], "n string")
    frame.select(F.lit("p1").alias("publisher"), F.col("n").cast(type_).alias("ts")).write.parquet(
        str(tmp_path / "data")
    )
    topic = {"time": {"field": "ts", "unit": "s"}, "fields": world.FIELDS}
    deployment = _deployment(tmp_path, topics={"traffic": topic}, source={"format": "parquet"})
    payloads, quarantine = outcome(spark, deployment)
    assert payloads == [{"ts": "2026-01-01T00:00:01.000000Z"}]
    assert [row["reason"] for row in quarantine] == ["wrong type"] * (len(numbers) - 1)
