"""Results that were saved can be read again by the benchmark that wrote them."""

import json

import pytest

from sparing_lab.bench.benchmark import Benchmark
from sparing_lab.commands.bench import BENCHMARKS, benchmark
from tests.docs.pages import ROOT

SAVED = sorted((ROOT / "benchmarks").glob("*.json"))


def test_results_of_most_benchmarks_are_stored():
    assert {path.stem for path in SAVED} == set(BENCHMARKS) - {"faults"}


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_stored_results_survive_json(path):
    kind, saved = benchmark(path.stem), json.loads(path.read_text())
    made, results = kind.read(saved)
    again = json.loads(json.dumps(made.json(results)))
    for part in kind.parts:
        if isinstance(saved.get(part), list):
            for before, after in zip(saved[part], again[part], strict=True):
                assert all(after[name] == value for name, value in before.items())
        elif part in saved:
            assert again[part] == saved[part]
    assert all(again["settings"][name] == value for name, value in saved["settings"].items())
    tables = [table for table in made.tables(results) if table.rows]
    assert tables


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_the_common_form(name):
    kind = benchmark(name)
    assert issubclass(kind, Benchmark)
    assert kind.parts
    assert kind().json({part: [] for part in kind.parts})["settings"]
