"""A running stream follows changes of its deployment, with the next micro-batch and without a restart."""

from __future__ import annotations

import gc
import json
import threading
import time
from datetime import datetime
from threading import Thread

import pytest
import yaml

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.model.errors import SparingError
from sparing.spark import run
from sparing.spark.stream.checkpoint import check_note, known_groups, note_for
from sparing.spark.stream.follow import PlanFollower
from sparing.spark.stream.stopping import Stop
from tests.messages import missing
from tests.spark import files, world

pytestmark = pytest.mark.spark

WINDOWS = {"id": "w", "subscriber": "u1", "sql": "SELECT count(*) AS n FROM traffic GROUP BY window(ts, '10 seconds')"}
STAYS = {"id": "stays", "subscriber": "u2", "sql": "SELECT id FROM traffic WHERE lane < 3"}
GOES = {"id": "goes", "subscriber": "u3", "sql": "SELECT id FROM traffic WHERE lane >= 3"}
COMES = {"id": "comes", "subscriber": "u4", "sql": "SELECT id FROM traffic WHERE road = '401'"}
WAITS = {"id": "a waits", "subscriber": "u4", "sql": "SELECT sum(lane) FROM traffic GROUP BY window(ts, '4 seconds')"}
BATCHES = 6
PATIENCE = 60


def _table(path, subscribed):
    path.write_text("".join(json.dumps(row) + "\n" for row in subscribed))


def _stream(spark, folder, changes):
    """Run a stream whose subscriptions are in a table that `changes` are made to after some micro-batches."""
    rows = world.publications(3, 300)
    files.write_trace(folder / "data", rows, files=BATCHES)
    path = files.write_deployment(
        folder, [], watermark="5 seconds", source={"maxFilesPerTrigger": 1}, checkpoint="checkpoint"
    )
    described = yaml.safe_load(path.read_text()) | {"subscriptions": "subscriptions.jsonl"}
    path.write_text(yaml.safe_dump(described))
    _table(folder / "subscriptions.jsonl", [WINDOWS, STAYS, GOES])
    told = []

    def watch(batch, counts):
        if batch in changes:
            changes[batch](folder)

    run.wait(run.stream(spark, Deployment.read(path), once=True, watch=watch, tell=told.append))
    received = {}
    for number in range(BATCHES + 2):
        for file in (folder / f"out/notifications/batch={number}").glob("part-*.json"):
            for text in file.read_text().splitlines():
                row = json.loads(text)
                received.setdefault(row["subscription"], {}).setdefault(number, []).append(row)
    return rows, received, told


def _check_told(told, expected):
    """One message for each change, with these words."""
    assert [missing(message, parts) for message, parts in zip(told, expected, strict=True)] == [[]] * len(expected)


def _ids(received, subscription):
    by_batch = received.get(subscription, {})
    return {batch: sorted(row["payload"]["id"] for row in rows) for batch, rows in by_batch.items()}


