"""Transient failures of micro-batches are retried, up to a limit."""

from __future__ import annotations

import pytest
from pyspark.errors import StreamingQueryException

from sparing.spark import run
from sparing.spark.failures import write_failure
from sparing.spark.stream.stopping import Stop
from tests.messages import missing, refused

DIED = "Job aborted\norg.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"


class Query:
    """A query that fails as it is told, and then ends."""

    name, runId = "sparing cars", "none"  # noqa: N815

    def __init__(self, fails: str | None) -> None:
        self.fails = fails

    def awaitTermination(self, _):  # noqa: N802
        if self.fails:
            raise StreamingQueryException(self.fails)
        return True


def _stream(failures: list[str | None], progress: int = 0) -> tuple[run.Stream, list[str]]:
    told: list[str] = []
    left = list(failures)

    def start() -> Query:
        made.last_written += progress
        return Query(left.pop(0))

    made = run.Stream(start, told.append, lambda: None)  # type: ignore[arg-type]
    made.query = start()  # type: ignore[assignment]
    return made, told


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(run, "PAUSES", (0.0, 0.01, 0.02))


def test_the_loss_of_a_worker_is_retried():
    stream, told = _stream([DIED, DIED, None])
    run.wait(stream)
    assert [missing(*each) for each in zip(told, ("worker died 0 s", "worker died 0.01 s"), strict=True)] == [[], []]


def test_retries_end_with_one_error():
    stream, told = _stream([DIED] * 4)
    with refused("failed 4 times worker died"):
        run.wait(stream)
    assert len(told) == 3


def test_retries_are_counted_anew_after_progress():
    stream, told = _stream([*[DIED] * 9, None], progress=1)
    run.wait(stream)
    assert len(told) == 9


def test_permanent_failures_are_not_retried():
    stream, told = _stream(["ValueError: no such road"])
    with refused("ValueError no such road"):
        run.wait(stream)
    assert told == []


def test_a_stop_ends_the_wait_for_a_retry(monkeypatch):
    monkeypatch.setattr(run, "PAUSES", (600.0,))
    stop = Stop()
    stop.set()
    stream, _ = _stream([DIED, None])
    run.wait(stream, stop)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("java.io.IOException: No space left on device", "the disk is full"),
        ("java.io.FileNotFoundException: /out/x (Read-only file system)", "the file system is read-only"),
        ("java.nio.file.AccessDeniedException: /out (Permission denied)", "permission is denied"),
        ("ExitCodeException: Mkdirs failed to create file:/out/notifications", "the folder cannot be created"),
    ],
)
def test_reasons_of_failed_writes_are_short(said, sentence):
    trouble = write_failure(f"An error occurred while calling o1.save.\n: {said}\n\tat java.io")
    assert trouble.startswith(sentence)
    assert trouble.endswith(".")
    assert "\n" not in trouble
