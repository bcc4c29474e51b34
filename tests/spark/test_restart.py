"""Kill -9 of the driver in mid-stream, then a restart from the checkpoint: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import sparing
from sparing.spark import run, sinks
from tests.conftest import SHORT_LIVED
from tests.spark import files, incidents, world

pytestmark = pytest.mark.spark

PATIENCE = 300


def _start(path: Path) -> subprocess.Popen:
    command = [
        sys.executable,
        "-c",
        "from sparing.cli import main; main()",
        "run",
        str(path),
        "--once",
        "--master",
        "local[2]",
        *(f"--conf={key}={value}" for key, value in SHORT_LIVED.items()),
    ]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def test_a_killed_driver_goes_on_where_it_stopped(spark, tmp_path):
    subscribed = [*world.subscriptions(9, 20), *incidents.SUBSCRIBED]
    published = [*world.publications(9, 400), *incidents.reports(9, 150)]
    rows = files.disordered(published, seconds=3, seed=9)
    files.write_trace(tmp_path / "data", [*rows, world.last_publication()], files=5)
    # Two publishers draw lots: who is chosen must be the same again.
    publishers = world.description([])["publishers"]
    publishers[0] |= {"top_k": 3, "rank": {"fair": True}}
    publishers[1] |= {"top_k": 4, "rank": {"by": "area", "fair": "exact"}}
    path = files.write_deployment(
        tmp_path,
        subscribed,
        topics={"traffic": {"time": "ts", "fields": world.FIELDS}, "incidents": incidents.TOPIC},
        publishers=[*publishers, *incidents.PUBLISHERS],
        watermark="5 seconds",
        source={"maxFilesPerTrigger": 1},
        checkpoint="checkpoint",
    )

    process = _start(path)
    deadline = time.monotonic() + PATIENCE
    while len(list((tmp_path / "out/notifications").glob("batch=*"))) < 3:  # in the midst of the third micro-batch
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = len(list((tmp_path / "checkpoint/commits").glob("[0-9]*")))
    assert done < 5, "the stream was over before it could be killed"

    process = _start(path)
    told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told

    deployment = sparing.Deployment.read(path)
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(tmp_path / "undisturbed")), 0)
    replayed.delivered.forget()
    assert files.results(tmp_path / "out") == files.results(tmp_path / "undisturbed")


def test_subscriptions_may_come_and_go_between_runs(spark, tmp_path):
    rows = world.publications(11, 300)
    files.write_trace(tmp_path / "data", rows[:150], files=1)
    # No lane can match two of these, so each is a group of its own.
    kept = _counting("b", 1)
    common = {"checkpoint": "checkpoint", "policy": {"decision": "wad"}}
    first = files.write_deployment(tmp_path, [kept, _counting("c", 2)], **common)
    run.wait(run.stream(spark, sparing.Deployment.read(first), once=True))
    known = _told(tmp_path / "out")
    assert known["subscription"] > 0
    assert known["advertisement"] > 0

    (tmp_path / "data/late.json").write_text(
        "".join(files.line(r) + "\n" for r in [*rows[150:], world.last_publication()])
    )
    # "a" comes first in the order of ids, so every subscription has another number now; "c" is gone.
    second = files.write_deployment(tmp_path, [_counting("a", 1), kept], **common)
    run.wait(run.stream(spark, sparing.Deployment.read(second), once=True))

    # "a" is covered by "b", which is as wide, or the other way round: what is told is told once, what is gone
    # is withdrawn, and what stays is not told again.
    after = _told(tmp_path / "out")
    assert after["advertisement"] == known["advertisement"]
    assert known["subscription"] < after["subscription"] <= 3 * known["subscription"]

    counted = sum(1 for row in rows if row["lane"] == 1)
    found = [json.loads(row) for row in files.results(tmp_path / "out")["notifications"]]
    assert sum(row["payload"]["count(1)"] for row in found if row["subscription"] == "b") == counted
    late_comer = sum(row["payload"]["count(1)"] for row in found if row["subscription"] == "a")
    assert late_comer == sum(1 for row in rows[150:] if row["lane"] == 1)


def test_a_checkpoint_of_another_deployment_is_refused(spark, tmp_path):
    files.write_trace(tmp_path / "data", world.publications(12, 20), files=1)
    path = files.write_deployment(
        tmp_path, [_counting("a", 1)], checkpoint="checkpoint", policy={"decision": "patience"}
    )
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    for other in ({"decision": "adock"}, {"decision": "patience", "patience": "2 seconds"}):
        path = files.write_deployment(tmp_path, [_counting("a", 1)], checkpoint="checkpoint", policy=other)
        with pytest.raises(sparing.SparingError, match="was made with another link policy: put that back as it was"):
            run.stream(spark, sparing.Deployment.read(path), once=True)


def test_a_single_file_is_a_source_and_a_used_sink_is_refused(spark, tmp_path):
    rows = [row | {"lane": 1} for row in world.publications(13, 20)]
    files.write_trace(tmp_path / "data", [*rows, world.last_publication()], files=1)
    path = files.write_deployment(
        tmp_path, [_counting("a", 1)], source={"path": "data/part-000.json"}, checkpoint="checkpoint"
    )
    deployment = sparing.Deployment.read(path)
    run.wait(run.stream(spark, deployment, once=True))
    found = [json.loads(row) for row in files.results(tmp_path / "out")["notifications"]]
    assert sum(row["payload"]["count(1)"] for row in found) == len(rows)

    anew = replace(deployment, checkpoint=str(tmp_path / "another"))
    with pytest.raises(sparing.SparingError, match=r"holds results already, and the checkpoint .* is new"):
        run.stream(spark, anew, once=True)


def _told(out) -> Counter:
    kinds: Counter = Counter()
    for (_, _, kind, _), messages in files.results(out)["bill"].items():
        kinds[kind] += messages
    return kinds


def _counting(name: str, lane: int) -> dict[str, str]:
    sql = f"SELECT count(*) FROM traffic WHERE lane = {lane} GROUP BY window(ts, '10 seconds')"
    return {"id": name, "subscriber": "u1", "sql": sql}
