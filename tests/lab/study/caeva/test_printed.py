"""The claims of the paper, and our numbers and verdicts for constructed measurements."""

from sparing_lab.study.caeva.printed import comparisons
from sparing_lab.study.caeva.results import CaevaResults
from sparing_lab.study.caeva.tables import (
    TABLES,
    ahead_table,
    cycles_table,
    locality_table,
    places_table,
    sentences,
    up_table,
)
from tests.lab.study.caeva.rows import TINY, results
from tests.lab.study.studies import ours, verdicts


def test_every_claim_can_be_measured():
    found = comparisons(results())
    assert len(found) == 5 + 3 + 2 + 2 + 4
    assert all(c.ours is not None for c in found)


def test_quotes_agree_with_the_paper():
    printed = {c.what: c.printed for c in comparisons(results())}
    static = "static min, max, adaptive (adaptive / min)"
    assert printed[f"3 publishers: {static}"] == "101,796, 125,714, 102,583 (1.008)"
    assert printed[f"7 publishers: {static}"] == "147,913, 220,126, 150,239 (1.016)"
    assert printed[f"uniform publishers: {static}"] == "153,847, 203,474, 153,385 (0.997)"
    assert printed[f"nonuniform publishers: {static}"] == "293,265, 361,287, 266,722 (0.909)"


def test_our_numbers_are_computed_from_the_rows():
    assert ours("caeva", "messages that CAEVA suppresses") == ["74.8% at T_m = 10", "74.8%, 74.8%"]  # 1,010 of 4,000
    assert ours("caeva", "percentage points by which CAEVA suppresses more than Agele, T_m") == [
        "7.25, 7.25"
    ]  # 290 messages
    assert ours("caeva", "extra time") == ["5.00, 5.00 time units", "0.00, 5.00"]
    assert ours("caeva", "cases in which CAEVA") == ["9 of 9; 9 of 9 if coordination counts"]
    assert ours("caeva", "coordination messages") == ["60, 10"]
    assert ours("caeva", "3 publishers") == ["1,000, 1,200, 1,010 (1.010)"]
    assert ours("caeva", "nonuniform") == ["1,000, 1,200, 910 (0.910)"]
    assert ours("caeva", "steady publishers") == ["at most 1.010 times the best static"]
    assert ours("caeva", "changing every 5") == ["mean 0.910, 0.910 to 0.910"]


def test_verdicts_are_computed_from_the_rows():
    assert verdicts("caeva", "messages that CAEVA suppresses") == ["REPRODUCED", "NOT"]  # 74.8% for 80%; never grows
    assert verdicts("caeva", "extra time") == ["REPRODUCED", "REPRODUCED"]
    assert verdicts("caeva", "percentage points by which") == ["NOT", "NOT"]
    assert verdicts("caeva", "cases in which") == ["REPRODUCED"]
    # Far fewer messages than printed, and a ratio of 1.010 where 1.008 and 1.016 are printed.
    assert verdicts("caeva", "3 publishers") == verdicts("caeva", "7 publishers") == ["PARTLY"]
    assert verdicts("caeva", "changing every") == ["REPRODUCED"] * 2  # 9% better for 10%
    assert verdicts("caeva", "the worst static") == ["PARTLY"]  # 1.2 for 1.49 times


def test_tables_have_the_expected_rows():
    found = results()
    assert cycles_table(found)[1][1] == ["10", "67.5%", "74.8%", "73.2%", "5.00", "5.00", "25%"]
    assert [row[0] for row in locality_table(found)[1]] == ["HH", "HM", "HL", "MH", "MM", "ML", "LH", "LM", "LL"]
    rows = {row[0]: row[1:] for row in places_table(found)[1]}
    assert rows["3, tree"] == ["1,000", "1,200", "1.010", "1.000", "1.100", "1.020", "1.300", "1.010", "3.0"]
    assert rows["31, random, 5"][2] == "0.910"
    rows = {row[0]: row[1:] for row in up_table(found)[1]}
    assert rows["3, tree"] == ["1.050", "1.000", "1.500", "1.100", "1.009", "1.000", "1.094"]  # 1,060 in all at best
    assert ahead_table(found)[1][0] == ["reports per event", "3", "+22.3%", "+18.3%"]  # 1,010 of 1,300, 1,070 of 1,310
    assert sentences(found)[0].startswith("Reports per event: CAEVA sends 22.3% (3) to 22.3% (200) less than Agele.")


def test_claims_without_measurements_are_not_measured():
    nothing = CaevaResults(TINY, [])
    assert all(make(nothing)[1] == [] for make, _ in TABLES.values())
    assert sentences(nothing) == []
