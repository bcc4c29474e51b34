"""What the paper prints, and what made-up measurements give beside it; measurements survive a CSV file."""

from sparing.study.topk.figures import fairness_table
from sparing.study.topk.printed import comparisons
from sparing.study.topk.results import Results
from sparing.study.topk.row import from_csv, to_csv
from tests.study.topk.rows import TINY, results


def ours(start):
    return [c.ours for c in comparisons(results()) if c.what.startswith(start)]


def test_every_printed_number_has_one_of_ours():
    found = comparisons(results())
    assert all(c.ours is not None for c in found)
    assert len({(c.what, c.where) for c in found}) == len(found) == 30


def test_the_paper_is_quoted_as_it_is():
    printed = {c.what: c.printed for c in comparisons(results())}
    assert printed["RankCoverK, k = 10, of 10,000 subscriptions"] == "84.71%"
    assert printed["AncestorCoverK, k up to 10, of 50,000 subscriptions"] == "under 2.5%"
    assert printed["AncestorCoverK, k = 5%: forwarded, ranges of 30-40%"] == "82.05%"


def test_ours_are_worked_out_from_the_rows():
    assert ours("RegularCover: forwarded of") == ["30.00%"] * 2
    assert ours("RankCoverK, k = 10, of") == ["81.0% (80.0 to 82.0)"] * 2
    assert ours("RankCoverK: k from") == ["19 (18 to 20)"] * 2
    assert ours("the same by longest paths") == ["30.10%", "30.02%"]
    assert ours("AncestorCoverK, k = 10%: covered") == ["60.00%"]
    assert ours("AncestorCoverK: most that numbers") == ["0.00"]
    assert ours("AncestorCoverK, k = 1%: of what") == ["98.6%"]  # 69 of 70
    assert ours("RegularCover: times as many") == ["3.00"]  # 30 and 10
    assert ours("AncestorCoverK, k = 5%: times as many") == ["2.33"]  # 35 and 15
    assert ours("AncestorCoverK's distance from RegularK") == ["200%"]  # 60 and 20
    assert ours("AncestorCoverK: fairer with k = 2") == ["0.00%"]
    assert ours("AncestorCoverK: core brokers on the way") == ["4"]
    assert ours("top-k at a broker") == ["100%"]  # 2 and 1
    assert ours("AncestorCoverK beside RegularK") == ["50%"]  # 2 and 4


def test_what_was_not_measured_is_not_there():
    assert all(c.ours is None for c in comparisons(Results(TINY, [])))
    assert fairness_table(Results(TINY, []))[1] == []


def test_the_table_of_fairness_tells_chance_from_unfairness():
    rows = {row[0]: row[1:] for row in fairness_table(results())[1]}
    assert rows["RegularK"] == ["10.00%", "1.000", "0.497"]
    assert rows["AncestorCoverK"] == ["60.00%", "40.161", "0.000"]
    assert rows["exactly fair"] == ["10.00%", "1.000", "0.497"]


def test_csv_gives_back_what_it_was_given():
    rows = results().rows
    assert list(from_csv(to_csv(rows))) == rows
    assert to_csv(rows).splitlines()[0].startswith("subscriptions,narrowest,widest,k,method,seed,distance,what,value")
