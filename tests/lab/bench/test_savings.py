"""The savings benchmark: tables, workloads, and the cost of leaving out a technique."""

from dataclasses import replace

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import all_of, techniques
from sparing_lab.bench.savings.benchmark import Saved, alone, left_out
from sparing_lab.bench.savings.cases import CASES, SavingsCase
from sparing_lab.bench.savings.measure import savings
from tests.tries import thorough_only

FOUND = [
    Saved("one", "first", "make one", 10, 2, 80, 100, {"covering": (90, 88), "merged events": (100, 80)}),
    Saved("two", "second", "make two", 20, 3, 50, 100, {"covering": (100, 60)}),
]


def test_tables_have_techniques_left_out_and_alone():
    assert tuple(left_out(FOUND).columns) == ("", "one", "two")
    assert left_out(FOUND).cells() == [
        ["messages with all of them", "80", "50"],
        ["without covering", "+10.0%", "+20.0%"],
        ["without merged events", "-", "no part"],
        ["without any", "+25.0%", "+100.0%"],
    ]
    assert alone(FOUND).cells() == [
        ["messages with none of them", "100", "100"],
        ["only covering", "-10.0%", "-"],
        ["only merged events", "-", "no part"],
        ["all together", "-20.0%", "-50.0%"],
    ]


@pytest.mark.parametrize("name", CASES)
def test_every_workload_uses_all_applicable_techniques(name):
    case = CASES[name]
    if case.kind == "alerts":  # whose control plane takes long to work out, and a few of them will do
        case = replace(case, settings={**case.settings, "subscriptions": 100})
    deployment = Deployment.of(case.made().description)
    policy = all_of(deployment.policy)
    assert all(technique.used(policy) for technique in techniques(deployment))
    assert CASES[name].command("out").startswith(f"sparing generate {CASES[name].kind} out")


@thorough_only
@pytest.mark.spark
def test_leaving_out_a_technique_costs_messages(spark):
    small = SavingsCase("stock", "small", {"rate": 20.0, "duration": 20.0, "subscriptions": 12, "aggregate": (1, 0)})
    told = []
    (found,) = savings(spark, {"small": small}, told.append)
    assert (found.publications, found.subscriptions) == (400, 12)
    assert found.ours < found.naive
    only, without = found.techniques["aggregate or forward"]
    assert only < found.naive
    assert without > found.ours
    assert "merged events" not in found.techniques
    assert told[0] == "small: Replaying it under ours"
