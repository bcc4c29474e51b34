"""The claims of the paper, and our numbers and verdicts for constructed measurements."""

from sparing_lab.study.topk.figures import fairness_table
from sparing_lab.study.topk.printed import comparisons
from sparing_lab.study.topk.results import TopkResults
from tests.lab.study.studies import ours, verdicts
from tests.lab.study.topk.rows import TINY, results


def test_all_claims_except_milliseconds_can_be_measured():
    found = comparisons(results())
    assert len(found) == 11 + 4 + 8 + 4 + 5 + 5 + 3
    assert [c.what for c in found if c.ours is None] == ["milliseconds from publisher to subscriber"]


def test_quotes_agree_with_the_paper():
    printed = {c.what: c.printed for c in comparisons(results())}
    assert printed["RankCoverK, k = 10, of 10,000 subscriptions"] == "84.71%"
    assert printed["AncestorCoverK, k up to 10, of 50,000 subscriptions"] == "under 2.5%"
    assert printed["AncestorCoverK, k = 5%: forwarded, ranges of 30-40%"] == "82.05%"


def test_our_numbers_are_computed_from_the_rows():
    assert ours("topk", "RegularCover: forwarded of") == ["30.00%"] * 2
    assert ours("topk", "RankCoverK, k = 10, of") == [
        "81.0% (80.0 to 82.0); by longest paths 30.1%",
        "81.0% (80.0 to 82.0); by longest paths 30.0%",
    ]
    assert ours("topk", "RankCoverK: smallest k") == ["19 (18 to 20)"] * 2
    assert ours("topk", "AncestorCoverK, k = 10%: covered") == ["60.00%"]
    assert ours("topk", "AncestorCoverK: maximum difference") == ["0.00"]
    assert ours("topk", "AncestorCoverK, k = 1%: of what") == ["98.6%"]  # 69 of 70
    assert ours("topk", "RegularCover: times as many") == ["3.00"]  # 30 and 10
    assert ours("topk", "AncestorCoverK, k = 5%: times as many") == ["2.33"]  # 35 and 15
    assert ours("topk", "AncestorCoverK's distance from RegularK") == ["200%"]  # 60 and 20
    assert ours("topk", "AncestorCoverK: fairer with k = 2") == ["0.00%"]
    assert ours("topk", "AncestorCoverK: core brokers on the path") == ["4"]
    assert ours("topk", "top-k at a broker") == ["100%"]  # 2 and 1
    assert ours("topk", "AncestorCoverK beside RegularK: CPU on the path saved, mean") == ["50%"]  # 2 and 4
    assert ours("topk", "values of k at which AncestorFairK") == ["5 of 5"]
    assert ours("topk", "points with k under 1%") == ["0 of 4"]  # 5 and 4


def test_verdicts_are_computed_from_the_rows():
    assert verdicts("topk", "RegularCover: forwarded of") == ["NOT"] * 2
    assert verdicts("topk", "RankCoverK, k = 10, of") == ["REPRODUCED", "PARTLY"]  # 81% for 84.71% and 60.53%
    assert verdicts("topk", "RankCoverK: smallest k") == ["REPRODUCED", "PARTLY"]  # 19 for 19 and 27
    assert verdicts("topk", "AncestorCoverK: maximum difference") == ["REPRODUCED"]
    assert verdicts("topk", "AncestorCoverK's distance from RegularK") == ["PARTLY"]  # 200% for 224%
    assert verdicts("topk", "AncestorCoverK: core brokers on the path") == ["NOT"]
    assert verdicts("topk", "top-k at a broker") == ["NOT"]  # 100% for 3%
    assert verdicts("topk", "AncestorCoverK beside RegularK") == ["PARTLY", "NOT"]  # 50% for 25%, at every k
    assert verdicts("topk", "numbers of subscriptions with which") == ["REPRODUCED"]
    assert verdicts("topk", "points with k under 1%") == ["NOT"]


def test_claims_without_measurements_are_not_measured():
    assert fairness_table(TopkResults(TINY, []))[1] == []


def test_the_table_of_fairness_separates_chance_from_unfairness():
    rows = {row[0]: row[1:] for row in fairness_table(results())[1]}
    assert rows["RegularK"] == ["10.00%", "1.000", "0.497"]
    assert rows["AncestorCoverK"] == ["60.00%", "40.161", "0.000"]
    assert rows["exactly fair"] == ["10.00%", "1.000", "0.497"]
