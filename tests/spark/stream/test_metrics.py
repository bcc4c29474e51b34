"""Records, logs and metrics of a stream agree with its tables."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.spark import files
from tests.spark.watched import BAD, SUBSCRIBED, WATERMARK

pytestmark = pytest.mark.spark


@pytest.fixture
def samples(watched):
    """What was served: (name, labels) -> value."""
    families = text_string_to_metric_families(watched.metrics)
    order = ("source", "target", "kind", "reason")
    return {
        (sample.name, *(sample.labels[label] for label in order if label in sample.labels)): sample.value
        for family in families
        for sample in family.samples
        if "le" not in sample.labels
    }


def _sum(found):
    total = Counter()
    for some in found:
        total.update(some)
    return total


def test_every_micro_batch_has_one_record(watched):
    assert [record.batch for record in watched.records] == [0, 1, 2]  # the last one only moves on with the watermark
    assert [record.input_rows > 0 for record in watched.records] == [True, True, False]
    assert sum(record.input_rows for record in watched.records) == len(watched.traffic + watched.reports) + len(BAD)
    assert len({record.run for record in watched.records}) == 1
    for record in watched.records:
        assert record.query == "sparing world"
        assert record.seconds > 0
        assert {"addBatch", "triggerExecution", "walCommit"} <= record.durations_ms.keys()
        assert record.state.rows_updated > 0
        assert record.state.memory_bytes > 0


def test_the_sums_of_records_agree_with_the_tables(watched):
    written = files.results(watched.folder / "out")
    assert sum(record.notifications for record in watched.records) == written["notifications"].total() > 0
    kinds, links, reasons = Counter(), Counter(), Counter()
    for (source, target, kind, _), messages in written["bill"].items():
        kinds[kind] += messages
        if kind != "notification":
            links[source, target, kind] += messages
    for (_, reason), rows in written["quarantine"].items():
        reasons[reason] += rows
    assert _sum(record.messages for record in watched.records) == kinds
    assert {"publication", "merged", "notification", "advertisement", "coordination"} <= kinds.keys()
    assert _sum(record.links for record in watched.records) == links
    assert _sum(record.quarantine for record in watched.records) == reasons
    assert {"malformed", "unknown publisher", "no event key"} <= reasons.keys()


def test_records_have_the_watermark(watched):
    first, second, third = watched.records
    assert first.watermark is None
    latest = max(row["ts"] for row in watched.traffic + watched.reports if row.get("place") or "lane" in row)
    assert datetime.fromisoformat(second.latest_event) == latest.replace(microsecond=latest.microsecond // 1000 * 1000)
    assert datetime.fromisoformat(third.watermark) == datetime.fromisoformat(second.latest_event) - WATERMARK
    assert third.latest_event is None


def test_records_have_the_version_of_the_plan(watched):
    assert [record.plan.version for record in watched.records] == [1, 2, 2]
    assert [record.plan.subscriptions - len(SUBSCRIBED) for record in watched.records] == [0, 1, 1]
    assert [record.plan.refused for record in watched.records] == [0, 0, 1]
    assert {record.plan.publishers for record in watched.records} == {7}
    fingerprints = [record.plan.fingerprint for record in watched.records]
    assert fingerprints[0] != fingerprints[1] == fingerprints[2]


def test_the_log_has_the_events_of_the_stream_in_order(watched):
    events = [line["event"] for line in watched.log if line["event"] != "metrics failed"]
    # Spark tells of a micro-batch a little later, so the first may be told after the plan has changed.
    assert events[:2] == ["stream started", "plan in force"]
    assert events[-1] == "stream ended"
    assert Counter(events) == {
        "stream started": 1,
        "plan in force": 2,
        "micro-batch": 3,
        "change accepted": 1,
        "change refused": 1,
        "plan changed": 1,
        "stream ended": 1,
    }
    lines = {line["event"]: line for line in watched.log}
    assert lines["change accepted"]["message"] == watched.told[0]
    assert events.index("change accepted") < events.index("plan changed")
    assert lines["plan changed"]["message"].endswith(watched.told[0].partition(": ")[2])
    assert lines["change refused"]["message"] == watched.told[1]
    assert lines["change refused"]["level"] == "warning"
    assert lines["plan in force"]["version"] == 2
    assert lines["stream started"]["checkpoint"] == watched.checkpoint
    record = watched.records[2]
    assert lines["micro-batch"]["batch"] == record.batch
    assert lines["micro-batch"]["messages"] == record.messages
    assert lines["micro-batch"]["plan"]["fingerprint"] == record.plan.fingerprint
    times = [datetime.fromisoformat(line["time"]) for line in watched.log]
    assert times == sorted(times)


def test_a_listener_that_fails_does_not_stop_the_stream(watched):
    (failed,) = (line for line in watched.log if line["event"] == "metrics failed")
    assert failed["message"]
    assert "Traceback" in failed["exception"]
    assert len(watched.records) == 3


def test_metrics_agree_with_the_records(watched, samples):
    records = watched.records
    assert samples["sparing_micro_batches_total",] == 3
    assert samples["sparing_input_rows_total",] == sum(record.input_rows for record in records)
    assert samples["sparing_notifications_total",] == sum(record.notifications for record in records)
    for kind, messages in _sum(record.messages for record in records).items():
        assert samples["sparing_messages_total", kind] == messages
    links = {key[1:]: value for key, value in samples.items() if key[0] == "sparing_link_messages_total"}
    assert links == _sum(record.links for record in records)
    for reason, rows in _sum(record.quarantine for record in records).items():
        assert samples["sparing_quarantine_rows_total", reason] == rows
    assert samples["sparing_micro_batch_seconds_count",] == 3
    assert samples["sparing_micro_batch_seconds_sum",] == pytest.approx(sum(record.seconds for record in records))
    assert samples["sparing_subscriptions",] == len(SUBSCRIBED) + 1
    assert (samples["sparing_plan_version",], samples["sparing_plan_changes_refused",]) == (2, 1)
    watermark = datetime.fromisoformat(records[-1].watermark)
    assert samples["sparing_watermark_timestamp_seconds",] == watermark.timestamp()
    lag = (datetime.now(UTC) - watermark).total_seconds()
    assert samples["sparing_watermark_lag_seconds",] == pytest.approx(lag, abs=600)


def test_the_listener_is_removed_after_the_stream(watched, spark):
    from sparing.spark.stream import progress

    assert not progress._LISTENERS
