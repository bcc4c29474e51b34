"""What docs/operations.md shows of streams: a query of one's own, and a line of the log."""

import json
from unittest.mock import Mock

import pytest
import yaml

import sparing
from sparing.deployment.planning import plan_of
from sparing.flow.admit.admission import QuarantineReason
from sparing.spark.run import wait
from sparing.spark.stream.checkpoint import check_note, note_for
from sparing.spark.stream.follow import PlanFollower
from sparing.spark.stream.logs import log_to
from sparing.spark.stream.stopping import Stop
from tests.docs.pages import only
from tests.docs.reader import Reader, spark_at

PAGE = "docs/operations.md"


@pytest.fixture
def cars(spark, tmp_path, monkeypatch):
    """A folder with the README's files, which paths are relative to."""
    Reader(tmp_path, monkeypatch, lambda: spark).has_files_of("README.md")
    with spark_at(tmp_path, spark):
        yield tmp_path


@pytest.mark.spark
def test_a_query_of_ones_own(spark, cars):
    example = only(PAGE, "python", "foreachBatch")
    relative = '.option("checkpointLocation", "'  # which Spark takes to be in the folder of its Java
    assert relative in example
    fields = "publisher string, road string, lane int, speed double, ts timestamp"
    names = {
        "sparing": sparing,
        "spark": spark,
        "deployment": sparing.Deployment.read("cars.yaml"),
        "publications": spark.readStream.schema(fields).json("data/"),
    }
    exec(compile(example.replace(relative, f"{relative}{cars}/"), PAGE, "exec"), names)
    try:
        names["query"].processAllAvailable()
    finally:
        names["query"].stop()
    (told,) = spark.read.parquet("out/notifications").select("subscription").distinct().collect()
    assert told["subscription"] == "slow"  # windows are open until later events come
    (refused,) = spark.read.parquet("out/quarantine").collect()
    assert refused["reason"] == QuarantineReason.OUTSIDE.value


@pytest.mark.spark
def test_what_is_said_of_edits(spark, cars):
    path, told = cars / "cars.yaml", []
    deployment = sparing.Deployment.read(path)
    plan = plan_of(deployment)
    note = note_for(spark, deployment, plan, {})
    check_note(spark, str(cars / "checkpoint"), note)
    checkpoint = str(cars / "checkpoint")
    follower = PlanFollower(spark, deployment, checkpoint, plan=plan, accepted=told.append, rejected=told.append)
    described = yaml.safe_load(path.read_text())
    described["subscriptions"].append({"id": "all", "subscriber": "alice", "sql": "SELECT * FROM traffic"})
    for edit in ({}, {"policy": {"decision": "wad"}}):
        path.write_text(yaml.safe_dump(described | edit))
        follower.poll()
    assert told == only(PAGE, "text", "policy.decision").splitlines()


def test_the_line_of_a_log(tmp_path):
    """A stand-in for the query: what is shown is written once it has been stopped."""
    stop, path = Stop(), tmp_path / "cars.jsonl"
    stop.set()
    query = Mock(awaitTermination=lambda _: False, runId="none", status={"isTriggerActive": False})
    query.name = "sparing cars"
    with log_to(str(path)):
        wait(Mock(query=query, done=-1), stop)
    shown, (line,) = json.loads(only(PAGE, "json", '"level"')), path.read_text().splitlines()
    assert list(json.loads(line).items())[1:] == list(shown.items())[1:]  # all but the time