def _expected(rows, wanted, batches):
    size = -(-len(rows) // BATCHES)
    found = {b: sorted(r["id"] for r in rows[b * size : (b + 1) * size] if wanted(r)) for b in batches}
    return {batch: ids for batch, ids in found.items() if ids}


def test_subscriptions_join_and_leave_between_two_micro_batches(spark, tmp_path):
    changes = {
        1: lambda folder: _table(folder / "subscriptions.jsonl", [COMES, WINDOWS, STAYS]),
        3: lambda folder: _table(folder / "subscriptions.jsonl", [COMES, WAITS, WINDOWS, STAYS, GOES]),
    }
    rows, received, told = _stream(spark, tmp_path, changes)

    def low(row):
        return row["lane"] is not None and row["lane"] < 3

    def high(row):
        return row["lane"] is not None and row["lane"] >= 3

    assert _ids(received, "stays") == _expected(rows, low, range(BATCHES))
    assert _ids(received, "goes") == _expected(rows, high, [0, 1, 4, 5])
    assert _ids(received, "comes") == _expected(rows, lambda row: row["road"] == "401", [2, 3, 4, 5])
    _check_told(told, ["3 subscriptions 1 new 1 gone", "5 subscriptions 2 new"])
    # Windows that were open when the plan changed are none the worse for it, although all numbers have changed.
    counted = sum(row["payload"]["n"] for batch in received["w"].values() for row in batch)
    last = max(datetime.fromisoformat(row["window_end"]) for batch in received["w"].values() for row in batch)
    assert counted == sum(row["ts"] < last for row in rows)
    # Those of a newcomer hold what was published since.
    assert received["a waits"]
    assert all(batch > 3 for batch in received["a waits"])


def test_rejected_changes_are_reported_and_have_no_effect(spark, tmp_path):
    """A mistake, a broker that is cut off from publishers it has subscribers of, and what needs a restart."""
    overlay = world.description([])["overlay"]
    cut = overlay | {"links": [link for link in overlay["links"] if link != ["c2", "e3"]]}

    def mistake(folder):
        _table(folder / "subscriptions.jsonl", [{**STAYS, "sql": "SELECT id FROM traffic WHERE lne < 3"}])

    def cut_off(folder):
        _table(folder / "subscriptions.jsonl", [WINDOWS, STAYS, GOES])
        _reshape(folder, overlay=cut)

    changes = {0: mistake, 2: cut_off, 4: lambda folder: _reshape(folder, overlay=overlay, watermark="6 seconds")}
    rows, received, told = _stream(spark, tmp_path, changes)
    assert _ids(received, "goes") == _expected(rows, lambda row: (row["lane"] or 0) >= 3, range(BATCHES))
    assert missing(told[0], "lne lane traffic") == []
    assert missing(told[1], "e3") == []
    assert missing(told[2], "watermark 5 6") == []
    assert len(told) == 3


def _reshape(folder, **parts):
    """Change parts of the deployment file."""
    path = folder / "deployment.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | parts))


def _bill(folder, batch):
    return [
        json.loads(text)
        for file in (folder / f"out/bill/batch={batch}").glob("part-*.json")
        for text in file.read_text().splitlines()
    ]


def test_links_change_while_publications_are_held(spark, tmp_path):
    overlay = world.description([])["overlay"]
    cut = overlay | {"links": [link for link in overlay["links"] if link != ["c1", "c2"]]}
    changes = {1: lambda folder: _reshape(folder, overlay=cut), 3: lambda folder: _reshape(folder, overlay=overlay)}
    rows, received, told = _stream(spark, tmp_path, changes)
    _check_told(told, ["6 links 1 gone", "7 links 1 new"])
    for name, wanted in (("stays", lambda row: row["lane"] < 3), ("goes", lambda row: row["lane"] >= 3)):
        mine = _expected(rows, lambda row, wanted=wanted: row["lane"] is not None and wanted(row), range(BATCHES))
        assert _ids(received, name) == mine
    counted = sum(row["payload"]["n"] for batch in received["w"].values() for row in batch)
    last = max(datetime.fromisoformat(row["window_end"]) for batch in received["w"].values() for row in batch)
    assert counted == sum(row["ts"] < last for row in rows), "windows that were open meanwhile have everything"
    for batch in (2, 3):
        between = {(row["source"], row["target"]) for row in _bill(tmp_path, batch) if row["kind"] == "publication"}
        assert not between & {("c1", "c2"), ("c2", "c1")}
    control = [{row["kind"] for row in _bill(tmp_path, batch)} - DATA for batch in range(BATCHES)]
    assert [bool(kinds) for kinds in control] == [True, False, True, False, True, False], "what changed is billed, once"


DATA = {"publication", "result", "notification"}


def test_publishers_join_and_leave_a_running_stream(spark, tmp_path):
    publishers = world.description([])["publishers"]
    changes = {
        1: lambda folder: _reshape(folder, publishers=publishers[1:]),
        3: lambda folder: _reshape(folder, publishers=publishers),
    }
    rows, received, told = _stream(spark, tmp_path, changes)
    _check_told(told, ["2 publishers 1 gone", "3 publishers 1 new"])
    size = -(-len(rows) // BATCHES)
    quiet = {row["id"] for row in rows[2 * size : 4 * size] if row["publisher"] == "p1"}
    set_aside = {json.loads(row["row"])["id"] for batch in (2, 3) for row in _quarantine(tmp_path, batch)}
    assert set_aside >= quiet
    assert quiet
    delivered = {id_ for ids in _ids(received, "stays").values() for id_ in ids}
    assert delivered == {row["id"] for row in rows if row["lane"] is not None and row["lane"] < 3} - quiet


def _quarantine(folder, batch):
    files_of = (folder / f"out/quarantine/batch={batch}").glob("part-*.json")
    return [json.loads(text) for file in files_of for text in file.read_text().splitlines()]


def test_changes_are_reported_within_seconds_without_micro_batches(spark, tmp_path):
    """Nothing is published meanwhile, so no micro-batch starts."""
    files.write_trace(tmp_path / "data", world.publications(3, 20), files=1)
    path = files.write_deployment(tmp_path, [STAYS, GOES], watermark="5 seconds", checkpoint="checkpoint")
    good = path.read_text()
    told, batches, stop = [], [], Stop()
    watch = {"watch": lambda batch, _: batches.append(batch), "tell": told.append, "stop": stop}
    query = run.stream(spark, Deployment.read(path), **watch)
    thread = Thread(target=run.wait, args=(query, stop))
    thread.start()

    def edit(text, number):
        path.write_text(text)
        _until(lambda: len(told) >= number)
        assert len(told) == number
        return told[-1]

    try:
        _until(lambda: len(batches) > 1 and not query.query.status["isTriggerActive"])  # one more moves the watermark
        quiet = len(batches)
        without = yaml.safe_load(good)
        del without["subscriptions"][0]
        accepted = edit(yaml.safe_dump(without), 1)
        assert missing(accepted, "1 subscription gone") == []
        assert missing(edit("overlay: [", 2), str(path)) == []
        rejected = edit(yaml.safe_dump(without | {"policy": {"decision": "wad"}}), 3)
        assert missing(rejected, "policy.decision adock wad") == []
        assert len(batches) == quiet, "all that without a micro-batch"
        path.write_text(yaml.safe_dump(without))
        files.write_trace(tmp_path / "more", world.publications(4, 20), files=1)
        (tmp_path / "more/part-000.json").rename(tmp_path / "data/part-001.json")
        _until(lambda: len(batches) > quiet)
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert len(told) == 3, "the same edit is told once"
    last = files.rows(tmp_path / "out/notifications", batches[quiet])
    assert {row["subscription"] for row in last} == {"goes"}, "what was accepted is in force"
    _until(lambda: not any(thread.name == "sparing follow" for thread in threading.enumerate()))


def _until(holds):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_plan_without_micro_batches_does_not_disturb_later_tasks(spark, tmp_path):
    """Every task of a session fetches the plans that were shipped in it, also after their stream has ended."""
    path = files.write_deployment(tmp_path, [STAYS])
    deployment, told, checkpoint = Deployment.read(path), [], str(tmp_path / "checkpoint")
    plan = plan_of(deployment)
    check_note(spark, checkpoint, note_for(spark, deployment, plan, {}))
    follower = PlanFollower(spark, deployment, checkpoint, plan=plan, accepted=told.append, rejected=told.append)
    _reshape(tmp_path, subscriptions=[STAYS, GOES])
    follower.poll()
    _check_told(told, ["2 subscriptions 1 new"])
    del follower
    gc.collect()
    assert spark.range(4, numPartitions=2).rdd.count() == 4


def test_a_deployment_without_a_file_is_not_watched(spark, tmp_path):
    deployment = Deployment.of(world.description([STAYS]), tmp_path)
    told = []
    checkpoint = str(tmp_path / "checkpoint")
    follower = PlanFollower(spark, deployment, checkpoint, plan=None, accepted=told.append, rejected=told.append)
    follower.switch_plan()
    assert not told


def test_a_checkpoint_of_another_version_is_rejected(spark, tmp_path):
    (tmp_path / "sparing.json").write_text(json.dumps({"format": 2, "partitions": 2, "overlay": "abc"}))
    with pytest.raises(SparingError, match="version"):
        known_groups(spark, str(tmp_path))
