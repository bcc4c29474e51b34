"""Merged events on Spark: what the judge says is told, batch equals stream, and plans may change on the way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import yaml

import sparing
from sparing.spark import run
from sparing.spark.io import sinks
from tests.judges.events import Said, Wish, deliveries, events_of
from tests.spark import files, incidents, world
from tests.tries import usually

pytestmark = pytest.mark.spark

SECOND = 1_000_000
OUTAGE = {"broker": "c1", "from": "2026-01-01T00:00:12Z", "until": "2026-01-01T00:00:21Z"}
POLICIES = {
    "caeva": {"events": "caeva"},
    "partitions": {"events": "caeva", "placement": "replay", "partitions": 3},
    "fixed": {"events": "caeva", "placement": 1, "active_aggregators": 1, "tree": "per-source"},
    "agele": {"events": "agele"},
    "siena": {"events": "siena"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("events")
    rows = files.disordered(incidents.reports(3, 250), seconds=3, seed=3)
    files.write_trace(where / "data", [*rows, world.last_publication()], files=6)
    _write(where, [*incidents.SUBSCRIBED, incidents.AT_ONCE])
    return where


def _write(where, subscribed, **more):
    return files.write_deployment(
        where,
        subscribed,
        topics={"incidents": incidents.TOPIC, "traffic": {"time": "ts", "fields": world.FIELDS}},
        publishers=[*incidents.PUBLISHERS, {"id": "p1", "at": "e1", "topic": "traffic"}],
        watermark="5 seconds",
        **more,
    )


def _deployment(folder, out, name="caeva", without=(), **more):
    what = yaml.safe_load((folder / "deployment.yaml").read_text()) | more
    what["policy"] = POLICIES[name]
    what["subscriptions"] = [s for s in what["subscriptions"] if s["id"] not in without]
    what["sink"]["path"] = str(out)
    return sparing.Deployment.of(what, folder)


def _batch(spark, deployment):
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, deployment.sink, None)
    replayed.delivered.forget()
    return replayed


def _stream(spark, deployment, at_a_time):
    options = {**deployment.source.options, "maxFilesPerTrigger": str(at_a_time)}
    run.wait(run.stream(spark, replace(deployment, source=replace(deployment.source, options=options)), once=True))


def _told(rows):
    """Who was told which values of which event when, as the judge has it."""
    found = Counter()
    for text, times in rows.items():
        row = json.loads(text)
        if row["kind"] == "merged":
            new = frozenset((n["field"], _text(n["value"])) for n in row["payload"]["new"])
            began = _micros(row["window_start"])
            found[row["subscription"], row["payload"]["key"]["place"], began, _micros(row["time"]), new] += times
    return found


def _micros(text):
    return int((datetime.fromisoformat(text) - world.START).total_seconds() * SECOND)


def _judged():
    rows = [row for row in incidents.reports(3, 250) if "place" in row]
    within = 8 * SECOND
    said = []
    for row in rows:
        facts = {(name, row[name]) for name in ("place", "kind", "severity", "blocked") if name in row}
        facts = {(name, "NaN" if str(value) == "nan" else value) for name, value in facts}
        time = (row["ts"] - world.START).total_seconds() * SECOND
        said.append(Said(int(time), row["id"], "", row["place"], frozenset(facts)))

    def some(name, holds):
        return lambda facts: any(field == name and holds(value) for field, value in facts)

    def everything(facts):
        return True

    severe, urgent = some("severity", lambda v: v >= 2), some("severity", lambda v: v == 4)
    fire, blocked = some("kind", lambda v: v == "fire"), some("blocked", lambda v: v == "NaN" or v > 0.5)
    other, early = some("kind", lambda v: v != "debris"), some("place", lambda v: v < "P4")
    wishes = [
        Wish("m0", "", 4 * SECOND, everything),
        Wish("m1", "", 6 * SECOND, severe),
        Wish("m2", "", 3 * SECOND, lambda f: other(f) and early(f)),
        Wish("m3", "", 20 * SECOND, blocked, lambda f: urgent(f) and fire(f)),
        Wish("m5", "", 0, some("place", lambda v: v == "P1")),
    ]
    began = {report.id: event[0].time for event in events_of(said, within) for report in event}
    whole = [replace(r, facts=r.facts | {("ts", began[r.id])}) for r in said]
    found = Counter()
    for heard in deliveries(whole, within, wishes):
        facts = heard.facts
        if heard.who == "m2":
            facts = {("what" if n == "kind" else n, v) for n, v in facts if n in ("place", "kind")}
        new = frozenset((n, _stamp(v) if n == "ts" else _text(v)) for n, v in facts)
        if new:
            found[heard.who, heard.key, heard.began, heard.time, new] += 1
    return found, len(events_of(said, within))


def _text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _stamp(micros):
    return (world.START + timedelta(microseconds=micros)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _results(out):
    """What a replay left behind."""
    found = {name: [] for name in ("notifications", "bill", "quarantine")}
    for name in found:
        for path in sorted((out / "replay" / name).glob("part-*.json")):
            found[name] += [json.loads(text) for text in path.read_text().splitlines()]
    bill = Counter()
    for row in found["bill"]:
        bill[row["source"], row["target"], row["kind"], row.get("bucket")] += row["messages"]
    return {
        "notifications": Counter(json.dumps(row, sort_keys=True) for row in found["notifications"]),
        "bill": bill,
        "quarantine": Counter((row["row"], row["reason"]) for row in found["quarantine"]),
    }


@pytest.mark.parametrize("name", usually(("caeva", "siena"), POLICIES))
def test_subscribers_are_told_what_the_judge_says(folder, spark, tmp_path, name):
    replayed = _batch(spark, _deployment(folder, tmp_path, name))
    found = _results(tmp_path)
    judged, events = _judged()
    assert _told(found["notifications"]) == judged
    assert {reason for _, reason in found["quarantine"]} == {"no event key"}
    counted = [json.loads(row)["payload"] for row in found["notifications"] if '"m4"' in row]
    assert sum(payload["count(1)"] for payload in counted) == events
    kinds = replayed.bill.by_kind()
    assert ("merged" in kinds) == (name != "siena")
    assert replayed.merged is not None
    taken = sum(n for some in replayed.merged.sent.values() for kind, n in some.items() if kind != "coordination")
    assert (taken < sum(replayed.merged.siena.values())) == (name != "siena")
    assert name != "siena" or taken == sum(replayed.merged.siena.values())


STREAMS = [("partitions", 2, ("m4", "m5")), ("caeva", 1, ())]


@pytest.mark.parametrize(("name", "at_a_time", "without"), usually(STREAMS[:1], STREAMS))
def test_a_stream_is_that_batch(folder, spark, tmp_path, name, at_a_time, without):
    """With an aggregator down in between; without aggregates the partitions run apart."""
    deployment = _deployment(folder, tmp_path / "stream", name, without, outages=[OUTAGE])
    _stream(spark, replace(deployment, checkpoint=str(tmp_path / "checkpoint")), at_a_time)
    _batch(spark, _deployment(folder, tmp_path / "batch", name, without, outages=[OUTAGE]))
    assert files.results(tmp_path / "stream") == _results(tmp_path / "batch")
