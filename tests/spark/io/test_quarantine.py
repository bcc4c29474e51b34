"""Bad rows of every kind are quarantined with a reason and counted; other rows are not affected."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import functions as F

import sparing
from sparing.spark import run
from sparing.spark.io import sources
from tests.messages import missing, refused
from tests.spark import files, world

pytestmark = pytest.mark.spark

GOOD = {"publisher": "p1", "ts": "2026-01-01T00:00:01Z", "lane": 1, "road": "401"}
EVERYTHING = {"id": "all", "subscriber": "u1", "sql": "SELECT lane, road FROM traffic WHERE lane BETWEEN 0 AND 90"}
COUNT = {
    "id": "count",
    "subscriber": "u1",
    "sql": "SELECT count(*) FROM traffic WHERE lane BETWEEN 0 AND 90 GROUP BY window(ts, '10 seconds')",
}
PUBLISHERS = [
    {"id": "p1", "at": "e1", "topic": "traffic", "where": "lane < 50"},
    {"id": "p2", "at": "e2", "topic": "traffic"},
    {"id": "p2", "at": "e2", "topic": "weather"},
]
TOPICS = {
    "traffic": {"time": "ts", "fields": world.FIELDS},
    "weather": {"time": "at", "fields": {"at": "timestamp", "rain": "double"}},
}

LINES = [  # text of the line, reason, words of the detail
    (json.dumps(GOOD), None, None),
    (json.dumps(GOOD | {"speed": None, "unknown": 5}), None, None),
    (json.dumps({"publisher": "p2", "topic": "weather", "at": "2026-01-01T00:00:01Z", "rain": 1.5}), None, None),
    ('{"publisher": "p1", "ts": "2026-', "malformed", "cannot be parsed"),
    ("[1, 2]", "malformed", "cannot be parsed"),
    (json.dumps(GOOD | {"lane": "many"}), "wrong type", "lane is not an int: many"),
    (json.dumps(GOOD | {"lane": 1.5}), "wrong type", "lane is not an int: 1.5"),
    (json.dumps(GOOD | {"lane": 2**40}), "wrong type", "lane is not an int"),
    (json.dumps(GOOD | {"ts": "yesterday"}), "wrong type", "ts is not a timestamp: yesterday"),
    (json.dumps({k: v for k, v in GOOD.items() if k != "ts"}), "no event time", "ts is missing"),
    (json.dumps(GOOD | {"publisher": "nobody"}), "unknown publisher", "no publisher has the id nobody"),
    (json.dumps({k: v for k, v in GOOD.items() if k != "publisher"}), "unknown publisher", "names no publisher"),
    (json.dumps(GOOD | {"publisher": "p2"}), "unknown topic", "several topics"),
    (json.dumps(GOOD | {"topic": "sports"}), "unknown topic", "no topic is called sports"),
    (json.dumps(GOOD | {"topic": "weather"}), "unknown topic", "p1 does not publish on weather"),
    (json.dumps(GOOD | {"lane": 60}), "outside the advertisement", "p1 advertised only lane < 50"),
]


def test_each_kind_of_bad_row_is_quarantined_with_its_reason(spark, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.json").write_text("".join(text + "\n" for text, _, _ in LINES) + "\n")
    path = files.write_deployment(tmp_path, [EVERYTHING, COUNT], publishers=PUBLISHERS, topics=TOPICS)
    delivered = run.replay(spark, sparing.Deployment.read(path)).delivered
    found = {(row["row"], row["reason"]): row["detail"] for row in delivered.quarantine.collect()}
    bad = [(text, reason, words) for text, reason, words in LINES if reason is not None]
    assert len(found) == len(bad)
    for text, reason, words in bad:
        (detail,) = [d for (row, r), d in found.items() if r == reason and _alike(row, text)]
        assert words in detail
    payloads = [json.loads(row["payload"].toJson()) for row in delivered.notifications.collect()]
    delivered.forget()
    assert sorted(payloads, key=str) == [{"count(1)": 2}, {"lane": 1, "road": "401"}, {"lane": 1, "road": "401"}]


def _alike(row: str, text: str) -> bool:
    """The same line; or the same values, for rows that fit their types are written anew."""
    return row == text or (row.startswith("{") and text.endswith("}") and json.loads(row) == _stamped(json.loads(text)))


def _stamped(row: dict) -> dict:
    return {name: value.replace("Z", ".000000Z") if name == "ts" else value for name, value in row.items()}


def test_bad_rows_in_csv_are_quarantined(spark, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.csv").write_text(
        "publisher,ts,lane,road\n"
        "p1,2026-01-01 00:00:01,1,401\n"
        "p1,2026-01-01 00:00:02,many,401\n"
        "nobody,2026-01-01 00:00:03,1,\n"
    )
    path = files.write_deployment(tmp_path, [EVERYTHING, COUNT], source={"format": "csv"})
    delivered = run.replay(spark, sparing.Deployment.read(path)).delivered
    assert sorted(row["reason"] for row in delivered.quarantine.collect()) == ["unknown publisher", "wrong type"]
    assert sorted(row["kind"] for row in delivered.notifications.collect()) == ["event", "window"]
    delivered.forget()


BAD_BYTES = [  # lines that are not UTF-8: in a field, in the publisher's name, in what is no JSON at all
    json.dumps(GOOD | {"road": "Stra?e"}).encode().replace(b"?", b"\xdf"),
    json.dumps(GOOD | {"publisher": "p?"}).encode().replace(b"?", b"\xed\xa0\x80"),
    json.dumps(GOOD | {"unknown": "?"}).encode().replace(b"?", b"\xc0\x80"),
    b"\xff\xfe\x00{",
]


def test_lines_that_are_not_utf8_are_quarantined(spark, tmp_path):
    (tmp_path / "data").mkdir()
    good = json.dumps(GOOD | {"road": "Straße 🚗 \ufffd"}, ensure_ascii=False).encode()
    (tmp_path / "data/a.json").write_bytes(b"\n".join([good, *BAD_BYTES, good]) + b"\n")
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING]))
    aside = sorted((line.decode(errors="replace"), "malformed") for line in BAD_BYTES)
    told = [{"lane": 1, "road": "Straße 🚗 \ufffd"}] * 2

    delivered = run.replay(spark, deployment).delivered
    quarantine = delivered.quarantine.collect()
    assert sorted((row["row"], row["reason"]) for row in quarantine) == aside
    assert all("UTF-8" in row["detail"] for row in quarantine)
    assert [json.loads(row["payload"].toJson()) for row in delivered.notifications.collect()] == told
    delivered.forget()

    run.wait(run.stream(spark, deployment, once=True))
    found = files.results(tmp_path / "out")
    assert sorted(found["quarantine"].elements()) == aside
    assert [json.loads(text)["payload"] for text in found["notifications"].elements()] == told


def test_parquet_text_that_is_not_utf8_is_quarantined(spark, tmp_path):
    """Parquet files, whose text nobody checks, and whose names may be plain bytes."""
    rows = [
        {"publisher": b"p1", "id": "ok", "road": b"401"},
        {"publisher": b"p1", "id": "bad road", "road": b"4\xe91"},
        {"publisher": b"p\xe91", "id": "bad publisher", "road": b"401"},
        {"publisher": b"p1", "id": "only an unknown column", "road": b"401", "remark": b"\xe9"},
        {"publisher": b"p1", "id": "no road", "road": None},
    ]
    frame = spark.createDataFrame(rows, "publisher binary, id string, road binary, remark binary")
    texts = frame.select("publisher", "id", F.col("road").cast("string"), F.col("remark").cast("string"))
    stamped = texts.select("*", F.lit(1).alias("lane"), F.timestamp_seconds(F.lit(1767225601)).alias("ts"))
    stamped.write.parquet(str(tmp_path / "data"))
    path = files.write_deployment(tmp_path, [EVERYTHING], source={"format": "parquet"})
    delivered = run.replay(spark, sparing.Deployment.read(path)).delivered
    aside = {json.loads(row["row"])["id"]: row for row in delivered.quarantine.collect()}
    assert aside.keys() == {"bad road", "bad publisher"}
    assert {(row["reason"], "not UTF-8" in row["detail"]) for row in aside.values()} == {("malformed", True)}
    assert json.loads(aside["bad road"]["row"])["road"] == "4\ufffd1"
    assert delivered.notifications.count() == 3
    delivered.forget()


def test_late_publications_are_quarantined_and_left_out_of_windows(spark, tmp_path):
    rows = [GOOD | {"ts": f"2026-01-01T00:00:{second:02}Z", "lane": second} for second in (1, 2, 40)]
    files.write_trace(tmp_path / "data", rows, files=1)
    path = files.write_deployment(
        tmp_path, [EVERYTHING, COUNT], watermark="5 seconds", source={"maxFilesPerTrigger": 1}, checkpoint="checkpoint"
    )
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    late = GOOD | {"ts": "2026-01-01T00:00:03Z", "lane": 3}
    (tmp_path / "data/later.json").write_text(files.line(late) + "\n" + files.line(world.last_publication()) + "\n")
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    found = files.results(tmp_path / "out")
    ((row, reason),) = found["quarantine"]
    assert reason == "late"
    assert json.loads(row) == late | {"topic": "traffic", "ts": "2026-01-01T00:00:03.000000Z"}
    told = [json.loads(text) for text in found["notifications"]]
    assert sorted(n["payload"]["count(1)"] for n in told if n["kind"] == "window") == [1, 2]
    assert sorted(n["payload"]["lane"] for n in told if n["kind"] == "event") == [1, 2, 3, 40]


def test_a_source_without_rows_and_a_deployment_without_subscriptions_can_run(spark, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.json").write_text("")
    path = files.write_deployment(tmp_path, [])
    replayed = run.replay(spark, sparing.Deployment.read(path))
    assert not replayed.bill, "nobody subscribes, so nothing is advertised"
    assert replayed.delivered.notifications.count() == replayed.delivered.quarantine.count() == 0
    replayed.delivered.forget()
    (tmp_path / "data/b.json").write_text(json.dumps(GOOD) + "\n")
    replayed = run.replay(spark, sparing.Deployment.read(path))
    assert not replayed.bill, "nobody subscribes, so nothing is advertised"
    assert replayed.delivered.quarantine.count() == 0
    replayed.delivered.forget()


def test_a_source_without_files_gives_a_remark(spark, tmp_path):
    (tmp_path / "data/sub").mkdir(parents=True)
    (tmp_path / "data/sub/a.json").write_text(json.dumps(GOOD) + "\n")

    def remark(**source: object) -> str | None:
        path = files.write_deployment(tmp_path, [EVERYTHING], source=source)
        replayed = run.replay(spark, sparing.Deployment.read(path))
        replayed.delivered.forget()
        return replayed.remark

    assert remark(path="data") == (
        f"No file was found in {tmp_path}/data. "
        "Subfolders are not read: to read them, add recursiveFileLookup: true to the source."
    )
    assert remark(path="data", recursiveFileLookup=True) is None
    (tmp_path / "empty").mkdir()
    assert missing(remark(path="empty"), f"{tmp_path}/empty") == []


@pytest.mark.parametrize(
    ("folder", "path", "rows"),
    [
        ("br[1]", "data", 2),
        ("cur{a,b}", "data/a.json", 1),
        ("cur{a,b}", "data/a?.json", 1),
        ("st*r ?", "data/*.json", 2),
        ("plain", "data/?.json", 1),
        ("plain", "{data,other}", 2),
    ],
)
def test_paths_may_have_special_characters_of_patterns(spark, tmp_path, folder, path, rows):
    data = tmp_path / folder / "data"
    data.mkdir(parents=True)
    for name in ("a.json", "a1.json"):
        (data / name).write_text(json.dumps(GOOD) + "\n")
    what = files.write_deployment(tmp_path / folder, [EVERYTHING], source={"path": path})
    deployment = sparing.Deployment.read(what)
    assert sources.read(spark, deployment, streaming=False).count() == rows
    query = sources.read(spark, deployment, streaming=True).writeStream.format("memory").queryName("read")
    query.trigger(availableNow=True).start().awaitTermination()
    assert spark.table("read").count() == rows


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"path": "nowhere"}, "nowhere source.path"),
        ({"format": "kafka", "servers": "localhost:9", "topic": "t"}, "Kafka"),
        ({"path": "[1"}, "json"),
        ({"format": "parquet", "path": "empty"}, "parquet"),
        ({"format": "jsn"}, "jsn json"),
        ({"format": "mystery"}, "mystery"),
        ({"format": "rate"}, "rate sparing run"),
    ],
)
def test_an_unreadable_source_is_rejected_with_the_reason(spark, tmp_path, source, words):
    (tmp_path / "empty").mkdir()
    what = world.description([EVERYTHING], source={"format": "json", **source})
    deployment = sparing.Deployment.of(what, tmp_path)
    with refused(words):
        sources.read(spark, deployment, streaming=False)
