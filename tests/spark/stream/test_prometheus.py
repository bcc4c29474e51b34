"""Metrics for Prometheus: names, updates by records, and the endpoint. Needs no Spark session."""

from __future__ import annotations

import json
import math
import re
import socket
import urllib.request

import pytest
from prometheus_client import generate_latest
from pyspark.sql.streaming.listener import StreamingQueryProgress
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from sparing.spark.stream.micro_batch import PlanInForce, record_of
from sparing.spark.stream.prometheus import Metrics, serve
from sparing.spark.tally import Tally
from tests.messages import missing, refused

PLAN = PlanInForce(version=3, fingerprint="abc", subscriptions=12, publishers=4, refused=1)
TALLY = Tally(
    {"notifications": 5, "bill": 3, "quarantine": 2},
    {"publication": 7, "notification": 5},
    {"late": 2},
    {("a", "b", "publication"): 7},
)


def progress(**other):
    """What Spark tells of a micro-batch."""
    operator = {
        "operatorName": "applyInPandasWithState",
        "numRowsTotal": 0,
        "numRowsUpdated": 2,
        "allUpdatesTimeMs": 20,
        "numRowsRemoved": 1,
        "allRemovalsTimeMs": 5,
        "commitTimeMs": 250,
        "memoryUsedBytes": 4096,
        "numRowsDroppedByWatermark": 6,
        "numShufflePartitions": 2,
        "numStateStoreInstances": 2,
        "customMetrics": {},
    }
    run = "6adb8795-283f-4095-ad7f-d2d4ce358a6a"
    found = {
        "id": run,
        "runId": run,
        "name": "sparing cars",
        "timestamp": "2026-01-01T09:00:00.000Z",
        "batchId": 4,
        "batchDuration": 1500,
        "numInputRows": 8,
        "inputRowsPerSecond": math.nan,
        "processedRowsPerSecond": 2.5,
        "durationMs": {"addBatch": 1400},
        "eventTime": {
            "min": "1970-01-01T00:00:00.000Z",
            "max": "2026-01-01T08:00:17.000Z",
            "watermark": "2026-01-01T08:00:07.000Z",
        },
        "stateOperators": [operator],
        "sources": [],
        "sink": {"description": "ForeachBatchSink", "numOutputRows": -1},
        "observedMetrics": {},
    }
    return StreamingQueryProgress.fromJson(found | other)


def _served(metrics):
    text = generate_latest(metrics.registry).decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_a_record_has_the_values_of_progress_and_tally():
    record = record_of(progress(), TALLY, PLAN)
    assert (record.batch, record.seconds, record.input_rows) == (4, 1.5, 8)
    assert record.input_rows_per_second is None  # not a number, which JSON could not hold
    assert (record.watermark, record.latest_event) == ("2026-01-01T08:00:07.000Z", "2026-01-01T08:00:17.000Z")
    assert record.state.rows is None  # not counted
    assert (record.state.commit_ms, record.state.rows_dropped_by_watermark) == (250, 6)
    told = json.loads(json.dumps(record.fields(), allow_nan=False))
    assert told["messages"] == TALLY.messages
    assert told["plan"] == {"version": 3, "fingerprint": "abc", "subscriptions": 12, "publishers": 4, "refused": 1}
    assert "links" not in told
    before = record_of(progress(eventTime={"watermark": "1970-01-01T00:00:00.000Z"}), TALLY, PLAN)
    assert (before.watermark, before.latest_event) == (None, None)


def test_metrics_are_sums_over_records():
    metrics = Metrics()
    first = _served(metrics)
    assert first["sparing_micro_batches_total"] == "0.0"
    assert first["sparing_watermark_lag_seconds"] == first["sparing_subscriptions"] == "NaN"
    for _ in range(2):
        metrics.record(record_of(progress(), TALLY, PLAN))
    found = _served(metrics)
    assert found["sparing_input_rows_total"] == "16.0"
    assert found['sparing_messages_total{kind="publication"}'] == "14.0"
    assert found['sparing_link_messages_total{kind="publication",source="a",target="b"}'] == "14.0"
    assert found['sparing_quarantine_rows_total{reason="late"}'] == "4.0"
    assert found["sparing_rows_dropped_by_watermark_total"] == "12.0"
    assert (found["sparing_micro_batch_seconds_count"], found["sparing_micro_batch_seconds_sum"]) == ("2.0", "3.0")
    assert found['sparing_micro_batch_seconds_bucket{le="1.0"}'] == "0.0"
    assert found['sparing_micro_batch_seconds_bucket{le="2.5"}'] == "2.0"
    assert float(found["sparing_watermark_lag_seconds"]) > 0
    assert found["sparing_state_rows"] == "NaN"
    assert found["sparing_state_memory_bytes"] == "4096.0"
    # An overlay with many links has none of them counted.
    metrics.record(record_of(progress(), Tally(TALLY.rows, TALLY.messages, {}), PLAN))
    assert _served(metrics)['sparing_messages_total{kind="publication"}'] == "21.0"


def test_names_of_metrics_follow_the_conventions():
    for family in Metrics().registry.collect():
        assert re.fullmatch(r"sparing_[a-z_]+", family.name)
        assert family.documentation.endswith(".")
        assert "milli" not in family.name
        if family.type == "counter":
            assert not family.name.endswith("_seconds")


def test_metrics_are_served_until_the_end():
    metrics = Metrics()
    with serve(metrics, "127.0.0.1", 0) as port:
        metrics.record(record_of(progress(), TALLY, PLAN))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=")
            assert "sparing_notifications_total 5.0" in answer.read().decode()
    with serve(metrics, "127.0.0.1", port) as again:
        assert again == port


def test_an_occupied_port_is_rejected(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        arguments = ["run", str(tmp_path / "cars.yaml"), "--metrics-port", str(port)]
        result = CliRunner().invoke(build(), arguments)
    assert isinstance(result.exception, SparingError)
    assert missing(str(result.exception), f"127.0.0.1:{port}") == []


@pytest.mark.parametrize("host", ["no such host", "203.0.113.1"])
def test_an_address_of_another_host_is_rejected(host):
    with refused(f"{host}:0"):
        serve(Metrics(), host, 0).__enter__()
