"""The benchmark of the Python side measures every step of both stages, and the size of a stream's state."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from sparing.spark.pipeline import match_stage
from sparing_lab.bench.benchmark import Results, Run
from sparing_lab.bench.stage.benchmark import (
    MATCH_STEPS,
    REFERENCE,
    REFERENCE_PUBLICATIONS,
    ROWS,
    TOTAL,
    WALK_STEPS,
    Stage,
    StageCase,
    StageTime,
    beside_reference,
)
from sparing_lab.bench.stage.measure import OF_MATCH, OF_WALK
from sparing_lab.bench.stage.self_times import SelfTimes

SMALL = Stage((30,), (20,), publications=4_000, repeat=1)


@pytest.fixture(scope="module")
def told() -> list[str]:
    return []


@pytest.fixture(scope="module")
def results(told) -> Results:
    return SMALL.measure(Run(told.append))


def test_every_step_takes_time(results):
    for case in results["cases"]:
        assert tuple(case.seconds) == (*MATCH_STEPS, *WALK_STEPS)
        assert all(seconds > 0 for seconds in case.seconds.values()), case.seconds


def test_steps_add_up_to_the_stages(results):
    for case in results["cases"]:
        assert sum(case.row(step) for step in MATCH_STEPS) == pytest.approx(case.match)
        assert sum(case.row(step) for step in WALK_STEPS) == pytest.approx(case.walk)
        assert case.row(TOTAL) == case.total == case.match + case.walk


def test_cases_are_measured_with_progress(results, told):
    assert [str(case) for case in SMALL.cases()] == ["30 subscriptions", "20 subscriptions, thin"]
    assert [StageCase(case.subscriptions, case.thin) for case in results["cases"]] == SMALL.cases()
    assert [line.split(":")[0] for line in told] == ["30 subscriptions", "20 subscriptions, thin"]


def test_a_publication_of_a_thin_case_has_about_one_match(results):
    wide, thin = results["cases"]
    assert wide.matches == pytest.approx(30 * 0.02, rel=0.2)
    assert thin.matches == pytest.approx(1, rel=0.2)


def test_the_state_in_the_middle_is_measured(results):
    for case in results["cases"]:
        assert 0 < case.held < SMALL.publications / 2
        assert 20 < case.state_bytes < 1_000
    assert StageTime(1, False, 0.0, {}, 0.0, 0.0, held=0, state=0).state_bytes is None


def test_tables_have_all_steps_and_no_reference_for_other_workloads(results):
    steps, reference, state = SMALL.tables(results)
    assert [cells[0] for cells in steps.cells()] == list(ROWS)
    assert list(steps.columns) == ["step", "30 subscriptions", "20 subscriptions, thin"]
    assert not reference.rows
    assert [cells[0] for cells in state.cells()] == ["30 subscriptions", "20 subscriptions, thin"]


def test_results_are_compared_with_the_reference():
    seconds = dict.fromkeys((*MATCH_STEPS, *WALK_STEPS), 0.25)
    match, walk = 0.25 * len(MATCH_STEPS), 0.25 * len(WALK_STEPS)
    wide, thin = (StageTime(5_000, narrow, 96.0, seconds, match, walk, 10, 500) for narrow in (False, True))
    found = beside_reference([wide, thin], REFERENCE_PUBLICATIONS)
    assert [(row.subscriptions, row.reference) for row in found] == [
        (5_000, group.seconds[5_000]) for group in REFERENCE
    ]
    assert [row.seconds for row in found] == [0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.25, 0.25, match + walk]
    assert beside_reference([wide], 4_000) == []
    text = Stage((5_000,)).markdown({"cases": [wide], "reference": found})
    assert "| NWRs + arrays of the walk | 5,000 | 0.5 | 1.64 | 3.3x |" in text
    assert "| 5,000 subscriptions | 96 | 10 | 500 | 50 |" in text
    assert "measured on another machine" in text


def test_the_reference_names_steps_of_the_benchmark():
    assert {step for group in REFERENCE for step in group.steps} <= set(ROWS)


def test_results_are_read_from_json(results):
    written = json.loads(json.dumps(SMALL.json(results)))
    assert written["cases"][0]["total"] == results["cases"][0].total
    assert Stage.read(written) == (SMALL, results)


def test_the_command_writes_its_results(tmp_path: Path):
    files = ["--json", str(tmp_path / "found.json"), "--markdown", str(tmp_path / "found.md")]
    sizes = ["--subscriptions", "10", "--publications", "1000", "--repeat", "1"]
    result = CliRunner().invoke(build(), ["bench", "stage", *sizes, *files], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert "CPU seconds for 1,000 publications" in result.output
    assert json.loads((tmp_path / "found.json").read_text())["cases"][0]["subscriptions"] == 10
    assert (tmp_path / "found.md").read_text().startswith("| step | 10 subscriptions |")


def test_invalid_settings_are_rejected():
    with pytest.raises(SparingError, match="above zero"):
        Stage(thin=(0,))


# Times of steps


def test_inner_steps_are_not_part_of_outer_ones():
    ticks = iter(range(100))
    times = SelfTimes("rest", clock=lambda: float(next(ticks)))
    with times.step("outer"), times.step("inner"):
        pass
    assert times.stop() == {"rest": 2.0, "outer": 2.0, "inner": 1.0}


class Work:
    """Functions of every kind that is timed."""

    @classmethod
    def of_class(cls, size: int) -> tuple[type[Work], int]:
        return cls, size

    def iterator(self) -> list[int]:
        return map(self.spin, range(3))

    def generator(self):
        yield from self.iterator()

    def spin(self, number: int) -> int:
        until = time.process_time() + 0.01
        while time.process_time() < until:
            pass
        return number

    def fails(self) -> None:
        raise SparingError("no")


def test_iterators_are_timed_while_they_are_consumed():
    times = SelfTimes("rest")
    with times.of({"outer": [(Work, "generator")], "inner": [(Work, "iterator")]}):
        assert list(Work().generator()) == [0, 1, 2]
    found = times.stop()
    assert found["inner"] > 0.03 > found["outer"] + found["rest"]


def test_functions_are_restored():
    before = dict(vars(Work))
    times = SelfTimes("rest")
    with times.of({"a": [(Work, "of_class")], "b": [(Work, "fails")]}):
        assert Work.of_class(3) == (Work, 3)
        with pytest.raises(SparingError):
            Work().fails()
    assert dict(vars(Work)) == before
    assert times.stop().keys() == {"rest", "a", "b"}


def test_the_product_is_not_timed_after_a_measurement(results):
    for owner, name in [function for steps in (OF_MATCH, OF_WALK) for some in steps.values() for function in some]:
        found = vars(owner)[name]
        assert not hasattr(getattr(found, "__func__", found), "__wrapped__")
    assert match_stage.admitted.__module__ == match_stage.__name__
