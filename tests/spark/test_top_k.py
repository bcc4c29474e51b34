"""Top-k delivery on Spark: batch and stream alike, the same again after a restart, wishes of single publications."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import sparing
from sparing.spark import run
from sparing.spark.io import sinks
from tests.spark import files
from tests.tries import usually

pytestmark = pytest.mark.spark

BROKERS = ["c1", "c2", "e1", "e2", "e3"]
LINKS = [["c1", "c2"], ["c1", "e1"], ["c2", "e2"], ["c2", "e3"]]
FIELDS = {"price": "double", "kind": "string", "ts": "timestamp"}


def description(rank: Any, covering: str = "ancestor", **more: Any) -> dict[str, Any]:
    subscriptions = [
        {
            "id": f"s{n:02}",
            "subscriber": f"u{n:02}",
            "sql": f"SELECT * FROM offers WHERE price BETWEEN {10 * (n % 4)} AND {60 + 5 * (n % 7)}",
            "attributes": {"limit": 10.0 * (n % 5), "gold": n % 3 == 0},
        }
        for n in range(24)
    ]
    subscriptions.append(
        {
            "id": "window",
            "subscriber": "u00",
            "sql": "SELECT count(*) FROM offers WHERE price >= 0 GROUP BY window(ts, '10 seconds')",
        }
    )
    return {
        "name": "offers",
        "overlay": {"brokers": BROKERS, "links": LINKS},
        "topics": {"offers": {"time": "ts", "fields": FIELDS}},
        "publishers": [
            {"id": "shop", "at": "e1", "topic": "offers", "top_k": 3, "rank": rank, "where": "price BETWEEN 0 AND 100"},
            {"id": "all", "at": "e2", "topic": "offers"},
        ],
        "subscribers": [{"id": f"u{n:02}", "at": BROKERS[2 + n % 3]} for n in range(24)],
        "subscriptions": subscriptions,
        "policy": {"covering": covering},
        **more,
    }


def rows(count: int = 60) -> list[dict[str, Any]]:
    found = [
        {
            "publisher": "all" if n % 10 == 9 else "shop",
            "id": f"p{n}",
            "price": (7 * n) % 80 + 0.5,
            "kind": "x",
            "ts": f"2026-01-01T00:00:{n:02}Z",
        }
        for n in range(count)
    ]
    # Long after all others, so that every window ends.
    found.append({"publisher": "all", "id": "last", "price": -1.0, "kind": "x", "ts": "2026-01-01T02:00:00Z"})
    found[4]["top_k"], found[5]["top_k"], found[6]["top_k"], found[7]["top_k"] = 1, 2, 9, "many"
    return found


def write(folder: Path, what: dict[str, Any], cuts: int) -> Path:
    (folder / "data").mkdir(parents=True)
    published = rows()
    for number in range(cuts):
        size = len(published)
        lines = [json.dumps(row) + "\n" for row in published[number * size // cuts : (number + 1) * size // cuts]]
        part = folder / f"data/part-{number:03}.json"
        part.write_text("".join(lines))
        os.utime(part, (1_000_000 + number, 1_000_000 + number))  # a stream takes files by age
    path = folder / "offers.yaml"
    source, sink = {"format": "json", "path": "data", "maxFilesPerTrigger": 1}, {"format": "json", "path": "out"}
    path.write_text(yaml.safe_dump(what | {"source": source, "sink": sink}))
    return path


def events(found: dict[str, Counter]) -> dict[str, list[str]]:
    """Time of a publication -> who got it."""
    told: dict[str, list[str]] = {}
    for text in found["notifications"]:
        row = json.loads(text)
        if row["kind"] == "event":
            told.setdefault(row["time"], []).append(row["subscription"])
    return {time: sorted(who) for time, who in told.items()}


RANKS = [
    ({"by": "subscription.limit", "fair": "exact"}, "regular"),
    ({"by": "diverse", "fair": True}, "ancestor"),
    ({"by": "subscription.limit - abs(price - subscription.limit)"}, "rank"),
    ({"by": "area"}, "ancestor"),
    ({"fair": True}, "none"),
]


@pytest.mark.parametrize(("rank", "covering"), usually(RANKS[:1], RANKS))
def test_batch_equals_stream(spark, tmp_path, rank, covering):
    path = write(tmp_path / "stream", description(rank, covering), 2)
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    deployment = sparing.Deployment.read(path)
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(tmp_path / "batch")), 0)
    replayed.delivered.forget()
    streamed, batch = files.results(tmp_path / "stream/out"), files.results(tmp_path / "batch")
    assert events(streamed) == events(batch)
    assert streamed["bill"] == batch["bill"]
    # The wishes: fewer than advertised, more than advertised, and nonsense.
    reasons = sorted(reason for _, reason in batch["quarantine"])
    assert reasons == ["outside the advertisement", "wrong type"]
    told, allowed = events(batch), {"p4": 1, "p5": 2, "p6": 0, "p7": 0}
    expected = 0
    for row in rows():
        k = allowed.get(row["id"], 3 if row["publisher"] == "shop" else 99)
        matching = sum(10 * (n % 4) <= row["price"] <= 60 + 5 * (n % 7) for n in range(24)) + (row["price"] >= 0)
        expected += min(k, matching)
        assert len(told.get(row["ts"].replace("Z", ".000000Z"), ())) <= k
    windows = [json.loads(text) for text in batch["notifications"] if '"window"' in text]
    counted = sum(row["payload"]["count(1)"] for row in windows if row["kind"] == "window")
    assert sum(map(len, told.values())) + counted == expected, "windows are among the k as well"
    if rank.get("fair") == "exact":
        assert any(kind == "coordination" for _, _, kind, _ in batch["bill"])


def test_covering_changes_the_subscriptions_told_and_nothing_else(spark, tmp_path):
    found = {}
    for covering in ("none", "rank", "ancestor"):
        path = write(tmp_path / covering, description({"by": "area"}, covering), 1)
        replayed = run.replay(spark, sparing.Deployment.read(path))
        told = {(r["subscription"], r["time"]) for r in replayed.delivered.notifications.collect()}
        bill = replayed.bill.by_kind()
        replayed.delivered.forget()
        found[covering] = told, bill
    assert found["none"][0] == found["rank"][0] == found["ancestor"][0]
    subscriptions = {
        covering: bill.pop("subscription", 0) + bill.pop("channel", 0) for covering, (_, bill) in found.items()
    }
    assert found["none"][1] == found["rank"][1] == found["ancestor"][1]
    assert subscriptions["ancestor"] < subscriptions["none"]
    assert subscriptions["ancestor"] <= subscriptions["rank"] <= subscriptions["none"]
