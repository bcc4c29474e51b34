"""Event times at the edges of what is admitted, with durations as long as may be: results, bills and files hold."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import pytest
import yaml

import sparing
from sparing.model.types import LATEST
from sparing.spark import run
from sparing.spark.tools.explain import explain
from sparing.spark.tools.inspect import inspect
from tests.spark import incidents, nasty, world

pytestmark = pytest.mark.spark

FIRST, LAST = "1700-01-01T00:00:00Z", "2199-12-31T23:59:59.999999Z"
LONGEST = "36525 days"
SUBSCRIBED = [
    {"id": "plain", "subscriber": "u1", "sql": "SELECT * FROM traffic"},
    {
        "id": "slide",
        "subscriber": "u2",
        "sql": f"SELECT count(*), max(seen), min(day) FROM traffic GROUP BY window(ts, '{LONGEST}', '12175 days')",
    },
    {"id": "digest", "subscriber": "u3", "sql": f"SELECT seen, day, ts FROM traffic EVERY '{LONGEST}'"},
    {"id": "two", "subscriber": "u4", "sql": "SELECT count(*) FROM traffic GROUP BY count_window(2, 1)"},
    {"id": "merged", "subscriber": "u0", "sql": f"SELECT * FROM incidents EVERY '{LONGEST}'"},
    {"id": "sum", "subscriber": "u5", "sql": f"SELECT count(*) FROM incidents GROUP BY window(ts, '{LONGEST}')"},
]
EXTREMES = {"seen": "9999-12-31T23:59:59.999999Z", "day": "0001-01-01"}


def _description(folder: Path) -> Path:
    rows = [json.loads(nasty.good(n)) | EXTREMES | {"ts": ts} for n, ts in enumerate([FIRST, "2026-01-01", LAST])]
    rows += [{"publisher": "i1", "place": "P1", "kind": "fire", "ts": ts} for ts in (FIRST, "2026-01-01", LAST)]
    (folder / "data").mkdir()
    for number in range(3):  # one micro-batch for each time
        path = folder / f"data/{number}.json"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows[number::3]))
        os.utime(path, (1_000_000_000 + number,) * 2)
    merge = {"key": "place", "within": LONGEST, "cycle": LONGEST}
    what = world.description(
        SUBSCRIBED,
        topics={"traffic": nasty.TOPIC, "incidents": incidents.TOPIC | {"merge": merge}},
        publishers=[*world.description([])["publishers"], *incidents.PUBLISHERS],
        watermark=LONGEST,
        bill={"bucket": LONGEST},
        source={"format": "json", "path": "data", "maxFilesPerTrigger": 1},
        sink={"format": "parquet", "path": "out"},
        checkpoint="checkpoint",
    )
    (folder / "edges.yaml").write_text(yaml.safe_dump(what))
    return folder / "edges.yaml"


def _found(notifications) -> dict[str, list[datetime]]:
    """The times of notifications by subscription; to read all columns shows that they can be read."""
    found: dict[str, list[datetime]] = {}
    for row in notifications.collect():
        json.loads(row["payload"].toJson())
        assert row["window_end"] is None or row["window_start"] <= row["window_end"]
        found.setdefault(row["subscription"], []).append(row["time"])
    return {subscription: sorted(times) for subscription, times in found.items()}


def test_in_a_replay(spark, tmp_path):
    path = _description(tmp_path)
    delivered = run.replay(spark, sparing.Deployment.read(path)).delivered
    found = _found(delivered.notifications)
    assert delivered.quarantine.collect() == []
    assert {1669, 1970, 2170} <= {row["bucket"].year for row in delivered.bill.collect() if row["bucket"]}
    delivered.forget()
    assert [time.year for time in found["plain"]] == [1700, 2026, 2199]
    assert len(found["slide"]) == 9
    assert (found["slide"][0].year, found["slide"][-1].year) == (1703, 2270)
    assert len(found["digest"]) == len(found["merged"]) == len(found["sum"]) == 3
    assert len(found["two"]) == 2
    explained = explain(spark, sparing.Deployment.read(path), "slide", None)
    assert explained.end > LATEST


def test_in_a_stream(spark, tmp_path):
    path = _description(tmp_path)
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    found = _found(spark.read.parquet(str(tmp_path / "out/notifications")))
    assert not (tmp_path / "out/quarantine").exists()
    bill = spark.read.parquet(str(tmp_path / "out/bill")).where("bucket IS NOT NULL")
    assert {row["bucket"].year for row in bill.collect()} >= {1669}
    assert [time.year for time in found["plain"]] == [1700, 2026, 2199]
    assert [time.year for time in found["slide"]][:3] == [1703, 1736, 1769]
    assert len(found["digest"]) == 2
    inspected = inspect(spark, str(tmp_path / "checkpoint"), sparing.Deployment.read(path))
    assert inspected.watermark is not None
