"""Everything at once on Spark: the city of `docs/examples/everything.yaml`, as a batch and as a stream."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from datetime import datetime

import pytest
import yaml

import sparing
from sparing.control.routing.billing import control_bill
from sparing.deployment.planning import plan_of
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark import run
from sparing.spark.io import sinks
from tests.docs.pages import ROOT
from tests.judges import everything
from tests.judges.everything import Delivery, canonical
from tests.messages import missing, refused
from tests.spark import files
from tests.together import running
from tests.together.checks import told_apart
from tests.together.running import without_ids

pytestmark = pytest.mark.spark

EXAMPLES = ROOT / "docs" / "examples"
FILES = 5
STOPPED = 2  # after so many files the stream is stopped; after the next one somebody comes
COMES = {
    "id": "comes",
    "subscriber": "dispatch",
    "sql": "SELECT count(*), avg(speed) FROM traffic WHERE lane = 2 GROUP BY window(ts, '20 seconds')",
}
LAST = (
    '{"id": "last", "publisher": "clock", "ts": "2026-01-02T00:00:00Z"}'  # tells that time has passed, and nothing else
)


def lines() -> list[str]:
    """What is published, in the order of arrival."""
    found = [line for file in sorted((EXAMPLES / "everything").iterdir()) for line in file.read_text().splitlines()]
    return [*found, LAST]


def parts() -> list[list[str]]:
    """The lines of each file."""
    size = -(-len(lines()) // FILES)
    return [lines()[first : first + size] for first in range(0, len(lines()), size)]


def write(folder, **more):
    """The example in a folder of its own, with somebody who tells the time."""
    what = yaml.safe_load((EXAMPLES / "everything.yaml").read_text())
    what["publishers"].append({"id": "clock", "at": "hall", "topic": "traffic"})
    what["subscriptions"] += more.pop("coming", [])
    what["source"] |= {"path": "data", "maxFilesPerTrigger": 1}
    what |= {"sink": {"format": "json", "path": "out"}, "checkpoint": "checkpoint", **more}
    path = folder / "everything.yaml"
    path.write_text(yaml.safe_dump(what))
    return path


def publish(folder, numbers):
    """Write some of the files."""
    (folder / "data").mkdir(exist_ok=True)
    for number in numbers:
        path = folder / f"data/part-{number}.json"
        path.write_text("".join(line + "\n" for line in parts()[number]))
        os.utime(path, (1_000_000 + number, 1_000_000 + number))  # a stream takes files by age


def deliveries(folder) -> list[Delivery]:
    """The notifications of an output folder, as the judge has them."""
    found = []
    for text, times in files.results(folder)["notifications"].items():
        row = json.loads(text)
        ends = [micros(row.get(name)) for name in ("time", "window_start", "window_end")]
        found += [Delivery(row["subscription"], row["kind"], "", *ends, canonical(row["payload"]))] * times
    return sorted(found)


def micros(text):
    return None if text is None else (datetime.fromisoformat(text) - EPOCH) // MICROSECOND


@pytest.fixture(scope="module")
def batch(spark, tmp_path_factory):
    """The example as a batch: the deployment, and the folder with what came out."""
    folder = tmp_path_factory.mktemp("together")
    publish(folder, range(FILES))
    deployment = sparing.Deployment.read(write(folder))
    replayed = run.replay(spark, deployment)
    sinks.write(replayed.delivered, deployment.sink, 0)
    replayed.delivered.forget()
    return deployment, folder / "out"


def test_as_a_batch_everybody_gets_what_the_judge_says(batch):
    deployment, out = batch
    plan, found = plan_of(deployment), deliveries(out)
    walked = running.batch(plan, lines())
    wanted = without_ids(everything.judged(deployment, lines(), walked.drawn))
    assert told_apart(found) == told_apart(wanted)  # an aggregator fails, so something may be told later
    aside = everything.admitted(deployment, lines())[1]
    assert files.results(out)["quarantine"] == Counter(aside)
    billed = Bill()
    for (source, target, kind, bucket), messages in files.results(out)["bill"].items():
        billed[BillKey(source, target, MessageKind(kind), micros(bucket))] += messages
    assert billed == walked.bill + control_bill(plan)


def test_as_a_stream_that_is_stopped_started_and_edited(spark, batch, tmp_path):
    """Who was there all the time gets what a batch gives it; who comes by an edit, what arrives from then on."""
    told = []

    def edit(*_):
        write(tmp_path, coming=[COMES])

    deployment = sparing.Deployment.read(write(tmp_path))
    publish(tmp_path, range(STOPPED))
    run.wait(run.stream(spark, deployment, once=True))
    publish(tmp_path, range(STOPPED, FILES))
    run.wait(run.stream(spark, deployment, once=True, watch=edit, tell=told.append))
    (message,) = told
    assert missing(message, "17 subscriptions 1 new") == []
    found = deliveries(tmp_path / "out")
    assert [d for d in found if d.subscription != "comes"] == deliveries(batch[1])

    deployment = sparing.Deployment.read(tmp_path / "everything.yaml")
    since = [line for part in parts()[STOPPED + 1 :] for line in part]
    (comes,) = [s for s in deployment.subscriptions if s.id == "comes"]
    got = everything.received(
        replace(deployment, subscriptions=(comes,)), everything.admitted(deployment, since)[0], {}
    )
    wanted = everything.told(comes, deployment.topics["traffic"], got["comes"])
    assert [d for d in found if d.subscription == "comes"] == sorted(wanted)
    assert wanted


def test_static_is_for_batches_only(spark, batch, tmp_path):
    deployment, _ = batch
    sink = replace(deployment.sink, path=str(tmp_path))
    static = replace(deployment, policy=replace(deployment.policy, decision="static"), sink=sink)
    with refused("static"):
        run.stream(spark, static, once=True)
