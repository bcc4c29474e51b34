"""A stopped stream finishes the running micro-batch, and does not start another."""

from __future__ import annotations

import time
from threading import Thread

import pytest

from sparing.deployment.deployment import Deployment
from sparing.spark import run
from sparing.spark.stream.stopping import Stop
from tests.spark import files, world

pytestmark = pytest.mark.spark

ALL = {"id": "all", "subscriber": "u1", "sql": "SELECT lane FROM traffic"}
FILES = 4
LAST = 1  # the micro-batch in which the stop is asked for
PULSES = 2.5  # seconds that its writing takes then: whoever waits has noticed meanwhile


def test_a_stop_waits_for_the_running_micro_batch(spark, tmp_path):
    files.write_trace(tmp_path / "data", world.publications(5, 80), files=FILES)
    path = files.write_deployment(tmp_path, [ALL], source={"maxFilesPerTrigger": 1}, checkpoint="checkpoint")
    stop, batches = Stop(), []

    def watch(batch, _):
        batches.append(batch)
        if batch == LAST:
            stop.set()
            time.sleep(PULSES)

    query = run.stream(spark, Deployment.read(path), watch=watch, stop=stop)
    begun = time.monotonic()
    run.wait(query, stop)
    assert time.monotonic() - begun < 25
    assert batches == list(range(LAST + 1))
    committed = {int(file.name) for file in (tmp_path / "checkpoint/commits").iterdir() if file.name.isdigit()}
    assert committed == set(batches), "what was written is committed, so it is not written again"
    assert query.query.exception() is None, "a stop is no failure"
    assert not (tmp_path / f"out/notifications/batch={LAST + 1}").exists()


def test_an_idle_stream_stops_at_once(spark, tmp_path):
    (tmp_path / "data").mkdir()
    path = files.write_deployment(tmp_path, [ALL], checkpoint="checkpoint")
    stop = Stop()
    query = run.stream(spark, Deployment.read(path), stop=stop)
    thread = Thread(target=run.wait, args=(query, stop))
    thread.start()
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
    assert query.query.exception() is None
