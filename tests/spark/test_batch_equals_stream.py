"""Batch equals stream: any cut into micro-batches, any number of partitions, arrival shuffled within the watermark."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import sparing
from sparing.spark import run
from sparing.spark.io import sinks, sources
from tests.spark import files, world
from tests.tries import thorough_only, usually

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
    files.write_trace(where / "data", [*rows[:100], *bad, *rows[100:], world.last_publication()], files=5)
    files.write_deployment(where, SUBSCRIBED, watermark="5 seconds")
    return where


@pytest.fixture(scope="module")
def expected(folder, spark):
    """The batch run under a link policy."""

    @cache
    def of(decision):
        deployment = _deployment(folder, decision)
        replayed = run.replay(spark, deployment)
        sinks.write(replayed.delivered, replace(deployment.sink, path=str(folder / decision)), 0)
        replayed.delivered.forget()
        return files.results(folder / decision)

    return of


def _deployment(folder, decision):
    found = sparing.Deployment.read(folder / "deployment.yaml")
    return replace(found, policy=replace(found.policy, decision=decision))


def test_the_batch_run_is_worth_comparing(expected):
    found = expected("adock")
    kinds = {kind for kind in ("event", "window", "digest") for row in found["notifications"] if f'"{kind}"' in row}
    assert kinds == {"event", "window", "digest"}
    assert {kind for _, _, kind, _ in found["bill"]} == {
        *("advertisement", "channel", "coordination"),
        *("publication", "result", "notification"),
    }
    assert sum(found["quarantine"].values()) == 2


MARKED = [("per-source", "publish-everywhere"), ("per-source", "min-cost"), ("shared", "subscribe-everywhere")]


@pytest.mark.parametrize(
    ("tree", "matchmaker"),
    usually(MARKED[:1], MARKED),
)
def test_neither_trees_nor_markings_change_what_is_delivered(folder, spark, expected, tree, matchmaker, tmp_path):
    deployment = _deployment(folder, "adock")
    deployment = replace(deployment, policy=replace(deployment.policy, tree=tree, matchmaker=matchmaker))
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(tmp_path)), 0)
    replayed.delivered.forget()
    found = files.results(tmp_path)
    assert found["notifications"] == expected("adock")["notifications"]
    assert found["quarantine"] == expected("adock")["quarantine"]
    kinds = replayed.bill.by_kind()
    assert ("advertisement" in kinds) == (matchmaker != "subscribe-everywhere")
    assert ("subscription" in kinds) == (matchmaker == "subscribe-everywhere")
    assert ("coordination" in kinds) == (matchmaker == "min-cost")


@thorough_only
def test_a_stream_along_trees_per_source_is_that_batch(folder, spark, tmp_path):
    deployment = _deployment(folder, "adock")
    deployment = replace(deployment, policy=replace(deployment.policy, tree="per-source"))
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, replace(deployment.sink, path=str(tmp_path / "batch")), 0)
    replayed.delivered.forget()
    deployment = replace(
        deployment,
        source=replace(deployment.source, options={**deployment.source.options, "maxFilesPerTrigger": "2"}),
        sink=replace(deployment.sink, path=str(tmp_path / "stream")),
        checkpoint=str(tmp_path / "checkpoint"),
    )
    run.wait(run.stream(spark, deployment, once=True))
    assert files.results(tmp_path / "stream") == files.results(tmp_path / "batch")


PARTITIONS = [(7, "patience"), (1, "wad")]


@pytest.mark.parametrize(("partitions", "decision"), usually(PARTITIONS[:1], PARTITIONS))
def test_partitions_do_not_matter(folder, spark, expected, partitions, decision, tmp_path):
    deployment = _deployment(folder, decision)
    publications = sources.read(spark, deployment, streaming=False).repartition(partitions)
    delivered = sparing.PubSub(spark, deployment).deliver(publications)
    sinks.write(delivered, replace(deployment.sink, path=str(tmp_path)), 0)
    delivered.forget()
    assert files.results(tmp_path) == expected(decision)


CUTS = [(2, "patience"), (1, "bat")]


@pytest.mark.parametrize(("at_a_time", "decision"), usually(CUTS[:1], CUTS))
def test_cuts_into_micro_batches_do_not_matter(folder, spark, expected, at_a_time, decision, tmp_path):
    deployment = _deployment(folder, decision)
    deployment = replace(
        deployment,
        source=replace(deployment.source, options={"maxFilesPerTrigger": str(at_a_time)}),
        sink=replace(deployment.sink, path=str(tmp_path)),
    )
    batches: list[int] = []
    run.wait(run.stream(spark, deployment, once=True, watch=lambda number, _: batches.append(number)))
    assert len(batches) >= 5 / at_a_time
    assert files.results(tmp_path) == expected(decision)
