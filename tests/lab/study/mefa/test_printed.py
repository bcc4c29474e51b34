"""The claims of the slides, and our numbers and verdicts for constructed measurements."""

from sparing_lab.study.mefa.figures import (
    accounts_table,
    costs_table,
    exact_table,
    facebook_table,
    lengths_table,
    trees_table,
)
from sparing_lab.study.mefa.printed import comparisons
from sparing_lab.study.mefa.results import MefaResults
from tests.lab.study.mefa.rows import TINY, results
from tests.lab.study.studies import ours, verdicts


def test_every_measurable_claim_has_our_number():
    found = comparisons(results())
    assert len(found) == 19
    assert [c.where for c in found if c.ours is None] == ["related works", "trace setting"]


def test_the_example_has_the_numbers_of_the_slides():
    assert ours("mefa", "round 1") == ["2, 9; 1, 18; 1, 4"]
    assert ours("mefa", "round 2") == ["2, 4; 1, 4"]
    assert ours("mefa", "similarity of s1") == ["60%"]
    assert ours("mefa", "benefit of all three") == ["3; 1"]


def test_claims_are_judged_by_sums_over_samples():
    """MEFA costs 60, 60, 60 and 160: 85 on average, beside 80 of SPA and 120 of AA. As printed it costs 64."""
    assert ours("mefa", "uniform: MEFA's cost below SPA's") == [
        "-6%, 29%, cheapest in 75% of samples (as printed: 20%, 47%)"
    ]
    assert ours("mefa", "Facebook, exponential sizes") == [
        "-6%, 65%, cheapest in 75% of samples (as printed: 20%, 73%)"
    ]
    assert ours("mefa", "exponential places: MEFA is further") == [
        "SPA -6% instead of -6%, AA 29% instead of 29% (as printed: 20% instead of 20%, 47% instead of 47%)"
    ]
    assert ours("mefa", "exponential sizes: MEFA is further") == [
        "SPA -6% instead of -6%, AA 65% instead of 29% (as printed: 20% instead of 20%, 73% instead of 47%)"
    ]
    assert ours("mefa", "uniform: MEFA's cost on DS trees") == ["50% (gamma = 0), 25% (gamma = 10), 0% (gamma = 30)"]
    assert ours("mefa", "leaves of the Facebook tree") == ["60 of 90"]


def test_verdicts_are_computed_from_the_rows():
    assert verdicts("mefa", "round") == ["REPRODUCED"] * 2
    assert verdicts("mefa", "uniform: MEFA's cost below SPA's") == ["PARTLY"]
    assert verdicts("mefa", "exponential places: MEFA is further") == ["NOT"]
    assert verdicts("mefa", "exponential sizes: MEFA is further") == ["PARTLY"]  # below AA only
    assert verdicts("mefa", "uniform: MEFA's cost on DS trees") == ["PARTLY"]
    assert verdicts("mefa", "leaves") == ["PARTLY"]  # 60 for 63 leaves, 90 for 120 nodes
    assert verdicts("mefa", "cost of MEFA against the least cost") == ["REPRODUCED"]  # theta is 20: at most 4.0 times


def test_the_bound_ignores_samples_whose_least_cost_is_zero():
    """Of four samples the first costs nothing at best, and the others 60, 60 and 160 beside 50."""
    assert ours("mefa", "cost of MEFA against the least cost") == ["mean 1.87, worst 3.20 times the least, small trees"]


def test_claims_without_measurements_are_not_measured():
    nothing = MefaResults(TINY, [])
    for table in (costs_table, accounts_table, facebook_table, trees_table, lengths_table, exact_table):
        assert table(nothing)[1] == []


def test_tables_have_savings_and_costs():
    assert costs_table(results())[1][0] == ["uniform", "100 pairs", "50.0 / 85", "50.0 / 80", "50.0 / 120", "75%"]
    assert len(costs_table(results())[1]) == len(facebook_table(results())[1]) == 3 * 5
    accounts = accounts_table(results())[1]
    assert accounts[0] == ["uniform", "46 nodes", "100.5", "75%", "50.0", "64", "85"]
    assert [row[1] for row in accounts[:3]] == ["46 nodes", "96 nodes", "Facebook"]
    assert trees_table(results())[1][0] == ["uniform", "100 pairs", "50.0 / 60", "50.0 / 30", "50.0 / 45", "50.0 / 60"]
    assert lengths_table(results())[1][:2] == [
        ["uniform", "DO", "4", "0", "160", "110"],
        ["uniform", "DS, gamma = 0", "4", "8", "160", "110"],
    ]
    assert exact_table(results())[1][0] == ["uniform", "25%", "1.87 / 3.20, 25%", "1.60 / 1.60, 0%", "2.40 / 2.40, 0%"]
