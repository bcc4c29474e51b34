"""The claims of the paper, and our numbers and verdicts for constructed measurements."""

from sparing_lab.study.matchmaker.figures import costs_table, failures_table, monotone_table
from sparing_lab.study.matchmaker.grid import MIDDLE
from sparing_lab.study.matchmaker.printed import comparisons
from sparing_lab.study.matchmaker.results import MatchmakerResults
from tests.lab.study.matchmaker.rows import TINY, results
from tests.lab.study.studies import ours, verdicts


def test_all_claims_except_times_can_be_measured():
    found = comparisons(results())
    assert len(found) == 6 + 6 + 6 + 5
    assert [c.what for c in found if c.ours is None] == ["time to solve the problem with realistic networks"]


def test_quotes_agree_with_the_paper():
    printed = {c.what: c.printed for c in comparisons(results())}
    assert printed["MCM: median of the cost"] == "about 250"
    assert printed["SubE: 90th percentile of the cost"] == "over 2,000"
    assert printed["shared trees: samples in which MCM costs below 30% of PubE, of SubE"] == "over 50%"


def test_our_numbers_are_computed_from_the_rows():
    assert ours("matchmaker", "MCM: median") == ["150 (nearest: 157)"]
    assert ours("matchmaker", "PubE: 90th") == ["490 (nearest: 490)"]
    assert ours("matchmaker", "shared trees: samples in which MCM costs below 30%") == [
        "27.3%, 0.0% (both: 0.0%)"
    ]  # n < 20/7: 3 of 11
    assert ours("matchmaker", "shared trees: samples in which MCM costs at most half") == [
        "100.0%, 100.0% (both: 100.0%)"
    ]
    assert ours("matchmaker", "shared trees: times the mean cost with 50 subs") == [
        "PubE 1.5, SubE 1.0, MCM 1.0"
    ]  # 650 and 425
    assert ours("matchmaker", "shared trees: times the mean cost with 50 publ") == ["SubE 1.0, PubE 1.0, MCM 1.0"]
    assert ours("matchmaker", "shared trees: samples that violate") == ["0.0%"]
    assert ours("matchmaker", "trees per source: samples that violate") == ["9.1% (ties by chance: 45.5%)"]
    assert ours("matchmaker", "trees per source: links involved") == ["10.0% (ties by chance: 10.0%)"]
    assert ours("matchmaker", "trees per source: samples for which Figure 6") == ["0.0% (ties by chance: 18.2%)"]


def test_verdicts_are_computed_from_the_rows():
    assert verdicts("matchmaker", "MCM: median") == ["PARTLY"]  # 150 for 250
    assert verdicts("matchmaker", "PubE: 90th") == ["NOT"]  # 490 for over 2,000
    assert verdicts("matchmaker", "shared trees: samples in which") == ["NOT", "REPRODUCED"]
    assert verdicts("matchmaker", "shared trees: times") == ["PARTLY", "REPRODUCED"]  # PubE grows faster than SubE
    assert verdicts("matchmaker", "shared trees: samples that violate") == ["REPRODUCED"]
    assert verdicts("matchmaker", "trees per source: samples that violate") == ["PARTLY"]  # depends on ties
    assert verdicts("matchmaker", "trees per source: links involved") == ["REPRODUCED"]
    assert verdicts("matchmaker", "trees per source: samples for which") == ["PARTLY"]


def test_claims_without_measurements_are_not_measured():
    nothing = MatchmakerResults(TINY, [])
    for table in (costs_table(nothing), failures_table(nothing, TINY.points), monotone_table(nothing, TINY.points)):
        assert table[1] == []


def test_the_table_of_costs_has_a_row_per_tree_and_rounding():
    rows = costs_table(results())[1]
    assert len(rows) == 6
    assert rows[0] == ["shared", "150 / 190", "450 / 490", "450 / 570", "27 / 0%", "100 / 100%"]
    assert [row[0] for row in rows[4:]] == ["ties by chance", "ties by chance, nearest"]


def test_the_table_of_failures_has_only_invalid_markings():
    rows = {row[0]: row[1:] for row in failures_table(results(), [MIDDLE])[1]}
    assert rows["per source, 10 x 10"] == ["0.0%", "", "", "", "", ""]
    # Costs 100 and 110, 10 below them as counted, 20 and 30 above them after repairs; a tenth of the pairs is apart.
    assert rows["ties by chance, 10 x 10"] == ["18.2%", "10.0%", "-9.55%", "+19.09%", "+28.64%", "+19.09%"]
    assert rows["ties by chance, all points"][0] == "18.2%"


def test_the_table_of_links_counts_those_that_are_not_monotone():
    rows = {row[0]: row[1:] for row in monotone_table(results(), [MIDDLE])[1]}
    assert rows["per source, all points"] == ["9.1%", "10.0%", "9.1%", "5.0%"]
    assert rows["ties by chance, 10 x 10"] == ["45.5%", "10.0%", "45.5%", "5.0%"]
