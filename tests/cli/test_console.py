"""Functions shared by commands: progress, times, and row counts."""

from types import SimpleNamespace

import pytest
from rich.console import Console

from sparing.cli import console, replay
from sparing.cli.console import clock, micros, moment, step
from sparing.model.errors import SparingError
from sparing.spark.tally import Tally
from tests.messages import missing

ODD = "my [/deployment] a[bold].yaml"


@pytest.fixture
def told(monkeypatch):
    """What is told on standard error."""
    err = Console(width=200, record=True)
    monkeypatch.setattr(console, "err", err)
    return err


def test_brackets_in_progress_messages_are_not_markup(told):
    with step(f"Replaying {ODD}"):
        pass
    assert f"✓ Replaying {ODD} (" in told.export_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-01T08:00:05Z", "2026-01-01T08:00:05Z"),
        ("2026-01-01T08:00:05", "2026-01-01T08:00:05Z"),
        ("2026-01-01T08:00:05.250-04:00", "2026-01-01T12:00:05.250Z"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59+14:00", "9999-12-31T09:59:59Z"),
    ],
)
def test_times_are_in_utc(text, expected):
    assert clock(micros(text)) == expected


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_outside_of_utc_is_rejected(text):
    with pytest.raises(SparingError) as refused:
        moment(text, "--start")
    assert missing(str(refused.value), f"--start {text} 1 9999 UTC") == []


@pytest.mark.parametrize("sink", [None, "somewhere"])
def test_rows_are_counted_by_the_tally_only(sink, monkeypatch):
    """By the tally alone: what was delivered has no table here that Spark could be asked about."""
    found, written = Tally({"notifications": 3, "bill": 2, "quarantine": 1}, {}, {"late": 1}), []
    monkeypatch.setattr("sparing.spark.tally.tally_of", lambda _: found)
    monkeypatch.setattr("sparing.spark.io.sinks.write", lambda *given: written.append(given))
    delivered = SimpleNamespace()
    run = SimpleNamespace(delivered=delivered)
    assert replay._written(SimpleNamespace(sink=sink), run) == found.rows
    assert written == ([] if sink is None else [(delivered, sink, None, found)])
