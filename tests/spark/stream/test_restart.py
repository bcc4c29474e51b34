"""Killed streams restart from the checkpoint without lost or duplicate results."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

import sparing
from sparing.spark import run
from sparing_lab.bench.faults.kills import FIVE, Killing
from sparing_lab.bench.faults.trace import Trace
from tests.conftest import SHORT_LIVED
from tests.messages import refused
from tests.spark import files, world

pytestmark = pytest.mark.spark


def test_a_stream_killed_five_times_has_the_same_results(spark, tmp_path):
    """Kills of everything, of Java, of the driver and of workers, in tasks and at writes of ours."""
    trace = Trace.written(tmp_path / "city", seed=9, files=6)
    run.wait(run.stream(spark, sparing.Deployment.read(trace.stream("undisturbed")), once=True))
    options = ["--master", "local[2]", *(f"--conf={key}={value}" for key, value in SHORT_LIVED.items())]
    outcomes = Killing(trace, trace.results("undisturbed"), options, print).all(FIVE)
    assert len(outcomes) == len(FIVE)
    assert [outcome for outcome in outcomes if not outcome.kept] == []


def test_subscriptions_may_join_and_leave_between_runs(spark, tmp_path):
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


def test_a_checkpoint_of_another_deployment_is_rejected(spark, tmp_path):
    files.write_trace(tmp_path / "data", world.publications(12, 20), files=1)
    path = files.write_deployment(
        tmp_path, [_counting("a", 1)], checkpoint="checkpoint", policy={"decision": "patience"}
    )
    run.wait(run.stream(spark, sparing.Deployment.read(path), once=True))
    for other in ({"decision": "adock"}, {"decision": "patience", "patience": "2 seconds"}):
        path = files.write_deployment(tmp_path, [_counting("a", 1)], checkpoint="checkpoint", policy=other)
        with refused("link policy"):
            run.stream(spark, sparing.Deployment.read(path), once=True)


def test_a_single_file_can_be_a_source_and_a_used_sink_is_rejected(spark, tmp_path):
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
    with refused("checkpoint"):
        run.stream(spark, anew, once=True)


def _told(out) -> Counter:
    kinds: Counter = Counter()
    for (_, _, kind, _), messages in files.results(out)["bill"].items():
        kinds[kind] += messages
    return kinds


def _counting(name: str, lane: int) -> dict[str, str]:
    sql = f"SELECT count(*) FROM traffic WHERE lane = {lane} GROUP BY window(ts, '10 seconds')"
    return {"id": name, "subscriber": "u1", "sql": sql}
