"""The matching benchmark: engines agree, figures come out in every form, mistakes are one sentence."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.match import Index
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.matching import measure
from sparing_lab.bench.matching.benchmark import Match, Matching, Timing
from sparing_lab.bench.matching.cases import MatchCase
from sparing_lab.bench.matching.engines import ENGINES, NumpyLoop, SparkJoin
from sparing_lab.bench.matching.latencies import small
from sparing_lab.bench.matching.picture import picture
from sparing_lab.bench.matching.processes import Process, ProcessRun, Skipped, Worker
from sparing_lab.bench.matching.shapes import SHAPES

BENCH = Match(subscriptions=(10_000, 1_000_000))
WORKLOADS = [(name, selectivity) for name, shape in SHAPES.items() for selectivity in shape.selectivities]
QUICK = Match(subscriptions=(50, 300), shapes=("a", "b"), seconds=0.02, repeat=2, events=200)


def pairs(engine, name, selectivity, way):
    """How many pairs an engine finds, and how many there are."""
    shape = SHAPES[name]
    subscriptions, events = shape.subscriptions(300, selectivity, 3), shape.events(500, 4)
    engine.load(shape, subscriptions)
    engine.take(events)
    return engine.match(way), len(Index(shape.fields, subscriptions).match(events))


@pytest.mark.parametrize(("name", "selectivity"), WORKLOADS)
@pytest.mark.parametrize("engine", ["numpy", "duckdb", "polars"])
def test_engines_agree(engine, name, selectivity, monkeypatch):
    monkeypatch.setenv("POLARS_MAX_THREADS", "1")  # so that it is put back
    made = ENGINES[engine]()
    for way in made.ways:
        found, there = pairs(made, name, selectivity, way)
        assert found == there > 0


@pytest.mark.spark
def test_spark_agrees(spark):
    engine = SparkJoin(spark)
    for name in ("a", "d"):
        found, there = pairs(engine, name, SHAPES[name].selectivities[0], "")
        assert found == there > 0


def test_engines_are_measured_in_turn():
    told: list[str] = []
    bench = replace(QUICK, shapes=("d",), engines=("sparing", "duckdb"))
    figures = bench.measure(Run(told.append))["figures"]
    assert len(figures) == 2 * 2  # numbers of subscriptions, engines
    for figure in figures:
        assert not figure.skipped
        assert len(figure.rates) == 2
        assert figure.events == 200 or figure.engine == "duckdb", "a peer that is too slow gets fewer"
        assert figure.way in ENGINES[figure.engine].ways
        assert figure.pairs > 0 or figure.selectivity < 0.001
    assert any("Sparing" in line and "to start and warm up" in line for line in told)
    rounds = [line.split(", ")[-1].split(":")[0] for line in told if "events/s" in line]
    assert rounds == ["Sparing", "DuckDB"] * 4


class Wrong(NumpyLoop):
    """A peer that finds too many pairs."""

    def match(self, way):
        return super().match(way) + 1


class Here(Process):
    """An engine in this process, which takes as long as we say."""

    seconds: ClassVar[dict[str, float]] = {}

    def load(self, case):
        self.worker = Worker(self.engine())
        self.starting = 0.0
        return self.worker.load(case)

    def run(self, events, way, at_least, patience):
        if self.seconds.get(self._name, 0) > patience:
            raise Skipped(f"matching {events} events took more than {patience:g} s")
        return self.worker.run(events, way, at_least)


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(measure, "Process", Here)
    monkeypatch.setattr(Here, "seconds", {})
    return Here


def test_disagreeing_engines_end_the_run(here, monkeypatch):
    monkeypatch.setitem(ENGINES, "numpy", Wrong)
    with pytest.raises(
        SparingError, match=r"^Sparing and NumPy disagree on a \(stock\), 1.5%, 50 subscriptions: of \d+ events"
    ):
        replace(QUICK, engines=("sparing", "numpy")).measure(Run())


def test_a_slow_peer_is_skipped_also_at_larger_sizes(here):
    here.seconds = {"numpy": 100.0}
    bench = replace(QUICK, shapes=("a",), engines=("sparing", "numpy"))
    results = bench.measure(Run())
    skipped = [figure.skipped for figure in results["figures"] if figure.engine == "numpy"]
    assert set(skipped) == {"matching 64 events took more than 10 s with 50 subscriptions"}
    assert len(skipped) == 4
    text = bench.markdown(results)
    assert "NumPy was skipped: matching 64 events took more than 10 s with 50 subscriptions: a (stock), 1.5%" in text
    assert results["figures"][1].ratio is None


def test_a_process_beyond_the_time_limit_is_restarted():
    process = Process("numpy", lambda _: None)
    case = MatchCase("c", 0.015, 2000, 1, 500)
    try:
        process.load(case)
        with pytest.raises(Skipped, match=r"^matching 500 events took more than 1e-06 s$"):
            process.run(500, "", 0.0, 1e-6)
        assert process.run(10, "", 0.0, 60.0).pairs > 0
    finally:
        process.close()


def test_failing_engines_are_skipped_with_the_reason():
    process = Process("numpy", lambda _: None)
    with pytest.raises(Skipped, match=r"^taking 10 subscriptions in failed with KeyError: 'z'$"):
        process.load(MatchCase("z", 0.015, 10, 1, 10))
    process.close()


def test_the_number_of_events_depends_on_the_time_limit():
    class Slow(Process):
        """A second for every batch, and a millisecond for every event."""

        def run(self, events, *_):
            return ProcessRun(1.0 + events / 1000, 0)

    events, rate = measure._estimate(Slow("numpy", lambda _: None), "", 1 << 19, 5.0)
    assert 2500 <= events <= 6000
    assert rate == pytest.approx(events / (1 + events / 1000))
    assert measure._estimate(Slow("numpy", lambda _: None), "", 1 << 19, 0.001)[0] == measure.LEAST_EVENTS
    assert measure._estimate(Slow("numpy", lambda _: None), "", 1000, 5.0)[0] == 1000


@pytest.fixture
def results():
    """Made-up figures: all engines on all workloads, one peer skipped."""
    made = []
    for name, selectivity in WORKLOADS:
        for count in (10_000, 1_000_000):
            for at, engine in enumerate(ENGINES):
                figure = Matching(name, selectivity, count, engine, events=1000, pairs=15_000, load_seconds=0.5)
                if engine == "numpy" and count == 1_000_000:
                    figure.skipped = "matching 64 events took more than 20 s with 1,000,000 subscriptions"
                else:
                    figure.rates = [1e9 / count * factor / 10**at for factor in (1.0, 1.2, 5.0)]
                figure.bytes = 100 * count if engine == "sparing" else None
                figure.ratio = None if figure.skipped else 10.0**at
                made.append(figure)
    timings = [Timing("a", 0.015, 10_000, "match 1 event", 3, 0.001, 0.002, 0.003)]
    return {
        "figures": made,
        "starting": {"sparing": 1.5},
        "versions": {"numpy": "2.0"},
        "small": timings,
        "targets": BENCH.targets(made),
    }


def test_results_can_be_written_as_markdown(results):
    rows = BENCH.markdown(results).splitlines()
    assert rows[0] == "| workload | subscriptions | Sparing | NumPy | DuckDB | Polars | Spark SQL |"
    expected = "| a (stock), 1.5% | 10,000 | 120,000 | 12,000 (10x) | 1,200 (100x) | 120 (1,000x) | 12 (10,000x) |"
    assert rows[2] == expected
    assert rows[3].startswith("| a (stock), 1.5% | 1,000,000 | 1,200 | skipped | 12 (100x) |")
    assert "| a (stock), 1.5%: events/s at 1,000,000 subscriptions | 12,000 | 1,200 | missed |" in rows
    assert "| a (stock), 1.5% | 10,000 | match 1 event | 1 | 2 | 3 | 3 |" in rows


def test_results_survive_json(results):
    assert Match.read(json.loads(json.dumps(BENCH.json(results)))) == (BENCH, results)


def test_goals_are_met_missed_or_not_measured(results):
    verdicts = {target.what: target.verdict for target in results["targets"]}
    assert len(verdicts) == 7 + 7 * 2
    assert verdicts["a (stock), 0.01%: events/s at 1,000,000 subscriptions"] == "missed"
    assert verdicts["d (skewed), 1.5%: times DuckDB at 10,000 subscriptions"] == "met"
    assert verdicts["d (skewed), 1.5%: times Spark SQL at 10,000 subscriptions"] == "met"
    for figure in results["figures"]:
        if figure.engine == "duckdb":
            figure.skipped, figure.rates, figure.ratio = "slow", [], None
    verdicts = {target.what: target.verdict for target in BENCH.targets(results["figures"])}
    assert verdicts["d (skewed), 1.5%: times DuckDB at 10,000 subscriptions"] == "not measured"


def test_other_sizes_have_no_goals():
    assert Match(subscriptions=(1000,)).targets([]) == []


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_results_can_be_drawn(results, tmp_path, suffix):
    path = tmp_path / f"match.{suffix}"
    picture(BENCH, results["figures"], path)
    assert path.stat().st_size > 10_000
    if suffix == "svg":
        text = path.read_text()
        assert all(text.count(f">{engine.title}<") == 1 for engine in ENGINES.values())  # one legend
        assert "d (skewed), 1.5%" in text


def test_an_unwritable_picture_is_rejected(results, tmp_path):
    with pytest.raises(SparingError, match=r"match\.abc cannot be plotted to: "):
        picture(BENCH, results["figures"], tmp_path / "match.abc")


def test_small_batches_inserts_and_removes_are_measured():
    timings = small(replace(QUICK, engines=("sparing",), shapes=("a",), repeat=1), lambda _: None)
    assert {timing.subscriptions for timing in timings} == {300}
    assert [timing.what for timing in timings[: len(timings) // 2]] == [
        "first event of all",
        "match 1 event",
        "match 10 events",
        "match 100 events",
        "match 1,000 events",
        "insert a condition",
        "insert, parsed before",
        "remove",
        "first event after 1,000 inserts",
    ]
    for timing in timings:
        assert 0 < timing.median <= timing.high <= timing.worst


MISTAKES = {
    "shape": (["--shapes", "a,z"], "There is no shape 'z': choose from a, b, c, d."),
    "engine": (["--engines", "sparing,oracle"], "There is no engine 'oracle': choose from sparing, numpy, duckdb"),
    "no engine": (["--engines", ","], "Without any engine there is nothing to measure: choose from sparing"),
    "not ours": (["--engines", "duckdb"], "Peers are measured beside Sparing: add sparing to the engines."),
    "no time": (["--seconds", "0"], "Numbers of subscriptions, repetitions and seconds must be greater than zero."),
    "no numbers": (["--subscriptions", "many"], "'many' is not a list of whole numbers"),
    "no folder": (
        ["--plot", "nowhere/match.svg"],
        "nowhere/match.svg cannot be written: the folder nowhere does not exist.",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_invalid_options_are_rejected_in_one_sentence(mistake):
    arguments, sentence = MISTAKES[mistake]
    result = CliRunner().invoke(build(), ["bench", "match", *arguments])
    assert isinstance(result.exception, SparingError)
    assert sentence in str(result.exception)


@pytest.mark.parametrize("missing", ["duckdb", "polars"])
def test_a_missing_library_is_reported(missing, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == missing else there(name, *more)
    )
    result = CliRunner().invoke(build(), ["bench", "match"])
    assert f"{missing} must be there: install it with pip install" in str(result.exception)


def test_the_command_writes_its_results(here, tmp_path):
    arguments = ["--subscriptions", "60", "--shapes", "d", "--engines", "sparing,numpy", "--seconds", "0.01"]
    for option, name in (("--json", "match.json"), ("--plot", "match.svg"), ("--markdown", "match.md")):
        arguments += [option, str(tmp_path / name)]
    result = CliRunner().invoke(build(), ["bench", "match", "--repeat", "1", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert "d (skewed), 1.5%" in result.output
    assert len(Match.read(json.loads((tmp_path / "match.json").read_text()))[1]["figures"]) == 2
    assert (tmp_path / "match.md").read_text().startswith("| workload | subscriptions | Sparing | NumPy |")
    assert (tmp_path / "match.svg").exists()
