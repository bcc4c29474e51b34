"""Every input line is either delivered or quarantined with its text, exactly once, without an error."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import sparing
from sparing.spark.io import sources
from sparing.spark.pipeline.pubsub import PubSub
from tests.spark import files, nasty
from tests.tries import THOROUGH

pytestmark = pytest.mark.spark

EVERYTHING = {"id": "all", "subscriber": "u1", "sql": "SELECT * FROM traffic"}
PUBLISHERS = [{"id": "p1", "at": "e1", "topic": "traffic"}]


def written(folder: Path, **more: object) -> Path:
    """A deployment in which all that is published is delivered once, to one subscriber."""
    (folder / "data").mkdir(exist_ok=True)
    more = {"topics": {"traffic": nasty.TOPIC}, "publishers": PUBLISHERS, **more}
    return files.write_deployment(folder, more.pop("subscribed", [EVERYTHING]), **more)


def outcome(spark, deployment: sparing.Deployment) -> tuple[list[dict], list]:
    """Payloads, and rows of the quarantine."""
    delivered = PubSub(spark, deployment).deliver(sources.read(spark, deployment, streaming=False))
    records = delivered.records.persist()
    part = delivered.of(records)
    payloads = [json.loads(row["payload"].toJson()) for row in part.notifications.collect()]
    quarantine = part.quarantine.collect()
    records.unpersist()
    return payloads, quarantine


def test_each_malformed_line_is_quarantined_with_its_reason(spark, tmp_path):
    path = written(tmp_path)
    (tmp_path / "data/a.json").write_bytes(b"\n".join([nasty.good(1), *nasty.LINES, b" ", nasty.good(2)]) + b"\r\n")
    payloads, quarantine = outcome(spark, sparing.Deployment.read(path))
    assert sorted((row["row"], row["reason"]) for row in quarantine) == nasty.aside()
    details = Counter((row["row"], row["detail"]) for row in quarantine)
    for line, (_, reason, words) in zip(nasty.LINES, nasty.SENT, strict=True):
        if reason is not None:
            assert [detail for row, detail in details if row == nasty.text(line) and words in detail], line
    assert len(payloads) == nasty.published() + 2
    assert {row["publisher"] for row in quarantine if row["reason"] == "wrong type"} == {"p1"}


ROWS = [
    nasty.GOOD,
    nasty.GOOD.replace("401", 'Stra\\u00dfe \\"5\\" 🚗'),
    json.dumps({"publisher": "p1", "topic": "traffic", "id": "i", "ts": "2026-01-01 00:00", "road": {"a": [1, "}"]}}),
    json.dumps(json.loads(nasty.GOOD) | {"speed": -1.5e3, "fee": "1.25", "open": True, "day": "2026-01-01"}),
]
PIECES = [
    *'{}[]",:\\ -+.019eEnNtx\x00\t/*',
    *("\\u", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\\\", '\\"', "null", "true", "NaN", "Infinity", "1e400"),
    *("\ufeff", "\ufffd", "\ud7ff", "é", "🚗", "'", "{}", "[]"),
    *('{"a":1}', '"lane":', '"publisher":"p1",', '"ts":"08:00",'),
    *("+294247-01-10", "10000-01-01", "-0001-01-01", "[" * 990, "]" * 990, "9" * 1_100, "x" * 2_000),
]
EDITS = st.tuples(st.integers(0, 200), st.sampled_from([0, 0, 1, 2, 9]), st.sampled_from(["", *PIECES]))
MUTATED = st.tuples(st.sampled_from(ROWS), st.lists(EDITS, min_size=1, max_size=3))
SOUP = st.lists(st.sampled_from(PIECES), max_size=8).map(lambda some: "".join(some).encode())
BROKEN = st.tuples(st.sampled_from(ROWS), st.integers(0, 60), st.binary(min_size=1, max_size=3))


def _mutated(drawn: tuple[str, list[tuple[int, int, str]]]) -> bytes:
    row, edits = drawn
    for at, cut, piece in edits:
        row = row[:at] + piece + row[at + cut :]
    return row.encode()


def _broken(drawn: tuple[str, int, bytes]) -> bytes:
    row, at, piece = drawn
    line = row.encode()
    return line[:at] + piece + line[at + len(piece) :]


LINES = MUTATED.map(_mutated) | MUTATED.map(_mutated) | SOUP | BROKEN.map(_broken) | st.binary(max_size=30)


# A failing example is not made smaller: that takes a Spark job for each step, and the message names the lines.
@settings(max_examples=1_000 if THOROUGH else 6, phases=[Phase.explicit, Phase.generate])
@given(st.lists(LINES, min_size=100, max_size=100))
def test_every_line_is_delivered_or_quarantined_once(spark, tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("fuzz")
    deployment = sparing.Deployment.read(written(folder, limits={"row_bytes": 1_500}))
    sent = b"\n".join([nasty.good(1), *lines, nasty.good(2)])
    (folder / "data/a.json").write_bytes(sent)
    payloads, quarantine = outcome(spark, deployment)
    assert {"good 1", "good 2"} <= {payload.get("id") for payload in payloads}
    expected = Counter(_kept(line) for line in sent.splitlines() if line.strip(b" "))
    aside = Counter(row["row"] for row in quarantine)
    assert aside <= expected, aside - expected
    assert len(payloads) == (expected - aside).total(), expected - aside


def _kept(line: bytes) -> str:
    """A line as it is in quarantine: cut off if it is too long."""
    return nasty.text(line)[:1_000] if len(line) > 1_500 else nasty.text(line)
