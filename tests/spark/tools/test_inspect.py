"""The inspected content of a checkpoint agrees with the publications; inspecting does not change it."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sparing
from sparing.cli import build
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark.stream.checkpoint import FORMAT
from sparing.spark.tools.inspect import inspect
from tests.messages import refused
from tests.spark import incidents
from tests.spark.watched import WATERMARK

pytestmark = pytest.mark.spark


def _micros(moment):
    return (moment - EPOCH) // MICROSECOND


def _tree(folder):
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path(folder).rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def found(spark, watched):
    """The checkpoint, without and with its deployment."""
    before = _tree(watched.checkpoint)
    some = (
        inspect(spark, watched.checkpoint),
        inspect(spark, watched.checkpoint + "/", sparing.Deployment.read(watched.deployment)),
    )
    assert _tree(watched.checkpoint) == before
    return some


def _reached(watched):
    """The watermark, which Spark keeps in milliseconds."""
    latest = max(row["ts"] for row in [*watched.traffic, *watched.reports] if "lane" in row or "place" in row)
    return _micros(latest - WATERMARK) // 1000 * 1000


def _group(inspected, subscription):
    name = inspected.note["groups"][subscription]
    (group,) = (key for key in inspected.state if key.name == name)
    return group


def test_progress_watermark_and_plan_are_those_of_the_stream(found, watched):
    for inspected in found:
        assert (inspected.planned, inspected.committed) == (2, 2)
        assert inspected.watermark == inspected.next_watermark == _reached(watched)
        assert inspected.offsets == ('{"logOffset":1}',)
        assert inspected.trouble is None
        assert inspected.plans == [watched.records[-1].plan.fingerprint]
        assert inspected.topics == ["incidents", "traffic"]
        assert inspected.note["format"] == FORMAT


def test_open_windows_count_the_published_rows(found, watched):
    reached, length, slide = _reached(watched), 10_000_000, 5_000_000
    expected, ahead = Counter(), Counter()
    times = [_micros(row["ts"]) for row in watched.traffic if row["lane"] == 1]
    for time in times:
        for start in range(time - time % slide - length + slide, time + 1, slide):
            if start + length > reached:
                (ahead if time >= reached else expected)[start, start + length] += 1
    assert expected
    assert ahead
    without, with_deployment = (_group(inspected, "slide") for inspected in found)
    windows = [w for w in with_deployment.windows if w.subscription == "slide"]
    assert {(w.start, w.end): w.publications for w in windows if w.publications} == expected
    assert {(w.start, w.end): w.ahead for w in windows if w.ahead} == ahead
    assert not any(window.digest for window in windows)
    windows = [w for w in without.windows if w.subscription == "slide"]
    assert {(None, w.end): w.publications for w in windows} == {(None, e): n for (_, e), n in expected.items()}
    assert without.ahead["slide"] == sum(time >= reached for time in times)
    assert {w.start for w in windows} == {None}
    brokers = found[0].note["brokers"]
    assert all(set(window.at) <= set(brokers) and window.at for window in windows)


def test_digests_and_count_windows_count_the_published_rows(found, watched):
    reached, cycle = _reached(watched), 30_000_000
    group = _group(found[1], "digest")
    digests = [window for window in group.windows if window.subscription == "digest"]
    assert all(window.digest and window.end - window.start == cycle for window in digests)
    times = [_micros(row["ts"]) for row in watched.traffic if row["lane"] == 2]
    assert sum(window.publications + window.ahead for window in digests) == sum(
        time // cycle * cycle + cycle > reached for time in times
    )
    before = sum(_micros(row["ts"]) < reached for row in watched.traffic if row["lane"] == 3)
    assert before >= 7
    (tail,) = _group(found[1], "count").tails
    assert (tail.subscription, tail.publications, tail.skip) == ("count", before - 3 * ((before - 7) // 3 + 1), 0)


def test_open_merged_events_are_those_of_the_published_reports(found, watched):
    reached, within = _reached(watched), _micros(EPOCH + timedelta(seconds=8))
    began, under_way = {}, set()
    for row in watched.reports:
        time, place = _micros(row["ts"]), row.get("place")
        if place is None or time >= reached:
            continue
        if place not in began or time > began[place] + within:
            began[place] = time
        if began[place] + within >= reached:
            under_way.add(((place,), began[place]))
    assert under_way
    partitions = [next(w for w in inspected.state if w.partition is not None) for inspected in found]
    for partition in partitions:
        assert (partition.topic, partition.partition) == ("incidents", 0)
        assert {(event.key, event.began) for event in partition.events if not event.closing} == under_way
        assert all(event.closes == event.began + within for event in partition.events)
        assert partition.not_yet == sum(_micros(r["ts"]) >= reached for r in watched.reports if "place" in r)
    for before, after in zip(partitions[0].events, partitions[1].events, strict=True):
        assert set(before.behind) <= set(after.behind) <= {row["id"] for row in incidents.SUBSCRIBED}
        assert not before.everybody
        assert after.everybody
        assert (after.due is None) <= (not after.behind)
    assert any(event.behind for event in partitions[1].events)
    assert any(group.windows for group in partitions[1].groups)


def _copied(watched, folder, without=()):
    shutil.copytree(watched.checkpoint, folder, ignore=lambda _, names: [name for name in names if name in without])
    return folder


def test_unreadable_state_is_reported_and_the_rest_is_shown(spark, watched, tmp_path):
    lost = inspect(spark, str(_copied(watched, tmp_path / "lost", {"state"})))
    assert lost.state is None
    assert lost.trouble
    assert "\n" not in lost.trouble
    assert lost.committed == 2
    begun = inspect(spark, str(_copied(watched, tmp_path / "begun", {"commits", "state"})))
    assert (begun.planned, begun.committed, begun.state) == (2, None, None)
    assert begun.trouble


def test_paths_may_have_characters_that_urls_escape(spark, watched, found, tmp_path):
    odd = _copied(watched, tmp_path / "sp ace é%20#[1]{a}")
    assert inspect(spark, str(odd)).state == found[0].state


def test_a_folder_that_is_not_a_valid_checkpoint_is_rejected(spark, watched, tmp_path):
    other = _copied(watched, tmp_path / "other", {"state", ".sparing.json.crc"})
    note = json.loads((other / "sparing.json").read_text())
    (other / "sparing.json").write_text(json.dumps(note | {"format": 3}))
    foreign = _copied(watched, tmp_path / "foreign", {"state", "sparing.json"})
    mistakes = {
        tmp_path / "nowhere": "nowhere",
        tmp_path: f"{tmp_path} sparing.json",
        watched.folder: f"{watched.folder}/checkpoint",
        other: f"3 {FORMAT}",
        foreign: "sparing.json damaged",
    }
    for path, words in mistakes.items():
        with refused(words):
            inspect(spark, str(path))


@pytest.fixture
def _running(spark, monkeypatch):
    """Makes commands use the running session."""

    @contextmanager
    def running(*_):
        yield spark

    monkeypatch.setattr("sparing.cli.inspect.spark_session", running)


@pytest.mark.usefixtures("_running")
def test_the_command_fails_if_the_state_cannot_be_read(watched, tmp_path):
    lost = _copied(watched, tmp_path / "lost", {"state"})
    result = CliRunner().invoke(build(), ["inspect", str(lost)], env={"COLUMNS": "200"})
    assert result.exit_code == 1
    for words in ("2 is committed, and no other is planned", "The state cannot be"):
        assert words in result.stdout
    begun = _copied(watched, tmp_path / "begun", {"commits", "state"})
    assert CliRunner().invoke(build(), ["inspect", str(begun)]).exit_code == 0


@pytest.mark.usefixtures("_running")
def test_the_command_prints_the_content_and_writes_json(watched, found, tmp_path):
    arguments = ["inspect", watched.checkpoint, "--deployment", str(watched.deployment), "--json", str(tmp_path / "j")]
    result = CliRunner().invoke(build(), arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    for words in (
        "2 is committed, and no other is planned",
        "Interest group traffic/",
        "count window: ",
        "partition 0",
    ):
        assert words in result.stdout
    written = json.loads((tmp_path / "j").read_text())
    assert written["committed"] == 2
    assert [key["name"] for key in written["state"]] == [key.name for key in found[1].state]
