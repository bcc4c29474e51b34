"""Damaged checkpoints and sinks are reported and repaired without loss of results."""

from __future__ import annotations

import json
import shutil

import pytest

from sparing import Deployment, SparingError
from sparing.spark.io import sinks
from sparing.spark.run import checkpoint_of
from sparing.spark.stream.written_files import WrittenFiles
from sparing.spark.tools.repair.findings import findings
from sparing.spark.tools.repair.rewind import redo
from sparing.spark.tools.repair.skip import skip_batch, skip_file
from sparing_lab.bench.faults.damage import FILES, SOURCE, STOPPED, WAYS, Damaging
from sparing_lab.bench.faults.trace import Trace
from tests.messages import missing, refused
from tests.tries import usually

pytestmark = pytest.mark.spark

COMPACTED = "the compacted entry of sources"  # a short stream has none
PARTS, AFTER = 5, 4


@pytest.fixture(scope="module")
def damaging(spark, tmp_path_factory) -> Damaging:
    trace = Trace.written(tmp_path_factory.mktemp("damaged") / "city", 3, PARTS)
    made = Damaging(spark, trace, {}, after=AFTER)
    made.run(trace.stream("undisturbed"))
    made.expected = trace.results("undisturbed")
    assert all(made.expected.values()), "every table has rows that could be lost"
    made.prepare()
    return made


def _cases() -> list[tuple[str, str]]:
    files, ways = [file for file in FILES if file != COMPACTED], list(WAYS)
    some = [(file, ways[number % len(ways)]) for number, file in enumerate(files)]
    return usually(some, [(file, way) for file in files for way in ways])


@pytest.mark.parametrize(("file", "way"), _cases())
def test_damage_is_reported_and_repaired(damaging, file, way):
    outcome = damaging.file(file, way)
    assert outcome.kept, outcome.happened


def test_missing_results_are_reported_and_written_again(damaging):
    outcome = damaging.table("the last micro-batch")
    assert outcome.kept, outcome.happened
    assert outcome.happened == ""  # it did not go on as if nothing were missing


def test_a_stream_can_continue_without_moved_results(damaging, spark):
    path = damaging.copy()
    deployment = Deployment.read(path)
    shutil.rmtree(damaging.trace.folder / path.stem / "bill/batch=1")
    with refused("bill 1 checkpoint"):
        damaging.run(path)
    written = WrittenFiles(spark, checkpoint_of(deployment))
    written.replace({batch: rows for batch, rows in written.read().items() if batch != 1})
    damaging.run(path)
    assert damaging.trace.results(path.stem)["notifications"] == damaging.expected["notifications"]


def test_any_micro_batch_in_the_logs_can_be_repeated(damaging, spark):
    path = damaging.copy()
    deployment = Deployment.read(path)
    checkpoint, sink = checkpoint_of(deployment), deployment.needed_sink()
    done = redo(spark, checkpoint, sink, 1)
    assert missing(done[0], "1") == []
    assert not findings(spark, checkpoint)
    damaging.run(path)
    assert damaging.trace.results(path.stem) == damaging.expected
    done = redo(spark, checkpoint, sink, 0)
    damaging.run(path)
    assert damaging.trace.results(path.stem) == damaging.expected
    with refused("90"):
        redo(spark, checkpoint, sink, 90)


def test_a_repetition_is_rejected_if_a_source_file_is_missing(damaging, spark):
    path = damaging.copy()
    deployment = Deployment.read(path)
    gone = damaging.trace.folder / SOURCE / damaging.trace.files()[2].name
    gone.rename(gone.with_suffix(".away"))
    try:
        with refused(gone.name):
            redo(spark, checkpoint_of(deployment), deployment.needed_sink(), 1)
    finally:
        gone.with_suffix(".away").rename(gone)
    damaging.run(path)  # nothing was changed
    assert damaging.trace.results(path.stem) == damaging.expected


def test_the_rows_of_a_skipped_micro_batch_are_kept(damaging, spark, monkeypatch):
    """As a stream that left out the file from the start, but for what the control plane tells once."""
    trace = damaging.trace
    skipped = trace.files()[AFTER - 1]
    trace.copy_files([file for file in trace.files() if file != skipped], "without")
    damaging.run(trace.stream("without-it", "without"))

    path = trace.stream("skipping")
    deployment, checkpoint, write = Deployment.read(path), trace.checkpoint("skipping"), sinks.write

    def fail(delivered, sink, batch, tally):
        if batch == AFTER - 1:
            raise SparingError("This micro-batch is not for writing.")
        return write(delivered, sink, batch, tally)

    with monkeypatch.context() as patched:
        patched.setattr(sinks, "write", fail)
        with refused("writing"):
            damaging.run(path)
    (said,) = skip_batch(spark, checkpoint_of(deployment))
    assert missing(said, str(AFTER - 1)) == []
    (kept,) = (checkpoint / "set-aside").glob("*/rows/0*")
    assert kept.read_bytes() == skipped.read_bytes()
    damaging.run(path)
    found, wanted = trace.results(path.stem), trace.results("without-it")
    assert found["notifications"] == wanted["notifications"]
    assert found["quarantine"] == wanted["quarantine"]
    with refused("skip"):
        skip_batch(spark, checkpoint_of(deployment))


def test_an_unreadable_file_is_moved_out_of_the_source(damaging, spark):
    trace = damaging.trace
    trace.copy_files(trace.files(), "with-a-bad-one")
    bad = trace.folder / "with-a-bad-one/bad.json.gz"
    bad.write_bytes(b"\x1f\x8b\x08 no gzip at all")
    path = trace.stream("bad-one", "with-a-bad-one")
    with refused("bad.json.gz"):
        damaging.run(path)
    deployment = Deployment.read(path)
    (said,) = skip_file(spark, checkpoint_of(deployment), str(bad))
    assert missing(said, "bad.json.gz") == []
    assert not bad.exists()
    damaging.run(path)
    assert trace.results("bad-one") == damaging.expected
    assert [file.read_bytes() for file in trace.checkpoint("bad-one").glob("set-aside/*/rows/bad.json.gz")] == [
        b"\x1f\x8b\x08 no gzip at all"
    ]


def test_a_note_of_another_version_is_reported(damaging):
    path = damaging.copy()
    note = damaging.trace.checkpoint(path.stem) / "sparing.json"
    note.write_text(json.dumps({"format": 5}))
    with refused("version 5"):
        damaging.run(path)
    assert (damaging.trace.folder / STOPPED / "notifications").exists()
