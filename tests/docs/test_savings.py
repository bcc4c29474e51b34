"""docs/savings.md has the figures of benchmarks/savings.json, and every technique pays in one of the workloads."""

import json

from sparing_lab.bench.savings.benchmark import Savings
from sparing_lab.bench.savings.cases import CASES
from tests.docs.pages import ROOT, text_of

BENCH, RESULTS = Savings.read(json.loads((ROOT / "benchmarks" / "savings.json").read_text()))
SAVED = RESULTS["cases"]


def test_the_page_has_the_figures_of_the_benchmark():
    for table in BENCH.tables(RESULTS):
        assert table.markdown() in text_of("docs/savings.md")


def test_they_are_those_of_the_benchmarks_workloads():
    assert [case.name for case in SAVED] == list(CASES)
    for case in SAVED:
        assert case.command == CASES[case.name].command(case.name.replace(" ", "-"))
        assert case.about == CASES[case.name].about


def test_every_technique_earns_its_place_somewhere():
    for name in {name for case in SAVED for name in case.techniques}:
        saved = [case.techniques[name][1] / case.ours for case in SAVED if name in case.techniques]
        assert max(saved) > 1.1, f"{name} pays nowhere: docs/savings.md must say so"


def test_what_is_said_of_the_matchmaker_and_of_covering():
    dearer = {case.name: case.ours / case.techniques["matchmaker"][1] - 1 for case in SAVED}
    assert max(dearer.values()) < 0.01
    assert {name for name, more in dearer.items() if more < -0.1} == {"alerts", "alerts that move"}
    assert all(case.techniques["covering"][1] >= case.ours for case in SAVED)
