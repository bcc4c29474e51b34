"""A stream with hostile rows continues: valid rows are delivered, others quarantined; clocks do not affect others."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import generate_latest

import sparing
from sparing.spark import run
from sparing.spark.stream.logs import log_to
from sparing.spark.stream.prometheus import Metrics
from tests.messages import missing
from tests.spark import files, nasty, world

pytestmark = pytest.mark.spark

NOW = datetime.fromtimestamp(int(time.time()) // 10 * 10, UTC)  # where a window begins
LONG = 100_000_000  # bytes of a line, of which 97 kB are left when it is compressed
SUBSCRIBED = [
    {"id": "all", "subscriber": "u1", "sql": "SELECT id FROM traffic WHERE id LIKE 'good%'"},
    {
        "id": "count",
        "subscriber": "u2",
        "sql": "SELECT count(*) FROM traffic WHERE id LIKE 'good%' GROUP BY window(ts, '10 seconds')",
    },
    {"id": "digest", "subscriber": "u3", "sql": "SELECT id FROM traffic WHERE id LIKE 'good%' EVERY '10 seconds'"},
]


def _good(number: int, seconds: float, **more: object) -> bytes:
    return nasty.good(number, ts=str(NOW + timedelta(seconds=seconds)), **more)


def _send(folder: Path, name: str, contents: bytes) -> None:
    """A file that is younger than those sent before."""
    path = folder / "data" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(contents)
    young = time.time() - 100 + len(os.listdir(path.parent))
    os.utime(path, (young, young))


def _long_line() -> bytes:
    row = nasty.good(99)
    return gzip.compress(row[:-1] + b', "remark": "' + b"x" * (LONG - len(row) - 14) + b'"}\n', compresslevel=6)


def _deployment(folder: Path, **more: object) -> sparing.Deployment:
    path = files.write_deployment(
        folder,
        SUBSCRIBED,
        topics={"traffic": nasty.TOPIC},
        watermark="1 hour",
        source={"maxFilesPerTrigger": 2},
        checkpoint="checkpoint",
        **more,
    )
    return sparing.Deployment.read(path)


def _aside(folder: Path) -> list[dict]:
    parts = sorted((folder / "out/quarantine").glob("batch=*/part-*.json"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def test_a_stream_continues_after_malformed_late_and_future_rows(spark, tmp_path):
    future = [_good(n, 90_000 + n, publisher="p2", id=f"future {n}") for n in range(12)]
    far = [nasty.good(n, publisher="p2", id="future", ts="2099-01-01T00:00:00Z") for n in range(100)]
    late = [_good(n, -8_000, publisher="p3", id=f"good late {n}") for n in range(10)]
    start = [_good(1, -5_000)]
    soon = _good(2, 500, id="good ahead")  # not too far ahead
    edges = {b"2199-12-31", b"1700-01-01"}  # good in a replay; here the one is from the future, and both move the clock
    lines = [line for line in nasty.LINES if not any(edge in line for edge in edges)]
    _send(tmp_path, "a.json", b"\n".join([*start, *lines, *future]))
    _send(tmp_path, "b.json.gz", _long_line())
    _send(tmp_path, "c.json", b"\n".join([*far, _good(3, -4_999), nasty.good(4, ts="2199-12-31")]))
    _send(tmp_path, "d.json", b"\n".join([soon, _good(5, -500)]))
    _send(tmp_path, "e.json", b"\n".join([*late, _good(6, -499)]))
    told, records, metrics = list[str](), [], Metrics()

    def hear(record) -> None:
        records.append(record)
        metrics.record(record)

    with log_to(str(tmp_path / "log.jsonl")):
        deployment = _deployment(tmp_path, ahead="10 minutes")
        run.wait(run.stream(spark, deployment, once=True, tell=told.append, hear=hear))

    aside = _aside(tmp_path)
    by_reason = Counter(row["reason"] for row in aside)
    texts = {nasty.text(line) for line in lines}
    expected = [(row, reason) for row, reason in nasty.aside() if row in texts]
    assert sorted((row["row"], row["reason"]) for row in aside if row["row"] in texts) == expected
    assert by_reason["from the future"] == len(future) + len(far) + 1
    assert by_reason["late"] == len(late)
    (long,) = [row for row in aside if row["reason"] == "too long"]
    assert missing(long["detail"], f"{LONG:,}") == []
    assert len(long["row"]) == 1_000

    found = [json.loads(text) for text in files.results(tmp_path / "out")["notifications"].elements()]
    plain = sorted(row["payload"]["id"] for row in found if row["kind"] == "event")
    assert [id_ for id_ in plain if "late" not in id_] == ["good 1", "good 3", "good 5", "good 6", "good ahead"]
    assert len(plain) == 5 + len(late)
    assert [row["payload"] for row in found if row["kind"] == "window"] == [{"count(1)": 2}]
    digest = {"events": [{"id": "good 1"}, {"id": "good 3"}]}
    assert [row["payload"] for row in found if row["kind"] == "digest"] == [digest]
    _alarms_are_told(told, [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()])
    served = generate_latest(metrics.registry).decode()
    assert 'sparing_untimely_rows_total{publisher="p2",reason="from the future"} 112.0' in served
    assert 'sparing_untimely_rows_total{publisher="p3",reason="late"} 10.0' in served
    assert 'sparing_untimely_rows_total{publisher="p1"' not in served


def _alarms_are_told(told: list[str], log: list[dict]) -> None:
    alarms = [sentence for sentence in told if "clock" in sentence]
    assert alarms == [
        "Check the clock of publisher p2: since the start, 0 of its rows were late and 12 were from the future.",
        "Check the clock of publisher p2: since the start, 0 of its rows were late and 112 were from the future.",
        "Check the clock of publisher p3: since the start, 10 of its rows were late and 0 were from the future.",
    ]
    logged = [entry for entry in log if entry["event"] == "clock alarm"]
    assert [(e["publisher"], e["late"], e["from_the_future"]) for e in logged] == [
        ("p2", 0, 12),
        ("p2", 0, 112),
        ("p3", 10, 0),
    ]
    assert {entry["level"] for entry in logged} == {"warning"}


def test_a_retried_micro_batch_quarantines_the_same_future_rows(spark, tmp_path):
    """The clock is that of the micro-batch, which is in Spark's log."""
    _send(tmp_path, "a.json", b"\n".join([_good(1, 0), _good(2, 90_000)]))
    deployment = _deployment(tmp_path, ahead="10 minutes")
    run.wait(run.stream(spark, deployment, once=True))
    before = _aside(tmp_path)
    assert [row["reason"] for row in before] == ["from the future"]
    assert before[0]["publisher"] == "p1"
    # As if it had been killed in the first micro-batch.
    for pattern in ("commits/*", "offsets/[!0]*", "offsets/.[!0]*", "sparing-written.json*"):
        for file in (tmp_path / "checkpoint").glob(pattern):
            file.unlink()
    run.wait(run.stream(spark, deployment, once=True))
    assert _aside(tmp_path) == before
    batch = json.loads((tmp_path / "checkpoint/offsets/0").read_text().splitlines()[1])
    latest = datetime.fromtimestamp(batch["batchTimestampMs"] / 1_000, UTC) + timedelta(minutes=10)
    assert missing(before[0]["detail"], str(latest)) == []


def test_replays_accept_future_rows_and_skip_long_lines(spark, tmp_path):
    _send(tmp_path, "a.json", nasty.good(1, ts="2099-01-01T00:00:00Z"))
    _send(tmp_path, "b.json.gz", _long_line() + gzip.compress(nasty.good(2) + b"\n"))
    delivered = run.replay(spark, _deployment(tmp_path, ahead="1 second")).delivered
    assert [(row["reason"], len(row["row"])) for row in delivered.quarantine.collect()] == [("too long", 1_000)]
    assert delivered.notifications.where("kind = 'event'").count() == 2
    delivered.forget()


def test_deployments_of_tests_accept_future_rows():
    """Most traces of these tests end with a publication that is a year later."""
    assert sparing.Deployment.of(world.description([]), Path()).ahead is None
