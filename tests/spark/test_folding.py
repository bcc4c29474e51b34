"""Folding on Spark: deliveries stay, false positives and reconfigurations are on the bill, batch equals stream."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

import sparing
from sparing.spark import run
from sparing.spark.io import sinks
from tests.spark import files, world

pytestmark = pytest.mark.spark


def _ranges():
    """Ranges of speed that overlap, of subscribers that mostly leave half way, and one that comes then."""
    found = []
    for n in range(12):
        entry = {
            "id": f"r{n:02}",
            "subscriber": f"u{n % 6 + 1}",
            "sql": f"SELECT id FROM traffic WHERE speed BETWEEN {9 * n} AND {9 * n + 16}",
        }
        if n % 4 != 3:
            entry["until"] = (world.START + timedelta(seconds=10 + n % 3)).isoformat()
        found.append(entry)
    came = {"from": (world.START + timedelta(seconds=20)).isoformat(), "subscriber": "u1"}
    return [*found, {"id": "new", "sql": "SELECT id FROM traffic WHERE speed BETWEEN 20 AND 24", **came}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("folding")
    rows = files.disordered(world.publications(8, 600), seconds=4, seed=8)
    files.write_trace(where / "data", [*rows, world.last_publication()], files=4)
    files.write_deployment(where, [*_ranges(), *world.subscriptions(8, 6)], watermark="5 seconds")
    return where


def _deployment(folder, folding):
    found = sparing.Deployment.read(folder / "deployment.yaml")
    policy = replace(found.policy, matchmaker="subscribe-everywhere", folding=folding, theta=1000, rate=0.05)
    return replace(found, policy=policy)


def _replayed(spark, deployment, path):
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(path)), 0)
    replayed.delivered.forget()
    return replayed.bill, files.results(path)


def test_deliveries_stay_and_the_bill_tells_what_was_in_vain(folder, spark, tmp_path):
    plain, expected = _replayed(spark, _deployment(folder, "none"), tmp_path / "plain")
    folded, found = _replayed(spark, _deployment(folder, "mefa"), tmp_path / "folded")
    assert found["notifications"] == expected["notifications"]
    assert found["quarantine"] == expected["quarantine"]
    before, after = plain.by_kind(), folded.by_kind()
    assert after["subscription"] < before["subscription"]
    assert after["coordination"] > 0
    assert after["false_positive"] > 0
    assert after["publication"] - after["false_positive"] == before["publication"]
    assert {kind: after[kind] for kind in ("notification", "result")} == {
        kind: before[kind] for kind in ("notification", "result")
    }
    deployment = _deployment(folder, "mefa")
    stream = replace(
        deployment,
        source=replace(deployment.source, options={**deployment.source.options, "maxFilesPerTrigger": "2"}),
        sink=replace(deployment.sink, path=str(tmp_path / "stream")),
        checkpoint=str(tmp_path / "checkpoint"),
    )
    run.wait(run.stream(spark, stream, once=True))
    assert files.results(tmp_path / "stream") == found
