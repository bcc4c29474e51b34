"""What the paper prints, and what made-up measurements give beside it."""

from sparing.study.mna.figures import summary, table_i
from sparing.study.mna.printed import comparisons
from tests.study.mna.rows import results


def ours(found, start):
    return [c.ours for c in comparisons(found) if c.what.startswith(start)]


def test_every_printed_number_has_one_of_ours():
    found = comparisons(results())
    assert len(found) == 22
    assert all(c.ours is not None for c in found)
    assert len({(c.what, c.where) for c in found}) == len(found)


def test_the_paper_is_quoted_as_it_is():
    printed = {c.what: c.printed for c in comparisons(results())}
    assert [printed[w] for w in printed if w.startswith("ADOCK's messages over the static")] == [
        "3.53%",
        "0.88%",
        "4.29%",
        "3.27%",
    ]
    assert printed["WAD's messages over ADOCK's: stock, tumbling, 465/s"] == "50%"
    assert printed["ADOCK's messages below WAD's, window 6 shifts"] == "27%"


def test_ours_are_worked_out_from_the_rows():
    found = results()
    assert ours(found, "ADOCK's messages over the static") == ["2.00%"] * 4
    assert ours(found, "WAD's messages over ADOCK's") == ["5.0%"] * 7
    assert ours(found, "ADOCK's messages, sliding against tumbling") == ["0.0%"] * 2
    assert ours(found, "BAT's messages more than ADOCK's") == ["10,200"] * 2  # scaled from 100 s to 1,000 s
    assert ours(found, "ADOCK's compute at the highest rate") == ["40.0 s"] * 2  # 4 s in 100 s
    assert ours(found, "ADOCK's compute, times WAD's") == ["up to 2.0"] * 2  # 4 s and 2 s
    assert ours(found, "ADOCK's decision time over WAD's") == ["200.0%"] * 2  # 3 s and 1 s
    assert ours(found, "ADOCK's messages below WAD's") == ["4.8%"]


def test_what_was_not_measured_is_not_there():
    found = results(("publisher-edge", "subscriber-edge"))
    assert all(c.ours is None for c in comparisons(found))
    assert [row[0] for row in summary(found)[1]] == ["publisher-edge", "subscriber-edge"]
    assert table_i(found)[1][1] == ["publisher-edge", "", "", "", ""]


def test_table_i_sets_the_printed_row_above_ours():
    names, rows = table_i(results())
    assert names == ["policy", "90", "180", "270", "360"]
    assert rows[0] == ["ADOCK, as printed", "3.53%", "0.88%", "4.29%", "3.27%"]
    assert rows[1] == ["adock", *["2.00%"] * 4]
    assert "static" not in [row[0] for row in rows]
