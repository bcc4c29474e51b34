"""The fault matrix plans what it says, notices broken promises, and tells them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from sparing.model.errors import SparingError
from sparing_lab.bench.faults.benchmark import Faults
from sparing_lab.bench.faults.crash import DRIVER, EVERYTHING, JAVA, MOMENTS, WORKER, Crash, environment
from sparing_lab.bench.faults.damage import FILES, WAYS
from sparing_lab.bench.faults.kills import FIVE, Killing, plan
from sparing_lab.bench.faults.measure import chosen
from sparing_lab.bench.faults.outcome import GOES_ON, MENDED, Outcome, is_sentence

SENTENCE = "Error: The sink /out cannot be written: the disk is full.\n"


def test_kills_cover_every_process_and_moment():
    kills = list(plan(100, 7))
    assert kills == list(plan(100, 7))
    assert kills != list(plan(100, 8))
    moments = Counter(kill.moment for kill in kills)
    assert set(moments) == set(MOMENTS)
    assert max(moments.values()) - min(moments.values()) <= 1
    assert {kill.victim for kill in kills} == {EVERYTHING, DRIVER, JAVA, WORKER}
    assert {kill.victim for kill in FIVE} == {EVERYTHING, DRIVER, JAVA, WORKER}


def test_every_file_is_damaged_once_before_one_is_damaged_twice():
    assert {file for file, _ in chosen(len(FILES), 3)} == set(FILES)
    assert set(chosen(40, 3)) == {(file, way) for file in FILES for way in WAYS}


@pytest.mark.parametrize(
    ("said", "one"),
    [
        (f"micro-batch 0: 3 notifications\n{SENTENCE}", True),
        ("", False),
        (SENTENCE * 2, False),
        (f"Traceback (most recent call last):\n{SENTENCE}", False),
        (f"{SENTENCE}\tat org.apache.spark.Job.run(Job.scala:1)", False),
    ],
)
def test_single_sentences_are_recognized(said, one):
    assert is_sentence(said) is one


def test_broken_promises_are_highlighted():
    broken = Outcome("a file is emptied", "offsets", MENDED, kept=False, happened="other bill")
    kept = [Outcome("Java is killed", "in tasks", GOES_ON, kept=True)] * 3
    not_tried = Outcome("the disk is full", "sink", MENDED, kept=True, happened="not tried: no mount", tried=False)
    results = {"outcomes": [*kept, broken, not_tried]}
    with pytest.raises(SparingError, match="NOT KEPT"):
        Faults().conclude(results)
    Faults().conclude({"outcomes": kept})
    (table,) = Faults().tables(results)
    assert [row[3:] for row in table.cells()] == [
        ["3", "as promised"],
        ["1", "NOT KEPT: other bill"],
        ["0", "not tried: no mount"],
    ]


class Pretended(Killing):
    """Streams that end as they are told to: the status of each run, and what it says."""

    def __init__(self, runs, results, expected):
        super().__init__(None, expected, [], lambda _: None)
        self.runs, self.pretended = list(runs), list(results)

    def _run(self, _):
        return self.runs.pop(0)

    def _compared(self, pending):
        self.trace = type("Trace", (), {"results": lambda *_: self.pretended.pop(0)})()
        return super()._compared(pending)


TABLES = {"notifications": Counter(a=1), "bill": Counter(b=2), "quarantine": Counter()}
LOST = TABLES | {"notifications": Counter()}


def test_different_tables_break_the_promise_of_all_earlier_kills():
    kills = [Crash(EVERYTHING, "in tasks"), Crash(JAVA, "in tasks"), Crash(WORKER, "in tasks")]
    runs = [(-9, ""), (1, SENTENCE), (0, "it is tried again in 1 s")]
    kept = Pretended(runs, [TABLES], TABLES).all(kills)
    assert [outcome.kept for outcome in kept] == [True, True, True]
    lost = Pretended(runs, [LOST], TABLES).all(kills)
    assert [(outcome.kept, outcome.happened) for outcome in lost] == [(False, "other notifications")] * 3


def test_a_java_stack_or_the_end_of_a_run_breaks_a_promise():
    kills = [Crash(JAVA, "in tasks"), Crash(WORKER, "in tasks")]
    runs = [(1, f"Traceback\n{SENTENCE}"), (1, SENTENCE), (0, "")]
    outcomes = Pretended(runs, [TABLES], TABLES).all(kills)
    assert [outcome.kept for outcome in outcomes] == [False, False]


def test_a_kill_that_did_not_happen_is_not_counted():
    outcomes = Pretended([(0, ""), (0, "")], [TABLES, TABLES], TABLES).all([Crash(EVERYTHING, "in tasks", 99)])
    assert [(outcome.tried, outcome.happened) for outcome in outcomes] == [(False, "the moment did not come")]


@pytest.mark.parametrize(("victim", "status"), [(EVERYTHING, -9), (DRIVER, -9)])
def test_the_command_kills_itself_at_the_call(tmp_path, victim, status):
    """Before Spark starts, so that it does not take long; the command would fail for another reason otherwise."""
    file = tmp_path / "cars.yaml"
    file.write_text("name: cars")
    crash = Crash(victim, "before a note is renamed", 1)
    program = (
        "import sparing_lab.bench.faults.crash as c, pathlib, os, json\n"
        "for crash in json.loads(os.environ[c.VARIABLE]): c._arrange(c.Crash(**crash))\n"
        "print('begun', flush=True)\n"
        f"pathlib.Path({str(file)!r}).replace({str(tmp_path / 'moved')!r})\n"
        "print('not killed')"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        env=environment([crash]),
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (status, "begun\n"), found.stderr
    assert file.exists()
