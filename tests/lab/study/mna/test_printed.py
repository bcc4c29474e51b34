"""The claims of the paper, and our numbers and verdicts for constructed measurements."""

from sparing_lab.study.mna.figures import summary, table_i
from sparing_lab.study.mna.printed import comparisons
from tests.lab.study.mna.rows import results
from tests.lab.study.studies import ours, verdicts


def test_all_claims_except_seconds_of_servers_can_be_measured():
    found = comparisons(results())
    assert len(found) == 49
    assert [c.printed for c in found if c.ours is None] == ["500 s", "almost 1,200 s"]


def test_quotes_agree_with_the_paper():
    printed = {c.what: c.printed for c in comparisons(results())}
    assert [printed[w] for w in printed if w.startswith("ADOCK's messages over the static optimum's: ")] == [
        "3.53%",
        "0.88%",
        "4.29%",
        "3.27%",
    ]
    assert printed["WAD's messages over ADOCK's: stock, tumbling, 465/s"] == "50%"
    assert printed["ADOCK's messages below WAD's, window 6 shifts"] == "27%"


def test_our_numbers_are_computed_from_the_rows():
    assert ours("mna", "ADOCK's messages over the static optimum's: ") == ["2.00%"] * 4
    assert ours("mna", "WAD's messages over ADOCK's: ") == ["5.0%"] * 6
    assert ours("mna", "WAD's messages over ADOCK's, maximum") == ["5.0%"]
    assert ours("mna", "experiments in which ADOCK sends") == ["26 of 26"]
    assert ours("mna", "ADOCK's messages for equally many windows") == ["-50.0%"] * 2  # as many for twice the windows
    assert ours("mna", "BAT's messages in addition to ADOCK's") == ["10,200"] * 2  # scaled from 100 s to 1,000 s
    assert ours("mna", "ADOCK's compute, times WAD's, maximum") == ["up to 2.0"] * 2  # 4 s and 2 s
    assert ours("mna", "ADOCK's compute, sliding") == ["1.00"]
    assert ours("mna", "ADOCK's decision time over WAD's, window") == ["200.0%"] * 2  # 3 s and 1 s
    assert ours("mna", "ADOCK's messages below WAD's") == ["4.8%"] * 2


def test_verdicts_are_computed_from_the_rows():
    assert verdicts("mna", "ADOCK's messages over the static optimum's: ") == [
        "PARTLY",
        "NOT",
        "NOT",
        "PARTLY",
    ]  # 2% for 3.53% ...
    assert verdicts("mna", "ADOCK's messages over the static optimum's, maximum") == ["REPRODUCED"]  # under 4.29%
    assert verdicts("mna", "experiments in which BAT sends") == ["REPRODUCED"]
    assert verdicts("mna", "WAD's messages over ADOCK's: traffic") == ["PARTLY", "PARTLY"]  # 5% for 7% and 2.7%
    assert verdicts("mna", "WAD's messages over ADOCK's: stock") == ["NOT"] * 4
    assert verdicts("mna", "WAD's messages over ADOCK's, as rates grow") == ["NOT"] * 2
    assert verdicts("mna", "ADOCK's decision time over WAD's, window") == ["NOT", "PARTLY"]  # 200% for 41% and 300%
    assert verdicts("mna", "ADOCK's compute at the highest rate") == ["NOT_MEASURED"] * 2


def test_claims_without_measurements_are_not_measured():
    found = results(("publisher-edge", "subscriber-edge"))
    assert all(c.ours is None for c in comparisons(found))
    assert [row[0] for row in summary(found)[1]] == ["publisher-edge", "subscriber-edge"]
    assert table_i(found)[1][1] == ["publisher-edge", "", "", "", ""]


def test_both_ways_of_counting_have_a_summary():
    names, rows = summary(results(("static", "wad")))
    assert names[:5] == ["policy", "all messages", "for aggregation", "mean", "most"]
    cells = len(results().cells)
    assert rows[0][:5] == ["wad", f"{10071 * cells:,}", f"{1071 * cells:,}", "+7.10%", "+7.10%"]


def test_table_i_has_the_printed_row_above_ours():
    names, rows = table_i(results())
    assert names == ["policy", "90", "180", "270", "360"]
    assert rows[0] == ["ADOCK, as printed", "3.53%", "0.88%", "4.29%", "3.27%"]
    assert rows[1] == ["adock", *["2.00%"] * 4]
    assert "static" not in [row[0] for row in rows]
