"""Batch equals stream: any cut into micro-batches, any number of partitions, arrival shuffled within the watermark."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparing
from sparing.spark import run, sinks, sources
from tests.spark import files, world

pytestmark = pytest.mark.spark

SUBSCRIBED = [
    *world.subscriptions(5, 30),
    {"id": "digest", "subscriber": "u1", "sql": "SELECT id, lane FROM traffic WHERE lane < 2 EVERY '5 seconds'"},
    {
        "id": "counted",
        "subscriber": "u2",
        "sql": "SELECT count(*), sum(lane) FROM traffic WHERE lane < 3 GROUP BY count_window(7, 3)",
    },
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("trace")
    rows = files.disordered(world.publications(5, 600), seconds=4, seed=5)
    bad = [
        {"publisher": "nobody", "ts": world.START, "lane": 1},
        {"publisher": "p1", "ts": world.START, "lane": "many"},
    ]
    files.write_trace(where / "data", [*rows[:100], *bad, *rows[100:], world.last_publication()], files=6)
    files.write_deployment(where, SUBSCRIBED, watermark="5 seconds")
    return where


@pytest.fixture(scope="module")
def expected(folder, spark):
    """The batch run."""
    deployment = sparing.Deployment.read(folder / "deployment.yaml")
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(folder / "batch")), 0)
    replayed.delivered.forget()
    return files.results(folder / "batch")


def test_the_batch_run_is_worth_comparing(expected):
    kinds = {kind for kind in ("event", "window", "digest") for row in expected["notifications"] if f'"{kind}"' in row}
    assert kinds == {"event", "window", "digest"}
    assert {kind for _, _, kind, _ in expected["bill"]} == {"publication", "result", "notification"}
    assert sum(expected["quarantine"].values()) == 2


@pytest.mark.parametrize("partitions", [1, 7])
def test_partitions_do_not_matter(folder, spark, expected, partitions, tmp_path):
    deployment = sparing.Deployment.read(folder / "deployment.yaml")
    publications = sources.read(spark, deployment, streaming=False).repartition(partitions)
    delivered = sparing.PubSub(spark, deployment).deliver(publications)
    sinks.write(delivered, replace(deployment.sink, path=str(tmp_path)), 0)
    delivered.forget()
    assert files.results(tmp_path) == expected


@pytest.mark.parametrize("at_a_time", [1, 4])
def test_cuts_into_micro_batches_do_not_matter(folder, spark, expected, at_a_time, tmp_path):
    deployment = sparing.Deployment.read(folder / "deployment.yaml")
    deployment = replace(
        deployment,
        source=replace(deployment.source, options={"maxFilesPerTrigger": str(at_a_time)}),
        sink=replace(deployment.sink, path=str(tmp_path)),
    )
    batches: list[int] = []
    run.wait(run.stream(spark, deployment, once=True, watch=lambda number, _: batches.append(number)))
    assert len(batches) >= 6 / at_a_time
    assert files.results(tmp_path) == expected
