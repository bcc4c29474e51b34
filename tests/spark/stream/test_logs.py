"""Logs of streams: one JSON object per line, records for other handlers, no output without a handler."""

from __future__ import annotations

import json
import logging
import uuid
from types import SimpleNamespace

import pytest
from pyspark.errors import StreamingQueryException

from sparing.model.errors import SparingError
from sparing.spark.run import wait
from sparing.spark.stream.logs import JsonLines, failures_logged, harmless, log, log_to
from tests.messages import refused


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_has_time_level_event_and_fields(tmp_path):
    path = tmp_path / "log.jsonl"
    with log_to(str(path)):
        log("plan in force", "The plan is in force.", version=2, time="is not overwritten")
        logging.getLogger("sparing.other").warning("Careful, %s.", "now")
    log("plan in force", "This one is after the end.")
    first, second = _lines(path)
    assert list(first) == ["time", "level", "event", "message", "version"]
    assert (first["level"], first["event"], first["version"]) == ("info", "plan in force", 2)
    assert first["time"].endswith("Z")
    assert (second["level"], second["event"], second["message"]) == ("warning", "sparing.other", "Careful, now.")


def test_a_log_is_appended_to_and_may_be_rotated(tmp_path):
    path = tmp_path / "log.jsonl"
    for number in range(2):
        with log_to(str(path)):
            log("one", "One.", number=number)
    with log_to(str(path)):
        log("two", "Two.")
        path.rename(tmp_path / "old.jsonl")
        log("three", "Three.")
    assert [line["event"] for line in _lines(tmp_path / "old.jsonl")] == ["one", "one", "two"]
    assert [line["event"] for line in _lines(path)] == ["three"]


def test_logs_can_be_written_to_standard_error(capsys):
    with log_to("-"):
        log("one", "One.")
    assert json.loads(capsys.readouterr().err)["event"] == "one"


def test_without_a_handler_nothing_is_printed(capsys):
    log("change refused", "The stream goes on as before.", logging.WARNING)
    with log_to(None):
        log("stream failed", "It failed.", logging.ERROR)
    assert capsys.readouterr().err == ""


def test_an_unwritable_log_is_rejected(tmp_path):
    with refused("nowhere"):
        log_to(str(tmp_path / "nowhere" / "log.jsonl")).__enter__()


def test_a_logging_handler_gets_fields_and_may_fail(caplog):
    class Broken(logging.Handler):
        def emit(self, _):
            raise RuntimeError("broken")

    caplog.set_level(logging.INFO, "sparing")
    broken = Broken()
    logging.getLogger("sparing").addHandler(broken)
    try:
        log("one", "One.", number=1)
    finally:
        logging.getLogger("sparing").removeHandler(broken)
    with harmless():
        raise ValueError("of no consequence")
    record = next(record for record in caplog.records if record.event == "metrics failed")
    assert "of no consequence" in record.getMessage()
    assert "ValueError" in json.loads(JsonLines().format(record))["exception"]


class Query:
    """A query that has failed."""

    name, runId = "sparing cars", uuid.uuid4()  # noqa: N815

    def awaitTermination(self, _):  # noqa: N802
        raise StreamingQueryException("Job aborted\nValueError: no such road")


def test_failures_are_logged_once_with_their_reason(tmp_path):
    path = tmp_path / "log.jsonl"
    failed = SimpleNamespace(query=Query(), last_written=-1, diagnose=lambda: None)
    for fails in (lambda: wait(failed), (tmp_path / "missing").read_text):
        with log_to(str(path)), pytest.raises((SparingError, OSError)), failures_logged("cars.yaml"):
            fails()
    first, second = _lines(path)
    assert {line["event"] for line in (first, second)} == {"stream failed"}
    assert {line["level"] for line in (first, second)} == {"error"}
    assert (first["query"], first["reason"]) == ("sparing cars", "ValueError: no such road")
    assert "No such file" in second["reason"]
